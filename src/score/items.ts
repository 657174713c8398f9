/** What a task tells of models: how hard it is, whether it separates them, whether it is steady. Classical test theory. */
import { meanOf } from './averages.ts'
import { type Counts, type Measured, measured, notMeasured } from './statistics.ts'

/** Models below which discrimination is hidden, and from which on it is more than indicative. */
const FEWEST_MODELS = 10
const ENOUGH_MODELS = 30
/** A task that nearly all models pass, or nearly none, tells little. */
const SATURATED = 0.05
const FEWEST_FOR_THIRDS = 9

/** Results of models (rows) on tasks (columns); null where a model has none. */
export type Matrix = readonly (readonly (Counts | null)[])[]

export interface Item {
  /** Models with a result. */
  readonly models: number
  /** 1 − mean pass rate over models; null without a model. */
  readonly difficulty: number | null
  /** `floor`: hardly any model passes it. `ceiling`: nearly all do. */
  readonly saturated: 'floor' | 'ceiling' | null
  /**
   * Pearson's r of its pass rate with the rest score: the model's mean over the other tasks. The correlation with a total
   * that holds the task itself is inflated.
   */
  readonly discrimination: Measured
  /** How far r may be trusted: below ten models not at all. */
  readonly weight: 'hidden' | 'indicative' | 'usable'
  /** Mean pass rate of the best third of models by rest score minus that of the last; null below nine models. */
  readonly thirds: number | null
  /** Models that passed some trials and not others. */
  readonly flaky: number
  /** Fewest and most trials of a model: flakiness compares only at the same number. */
  readonly trials: readonly [number, number]
}

/** Pearson's correlation; undefined where one side does not vary. */
function correlation(x: readonly number[], y: readonly number[]): Measured {
  const [meanX, meanY] = [meanOf(x), meanOf(y)]
  const product = (a: readonly number[], meanA: number, b: readonly number[], meanB: number) =>
    a.reduce((sum, value, at) => sum + (value - meanA) * ((b[at] ?? 0) - meanB), 0)
  const spread = product(x, meanX, x, meanX) * product(y, meanY, y, meanY)
  return x.length < 2 || spread < 1e-24
    ? notMeasured('no_variation')
    : measured(product(x, meanX, y, meanY) / Math.sqrt(spread))
}

/** Mean of the first `size` values minus that of the last, in the order of the rest scores, equal ones by place. */
export function topMinusBottom(rates: readonly number[], rest: readonly number[], size: number): number {
  const order = rates.map((_, at) => at).sort((a, b) => (rest[b] ?? 0) - (rest[a] ?? 0) || a - b)
  const mean = (places: readonly number[]) => meanOf(places.map(at => rates[at] ?? 0))
  return mean(order.slice(0, size)) - mean(order.slice(-size))
}

/** The statistics of the task in column `task`. @param matrix models in the order of their names */
export function itemOf(matrix: Matrix, task: number): Item {
  const rateOf = (cell: Counts) => cell.c / cell.n
  const rows = matrix.filter(row => (row[task]?.n ?? 0) > 0)
  const cells = rows.flatMap(row => row[task] ?? [])
  const rates = cells.map(rateOf)
  // Only tasks that all of these models have: a rest score over different tasks would compare tasks, not models.
  const others = (matrix[0] ?? []).flatMap((_, at) =>
    at !== task && rows.every(row => (row[at]?.n ?? 0) > 0) ? [at] : [],
  )
  const rest = rows.map(row => meanOf(others.flatMap(at => row[at] ?? []).map(rateOf)))
  const trials = cells.map(({ n }) => n)
  const difficulty = rates.length === 0 ? null : 1 - meanOf(rates)
  const isKnown = rates.length > 1 && others.length > 0
  return {
    models: rates.length,
    difficulty,
    saturated:
      difficulty === null || (difficulty > SATURATED && difficulty < 1 - SATURATED)
        ? null
        : difficulty <= SATURATED
          ? 'ceiling'
          : 'floor',
    discrimination: isKnown ? correlation(rates, rest) : notMeasured('too_few_tasks'),
    weight: rates.length < FEWEST_MODELS ? 'hidden' : rates.length < ENOUGH_MODELS ? 'indicative' : 'usable',
    thirds:
      isKnown && rates.length >= FEWEST_FOR_THIRDS ? topMinusBottom(rates, rest, Math.floor(rates.length / 3)) : null,
    flaky: cells.filter(({ n, c }) => c > 0 && c < n).length,
    trials: [Math.min(...trials), Math.max(...trials)],
  }
}
