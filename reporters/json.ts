/** Writes one summary file per task and model. */
import { relative } from 'node:path'
import { BenchError, explainError } from '../src/errors.ts'
import { writeSummary } from '../src/results/store.ts'
import type { Summary } from '../src/results/summary.ts'
import type { RunReporter } from './reporter.ts'
import { escapeForTerminal } from './terminal.ts'

export interface WrittenSummaries {
  /** Paths of the files. */
  readonly files: readonly string[]
  /** Why a summary could not be written; one text each. */
  readonly problems: readonly string[]
}

/** Writes the summaries; one that cannot be written does not keep the others from it. */
export function writeSummaries(resultsDir: string, summaries: readonly Summary[], now = new Date()): WrittenSummaries {
  const files: string[] = []
  const problems: string[] = []
  for (const summary of summaries) {
    try {
      files.push(writeSummary(resultsDir, summary, now))
    } catch (error) {
      if (!(error instanceof BenchError)) throw error
      problems.push(`${summary.task_id}: ${explainError(error)}`)
    }
  }
  return { files, problems }
}

/** The reporter that keeps results: writes the files and says where they are. */
export const jsonReporter: RunReporter = {
  name: 'json',
  onRunEnd(run) {
    const { files, problems } = writeSummaries(run.resultsDir, run.summaries)
    const dir = escapeForTerminal(relative(process.cwd(), run.resultsDir) || '.')
    const written =
      files.length === 0 ? [] : [`results: ${files.length} ${files.length === 1 ? 'file' : 'files'} in ${dir}`]
    if (problems.length === 0) return written
    run.onNotKept()
    return [
      ...written,
      ...problems.flatMap(problem => problem.split('\n').map(escapeForTerminal)),
      'The trials themselves are kept in the journal folder of the results.',
    ]
  },
}
