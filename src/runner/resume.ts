import type { TrialRecord } from '../results/record-schema.ts'
import type { RecordedTrial } from '../trial/plan.ts'

/** Where a trial stands among all that were ever recorded: same question, same number, same seed. */
export function trialKey(trial: { readonly identity: string; readonly index: number; readonly seed: number }): string {
  return `${trial.identity}/${trial.index}/${trial.seed}`
}

/**
 * Records that count, the latest of each trial, by {@link trialKey}. Faults and cancelled trials are run again, and a trial
 * that was replayed stands for none that asks a server.
 */
export function judgedRecords(
  records: readonly TrialRecord[],
  { replayed }: { readonly replayed: boolean },
): ReadonlyMap<string, TrialRecord> {
  const latest = new Map<string, TrialRecord>()
  for (const record of records) {
    if (!['passed', 'failed', 'inconclusive'].includes(record.outcome)) continue
    if (record.environment.replayed && !replayed) continue
    const key = trialKey({ identity: record.identity, index: record.trial_index, seed: record.seed })
    const before = latest.get(key)
    if (before === undefined || before.started_at <= record.started_at) latest.set(key, record)
  }
  return latest
}

/** What a worker has to know of a record. */
export function recordedTrial(record: TrialRecord): RecordedTrial | null {
  const { outcome } = record
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'inconclusive') return null
  return {
    identity: record.identity,
    index: record.trial_index,
    seed: record.seed,
    runId: record.run_id,
    outcome,
    score: record.score ?? 0,
    failureReason: record.failure_reason,
    lost: record.skill_results
      .filter(flag => !flag.reached)
      .map(flag => ({ flag: flag.skill_id, reason: flag.reason })),
  }
}
