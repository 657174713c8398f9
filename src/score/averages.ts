/**
 * Means over tasks, each with the interval "on tasks like these": the tasks are a sample, and whole tasks are drawn again.
 * Drawing trials inside tasks too would count their variance twice (Davison & Hinkley 1997, section 3.8).
 */
import { normalCdf, normalQuantile, tQuantile, Z_95 } from './distributions.ts'
import { placeIn, randomSource } from './random.ts'
import { type Interval, type Measured, measured, notMeasured } from './statistics.ts'

/** Means drawn for a bootstrap, and the seed they are drawn with: the same tasks give the same interval. */
const DRAWS = 10_000
const SEED = 42
/** Below this the t interval stands for the bootstrap, below {@link FEWEST} nothing does. */
const ENOUGH_TO_DRAW = 10
const FEWEST = 5

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Sample variance, with n − 1; NaN for fewer than two values. */
export function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}

/** Quantile of sorted values, type 7 of Hyndman & Fan (1996). */
export function quantile7(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)] ?? Number.NaN
  return low + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] ?? low) - low)
}

/** Student's two-sided 95 % interval of a mean. Undefined below five values and where all are equal. */
export function tInterval(values: readonly number[]): Measured<Interval> {
  if (values.length < FEWEST) return notMeasured('too_few_tasks')
  if (values.every(value => value === values[0])) return notMeasured('no_variation')
  const half = tQuantile(0.975, values.length - 1) * Math.sqrt(varianceOf(values) / values.length)
  return measured({ low: meanOf(values) - half, high: meanOf(values) + half })
}

/** Weighted sums of the means of groups of which the members are drawn again, sorted. One group of weight 1 is a plain bootstrap. */
export function bootstrapMeans(
  groups: readonly { readonly weight: number; readonly values: readonly number[] }[],
  { seed = SEED, draws = DRAWS } = {},
): readonly number[] {
  const random = randomSource(seed)
  const drawnMean = (values: readonly number[]) => meanOf(values.map(() => values[placeIn(values.length, random)] ?? 0))
  return Array.from({ length: draws }, () =>
    groups.reduce((sum, { weight, values }) => sum + weight * drawnMean(values), 0),
  ).sort((a, b) => a - b)
}

/** Bias-corrected and accelerated bootstrap interval of a mean, 95 % (Efron 1987), with its two constants. */
export function bcaInterval(values: readonly number[]): Interval & { readonly z0: number; readonly a: number } {
  const mean = meanOf(values)
  const means = bootstrapMeans([{ weight: 1, values }])
  // Equal means differ in their last bits by the order of what was added.
  const below = means.filter(drawn => drawn < mean - 1e-9).length
  const equal = means.filter(drawn => Math.abs(drawn - mean) <= 1e-9).length
  const share = Math.min(Math.max((below + equal / 2) / DRAWS, 0.5 / DRAWS), 1 - 0.5 / DRAWS)
  const z0 = normalQuantile(share)
  const power = (exponent: number) => values.reduce((sum, value) => sum + (value - mean) ** exponent, 0)
  const a = power(3) / (6 * power(2) ** 1.5)
  const end = (z: number) => quantile7(means, normalCdf(z0 + (z0 + z) / (1 - a * (z0 + z))))
  return { low: end(-Z_95), high: end(Z_95), z0, a }
}

/** A mean over tasks. */
export interface TaskMean {
  readonly tasks: number
  readonly value: number | null
  readonly interval: Measured<Interval>
  /** How the interval was made; `few tasks` is Student's, `bound` the one for tasks that are all 0 or all 1. */
  readonly method: 'bootstrap' | 'few tasks' | 'bound' | null
}

/**
 * Mean over tasks of a figure in [0, 1], such as pass^k, with its 95 % interval: the BCa bootstrap from ten tasks on,
 * Student's from five on. Where every task has 1 (or 0) a bootstrap would print [1, 1]; the bound is then .025^(1/tasks),
 * since the chance that a task's figure is 1 is at most the mean.
 * @param values in the order of the tasks' ids, on which the draws depend
 */
export function meanOverTasks(values: readonly number[]): TaskMean {
  const [tasks, first = null] = [values.length, values[0]]
  if (first === null) return { tasks, value: null, interval: notMeasured('no_trials'), method: null }
  const value = meanOf(values)
  const none = (reason: 'too_few_tasks' | 'no_variation') =>
    ({ tasks, value, interval: notMeasured(reason), method: null }) as const
  if (tasks < FEWEST) return none('too_few_tasks')
  if (values.every(one => one === first)) {
    const bound = 0.025 ** (1 / tasks)
    if (first === 1) return { tasks, value, interval: measured({ low: bound, high: 1 }), method: 'bound' }
    if (first === 0) return { tasks, value, interval: measured({ low: 0, high: 1 - bound }), method: 'bound' }
    return none('no_variation')
  }
  if (tasks >= ENOUGH_TO_DRAW) {
    const { low, high } = bcaInterval(values)
    return { tasks, value, interval: measured({ low, high }), method: 'bootstrap' }
  }
  const { value: t } = tInterval(values)
  const clipped = t === null ? none('no_variation').interval : measured(clip(t, 0, 1))
  return { tasks, value, interval: clipped, method: 'few tasks' }
}

/** An interval without what lies beyond the possible values. */
export const clip = ({ low, high }: Interval, least: number, most: number): Interval => ({
  low: Math.max(least, low),
  high: Math.min(most, high),
})
