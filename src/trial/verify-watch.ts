/**
 * Deadline for what a check does after an `await`, and for whatever else of a task's code no deadline reaches. The first
 * stretch of a check is called by us and can be given a deadline (`spec/run-within.ts`); the later ones are called by the
 * engine. So a second thread looks whether this one still gets on, and where it does not:
 *
 * - a stretch of a check is ended through the inspector (`Runtime.terminateExecution`), which reaches loops, patterns that
 *   backtrack and code that catches everything. What was ended never settles its promise;
 * - what cannot be ended, because it waits in the system (`execSync`) or is called again and again, ends the process.
 *   The thread says so, and leaves a note for the main process: the run has its name, and no trial is recorded.
 *
 * Ending what a timer or `process.nextTick` called leaves Node's stack of async ids too long, and Node ends a process when it
 * finds that. {@link WORKER_FLAG} keeps it from looking. Where it ends all the same, the note is there already.
 */
import { url as inspectorUrl } from 'node:inspector'
import { isMainThread, Worker } from 'node:worker_threads'
import { authorCode, CELLS, NAME_AT, type Within } from '../task/run-within.ts'
import { WATCHER } from './verify-watch-thread.ts'

/** Option of Node for processes that run checks. */
export const WORKER_FLAG = '--no-force-async-hooks-checks'

const BEAT_MS = 100
/** Milliseconds that something has to end after its deadline before the process is ended. */
const GRACE_MS = 5_000
/** Milliseconds this thread may be blocked by something that no deadline is for, such as a timer that a task left. */
const IDLE_MS = 60_000

/**
 * Starts the watching thread of this process, once; it ends with the process. Under a debugger, and outside of a process's
 * main thread, nothing is watched.
 * @param notePath Where the main process looks for what ended this one; null: nobody does.
 */
export function startWatch(notePath: string | null, { graceMs = GRACE_MS, idleMs = IDLE_MS } = {}): void {
  if (!isMainThread || inspectorUrl() !== undefined) return
  const cells = authorCode()
  if (Atomics.exchange(cells, CELLS.isWatched, 1) === 1) return
  const workerData = { cells, at: CELLS, nameAt: NAME_AT, beatMs: BEAT_MS, graceMs, idleMs, notePath }
  new Worker(WATCHER, { eval: true, workerData, name: 'agent-bench-verify-watch', execArgv: [] }).unref()
  setInterval(() => Atomics.add(cells, CELLS.beats, 1), BEAT_MS).unref()
}

/**
 * Waits for a check that has begun, and until the event loop has turned once after it: a chain of promises without an end
 * would keep everything else from its turn. A stretch of code that blocks this thread for `limitMs` is ended.
 *
 * Checks at the same time (`agent-bench check --jobs`) share the thread: which of them was ended shows when all others are
 * through.
 * @param givenUp Rejects when the check is no longer waited for.
 * @returns `isOverdue` for a check that was ended.
 * @throws what the check throws, and what `givenUp` rejects with.
 */
export async function watchStretches<Value>(
  check: Value | Promise<Value>,
  limitMs: number,
  givenUp: Promise<never>,
): Promise<Within<Value>> {
  startWatch(null)
  const cells = authorCode()
  const stopsBefore = Atomics.load(cells, CELLS.stops)
  const isStopped = () => Atomics.load(cells, CELLS.waits) === 1 && Atomics.load(cells, CELLS.stops) !== stopsBefore
  let timer: NodeJS.Timeout | undefined
  const stopped = new Promise<Within<Value>>(resolve => {
    timer = setInterval(() => {
      if (isStopped()) resolve({ isOverdue: true })
    }, BEAT_MS)
  })
  const settled = async (): Promise<Within<Value>> => {
    try {
      const value = await Promise.race([check, givenUp])
      return { isOverdue: false, value }
    } finally {
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  Atomics.store(cells, CELLS.waitMs, limitMs)
  Atomics.add(cells, CELLS.waits, 1)
  try {
    const ended = await Promise.race([settled(), stopped])
    // Until the other thread has taken back its note: this process may end right after.
    while (Atomics.load(cells, CELLS.isStopping) === 1) await new Promise(resolve => setTimeout(resolve, BEAT_MS))
    return isStopped() ? { isOverdue: true } : ended
  } finally {
    Atomics.sub(cells, CELLS.waits, 1)
    clearInterval(timer)
  }
}
