/** Pieces of the result schemas (JSON Schema draft-07, as ajv reads it by default) that several of them use. */

/** `schema`, or null. */
export const nullable = <const S>(schema: S) => ({ anyOf: [schema, { type: 'null' }] }) as const

/** An object with exactly these properties, all of them present (what may be missing is null instead). */
export function exactly<const P extends Readonly<Record<string, unknown>>>(properties: P) {
  // `keyof P` for the types, the same names for ajv: a list written twice would drift apart.
  const required = Object.keys(properties) as readonly (keyof P & string)[]
  return { type: 'object', properties, required, additionalProperties: false } as const
}

type Flat<T> = { readonly [K in keyof T]: T[K] }
type Besides<S extends { readonly properties: unknown }, P> = {
  readonly [K in keyof S]: K extends 'properties' ? Flat<S['properties'] & P> : S[K]
}

/** The same with properties that may be missing: what records from before do not say. */
export function besides<
  const S extends { readonly properties: Readonly<Record<string, unknown>> },
  const P extends Readonly<Record<string, unknown>>,
>(schema: S, properties: P): Besides<S, P> {
  return { ...schema, properties: { ...schema.properties, ...properties } } as unknown as Besides<S, P>
}

export const text = { type: 'string' } as const
export const name = { type: 'string', minLength: 1 } as const
export const truth = { type: 'boolean' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const measure = { type: 'number', minimum: 0 } as const
export const share = { type: 'number', minimum: 0, maximum: 1 } as const
export const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const
export const moment = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' } as const
export const anyObject = { type: 'object' } as const
const anyJson = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] } as const
export const texts = { type: 'array', items: { type: 'string' } } as const

export const outcome = { enum: ['passed', 'failed', 'inconclusive', 'infra', 'cancelled', 'skipped'] } as const
const truncated = { enum: ['depth', 'entries', 'bytes', null] } as const

/** An entry of a snapshot. */
const entry = {
  anyOf: [
    exactly({ type: { const: 'file' }, mode: count, size: count, sha256 }),
    exactly({ type: { const: 'directory' }, mode: count }),
    exactly({ type: { const: 'symlink' }, target: text }),
    exactly({ type: { const: 'special' }, mode: count }),
  ],
} as const

/**
 * Entries as [path, entry] pairs: paths come from inside the sandbox, and as keys of an object some of them
 * (`__proto__`, integers) would be lost or reordered.
 */
const entries = {
  type: 'array',
  items: { type: 'array', items: [text, entry], minItems: 2, maxItems: 2, additionalItems: false },
} as const

export const snapshot = exactly({ root: text, entries, truncated })

/** A delta; the texts it brought are in the record's `contents`, under these hashes. */
export const delta = exactly({
  root: text,
  changed: entries,
  deleted: texts,
  content_hashes: { type: 'array', items: sha256 },
  truncated,
})

const sessionReport = {
  event: { enum: ['start', 'finish'] },
  sender: exactly({ pid: { type: 'integer' }, uid: { type: 'integer' }, argv: nullable(texts) }),
  cwd: text,
  collected: { type: 'integer' },
  passed: { type: 'integer' },
  failed: { type: 'integer' },
  errors: { type: 'integer' },
  skipped: { type: 'integer' },
  status: { type: ['integer', 'null'] },
  failures: texts,
} as const

/**
 * What the witness said. Its numbers come out of the sandbox: any integer is kept as it came. The digests of its tests
 * are what a session is held against when it is judged again; a report that named none has none.
 */
export const testReport = {
  anyOf: [
    exactly(sessionReport),
    exactly({ ...sessionReport, tests: nullable(exactly({ passed: texts, failed: texts })) }),
  ],
} as const

const stubCall = {
  path: text,
  sha256,
  args: texts,
  interpreter: text,
  cwd: text,
  sender: exactly({ pid: { type: 'integer' }, uid: { type: 'integer' } }),
} as const

/** A script that keeps its work has a status too; records from before there were such scripts have none. */
export const stubReport = {
  anyOf: [exactly(stubCall), exactly({ ...stubCall, status: { type: ['integer', 'null'] } })],
} as const

export const resetProof = exactly({
  processes_left: count,
  leftovers: count,
  root: text,
  expected_root: text,
  elapsed_ms: measure,
})

/** How an agent ended; see `TrialEnding`. */
export const ending = exactly({
  reason: {
    enum: [
      'answered',
      'max_turns',
      'max_tokens',
      'loop',
      'empty_reply',
      'tool_markup_in_text',
      'output_limit',
      'reasoning_exhausted',
      'context_overflow',
      'malformed_by_server',
      'prompt_cut',
      'trial_timeout',
    ],
  },
  detail: { type: ['string', 'null'] },
})

/** Hashes of what an agent was given; see `Question`. */
export const question = exactly({ prompt: sha256, setup: sha256, limits: sha256 })

/**
 * The trial as it would have been with leaked and malformed calls understood. `same`: there was none, so it is the trial
 * itself; `played`: a second trial was; `unknown`: it could not be played to its end, and nothing is claimed.
 */
export const repaired = exactly({
  status: { enum: ['same', 'played', 'unknown'] },
  score: nullable(share),
  passed: nullable(truth),
  outcome: nullable(outcome),
  failure_reason: nullable(name),
  /** Why it is unknown. */
  reason: { type: ['string', 'null'] },
  /** What was understood. `grammar` is null for a call that came as one, `repairs` is empty where its JSON was sound. */
  repairs: {
    type: 'array',
    items: exactly({ turn: count, tool: text, grammar: { type: ['string', 'null'] }, repairs: texts }),
  },
})

const image = nullable(exactly({ name: text, digest: text }))

export const sandbox = exactly({
  driver: { enum: ['docker', 'namespace'] },
  id: text,
  image,
  engine: nullable(exactly({ name: text, version: text })),
  limits: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
})

/** What the server says it is; see `ServerIdentity`. */
export const server = exactly({
  kind: { enum: ['llama-server', 'ollama', 'lmstudio', 'vllm', 'openai-compatible'] },
  base_url: text,
  build: { type: ['string', 'null'] },
  model_path: { type: ['string', 'null'] },
  context_tokens: { type: ['number', 'null'] },
  slots: { type: ['number', 'null'] },
  chat_template_sha256: { type: ['string', 'null'] },
  default_sampling: nullable(anyObject),
})

const sampling = exactly({
  temperature: { type: ['number', 'null'] },
  top_p: { type: ['number', 'null'] },
  max_tokens: { type: 'number' },
  extra_body: nullable(anyObject),
})

const limits = exactly({ max_turns: count, command_timeout_sec: measure, trial_timeout_sec: measure })

export const environment = exactly({
  harness_version: text,
  node_version: text,
  platform: text,
  vitest_version: text,
  test_runner: text,
  sandbox_image: { type: ['string', 'null'] },
  base_url: { type: ['string', 'null'] },
  /** As results call it. */
  model: text,
  /** As the server knows it; null for an agent without a model. */
  served_name: { type: ['string', 'null'] },
  model_labels: nullable(exactly({ size: { type: ['string', 'null'] }, quantisation: { type: ['string', 'null'] } })),
  server: nullable(server),
  /** True where the answers came from a recording: no server took part, and times are those of then. */
  replayed: truth,
  /** SHA-256 of the report of the server's examination (`servers/` in the results); null where there is none. */
  server_examination: { type: ['string', 'null'] },
  sampling: nullable(sampling),
  limits,
})

/** What makes two records comparable; seed and trial number are left out on purpose. */
export const identityParts = exactly({
  task_id: name,
  task_fingerprint: text,
  model: text,
  server: nullable(server),
  agent: name,
  driver: { type: ['string', 'null'] },
  image_digest: { type: ['string', 'null'] },
  sampling: nullable(sampling),
  limits,
})

/** What records of today say besides and older ones do not. */
export const added = {
  suite_title: name,
  /** Of the suite; absent where it has none. */
  module: name,
  /** Absent for tasks without a choice of modes. */
  mode: { enum: ['direct', 'agent'] },
  /** Number of the instance; absent for tasks without instances, whose only one is 0. */
  instance: count,
} as const

/** What records of single trials say besides. */
export const addedToTrial = {
  /** Points of the flags, reached and in all. */
  points: exactly({ reached: measure, total: measure }),
  /** What the agent answered to each message of the user. */
  answers: texts,
  /** The task's own state at the end, and where it differs from the beginning (JSON pointers). */
  state: anyJson,
  state_changes: {
    type: 'array',
    items: besides(exactly({ path: text }), { before: anyJson, after: anyJson }),
  },
} as const

/** What a record and a summary both begin with: which task it was, and who worked on it. */
export const subject = {
  run_id: name,
  task_id: name,
  task_title: text,
  /** A skill without a manifest: it is only looked at, and has no verdict. */
  observed: truth,
  task_fingerprint: text,
  suite: text,
  spec_file: text,
  model: text,
  agent: name,
} as const
