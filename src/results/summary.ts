/** From the records of trials to one summary per task, model and identity. Pure. */
import { type TaskFigures, taskFigures } from './figures.ts'
import { sealed } from './hash.ts'
import { SCHEMA_VERSION, type TrialRecord } from './record-schema.ts'
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
  const figures = taskFigures(trials, { k: plan.k, trialsPlanned: plan.trials, isStoppedEarly: earlyStopped })
  const total = (of: (trial: TrialRecord) => number) => trials.reduce((sum, trial) => sum + of(trial), 0)
  return sealed({
    schema_version: SCHEMA_VERSION,
    run_id: plan.runId,
    task_id: last.task_id,
    task_title: last.task_title,
    task_fingerprint: last.task_fingerprint,
    suite: last.suite,
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
    verdict: figures.verdict,
    pass_all_k: figures.passAllK,
    pass_hat_k: figures.passHatK,
    pass_hat_k_reason: figures.passHatKReason,
    n: figures.n,
    passes: figures.passes,
    attempted: figures.attempted,
    excluded: figures.excluded,
    interval: figures.interval,
    identical_transcripts: figures.identicalTranscripts,
    avg_score: figures.avgScore,
    avg_turns: figures.avgTurns,
    avg_elapsed_sec: figures.avgElapsedSec,
    tamper_detected_count: trials.filter(trial => trial.tamper_detected).length,
    invalid_tool_call_count: total(trial => trial.invalid_tool_call_count),
    unknown_tool_call_count: total(trial => trial.unknown_tool_call_count),
    skills: Object.fromEntries(
      figures.flags.map(({ id, reached, n, avgTurns }) => [
        id,
        { reach_rate: n === 0 ? null : reached / n, avg_turns: avgTurns, reached, n },
      ]),
    ),
    environment: last.environment,
    sandbox: trials.findLast(trial => trial.sandbox !== null)?.sandbox ?? null,
    notes: notesOf(trials, figures, plan),
    trials,
  })
}

/** The first trials passed, one did not, and the rest was left out. */
function isStoppedEarly(trials: readonly TrialRecord[], planned: number): boolean {
  return (
    trials.length < planned &&
    trials.every((trial, position) => trial.trial_index === position) &&
    trials.every((trial, position) => trial.passed === position < trials.length - 1)
  )
}

function notesOf(trials: readonly TrialRecord[], figures: TaskFigures, plan: SummaryPlan): readonly string[] {
  const notes: string[] = []
  if (figures.identicalTranscripts) {
    notes.push(
      `all ${figures.n} trials said the same although their seeds differ: they count as one sample, so no interval is given`,
    )
  }
  if (figures.attempted < plan.trials) {
    notes.push(`${figures.attempted} of ${plan.trials} trials were run`)
  }
  const faults = trials.filter(trial => trial.outcome === 'infra').length
  if (faults > 0) notes.push(`${faults} of ${trials.length} trials ended by a fault that is not the model's`)
  return notes
}
