/** The figures of one task over its trials: the seam between records and `src/score`. */
import type { Verdict } from './outcome.ts'
import type { TrialRecord } from './record-schema.ts'

export interface FlagFigures {
  readonly id: string
  readonly reached: number
  readonly n: number
  /** Mean turn of the trials in which it was reached in a turn; null when there is none. */
  readonly avgTurns: number | null
}

export interface TaskFigures {
  readonly verdict: Verdict
  /** Trials that count: passed or failed. */
  readonly n: number
  readonly passes: number
  readonly attempted: number
  readonly excluded: { readonly [Outcome in 'inconclusive' | 'infra' | 'cancelled' | 'skipped']: number }
  readonly passAllK: boolean
  readonly passHatK: number | null
  /** Why `passHatK` is null. */
  readonly passHatKReason: string | null
  readonly interval: { method: 'wilson'; level: number; low: number; high: number } | null
  readonly identicalTranscripts: boolean
  readonly avgScore: number | null
  readonly avgTurns: number | null
  readonly avgElapsedSec: number | null
  readonly flags: readonly FlagFigures[]
}

export interface FiguresPlan {
  readonly k: number
  readonly trialsPlanned: number
  readonly isStoppedEarly: boolean
}

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054

/** Computes the figures of one task from its records, one per trial. */
export function taskFigures(trials: readonly TrialRecord[], plan: FiguresPlan): TaskFigures {
  const counted = trials.filter(trial => trial.outcome === 'passed' || trial.outcome === 'failed')
  const n = counted.length
  const passes = counted.filter(trial => trial.passed).length
  const outcomes = (outcome: TrialRecord['outcome']) => trials.filter(trial => trial.outcome === outcome).length
  const isComplete = trials.length >= plan.trialsPlanned || plan.isStoppedEarly
  const identicalTranscripts =
    n > 1 &&
    new Set(counted.map(trial => trial.transcript_hash)).size === 1 &&
    new Set(counted.map(trial => trial.seed)).size > 1
  const reason = passHatKProblem(n, isComplete, plan.k)
  return {
    verdict: verdictOf({ n, passes, k: plan.k, isComplete, isSkipped: outcomes('skipped') === trials.length }),
    n,
    passes,
    attempted: trials.length,
    excluded: {
      inconclusive: outcomes('inconclusive'),
      infra: outcomes('infra'),
      cancelled: outcomes('cancelled'),
      skipped: outcomes('skipped'),
    },
    passAllK: isComplete && n >= plan.k && passes === n,
    passHatK: reason === null ? passHatK(passes, n, plan.k) : null,
    passHatKReason: reason,
    // After a stop that depends on the results the fixed-n interval does not hold.
    interval: n === 0 || identicalTranscripts || plan.isStoppedEarly ? null : wilson(passes, n),
    identicalTranscripts,
    avgScore: mean(counted.flatMap(trial => (trial.score === null ? [] : [trial.score]))),
    avgTurns: mean(counted.map(trial => trial.turns_taken)),
    avgElapsedSec: mean(counted.map(trial => trial.total_elapsed_sec)),
    flags: flagFigures(counted),
  }
}

function passHatKProblem(n: number, isComplete: boolean, k: number): string | null {
  if (!isComplete) return 'not every planned trial was run'
  return n < k ? `only ${n} trials count, and pass^${k} needs ${k}` : null
}

function verdictOf(of: { n: number; passes: number; k: number; isComplete: boolean; isSkipped: boolean }): Verdict {
  if (of.passes < of.n) return 'fail'
  if (of.isSkipped) return null
  return of.n >= of.k && of.isComplete ? 'pass' : 'inconclusive'
}

/** C(c,k)/C(n,k): the chance that k trials drawn from these n all passed (τ-bench, arXiv 2406.12045). */
function passHatK(c: number, n: number, k: number): number {
  let product = 1
  for (let i = 0; i < k; i++) product *= Math.max(0, c - i) / (n - i)
  return product
}

/** Wilson's 95 % interval of a rate (Wilson 1927); exactly 0 and 1 at the ends. */
function wilson(c: number, n: number): NonNullable<TaskFigures['interval']> {
  const rate = c / n
  const shrink = 1 + Z ** 2 / n
  const centre = (rate + Z ** 2 / (2 * n)) / shrink
  const half = (Z / shrink) * Math.sqrt((rate * (1 - rate)) / n + Z ** 2 / (4 * n ** 2))
  return { method: 'wilson', level: 0.95, low: c === 0 ? 0 : centre - half, high: c === n ? 1 : centre + half }
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

function flagFigures(trials: readonly TrialRecord[]): readonly FlagFigures[] {
  const ids = [...new Set(trials.flatMap(trial => trial.skill_results.map(result => result.skill_id)))]
  return ids.map(id => {
    const results = trials.flatMap(trial => trial.skill_results.filter(result => result.skill_id === id))
    const turns = results.flatMap(result => (result.reached_turn === null ? [] : [result.reached_turn]))
    return { id, reached: results.filter(result => result.reached).length, n: results.length, avgTurns: mean(turns) }
  })
}
