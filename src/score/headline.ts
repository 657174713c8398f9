/** One number over the modules of a suite: the weighted mean of their means, with its bounds and its letter. */
import { bootstrapMeans, clip, meanOf, quantile7, varianceOf } from './averages.ts'
import { type Interval, type Measured, measured, notMeasured } from './statistics.ts'

export interface WeightedModule {
  readonly name: string
  /** Weights of all modules add up to 1. */
  readonly weight: number
  /** The figure of each task (pass^k) in the order of the tasks' ids; null where it is not defined. */
  readonly tasks: readonly (number | null)[]
}

export interface Headline {
  /** Σ weight × mean. Undefined where a module has no task with a figure: nothing is renormalised. */
  readonly value: Measured
  readonly letter: string | null
  /** With the tasks that are missing counted as 0, and as 1. */
  readonly bounds: Interval
  /** 95 %, tasks drawn again within modules; null, like the error, where a module has fewer than two tasks. */
  readonly interval: Interval | null
  readonly standardError: number | null
  /** Modules of which tasks are missing. */
  readonly missing: readonly { readonly module: string; readonly missing: number; readonly of: number }[]
  /** What is wrong with the weights. */
  readonly problems: readonly string[]
}

export function headlineOf(modules: readonly WeightedModule[]): Headline {
  const known = modules.map(({ weight, tasks }) => ({ weight, values: tasks.filter(task => task !== null) }))
  const least = Math.min(...known.map(({ values }) => values.length))
  const weighted = (of: (module: WeightedModule) => number) =>
    modules.reduce((sum, one) => sum + one.weight * of(one), 0)
  const bound = (filler: number) =>
    weighted(({ tasks }) => (tasks.length === 0 ? filler : meanOf(tasks.map(task => task ?? filler))))
  const means = least > 1 ? bootstrapMeans(known) : null
  const value = least > 0 ? weighted(({ tasks }) => meanOf(tasks.filter(task => task !== null))) : null
  const squares = known.map(({ weight, values }) => (weight ** 2 * varianceOf(values)) / values.length)
  return {
    value: value === null ? notMeasured('too_few_tasks') : measured(value),
    letter: value === null ? null : letterOf(value),
    bounds: { low: bound(0), high: bound(1) },
    interval: means && clip({ low: quantile7(means, 0.025), high: quantile7(means, 0.975) }, 0, 1),
    standardError: means && Math.sqrt(squares.reduce((sum, square) => sum + square, 0)),
    missing: modules
      .map(({ name, tasks }) => ({
        module: name,
        missing: tasks.filter(task => task === null).length,
        of: tasks.length,
      }))
      .filter(({ missing, of }) => missing > 0 || of === 0),
    problems: weightProblems(modules),
  }
}

/** A module's weight is half to twice its share of the tasks, of which it has four or more, so that no task dominates. */
function weightProblems(modules: readonly WeightedModule[]): readonly string[] {
  const total = modules.reduce((sum, { weight }) => sum + weight, 0)
  const all = modules.reduce((sum, { tasks }) => sum + tasks.length, 0)
  const problems = Math.abs(total - 1) < 1e-9 ? [] : [`the weights add up to ${Number(total.toFixed(6))}, not to 1`]
  for (const { name, weight, tasks } of modules) {
    const ratio = (weight * all) / tasks.length
    if (tasks.length < 4) problems.push(`${name} has ${tasks.length} tasks, fewer than 4`)
    else if (ratio < 0.5 || ratio > 2) {
      problems.push(`${name} has ${ratio.toFixed(2)} × the weight of its share of the tasks, not 0.5 to 2`)
    }
  }
  return problems
}

const FLOORS = Object.entries({ S: 0.9, A: 0.8, B: 0.7, C: 0.6, D: 0.45, E: 0.3 })

/** The letter of a headline by its floor; F below 0.30. It labels a value and is no rank. */
export const letterOf = (value: number): string => FLOORS.find(([, floor]) => value >= floor - 1e-12)?.[0] ?? 'F'
