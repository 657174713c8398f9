/** A run of a model that ended well, for tests; `changes` replace its fields. */
import type { FinishedRun } from './reporter.ts'

export function finishedRun(changes: Partial<FinishedRun> = {}): FinishedRun {
  return {
    resultsDir: '/nowhere',
    summaries: [],
    notes: [],
    isModelResult: true,
    stopped: null,
    isInterrupted: false,
    skipped: [],
    brokenFiles: 0,
    exitStatus: 0,
    said: [],
    onNotKept: () => undefined,
    color: false,
    width: 100,
    ...changes,
  }
}
