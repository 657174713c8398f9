/** What a task tells of models: how hard it is, whether it separates them, whether it is steady (classical test theory). */
import { meanOf } from './averages.ts'
import { type Counts, type Measured, measured, notMeasured } from './statistics.ts'

export interface Item {
  /** Models with a result. */
  readonly models: number
  /** 1 − mean pass rate over models; null without a model. */
  readonly difficulty: number | null
  /** Nearly no model passes it, or nearly all do: it tells little. */
  readonly saturated: 'floor' | 'ceiling' | null
  /** Pearson's r with the model's mean over the other tasks: a total that holds the task itself would inflate it. */
  readonly discrimination: Measured
  /** How far r may be trusted: hidden below 10 models, usable from 30 on. */
  readonly weight: 'hidden' | 'indicative' | 'usable'
  /** Mean pass rate of the best third of models by the other tasks − that of the last; null below nine models. */
  readonly thirds: number | null
  /** Models that passed some trials and not others; compares only at the same number of trials. */
  readonly flaky: number
  /** Fewest and most trials of a model. */
  readonly trials: readonly [number, number]
}

function correlation(x: readonly number[], y: readonly number[]): Measured {
  const [meanX, meanY] = [meanOf(x), meanOf(y)]
  let [xy, xx, yy] = [0, 0, 0]
  for (const [at, value] of x.entries()) {
    const [dx, dy] = [value - meanX, (y[at] ?? 0) - meanY]
    xy += dx * dy
    xx += dx * dx
    yy += dy * dy
  }
  return xx * yy < 1e-24 ? notMeasured('no_variation') : measured(xy / Math.sqrt(xx * yy))
}

/** Mean of the `size` rates with the best rest scores − that of those with the last ones; equal ones by their place. */
export function topMinusBottom(rates: readonly number[], rest: readonly number[], size: number): number {
  const order = rates.map((_, at) => at).sort((a, b) => (rest[b] ?? 0) - (rest[a] ?? 0) || a - b)
  const mean = (places: readonly number[]) => meanOf(places.map(at => rates[at] ?? 0))
  return mean(order.slice(0, size)) - mean(order.slice(-size))
}

/** The statistics of one column. @param matrix models (rows, in the order of their names) by tasks; null without a result */
export function itemOf(matrix: readonly (readonly (Counts | null)[])[], task: number): Item {
  const has = (row: readonly (Counts | null)[], at: number) => (row[at]?.n ?? 0) > 0
  const rows = matrix.filter(row => has(row, task))
  const cells = rows.flatMap(row => row[task] ?? [])
  const rates = cells.map(({ n, c }) => c / n)
  // Only tasks that all of these models have: means over different tasks would compare tasks.
  const others = (matrix[0] ?? []).map((_, at) => at).filter(at => at !== task && rows.every(row => has(row, at)))
  const rest = rows.map(row => meanOf(others.flatMap(at => row[at] ?? []).map(({ n, c }) => c / n)))
  const isKnown = rates.length > 1 && others.length > 0
  const difficulty = rates.length === 0 ? null : 1 - meanOf(rates)
  const trials = cells.map(({ n }) => n)
  return {
    models: rates.length,
    difficulty,
    saturated: difficulty === null ? null : difficulty <= 0.05 ? 'ceiling' : difficulty >= 0.95 ? 'floor' : null,
    discrimination: isKnown ? correlation(rates, rest) : notMeasured('too_few_tasks'),
    weight: rates.length < 10 ? 'hidden' : rates.length < 30 ? 'indicative' : 'usable',
    thirds: isKnown && rates.length >= 9 ? topMinusBottom(rates, rest, Math.floor(rates.length / 3)) : null,
    flaky: cells.filter(({ n, c }) => c > 0 && c < n).length,
    trials: [Math.min(...trials), Math.max(...trials)],
  }
}
