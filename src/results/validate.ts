/** Checks what was read from disk, or is about to be written, against the schemas. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { SCHEMA_VERSION, type TrialRecord, trialRecordSchema } from './record-schema.ts'
import { type Summary, summarySchema } from './summary-schema.ts'

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

// Union types are how "or null" is written; everything else ajv finds odd about a schema is an error.
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: false })
const isTrialRecord: ValidateFunction<TrialRecord> = ajv.compile<TrialRecord>(trialRecordSchema)
const isSummary: ValidateFunction<Summary> = ajv.compile<Summary>(summarySchema)

/** A trial's record, or why the value is none. */
export function checkTrialRecord(value: unknown): Checked<TrialRecord> {
  return isTrialRecord(value) ? { ok: true, value } : { ok: false, reason: explain(value, isTrialRecord.errors) }
}

/** A summary, or why the value is none. */
export function checkSummary(value: unknown): Checked<Summary> {
  return isSummary(value) ? { ok: true, value } : { ok: false, reason: explain(value, isSummary.errors) }
}

function explain(value: unknown, errors: readonly ErrorObject[] | null | undefined): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object'
  if (!('schema_version' in value)) return 'it has no schema_version'
  if (value.schema_version !== SCHEMA_VERSION) {
    return `its schema_version is ${JSON.stringify(value.schema_version)?.slice(0, 40)}, not ${SCHEMA_VERSION}`
  }
  // Of the branches of an "or null" the one that got furthest says what is wrong.
  const depth = (error: ErrorObject) => error.instancePath.split('/').length
  const worst = [...(errors ?? [])].sort((a, b) => depth(b) - depth(a)).at(0)
  if (worst === undefined) return 'it does not follow the schema'
  const detail =
    worst.keyword === 'additionalProperties' && typeof worst.params.additionalProperty === 'string'
      ? ` (${JSON.stringify(worst.params.additionalProperty.slice(0, 60))})`
      : ''
  return `${worst.instancePath === '' ? 'it' : worst.instancePath.slice(0, 200)} ${worst.message ?? 'is wrong'}${detail}`
}
