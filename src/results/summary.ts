/** From the records of trials to one summary per task, model and identity. Pure. */
import { LOST_DURING_COMMAND } from '../errors.ts'
import type { TaskScore } from '../score/task-score.ts'
import { REASON_IN_WORDS, scoreRecords } from './figures.ts'
import { sealed } from './hash.ts'
import { SCHEMA_VERSION, type TrialRecord } from './record-schema.ts'
import { repairedOf } from './repaired.ts'
import type { Summary } from './summary-schema.ts'

export type { Summary } from './summary-schema.ts'

/** What the run set out to do. */
export interface SummaryPlan {
  readonly runId: string
  /** The k of pass^k. */
  readonly k: number
  /** Trials planned per task. */
  readonly trials: number
  /** The run ends a task after its first trial that is not passed (default false). */
  readonly earlyStop?: boolean
}

/**
 * One summary per task, model and identity, in the order of task and model. A trial recorded several times counts once:
 * one that was judged goes before a fault, then the later one.
 */
export function summarise(records: readonly TrialRecord[], plan: SummaryPlan): readonly Summary[] {
  const groups = new Map<string, TrialRecord[]>()
  for (const record of records) {
    const key = JSON.stringify([record.task_id, record.model, record.identity])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const summary = summaryOf(oncePerTrial(group), plan)
      return summary === null ? [] : [summary]
    })
}

function isJudged(record: TrialRecord): boolean {
  return record.outcome === 'passed' || record.outcome === 'failed'
}

function oncePerTrial(records: readonly TrialRecord[]): readonly TrialRecord[] {
  const best = new Map<number, TrialRecord>()
  for (const record of records) {
    const other = best.get(record.trial_index)
    const isBetter =
      other === undefined ||
      (isJudged(record) === isJudged(other) ? record.started_at >= other.started_at : isJudged(record))
    if (isBetter) best.set(record.trial_index, record)
  }
  return [...best.values()].sort((a, b) => a.trial_index - b.trial_index)
}

function summaryOf(trials: readonly TrialRecord[], plan: SummaryPlan): Summary | null {
  const last = trials.at(-1)
  if (last === undefined) return null
  const earlyStopped = plan.earlyStop === true && isStoppedEarly(trials, plan.trials)
  const isComplete = trials.length >= plan.trials || earlyStopped
  const score = scoreRecords(trials, { k: plan.k, isComplete })
  // After a stop that depends on the results, intervals for a fixed n do not hold.
  const interval = earlyStopped ? null : score.interval.value
  const outcomes = (outcome: TrialRecord['outcome']) => trials.filter(trial => trial.outcome === outcome).length
  const total = (of: (trial: TrialRecord) => number) => trials.reduce((sum, trial) => sum + of(trial), 0)
  const summary: Omit<Summary, 'result_hash'> = {
    schema_version: SCHEMA_VERSION,
    run_id: plan.runId,
    task_id: last.task_id,
    task_title: last.task_title,
    observed: last.observed,
    task_fingerprint: last.task_fingerprint,
    suite: last.suite,
    ...(last.suite_title === undefined ? {} : { suite_title: last.suite_title }),
    ...(last.module === undefined ? {} : { module: last.module }),
    ...(last.mode === undefined ? {} : { mode: last.mode }),
    ...(last.instance === undefined ? {} : { instance: last.instance }),
    spec_file: last.spec_file,
    model: last.model,
    agent: last.agent,
    identity: last.identity,
    identity_parts: last.identity_parts,
    started_at: trials.map(trial => trial.started_at).sort()[0] ?? last.started_at,
    k: plan.k,
    trials_planned: plan.trials,
    trials_run: trials.length,
    early_stopped: earlyStopped,
    ...(last.observed ? NO_VERDICT : verdictOf(score)),
    n: score.n,
    passes: score.c,
    attempted: score.attempted,
    excluded: {
      inconclusive: outcomes('inconclusive'),
      infra: outcomes('infra'),
      cancelled: outcomes('cancelled'),
      skipped: outcomes('skipped'),
    },
    interval: interval === null ? null : { method: 'wilson', level: 0.95, low: interval.low, high: interval.high },
    at_least: earlyStopped ? null : score.atLeast.value,
    effective_n: score.effectiveN,
    identical_transcripts: score.identicalTranscripts,
    repaired: repairedOf(trials),
    avg_score: score.meanScore,
    avg_turns: score.meanTurns,
    avg_elapsed_sec: score.meanElapsedSec,
    tamper_detected_count: trials.filter(trial => trial.tamper_detected).length,
    invalid_tool_call_count: total(trial => trial.invalid_tool_call_count),
    unknown_tool_call_count: total(trial => trial.unknown_tool_call_count),
    skills: Object.fromEntries(
      [...score.flags].map(([id, flag]) => [
        id,
        { reach_rate: flag.reachRate.value, avg_turns: flag.meanTurn, reached: flag.reached, n: flag.n },
      ]),
    ),
    environment: last.environment,
    sandbox: trials.findLast(trial => trial.sandbox !== null)?.sandbox ?? null,
    notes: notesOf(trials, score, plan),
    trials,
  }
  return sealed(summary)
}

type VerdictFields = Pick<Summary, 'verdict' | 'pass_all_k' | 'pass_hat_k' | 'pass_hat_k_reason'>

const NO_VERDICT: VerdictFields = {
  verdict: null,
  pass_all_k: false,
  pass_hat_k: null,
  pass_hat_k_reason: 'a skill without a manifest is observed: nothing says what it has to do',
}

function verdictOf({ verdict, passAllK, passHatK }: TaskScore): VerdictFields {
  return {
    verdict,
    pass_all_k: passAllK,
    pass_hat_k: passHatK.value,
    pass_hat_k_reason: passHatK.reason === null ? null : REASON_IN_WORDS[passHatK.reason],
  }
}

/** One of the first trials did not pass, and the rest was left out; others that ran beside it ended as they did. */
function isStoppedEarly(trials: readonly TrialRecord[], planned: number): boolean {
  return (
    trials.length < planned &&
    trials.every((trial, position) => trial.trial_index === position) &&
    trials.some(trial => !trial.passed)
  )
}

function notesOf(trials: readonly TrialRecord[], score: TaskScore, plan: SummaryPlan): readonly string[] {
  const notes: string[] = []
  if (trials.some(trial => trial.observed)) notes.push('observed: the skill has no manifest, so there is no verdict')
  if (score.identicalTranscripts) {
    notes.push(
      `all ${score.n} transcripts are the same although the seeds differ: they count as one sample, so no interval is given`,
    )
  }
  if (trials.length < plan.trials) notes.push(`${trials.length} of ${plan.trials} trials were run`)
  const faults = trials.filter(trial => trial.outcome === 'infra').length
  if (faults > 0) notes.push(`${faults} of ${trials.length} trials ended by a fault that is not the model's`)
  const lost = lostDuringCommand(trials)
  if (lost > 0) notes.push(describeLoss(lost))
  return notes
}

/** Attempts, repeated or not, in which the sandbox was lost while a command of the agent ran. */
export function lostDuringCommand(trials: readonly Pick<TrialRecord, 'infra_attempts'>[]): number {
  return trials.flatMap(trial => trial.infra_attempts).filter(({ code }) => code === LOST_DURING_COMMAND).length
}

/** @param count from {@link lostDuringCommand}, more than 0 */
export function describeLoss(count: number): string {
  const attempts = count === 1 ? '1 attempt' : `${count} attempts`
  return `${attempts} lost the sandbox while a command of the agent ran: the first of a task is repeated, each after it failed`
}

/** Agents that play a script or nothing: their results say nothing about a model. */
const SCRIPTED_AGENTS: readonly string[] = ['reference', 'nop']

/** False for results of `reference` and `nop`, which no comparison of models may take in. */
export function isModelResult(result: Pick<Summary, 'agent'>): boolean {
  return !SCRIPTED_AGENTS.includes(result.agent)
}

/** True when trials were answered from a recording: the model's words, but neither its times nor today's server. */
export function isReplayed(summary: Pick<Summary, 'trials'>): boolean {
  return summary.trials.some(trial => trial.environment.replayed)
}

/**
 * Exit status of a run: 0 every task passes; 1 some task fails; 2 none fails but some cannot be judged, or there is
 * nothing to judge.
 */
export function exitStatus(summaries: readonly Pick<Summary, 'verdict' | 'observed'>[]): 0 | 1 | 2 {
  if (summaries.some(summary => summary.verdict === 'fail')) return 1
  const isSettled = (summary: Pick<Summary, 'verdict' | 'observed'>) => summary.observed || summary.verdict === 'pass'
  return summaries.length > 0 && summaries.every(isSettled) ? 0 : 2
}
