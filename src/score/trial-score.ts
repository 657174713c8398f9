/** Score of one trial: the share of its flags that were reached. */
import type { FlagResult, Tamper } from '../evidence/log.ts'

export interface TrialScore {
  readonly reached: number
  readonly total: number
  /** reached / total, with four decimals. */
  readonly score: number
  /** Every flag reached and no tamper. Tamper leaves the score as it is. */
  readonly passed: boolean
}

/** Scores a trial. A trial without flags proves nothing: score 0, not passed. */
export function scoreTrial(flags: readonly FlagResult[], tamper: readonly Tamper[]): TrialScore {
  const reached = flags.filter(flag => flag.reached).length
  const total = flags.length
  return {
    reached,
    total,
    score: total === 0 ? 0 : Math.round((reached / total) * 10_000) / 10_000,
    passed: total > 0 && reached === total && tamper.length === 0,
  }
}
