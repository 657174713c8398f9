/** The line that `agent-bench check` shows in a terminal while a task is examined. */
import type { CliContext } from '../command.ts'

/** To the beginning of the line, and all of it away. */
const CLEAR = '\r\u001b[2K'

export interface CheckProgress {
  /** How many plays of a task are done, of those known so far: the steps of a reference are known when it has been played. */
  show(task: string, done: number, all: number): void
  /** Takes the line away, before something else is written. */
  clear(): void
}

/** Shows the progress on stderr where that is a terminal, and nothing elsewhere: a log has no use for it. */
export function checkProgress({ writeOver }: Pick<CliContext, 'writeOver'>): CheckProgress {
  let isShown = false
  return {
    show(task, done, all) {
      if (writeOver === undefined) return
      isShown = true
      writeOver(`${CLEAR}${task}  ${done} of ${all} plays`)
    },
    clear() {
      if (isShown) writeOver?.(CLEAR)
      isShown = false
    },
  }
}
