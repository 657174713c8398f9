/** The form of a `bench_manifest.json`: one JSON Schema, from which the TypeScript type is made. */
import type { FromSchema } from 'json-schema-to-ts'

/** Where a skill lies in the workspace. */
export const SKILL_FOLDER = 'skill'

const path = { type: 'string', minLength: 1, maxLength: 1_024 } as const
const needle = { type: 'string', minLength: 1, maxLength: 10_000 } as const
const needles = { type: 'array', items: needle, minItems: 1, maxItems: 200 } as const
const pattern = { type: 'string', minLength: 1, maxLength: 2_000, format: 'regular-expression' } as const

const artifactCheck = {
  type: 'object',
  additionalProperties: false,
  required: ['file'],
  properties: {
    /** Workspace-relative path of the artifact. */
    file: path,
    contains: needles,
    not_contains: needles,
    regex: { type: 'array', items: pattern, minItems: 1, maxItems: 200 },
    /** Values in a JSON file, found by JSON Pointer (RFC 6901); without `equals` the value must only be there. */
    json: {
      type: 'array',
      minItems: 1,
      maxItems: 200,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['pointer'],
        properties: {
          pointer: { type: 'string', maxLength: 1_024, format: 'json-pointer' },
          equals: {},
        },
      },
    },
    min_bytes: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
  },
} as const

const stub = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /** Files it makes: a list of workspace-relative paths, or paths with their texts. */
    outputs: {
      type: ['array', 'object'],
      items: path,
      maxItems: 100,
      additionalProperties: { type: 'string', maxLength: 100_000 },
      maxProperties: 100,
    },
    /** What it prints. */
    stdout: { type: 'string', maxLength: 100_000 },
    exit_status: { type: 'integer', minimum: 0, maximum: 255 },
    /** It is not replaced: it does its real work, and its arguments and its end are recorded. */
    keeps: { const: true },
  },
} as const

const argument = {
  type: ['string', 'object'],
  maxLength: 10_000,
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    /** A path of the workspace, however it is written from where the script was started. */
    path,
    /** The whole argument fits the pattern. */
    matches: pattern,
  },
} as const

/** A call of a script that is in `stubs`, argument by argument. */
const scriptCall = {
  type: 'object',
  additionalProperties: false,
  required: ['script'],
  properties: {
    /** Path inside the skill. */
    script: path,
    options: {
      type: 'object',
      maxProperties: 100,
      additionalProperties: {
        ...argument,
        type: ['string', 'object', 'boolean'],
        properties: {
          ...argument.properties,
          /** An option without a value that may be given or not. */
          optional: { const: true },
        },
      },
    },
    arguments: { type: 'array', items: argument, maxItems: 100 },
  },
} as const

const command = {
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 2_000,
  format: 'regular-expression',
  additionalProperties: false,
  required: ['script'],
  properties: scriptCall.properties,
} as const

export const manifestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    id: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$' },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    goal: { type: 'string', minLength: 1, maxLength: 20_000 },
    /** A file of the skill whose text is appended to the prompt. */
    prompt_file: path,
    required_reads: { type: 'array', items: path, maxItems: 200 },
    /** Patterns of command lines, or calls of scripts that are in `stubs`. */
    required_commands: { type: 'array', items: command, maxItems: 200 },
    expected_artifacts: { type: 'array', items: path, maxItems: 200 },
    artifact_checks: { type: 'array', items: artifactCheck, maxItems: 200 },
    allowed_writes: { type: 'array', items: path, maxItems: 200 },
    max_turns: { type: 'integer', minimum: 1, maximum: 1_000 },
    /** Seconds for one command, and for a trial. */
    command_timeout: { type: 'integer', minimum: 1, maximum: 86_400 },
    trial_timeout: { type: 'integer', minimum: 1, maximum: 604_800 },
    context_tokens: { type: 'integer', minimum: 1, maximum: 100_000_000 },
    requires: {
      type: 'array',
      maxItems: 20,
      items: { enum: ['python', 'pytest', 'git', 'make', 'node', 'perl', 'jq', 'sandbox'] },
    },
    /** Scripts of the skill (paths inside it) that are replaced by stubs, or kept and witnessed. */
    stubs: { type: 'object', additionalProperties: stub, maxProperties: 200 },
  },
} as const

/** A manifest as it is written; every field may be missing. */
export type Manifest = FromSchema<typeof manifestSchema>
export type ArtifactCheck = FromSchema<typeof artifactCheck>
export type StubSpec = FromSchema<typeof stub>
export type ScriptCallSpec = FromSchema<typeof scriptCall>
export type ArgumentSpec = FromSchema<typeof argument>
