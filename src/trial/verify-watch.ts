/**
 * Deadline for what a check does after an `await`. The first stretch of a check is called by us and can be given a deadline
 * (`spec/run-within.ts`); the later ones are called by the engine. So a second thread looks whether this one still moves,
 * and where it does not, has it ended through the inspector (`Runtime.terminateExecution`), which reaches loops, patterns
 * that backtrack and code that catches everything. What was ended never settles its promise.
 */
import { url as inspectorUrl } from 'node:inspector'
import { isMainThread, Worker } from 'node:worker_threads'
import type { Within } from '../spec/run-within.ts'

/** What both threads see, by index. */
const CELLS = { beats: 0, watched: 1, limitMs: 2, stops: 3 } as const
const BEAT_MS = 100

/** The other thread. Plain JavaScript, since a thread of Node 20 runs no TypeScript. It counts looks instead of reading a clock: a suspended machine makes no look. */
const WATCHER = `
const { Session } = require('node:inspector')
const { workerData: { cells, at, beatMs } } = require('node:worker_threads')
let last = -1
let still = 0
setInterval(() => {
  const beat = Atomics.load(cells, at.beats)
  still = Atomics.load(cells, at.watched) > 0 && beat === last ? still + 1 : 0
  last = beat
  if (still * beatMs < Atomics.load(cells, at.limitMs)) return
  still = 0
  Atomics.add(cells, at.stops, 1)
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.terminateExecution', () => session.disconnect())
}, beatMs)
`

/** One watcher for this process, started when the first check waits for something; it ends with the process. */
let shared: Int32Array | null = null

function cellsOfWatcher(): Int32Array {
  if (shared === null) {
    shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(CELLS).length))
    const workerData = { cells: shared, at: CELLS, beatMs: BEAT_MS }
    new Worker(WATCHER, { eval: true, workerData, name: 'agent-bench-verify-watch' }).unref()
  }
  return shared
}

/**
 * Waits for a check that has begun. A stretch of its code that blocks this thread for `limitMs` is ended.
 *
 * Checks at the same time (`agent-bench check --jobs`) share the thread: which of them was ended shows when all others are
 * through. Under a debugger, and outside of a process's main thread, nothing is watched.
 * @param givenUp Rejects when the check is no longer waited for.
 * @returns `isOverdue` for a check that was ended.
 * @throws what the check throws, and what `givenUp` rejects with.
 */
export async function watchStretches<Value>(
  check: Promise<Value>,
  limitMs: number,
  givenUp: Promise<never>,
): Promise<Within<Value>> {
  const settled = Promise.race([check, givenUp]).then((value): Within<Value> => ({ isOverdue: false, value }))
  if (!isMainThread || inspectorUrl() !== undefined) return settled
  const cells = cellsOfWatcher()
  const stopsBefore = Atomics.load(cells, CELLS.stops)
  let timer: NodeJS.Timeout | undefined
  const stopped = new Promise<Within<Value>>(resolve => {
    timer = setInterval(() => {
      Atomics.add(cells, CELLS.beats, 1)
      const isLast = Atomics.load(cells, CELLS.watched) === 1
      if (isLast && Atomics.load(cells, CELLS.stops) !== stopsBefore) resolve({ isOverdue: true })
    }, BEAT_MS)
  })
  Atomics.store(cells, CELLS.limitMs, limitMs)
  Atomics.add(cells, CELLS.watched, 1)
  try {
    return await Promise.race([settled, stopped])
  } finally {
    Atomics.sub(cells, CELLS.watched, 1)
    clearInterval(timer)
  }
}
