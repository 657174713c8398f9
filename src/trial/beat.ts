/**
 * The worker's side of the deadline for code of tasks that `task/run-within.ts` cannot end: what a check does after an
 * `await`, a timer, a chain of promises, a call that waits for another program. While such code blocks the process, it
 * sends no beat, and its parent process ends it (`runner/silence-watch.ts`).
 */
import { url as inspectorUrl } from 'node:inspector'

/** What a process tells its parent over Node's IPC channel. */
export interface Beat {
  readonly agentBench: 'beat'
  readonly pid: number
  /** Whose code runs from now on, for people: `task "x"`. Missing: the same as before. */
  readonly activity?: string
}

const BEAT_MS = 500
const STARTED = Symbol.for('agent-bench.beat')

function send(activity?: string): void {
  if (process.send === undefined || !process.connected) return
  const beat: Beat = { agentBench: 'beat', pid: process.pid, ...(activity === undefined ? {} : { activity }) }
  // When the parent has gone, this process ends silently.
  process.send(beat, undefined, undefined, () => undefined)
}

/**
 * Says whose code is called from now on; the first call starts the beat, once for a process however often Vitest loads
 * this file. Without a parent that listens nothing is sent, nor under a debugger: the author may be at a breakpoint.
 * @param activity for people, for example `the verify check "greets" of task "hello_v1"`
 */
export function beginActivity(activity: string): void {
  if (inspectorUrl() !== undefined) return
  send(activity)
  if (Reflect.get(globalThis, STARTED) === true) return
  Reflect.set(globalThis, STARTED, true)
  setInterval(send, BEAT_MS).unref()
}
