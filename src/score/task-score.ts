/** Score of one task over its trials: verdict, pass^k, rates with their counts and intervals. */
import type { FlagResult } from '../evidence/log.ts'
import type { Outcome, Verdict } from './outcome.ts'
import {
  clopperPearsonLower,
  type Interval,
  type Measured,
  measured,
  notMeasured,
  passHatK,
  wilson,
} from './statistics.ts'

/** What the score of a task needs to know of one trial. */
export interface ScoredTrial {
  readonly outcome: Outcome
  readonly score: number
  readonly turns: number
  readonly elapsedSec: number
  readonly tamperDetected: boolean
  readonly invalidCalls: number
  readonly flags: readonly FlagResult[]
  /** Hash of all the model said and got; null when none was made. */
  readonly transcriptHash: string | null
}

export interface TaskSelection {
  /** The k of pass^k. */
  readonly k: number
  /** Were all trials of the task asked for? False under `-t 'trial 2'`, `--bail`, or a shard that cuts the task. */
  readonly isComplete: boolean
}

/** How often a flag was reached, over the trials that count. */
interface FlagScore {
  readonly reached: number
  readonly n: number
  readonly reachRate: Measured
  readonly interval: Measured<Interval>
  /** Mean turn over the trials in which a turn is attributed; null when there is none. */
  readonly meanTurn: number | null
}

export interface TaskScore {
  readonly k: number
  /** Trials that count (passed or failed). */
  readonly n: number
  /** Of those, passed. */
  readonly c: number
  /** Trials that were begun and came to an end: n and the excluded ones. */
  readonly attempted: number
  /** Infra faults and inconclusive trials: not in n. */
  readonly excluded: number
  /** See {@link verdictOf}. */
  readonly verdict: Verdict
  /** The verdict is `pass`. */
  readonly passAllK: boolean
  readonly passHatK: Measured
  /** c/n with Wilson's 95 % interval. */
  readonly rate: Measured
  readonly interval: Measured<Interval>
  /** One-sided 95 % lower bound on the pass rate (Clopper & Pearson): what may be claimed. */
  readonly atLeast: Measured
  /** Means over the n trials; null when there is none. Tampered trials keep their score. */
  readonly meanScore: number | null
  readonly meanTurns: number | null
  readonly meanElapsedSec: number | null
  readonly flags: ReadonlyMap<string, FlagScore>
  /** Trials with tamper, and invalid calls in all, over the n trials. */
  readonly tamperCount: number
  readonly invalidCallCount: number
  /** All n > 1 transcripts are the same: the server is deterministic or ignores seeds, and the trials are one sample. */
  readonly identicalTranscripts: boolean
  /** Number of separate samples: 1 for identical transcripts, else n. */
  readonly effectiveN: number
}

const counts = (trial: Pick<ScoredTrial, 'outcome'>) => trial.outcome === 'passed' || trial.outcome === 'failed'
const wasExcluded = (trial: Pick<ScoredTrial, 'outcome'>) =>
  trial.outcome === 'infra' || trial.outcome === 'inconclusive'

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * The verdict of a task over its trials.
 * - `fail`: a trial failed.
 * - `pass`: n ≥ k and all passed.
 * - `inconclusive`: none failed and n < k, although all trials were asked for.
 * - null: none failed, and only a part of the trials was asked for, or every trial was skipped or never run.
 */
export function verdictOf(trials: readonly Pick<ScoredTrial, 'outcome'>[], selection: TaskSelection): Verdict {
  const valid = trials.filter(counts)
  if (valid.some(trial => trial.outcome === 'failed')) return 'fail'
  const wasTried = trials.some(trial => counts(trial) || wasExcluded(trial))
  if (!selection.isComplete || !wasTried) return null
  return valid.length >= selection.k ? 'pass' : 'inconclusive'
}

function areIdentical(trials: readonly ScoredTrial[]): boolean {
  const first = trials[0]?.transcriptHash ?? null
  return trials.length > 1 && first !== null && trials.every(trial => trial.transcriptHash === first)
}

function scoreFlags(trials: readonly ScoredTrial[], identical: boolean): Map<string, FlagScore> {
  const byId = new Map<string, FlagResult[]>()
  for (const flag of trials.flatMap(trial => trial.flags)) {
    const list = byId.get(flag.id)
    if (list === undefined) byId.set(flag.id, [flag])
    else list.push(flag)
  }
  const score = (results: readonly FlagResult[]): FlagScore => {
    const reached = results.filter(flag => flag.reached)
    const n = results.length
    return {
      reached: reached.length,
      n,
      reachRate: measured(reached.length / n),
      interval: identical ? notMeasured('identical_transcripts') : wilson(n, reached.length),
      meanTurn: mean(reached.flatMap(flag => (flag.turn === null ? [] : [flag.turn]))),
    }
  }
  return new Map([...byId].map(([id, results]) => [id, score(results)]))
}

/**
 * Scores a task from its trials; every number carries the counts it rests on.
 *
 * pass^k is null for a partial selection and for n < k. Where all transcripts are the same it stands as counted, but
 * there is no interval and no claim: show `effectiveN` beside it.
 * @throws RangeError when k is not a whole number from 1 on.
 */
export function scoreTask(trials: readonly ScoredTrial[], selection: TaskSelection): TaskScore {
  const valid = trials.filter(counts)
  const n = valid.length
  const c = valid.filter(trial => trial.outcome === 'passed').length
  const excluded = trials.filter(wasExcluded).length
  const identical = areIdentical(valid)
  const verdict = verdictOf(trials, selection)
  const hat = passHatK(n, c, selection.k)
  const unlessIdentical = <T>(value: Measured<T>): Measured<T> =>
    identical ? notMeasured('identical_transcripts') : value
  return {
    k: selection.k,
    n,
    c,
    attempted: n + excluded,
    excluded,
    verdict,
    passAllK: verdict === 'pass',
    passHatK: selection.isComplete ? hat : notMeasured('partial_selection'),
    rate: n === 0 ? notMeasured('no_trials') : measured(c / n),
    interval: unlessIdentical(wilson(n, c)),
    atLeast: unlessIdentical(clopperPearsonLower(n, c)),
    meanScore: mean(valid.map(trial => trial.score)),
    meanTurns: mean(valid.map(trial => trial.turns)),
    meanElapsedSec: mean(valid.map(trial => trial.elapsedSec)),
    flags: scoreFlags(valid, identical),
    tamperCount: valid.filter(trial => trial.tamperDetected).length,
    invalidCallCount: valid.reduce((sum, trial) => sum + trial.invalidCalls, 0),
    identicalTranscripts: identical,
    effectiveN: identical ? 1 : n,
  }
}
