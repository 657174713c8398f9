/**
 * Means over tasks, each with the interval "on tasks like these": the tasks are a sample, and whole tasks are drawn again.
 * Drawing trials inside tasks too would count their variance twice (Davison & Hinkley 1997, section 3.8).
 */
import { normalCdf, normalQuantile, tQuantile, Z_95 } from './distributions.ts'
import { placeIn, randomSource } from './random.ts'
import { type Interval, type Measured, measured, notMeasured } from './statistics.ts'

export const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

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

/** An interval without what lies beyond the possible values. */
export const clip = ({ low, high }: Interval, least: number, most: number): Interval => ({
  low: Math.max(least, low),
  high: Math.min(most, high),
})

/** Student's two-sided 95 % interval of a mean. Undefined below five values and where all are equal. */
export function tInterval(values: readonly number[]): Measured<Interval> {
  if (values.length < 5) return notMeasured('too_few_tasks')
  if (values.every(value => value === values[0])) return notMeasured('no_variation')
  const half = tQuantile(0.975, values.length - 1) * Math.sqrt(varianceOf(values) / values.length)
  return measured({ low: meanOf(values) - half, high: meanOf(values) + half })
}

/**
 * Weighted sums of the means of groups, whose members are drawn again; sorted. One group of weight 1 is a plain bootstrap.
 * The same values in the same order give the same draws.
 */
export function bootstrapMeans(
  groups: readonly { readonly weight: number; readonly values: readonly number[] }[],
  { seed = 42, draws = 10_000 } = {},
): readonly number[] {
  const random = randomSource(seed)
  const drawn = (values: readonly number[]) => meanOf(values.map(() => values[placeIn(values.length, random)] ?? 0))
  const sum = () => groups.reduce((total, { weight, values }) => total + weight * drawn(values), 0)
  return Array.from({ length: draws }, sum).sort((a, b) => a - b)
}

/** Bias-corrected and accelerated bootstrap interval of a mean, 95 % (Efron 1987), with its two constants. */
export function bcaInterval(values: readonly number[]): Interval & { readonly z0: number; readonly a: number } {
  const mean = meanOf(values)
  const means = bootstrapMeans([{ weight: 1, values }])
  // Equal means differ in their last bits by the order of what was added.
  const below = means.filter(one => one < mean - 1e-9).length
  const notAbove = means.filter(one => one <= mean + 1e-9).length
  const share = (below + notAbove) / (2 * means.length)
  const least = 0.5 / means.length
  const z0 = normalQuantile(Math.min(Math.max(share, least), 1 - least))
  const power = (exponent: number) => values.reduce((sum, value) => sum + (value - mean) ** exponent, 0)
  const a = power(3) / (6 * power(2) ** 1.5)
  const end = (z: number) => quantile7(means, normalCdf(z0 + (z0 + z) / (1 - a * (z0 + z))))
  return { low: end(-Z_95), high: end(Z_95), z0, a }
}

/** A mean over tasks of a figure in [0, 1]; the value is null without a task. */
export interface TaskMean {
  readonly tasks: number
  readonly value: number | null
  readonly interval: Measured<Interval>
  /** How the interval was made; `few tasks` is Student's, `bound` the one for tasks that are all 0 or all 1. */
  readonly method: 'bootstrap' | 'few tasks' | 'bound' | null
}

/**
 * Mean over tasks of a figure such as pass^k, with its 95 % interval: the BCa bootstrap from ten tasks on, Student's from
 * five on. Where every task has 1 a bootstrap would print [1, 1]; the bound is then .025^(1/tasks), since the mean is at
 * least the chance that every trial of a task passes.
 * @param values in the order of the tasks' ids
 */
export function meanOverTasks(values: readonly number[]): TaskMean {
  const [tasks, first] = [values.length, values[0] ?? null]
  const value = tasks === 0 ? null : meanOf(values)
  const of = (interval: Measured<Interval>, method: TaskMean['method']): TaskMean => ({
    tasks,
    value,
    interval,
    method,
  })
  const student = tInterval(values)
  if (student.reason === 'no_variation' && (first === 0 || first === 1)) {
    const bound = 0.025 ** (1 / tasks)
    return of(measured(first === 1 ? { low: bound, high: 1 } : { low: 0, high: 1 - bound }), 'bound')
  }
  if (student.value === null) return of(student, null)
  if (tasks < 10) return of(measured(clip(student.value, 0, 1)), 'few tasks')
  const { low, high } = bcaInterval(values)
  return of(measured({ low, high }), 'bootstrap')
}
