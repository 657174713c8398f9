/** What `agent-bench rescore` found of one result, how it reads, and what it is as data. Pure. */
import { basename } from 'node:path'
import { describeTrials } from '../../../reporters/losses.ts'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import type { TrialRecord } from '../../results/record-schema.ts'
import { type Summary, summarise } from '../../results/summary.ts'
import { recordFlags } from '../../results/to-record.ts'
import type { PreparedSandbox } from '../../sandbox/index.ts'
import type { Rescored } from '../../trial/rescore.ts'
import type { Change } from '../../trial/rescore-changes.ts'

export type TrialRescored = Rescored & { readonly record: TrialRecord }

type Standing = Pick<Summary, 'verdict' | 'passes' | 'n' | 'pass_hat_k'>

export interface ResultRescored {
  readonly file: string
  readonly summary: Summary
  readonly trials: readonly TrialRescored[]
  /** Nothing of the task has changed since; null where there is no such task. */
  readonly isTaskSame: boolean | null
  /** The task as it stands with today's judgement; null where a trial could not be judged again. */
  readonly after: Standing | null
  readonly notes: readonly string[]
}

/** Puts together what was found of one result. @param given.sandbox where the checks ran; null when none was needed */
export function rescoredOf(
  given: Omit<ResultRescored, 'after' | 'notes'> & { readonly sandbox: PreparedSandbox | null },
): ResultRescored {
  const { sandbox, ...result } = given
  return { ...result, after: standingAfter(result), notes: notesOf(result, sandbox) }
}

const isRefusedForCause = (trial: TrialRescored) =>
  trial.kind === 'refused' && trial.refusal.code !== 'nothing_to_score'
const isChanged = (trial: TrialRescored) => trial.kind === 'judged' && trial.changes.length > 0

function standingAfter({ summary, trials }: Pick<ResultRescored, 'summary' | 'trials'>): Standing | null {
  if (trials.some(isRefusedForCause)) return null
  const { run_id: runId, k, trials_planned: planned, early_stopped: earlyStop } = summary
  const [after] = summarise(trials.map(recordAfter), { runId, k, trials: planned, earlyStop })
  return after ?? null
}

/** The record as it would read with today's judgement; only for counting, it is never written. */
function recordAfter(trial: TrialRescored): TrialRecord {
  if (trial.kind === 'refused') return trial.record
  const { judgement, record } = trial
  return {
    ...record,
    outcome: judgement.outcome,
    passed: judgement.outcome === 'passed',
    score: judgement.score,
    failure_reason: judgement.failureReason,
    skill_results: recordFlags(judgement.flags, { calls: judgement.log.calls, turns: [] }),
    tamper_detected: judgement.tamper.length > 0,
    repaired: null,
  }
}

function notesOf(
  { summary, trials, isTaskSame }: Pick<ResultRescored, 'summary' | 'trials' | 'isTaskSame'>,
  sandbox: PreparedSandbox | null,
): readonly string[] {
  if (!trials.some(trial => trial.kind === 'judged')) return []
  const notes: string[] = []
  const { driver, image_digest: digest } = summary.identity_parts
  if (sandbox !== null && (driver !== sandbox.driver || digest !== (sandbox.image?.digest ?? null))) {
    const now = `${sandbox.driver}${sandbox.image === null ? '' : `, image ${sandbox.image.name}`}`
    const then = `${driver ?? 'none'}${summary.environment.sandbox_image === null ? '' : `, image ${summary.environment.sandbox_image}`}`
    notes.push(`the checks ran in another sandbox (${now}) than in the trial (${then})`)
  }
  if (isTaskSame === true && trials.some(isChanged)) {
    notes.push(
      'the task is as it was: the difference comes from the harness, the sandbox, or code that does not always do the same',
    )
  }
  return notes
}

/**
 * 1 something came out otherwise; else 2 something could not be judged again, or nothing could; else 0. A trial that was
 * lost to a fault has nothing to score and alone is not a reason for 2.
 */
export function statusOfRescore(results: readonly ResultRescored[], unusable: number): 0 | 1 | 2 {
  const trials = results.flatMap(result => result.trials)
  if (trials.some(isChanged)) return 1
  return unusable > 0 || trials.some(isRefusedForCause) || !trials.some(trial => trial.kind === 'judged') ? 2 : 0
}

/** One line for the result, and below it what changed, what was not judged, and what must be known. */
export function rescoreLines({ file, summary, trials, after, notes }: ResultRescored): readonly string[] {
  const judged = trials.filter(trial => trial.kind === 'judged')
  const changed = judged.filter(isChanged).length
  const parts = [`${judged.length} of ${trials.length} ${trials.length === 1 ? 'trial' : 'trials'} judged again`]
  if (judged.length > 0) parts.push(changed === 0 ? 'nothing changed' : `${changed} changed`)
  if (after !== null && after.passes !== summary.passes) {
    parts.push(`passes ${summary.passes}/${summary.n} → ${after.passes}/${after.n}`)
  }
  if (after !== null && after.verdict !== summary.verdict) {
    parts.push(`verdict ${summary.verdict ?? 'none'} → ${after.verdict ?? 'none'}`)
  }
  const details = new Map<string, number[]>()
  const tell = (text: (numbers: string) => string, trial: TrialRescored) => {
    // One text stands for itself in all trials; only the numbers of the trials differ.
    const key = text('\0')
    details.set(key, [...(details.get(key) ?? []), trial.record.trial_index + 1])
  }
  for (const trial of trials) {
    if (trial.kind === 'refused') tell(numbers => `not re-scored: ${numbers}: ${trial.refusal.reason}`, trial)
    else for (const change of trial.changes) tell(numbers => describeChange(change, numbers), trial)
  }
  const lines = [...details].map(([text, numbers]) =>
    text.replace('\0', describeTrials(numbers, summary.trials_planned)),
  )
  return [
    `${summary.task_id}  ${summary.model}  ${parts.join(', ')}  (${basename(file)})`,
    ...[...lines, ...notes.map(note => `note: ${note}`)].map(line => `    ${line}`),
  ].map(escapeForTerminal)
}

function describeChange({ kind, name, before, after, reason }: Change, numbers: string): string {
  const what = kind === name ? kind : `${kind} ${name}`
  return `${what}  ${numbers}  ${before} → ${after}${reason === '' ? '' : `: ${reason}`}`
}

/** What `--json` says. Field names follow those of result files. */
export function reportOf(
  results: readonly ResultRescored[],
  unusable: readonly { readonly file: string; readonly reason: string }[],
  status: number,
) {
  const standing = ({ verdict, passes, n, pass_hat_k }: Standing) => ({ verdict, passes, n, pass_hat_k })
  return {
    exit_status: status,
    results: results.map(({ file, summary, trials, isTaskSame, after, notes }) => ({
      file,
      result_hash: summary.result_hash,
      task_id: summary.task_id,
      model: summary.model,
      agent: summary.agent,
      task_unchanged: isTaskSame,
      before: standing(summary),
      after: after === null ? null : standing(after),
      notes,
      trials: trials.map(trialReport),
    })),
    unusable,
  }
}

function trialReport(trial: TrialRescored) {
  const head = { trial_index: trial.record.trial_index, result_hash: trial.record.result_hash }
  if (trial.kind === 'refused') return { ...head, status: 'not_rescored' as const, ...trial.refusal }
  const { judgement, changes } = trial
  return {
    ...head,
    status: isChanged(trial) ? ('changed' as const) : ('same' as const),
    changes,
    outcome: judgement.outcome,
    score: judgement.score,
    failure_reason: judgement.failureReason,
    skill_results: judgement.flags.map(({ id: skill_id, reached, turn: reached_turn, reason }) => {
      return { skill_id, reached, reached_turn, reason }
    }),
    verified: [...judgement.log.verified].map(([name, { ok, reason }]) => ({ name, ok, reason })),
    session_checks: [...judgement.log.sessionChecks.values()],
    tamper: judgement.tamper,
  }
}
