/** The pass count a task would have had with leaked and malformed calls understood. Beside the score, never part of it. */
import type { TrialRecord } from './record-schema.ts'
import type { Summary } from './summary-schema.ts'

/**
 * Counts over the trials that count (passed or failed). A trial that was not asked about, while others of the task were
 * (it was recorded by an earlier run), is unknown.
 */
export function repairedOf(trials: readonly TrialRecord[]): Summary['repaired'] {
  const counted = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
  if (counted.every(({ repaired }) => repaired === null)) return null
  const answers = counted.map(({ passed, repaired }) => passed || (repaired?.passed ?? null))
  return {
    passes: answers.filter(answer => answer === true).length,
    unknown: answers.filter(answer => answer === null).length,
    n: counted.length,
  }
}

/** One line such as `strict 0/3, repaired 2/3, n=3 (1 not known)`; null where nothing was asked. */
export function describeRepaired({ passes, n, repaired }: Pick<Summary, 'passes' | 'n' | 'repaired'>): string | null {
  if (repaired === null) return null
  const unknown = repaired.unknown === 0 ? '' : ` (${repaired.unknown} not known)`
  return `strict ${passes}/${n}, repaired ${repaired.passes}/${repaired.n}, n=${n}${unknown}`
}
