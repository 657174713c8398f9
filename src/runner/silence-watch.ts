/** Ends processes that run code of tasks and have gone silent: a loop without an end is not to stop a run for ever. */
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer } from 'vitest/node'
import type { Beat } from '../trial/beat.ts'

const SILENCE_MS = 60_000
const LOOKS = 20

/** A child process, or what stands for it: it gives what the child sends, and says when it has ended. */
interface Child {
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

function isBeat(message: unknown): message is Beat {
  return typeof message === 'object' && message !== null && 'agentBench' in message && message.agentBench === 'beat'
}

/** Milliseconds of silence; tests set a shorter time. */
function silenceMs(): number {
  return Number(process.env.AGENT_BENCH_SILENCE_MS ?? SILENCE_MS)
}

/**
 * Watches a child from its first beat on. Looks are counted instead of reading a clock: a suspended machine makes no look.
 * @param onEnded is called, with problem and remedy for people, after a silent child was ended.
 */
export function watchSilence(child: Child, onEnded: (why: string) => void): void {
  let looks = 0
  let activity = 'code of a task'
  let timer: NodeJS.Timeout | undefined
  const limitMs = silenceMs()
  const look = (pid: number) => {
    looks += 1
    if (looks < LOOKS) return
    clearInterval(timer)
    process.kill(pid, 'SIGKILL')
    onEnded(
      `${activity} blocked its process for ${limitMs / 1_000} s, and the process was ended\n` +
        'remedy: Look there for a loop without an end, in a timer or a promise too, and for a call that waits for ' +
        'another program (execSync). Trials that were not done are not counted against the model.',
    )
  }
  child.on('message', message => {
    if (!isBeat(message)) return
    looks = 0
    activity = message.activity ?? activity
    timer ??= setInterval(() => look(message.pid), limitMs / LOOKS).unref()
  })
  child.on('exit', () => clearInterval(timer))
}

/** Vitest's `forks` pool with a watch over each worker. Vitest itself reports that a worker that was ended is gone. */
export function watchedForks(onEnded: (why: string) => void): PoolRunnerInitializer {
  const name = 'agent-bench-forks'
  return {
    name,
    createPoolWorker: (options: PoolOptions) =>
      new (class extends ForksPoolWorker {
        override readonly name = name
        override async start(): Promise<void> {
          await super.start()
          watchSilence(this, onEnded)
        }
      })(options),
  }
}
