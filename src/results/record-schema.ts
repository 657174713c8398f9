/** The schema of one trial's record, and the TypeScript type made from it. Names follow agent-bench where it has one. */
import type { FromSchema } from 'json-schema-to-ts'
import type { DeepReadonly } from './deep-readonly.ts'
import {
  added,
  addedToTrial,
  anyObject,
  besides,
  count,
  delta,
  ending,
  environment,
  exactly,
  identityParts,
  measure,
  moment,
  name,
  nullable,
  outcome,
  question,
  repaired,
  resetProof,
  sandbox,
  type server,
  sha256,
  share,
  snapshot,
  stubReport,
  subject,
  testReport,
  text,
  texts,
  truth,
} from './schema-parts.ts'

/** Version of records and summaries; files of another version are named, not guessed at. */
export const SCHEMA_VERSION = 3

const skillResult = besides(
  exactly({
    skill_id: name,
    reached: truth,
    reached_turn: { type: ['integer', 'null'] },
    /** Seconds of the agent's work up to the end of that turn. */
    elapsed_sec: { type: ['number', 'null'] },
    reason: text,
  }),
  /** How far it was reached, from 0 to 1, where that is neither. */
  { share },
)

const turnLog = exactly({
  turn: count,
  call: count,
  tool_used: text,
  args: anyObject,
  delivered: text,
  exit_code: { type: ['integer', 'null'] },
  stopped: { enum: ['timeout', 'output', 'cancelled', null] },
  elapsed_sec: measure,
  invalid_tool_call: truth,
  invalid_kind: { enum: ['unknown_tool', 'malformed_arguments', null] },
  test_reports: { type: 'array', items: testReport },
  stub_reports: { type: 'array', items: stubReport },
  delta: nullable(delta),
})

const turnStats = exactly({
  prompt_tokens: { type: ['number', 'null'] },
  completion_tokens: { type: ['number', 'null'] },
  cached_tokens: { type: ['number', 'null'] },
  reasoning_tokens: { type: ['number', 'null'] },
  elapsed_ms: measure,
  first_token_ms: { type: ['number', 'null'] },
  prompt_tokens_per_second: { type: ['number', 'null'] },
  decode_tokens_per_second: { type: ['number', 'null'] },
  attempts: count,
})

/** All requests of a trial; see `trialStats`. */
const trialStats = exactly({
  prompt_tokens: { type: ['number', 'null'] },
  completion_tokens: { type: ['number', 'null'] },
  cached_tokens: { type: ['number', 'null'] },
  reasoning_tokens: { type: ['number', 'null'] },
  model_ms: measure,
  first_token_ms: { type: ['number', 'null'] },
  prompt_tokens_per_second: { type: ['number', 'null'] },
  decode_tokens_per_second: { type: ['number', 'null'] },
  requests: count,
})

const turn = exactly({
  turn: count,
  text,
  reasoning: { type: ['string', 'null'] },
  finish_reason: { type: ['string', 'null'] },
  stats: nullable(turnStats),
})

const checkOfCall = { call: count, verdict: { enum: ['confirmed', 'refuted', 'unchecked'] }, reason: text } as const

/** Where the sessions of a call differ, places in its test reports tell which were refuted; records from before have none. */
const sessionCheck = {
  anyOf: [exactly(checkOfCall), exactly({ ...checkOfCall, refuted: { type: 'array', items: count } })],
} as const

const trialRecord = exactly({
  schema_version: { const: SCHEMA_VERSION },
  ...subject,
  /** From 0, as agent-bench counts. */
  trial_index: count,
  seed: { type: 'integer' },
  started_at: moment,
  k: { type: 'integer', minimum: 1 },
  trials_planned: { type: 'integer', minimum: 1 },
  identity: sha256,
  identity_parts: identityParts,
  outcome,
  passed: truth,
  /** null where nothing was judged (infra, cancelled, skipped). */
  score: nullable(share),
  failure_reason: nullable(name),
  failure_detail: { type: ['string', 'null'] },
  /** How the agent's work ended; null where nothing was judged. A trial may pass although it ended by a limit. */
  ending: nullable(ending),
  turns_taken: count,
  total_elapsed_sec: measure,
  invalid_tool_call_count: count,
  unknown_tool_call_count: count,
  skill_ids: texts,
  skill_results: { type: 'array', items: skillResult },
  turn_logs: { type: 'array', items: turnLog },
  turns: { type: 'array', items: turn },
  stats: nullable(trialStats),
  /** What the server called the models that answered, each once, in order of appearance; empty where it did not say. */
  models_served: texts,
  tamper_detected: truth,
  tamper: {
    type: 'array',
    items: exactly({ path: text, kind: { enum: ['modified', 'new', 'deleted', 'type-changed'] } }),
  },
  final_text: { type: ['string', 'null'] },
  prompt: text,
  /** What the agent was given, by part: where one differs today, the trial answered another question. */
  question,
  allowed_writes: texts,
  verified: { type: 'array', items: besides(exactly({ name: text, ok: truth, reason: text }), { share }) },
  session_checks: { type: 'array', items: sessionCheck },
  /** null where no workspace was seen. */
  baseline: nullable(snapshot),
  final: nullable(snapshot),
  /** Text of files new or changed in the trial, by SHA-256. */
  contents: { type: 'object', additionalProperties: text, propertyNames: { pattern: '^[0-9a-f]{64}$' } },
  setup_text: {
    type: 'array',
    items: { type: 'array', items: [text, text], minItems: 2, maxItems: 2, additionalItems: false },
  },
  /** What was too large for the record, as text. A trial of which anything is missing cannot be judged again. */
  left_out: texts,
  /** What the trial would have scored had leaked and malformed calls been understood; null where that was not asked for. */
  repaired: nullable(repaired),
  reset_proof: nullable(resetProof),
  verify_reset_proof: nullable(resetProof),
  sandbox: nullable(sandbox),
  environment,
  /** Relative to the results directory. */
  artifacts_dir: { type: ['string', 'null'] },
  artifacts: texts,
  infra_attempts: { type: 'array', items: exactly({ code: name, detail: text }) },
  transcript_hash: sha256,
  result_hash: sha256,
})

export const trialRecordSchema = besides(trialRecord, { ...added, ...addedToTrial })

/** One trial, as it is written to the journal and into summary files. */
export type TrialRecord = DeepReadonly<FromSchema<typeof trialRecordSchema>>
export type RecordedTurnLog = TrialRecord['turn_logs'][number]
export type RecordedTurn = TrialRecord['turns'][number]
export type RecordedSkillResult = TrialRecord['skill_results'][number]
export type RecordedSnapshot = NonNullable<TrialRecord['baseline']>
export type RecordedEnvironment = TrialRecord['environment']
export type RecordedSandbox = NonNullable<TrialRecord['sandbox']>
export type RecordedResetProof = NonNullable<TrialRecord['reset_proof']>
export type RecordedRepair = NonNullable<TrialRecord['repaired']>
export type RecordedSampling = NonNullable<RecordedEnvironment['sampling']>
export type IdentityParts = TrialRecord['identity_parts']
export type RecordedServer = DeepReadonly<FromSchema<typeof server>>
