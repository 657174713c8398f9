/** Score of one trial: the share of its points that were reached. */
import type { FlagResult, Tamper } from '../evidence/log.ts'

export interface TrialScore {
  /** Points reached, with at most four decimals, and of how many. */
  readonly reached: number
  readonly total: number
  /** points / total, with four decimals. */
  readonly score: number
  /** Every flag that a pass needs was reached, or enough points, and no tamper. Tamper leaves the score as it is. */
  readonly passed: boolean
}

/** How the flags of a task count. */
export interface Weighing {
  /** By flag; 1 for those not named. */
  readonly points: ReadonlyMap<string, number>
  /** The flags that a pass needs, or the share of the points. */
  readonly passes: readonly string[] | number
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

/** Scores a trial. A trial without flags proves nothing: score 0, not passed. */
export function scoreTrial(
  flags: readonly FlagResult[],
  tamper: readonly Tamper[],
  { points, passes }: Weighing = { points: new Map(), passes: flags.map(({ id }) => id) },
): TrialScore {
  const weight = ({ id }: FlagResult): number => points.get(id) ?? 1
  const sum = (of: (flag: FlagResult) => number): number => flags.reduce((all, flag) => all + of(flag), 0)
  const total = sum(weight)
  const reached = sum(flag => weight(flag) * (flag.reached ? 1 : (flag.share ?? 0)))
  const score = total === 0 ? 0 : rounded(reached / total)
  const isEnough =
    typeof passes === 'number'
      ? score >= rounded(passes)
      : passes.every(id => flags.some(flag => flag.id === id && flag.reached))
  return { reached: rounded(reached), total, score, passed: flags.length > 0 && isEnough && tamper.length === 0 }
}
