/** The schema of a summary file (all trials of one task and model), and the TypeScript type made from it. */
import type { FromSchema } from 'json-schema-to-ts'
import type { DeepReadonly } from './deep-readonly.ts'
import { SCHEMA_VERSION, trialRecordSchema } from './record-schema.ts'
import {
  added,
  count,
  environment,
  exactly,
  identityParts,
  measure,
  moment,
  nullable,
  sandbox,
  sha256,
  share,
  subject,
  texts,
  truth,
} from './schema-parts.ts'

/** How reliably one flag was reached, over the trials that count. */
const skill = exactly({
  /** null when no trial counts. */
  reach_rate: nullable(share),
  /** Mean turn of the trials in which it was reached in a turn; null when there is none. */
  avg_turns: nullable(measure),
  reached: count,
  n: count,
})

const interval = exactly({ method: { const: 'wilson' }, level: share, low: share, high: share })

const summary = exactly({
  schema_version: { const: SCHEMA_VERSION },
  ...subject,
  identity: sha256,
  identity_parts: identityParts,
  started_at: moment,
  k: { type: 'integer', minimum: 1 },
  trials_planned: { type: 'integer', minimum: 1 },
  /** Trials that ended, whatever their outcome. */
  trials_run: count,
  early_stopped: truth,
  verdict: { enum: ['pass', 'fail', 'inconclusive', null] },
  pass_all_k: truth,
  /** C(c,k)/C(n,k); null when it is not defined. */
  pass_hat_k: nullable(share),
  /** Why pass_hat_k is null. */
  pass_hat_k_reason: { type: ['string', 'null'] },
  n: count,
  passes: count,
  attempted: count,
  /** Trials that do not count, by outcome. */
  excluded: exactly({ inconclusive: count, infra: count, cancelled: count, skipped: count }),
  /** Interval of passes/n; null where trials are no separate samples or the run stopped by their results. */
  interval: nullable(interval),
  /** What may be claimed: one-sided 95 % lower bound of the pass rate (Clopper and Pearson). */
  at_least: nullable(share),
  /** Separate samples among the n trials. */
  effective_n: count,
  /** All trials said the same although their seeds differ: one sample in truth. */
  identical_transcripts: truth,
  /**
   * Passes among the n trials had leaked and malformed calls been understood, and how many of them nobody knows; null
   * where no trial was asked. It changes neither the verdict nor any other number.
   */
  repaired: nullable(exactly({ passes: count, unknown: count, n: count })),
  avg_score: nullable(share),
  avg_turns: nullable(measure),
  avg_elapsed_sec: nullable(measure),
  tamper_detected_count: count,
  invalid_tool_call_count: count,
  unknown_tool_call_count: count,
  skills: { type: 'object', additionalProperties: skill },
  environment,
  sandbox: nullable(sandbox),
  notes: texts,
  trials: { type: 'array', items: trialRecordSchema },
  result_hash: sha256,
})

export const summarySchema = { ...summary, properties: { ...summary.properties, ...added } } as const

/** One task and model, over all its trials. */
export type Summary = DeepReadonly<FromSchema<typeof summarySchema>>
