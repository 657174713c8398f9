/** From the records of one task to its score: the seam between `results` and `score`. */

import type { UndefinedReason } from '../score/statistics.ts'
import { type ScoredTrial, scoreTask, type TaskScore } from '../score/task-score.ts'
import type { TrialRecord } from './record-schema.ts'

/** Why a figure is null, as text for people. */
export const REASON_IN_WORDS: Readonly<Record<UndefinedReason, string>> = {
  'n<k': 'fewer trials count than k',
  no_trials: 'no trial counts',
  identical_transcripts: 'all transcripts are the same, so the trials are one sample',
  partial_selection: 'not every planned trial was run',
  too_few_tasks: 'there are too few tasks',
  no_variation: 'all tasks have the same value',
  unequal_trials: 'tasks have different numbers of trials',
}

/**
 * Scores the records of one task, one per trial.
 * @throws RangeError when k is not a whole number from 1 on.
 */
export function scoreRecords(
  records: readonly TrialRecord[],
  plan: { readonly k: number; readonly isComplete: boolean },
): TaskScore {
  // Same seeds explain same transcripts; only different ones show that the server ignores them.
  const doSeedsDiffer = new Set(records.map(record => record.seed)).size > 1
  const trials = records.map(
    (record): ScoredTrial => ({
      outcome: record.outcome,
      score: record.score ?? 0,
      turns: record.turns_taken,
      elapsedSec: record.total_elapsed_sec,
      tamperDetected: record.tamper_detected,
      invalidCalls: record.invalid_tool_call_count,
      flags: record.skill_results.map(result => ({
        id: result.skill_id,
        reached: result.reached,
        turn: result.reached_turn,
        reason: result.reason,
        stack: null,
      })),
      transcriptHash: doSeedsDiffer ? record.transcript_hash : null,
    }),
  )
  return scoreTask(trials, plan)
}
