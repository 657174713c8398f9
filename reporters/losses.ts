/** What went wrong in the trials of one task, as short findings; equal ones of several trials are merged. Pure. */
import type { TrialRecord } from '../src/results/record-schema.ts'
import type { Summary } from '../src/results/summary.ts'

export interface Finding {
  /** `lost`: the model's doing; `fault`: nobody's who is measured; `open`: cannot be judged. */
  readonly kind: 'lost' | 'fault' | 'open'
  /** What: a flag, `tamper`, or how the agent ended. */
  readonly label: string
  /** Numbers of the trials, from 1. */
  readonly trials: readonly number[]
  readonly reason: string
  /** What to do, for what is not the model's failure. */
  readonly remedy: string | null
}

/** Reasons that say nothing beyond the flags and the tamper listed anyway. */
const SAID_ELSEWHERE: readonly (string | null)[] = [null, 'flags_lost', 'tamper']
const TAMPER_SHOWN = 5

/**
 * Findings of a task in the order of its trials; empty for a task without a loss. What was lost in several trials is one
 * finding; where its reasons differ, each names its trials.
 */
export function findingsOf(summary: Summary): readonly Finding[] {
  const joined = new Map<string, Finding[]>()
  for (const finding of summary.trials.flatMap(findingsOfTrial)) {
    const key = JSON.stringify([finding.kind, finding.label, finding.remedy])
    joined.set(key, [...(joined.get(key) ?? []), finding])
  }
  return [...joined.values()].flatMap(alike => {
    const trialsOf = (reason?: string) =>
      alike.flatMap(finding => (reason === undefined || finding.reason === reason ? finding.trials : []))
    const reasons = [...new Set(alike.map(finding => finding.reason))]
    const told = reasons.map(reason =>
      reasons.length === 1 ? reason : `trial ${trialsOf(reason).join(', ')}: ${reason}`,
    )
    return alike.slice(0, 1).map(first => ({ ...first, trials: trialsOf(), reason: told.join('; ') }))
  })
}

function findingsOfTrial(trial: TrialRecord): readonly Finding[] {
  const trials = [trial.trial_index + 1]
  switch (trial.outcome) {
    case 'passed':
      return []
    case 'infra':
      return [{ kind: 'fault', label: trial.failure_reason ?? 'fault', trials, ...splitRemedy(trial) }]
    case 'inconclusive':
      return [{ kind: 'open', label: trial.failure_reason ?? 'inconclusive', trials, ...splitRemedy(trial) }]
    case 'cancelled':
    case 'skipped':
      return [
        { kind: 'open', label: trial.outcome, trials, reason: trial.failure_detail ?? 'was not run', remedy: null },
      ]
    case 'failed':
      return [...endingOf(trial, trials), ...tamperOf(trial, trials), ...flagsOf(trial, trials)]
  }
}

function endingOf(trial: TrialRecord, trials: readonly number[]): readonly Finding[] {
  if (SAID_ELSEWHERE.includes(trial.failure_reason)) return []
  const reason = trial.failure_detail ?? 'the agent ended without an answer'
  return [{ kind: 'lost', label: trial.failure_reason ?? '', trials, reason, remedy: null }]
}

function tamperOf(trial: TrialRecord, trials: readonly number[]): readonly Finding[] {
  if (trial.tamper.length === 0) return []
  const said = trial.tamper.slice(0, TAMPER_SHOWN).map(({ path, kind }) => {
    // A stray file is not an attack; the words keep the two apart.
    return kind === 'new' ? `left a file outside the allowed writes: ${path}` : `${kind} protected ${path}`
  })
  const more = trial.tamper.length - said.length
  const reason = more > 0 ? `${said.join(', ')}, and ${more} more` : said.join(', ')
  return [{ kind: 'lost', label: 'tamper', trials, reason, remedy: null }]
}

function flagsOf(trial: TrialRecord, trials: readonly number[]): readonly Finding[] {
  return trial.skill_results
    .filter(result => !result.reached)
    .map(result => ({
      kind: 'lost',
      label: result.skill_id,
      trials,
      reason: result.reason === '' ? 'was not reached' : result.reason,
      remedy: null,
    }))
}

const REPEAT = 'run again with BENCH_RESUME=1: only the trials that do not count are repeated'

/** Records keep the remedy of a fault as the last line of its detail. */
function splitRemedy(trial: TrialRecord): { readonly reason: string; readonly remedy: string } {
  const detail = trial.failure_detail ?? ''
  const at = detail.lastIndexOf('\nremedy: ')
  const reason = at === -1 ? detail : detail.slice(0, at)
  return {
    reason: reason === '' ? 'no detail is known' : reason,
    remedy: at === -1 ? REPEAT : detail.slice(at + '\nremedy: '.length),
  }
}

/** `trial 2/3`, `trials 1, 3/5`, `all 3 trials`. */
export function describeTrials(trials: readonly number[], planned: number): string {
  if (trials.length === planned && planned > 1) return `all ${planned} trials`
  return `${trials.length === 1 ? 'trial' : 'trials'} ${trials.join(', ')}/${planned}`
}
