/** One number over the modules of a suite: the weighted mean of their means, its bounds and its letter. */
import { bootstrapMeans, clip, meanOf, quantile7, varianceOf } from './averages.ts'
import { type Interval, type Measured, measured, notMeasured } from './statistics.ts'

export interface WeightedModule {
  readonly name: string
  /** Weights of all modules add up to 1. */
  readonly weight: number
  /** The figure of each task (pass^k), by task id; null where it is not defined. */
  readonly tasks: readonly (number | null)[]
}

export interface Headline {
  /** Σ weight × mean. Undefined where a module has no task with a figure: nothing is renormalised. */
  readonly value: Measured
  /** The headline with the tasks that are missing counted as 0, and as 1. */
  readonly bounds: Interval
  readonly standardError: number | null
  /** 95 %, by drawing tasks within modules; null for a module with fewer than two tasks. */
  readonly interval: Interval | null
  /** Modules of which tasks are missing, and how many. */
  readonly missing: readonly { readonly module: string; readonly missing: number; readonly of: number }[]
}

export function headlineOf(modules: readonly WeightedModule[]): Headline {
  const known = modules.map(({ weight, tasks }) => ({ weight, values: tasks.filter(task => task !== null) }))
  const bound = (filler: number) =>
    modules.reduce((sum, { weight, tasks }) => sum + weight * meanOf(tasks.map(task => task ?? filler)), 0)
  const missing = modules.flatMap(({ name, tasks }) => {
    const count = tasks.filter(task => task === null).length
    return count === 0 && tasks.length > 0 ? [] : [{ module: name, missing: count, of: tasks.length }]
  })
  const isWhole = known.length > 0 && known.every(({ values }) => values.length > 0)
  const isSpread = isWhole && known.every(({ values }) => values.length > 1)
  const means = isSpread ? bootstrapMeans(known) : []
  return {
    value: isWhole
      ? measured(known.reduce((sum, { weight, values }) => sum + weight * meanOf(values), 0))
      : notMeasured('too_few_tasks'),
    bounds: modules.every(({ tasks }) => tasks.length > 0) ? { low: bound(0), high: bound(1) } : { low: 0, high: 1 },
    standardError: isSpread
      ? Math.sqrt(
          known.reduce((sum, { weight, values }) => sum + (weight ** 2 * varianceOf(values)) / values.length, 0),
        )
      : null,
    interval: isSpread ? clip({ low: quantile7(means, 0.025), high: quantile7(means, 0.975) }, 0, 1) : null,
    missing,
  }
}

/** A module's share of the weight may be half to twice its share of the tasks, so that no single task dominates. */
const CORRIDOR = { least: 0.5, most: 2, tasks: 4 }

/** What is wrong with weights, one sentence each; none where they are sound. */
export function weightProblems(
  modules: readonly { readonly name: string; readonly weight: number; readonly tasks: number }[],
): readonly string[] {
  const total = modules.reduce((sum, { weight }) => sum + weight, 0)
  const tasks = modules.reduce((sum, module) => sum + module.tasks, 0)
  const problems = Math.abs(total - 1) < 1e-9 ? [] : [`the weights add up to ${Number(total.toFixed(6))}, not to 1`]
  for (const { name, weight, tasks: own } of modules) {
    const ratio = weight / (own / tasks)
    if (own < CORRIDOR.tasks) problems.push(`${name} has ${own} tasks, fewer than ${CORRIDOR.tasks}`)
    else if (ratio < CORRIDOR.least || ratio > CORRIDOR.most) {
      problems.push(`${name} has ${ratio.toFixed(2)} × the weight of its share of the tasks, not 0.5 to 2`)
    }
  }
  return problems
}

const FLOORS = [
  ['S', 0.9],
  ['A', 0.8],
  ['B', 0.7],
  ['C', 0.6],
  ['D', 0.45],
  ['E', 0.3],
] as const

/** The letter of a headline: S from 0.90, A 0.80, B 0.70, C 0.60, D 0.45, E 0.30, else F. A label of a value, no rank. */
export function letterOf(value: number): string {
  return FLOORS.find(([, floor]) => value >= floor - 1e-12)?.[0] ?? 'F'
}
