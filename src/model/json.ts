/** Reading of JSON that somebody else wrote: every field may be missing or of another type. */
import { createHash } from 'node:crypto'

export type JsonRecord = Readonly<Record<string, unknown>>

/** True for a JSON object; arrays and null are not objects. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path of keys; undefined where an object on the way is missing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}

/** A string that is not empty, or null. */
export function stringAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path)
  return typeof found === 'string' && found !== '' ? found : null
}

/** A finite number from 0 on (a count, a rate), or null. */
export function countAt(value: unknown, ...path: readonly string[]): number | null {
  const found = valueAt(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : null
}

/** Array elements; empty when the value is not an array. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** `JSON.parse` that returns the problem instead of throwing it. */
export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** SHA-256 in hex over plain data, whatever the order of its keys. */
export function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
  return createHash('sha256').update(text).digest('hex')
}

/** An error of the system (a file, a process, the network), of this code where one is given. */
export function isSystemError(error: unknown, code?: string): boolean {
  return error instanceof Error && 'code' in error && (code === undefined || error.code === code)
}
