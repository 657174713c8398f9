/** Tiers: three coarse groups of models, because finer ranks would be noise at these numbers of trials. */

/** What the tier of a model needs to know of one task. */
export interface TierResult {
  /** The verdict is `pass`: n ≥ k and every trial passed. */
  readonly passes: boolean
  /** Mean score over the trials that count; null when none does. */
  readonly score: number | null
}

export type Tier = 1 | 2 | 3

/** Below this mean score on every task a model does not drive the agent. */
const BROKEN_BELOW = 0.5

/** The rule of {@link tierOf} in one line, to stand where tiers are shown. */
export const TIER_RULE =
  '1: passes every task (pass^k, n ≥ k) · 3: scores below 0.5 on every task, or never called a tool · 2: all others'

/**
 * The tier of one model over the tasks of the compared suites.
 * A task without a result keeps it out of tier 1, and is not an argument for tier 3.
 * @param results by task id; `tasks` are all that belong to the comparison.
 * @returns null when no trial of any task counts: nothing is known then.
 */
export function tierOf(
  results: ReadonlyMap<string, TierResult>,
  tasks: readonly string[],
  options: { readonly toolCalls: number },
): Tier | null {
  const scores = tasks.flatMap(task => results.get(task)?.score ?? [])
  if (scores.length === 0) return null
  if (tasks.every(task => results.get(task)?.passes === true)) return 1
  return options.toolCalls === 0 || scores.every(score => score < BROKEN_BELOW) ? 3 : 2
}
