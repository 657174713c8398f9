/** An answer that is JSON and nothing else. */
import { isDeepStrictEqual } from 'node:util'
import { Ajv, type ValidateFunction } from 'ajv'
import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Answer } from './plain-answer.ts'

const ajv = new Ajv({ strict: false, logger: false })
const compiled = new WeakMap<object, ValidateFunction>()

/**
 * The value of an answer that is JSON as a whole and fits a schema; undefined for any other answer.
 * @param schema JSON Schema (draft 7), which types the value. Objects may have other keys unless it says
 * `additionalProperties: false`.
 * @param options `fence`: the JSON may be the content of a code fence. Set it where the prompt does not forbid one.
 *
 * @example
 * flags: { json: run => json(run.answer, HOURS) !== undefined, opens: run => json(run.answer, HOURS)?.open === '09:30' }
 */
export function json<const Schema extends JSONSchema>(
  answer: Answer,
  schema: Schema,
  options?: { readonly fence?: boolean },
): FromSchema<Schema> | undefined
export function json(answer: Answer, schema: object | boolean, { fence = false } = {}): unknown {
  const text = (answer ?? '').trim()
  const fenced = fence ? /^(```|~~~)(?:json)?[ \t]*\r?\n([\s\S]*?)\n?\1$/i.exec(text)?.[2] : undefined
  let value: unknown
  try {
    value = JSON.parse(fenced ?? text)
  } catch {
    return undefined
  }
  return fitsSchema(schema, value) ? value : undefined
}

function fitsSchema(schema: object | boolean, value: unknown): boolean {
  if (typeof schema === 'boolean') return schema
  const fits = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, fits)
  return fits(value)
}

/** Whether two values are the same, deep. The order of keys does not matter; a key or an item more or less does, and a type. */
export function equals(value: unknown, expected: unknown): boolean {
  return isDeepStrictEqual(value, expected)
}
