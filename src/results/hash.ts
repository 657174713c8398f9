/** Hashes over what is recorded. All are SHA-256 in hex over canonical JSON, so that a file can be checked by any program. */
import { createHash } from 'node:crypto'
import type { IdentityParts } from './record-schema.ts'

/** Deeper values are refused: nothing we record is, and recursion must stay within the stack. */
const MAX_DEPTH = 200

/**
 * JSON with the keys of every object sorted by UTF-16 code units and no white space: equal values give equal text,
 * whatever the order in which their properties were set.
 * @throws TypeError for what JSON cannot hold (undefined, functions, NaN, infinities) and for nesting beyond 200 levels.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new TypeError(`a value nested deeper than ${MAX_DEPTH} levels cannot be recorded`)
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be recorded: JSON has no such number`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item, depth + 1)).join(',')}]`
  if (typeof value === 'object') {
    const pairs = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, depth + 1)}`)
    return `{${pairs.join(',')}}`
  }
  throw new TypeError(`a value of type ${typeof value} cannot be recorded`)
}

/** SHA-256, 64 hex digits. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** SHA-256 (64 hex digits) of the canonical JSON of a value. */
function hashOf(value: unknown): string {
  return sha256(canonicalJson(value))
}

/**
 * Identity of a record: two trials with the same identity measure the same thing and may be pooled or resumed. Seed and
 * trial number are not part of it.
 */
export function identityHash(parts: IdentityParts): string {
  return hashOf(parts)
}

/** Hash of a record or summary over everything but its own `result_hash`. */
export function resultHash(result: object): string {
  const { result_hash: _own, ...rest } = { result_hash: undefined, ...result }
  return hashOf(rest)
}

/** True when a record or summary is what it was when its hash was made. */
export function verifyResultHash(result: { readonly result_hash: string }): boolean {
  return resultHash(result) === result.result_hash
}

/** `result` with its hash. */
export function sealed<T extends object>(result: T): T & { readonly result_hash: string } {
  return { ...result, result_hash: resultHash(result) }
}

/** What the model itself said in a trial. */
export interface Transcript {
  readonly turns: readonly { readonly turn: number; readonly text: string; readonly reasoning: string | null }[]
  readonly calls: readonly {
    readonly turn: number
    readonly tool: string
    readonly args: Readonly<Record<string, unknown>>
  }[]
  readonly finalText: string | null
}

/**
 * Hash of what the model said, to notice trials that are one sample in truth. Tool results are left out: durations and
 * process ids in them differ although the model did the same.
 */
export function transcriptHash({ turns, calls, finalText }: Transcript): string {
  return hashOf({
    turns: turns.map(({ turn, text, reasoning }) => [turn, text, reasoning]),
    calls: calls.map(({ turn, tool, args }) => [turn, tool, boundedArguments(args)]),
    final: finalText,
  })
}

/** Levels of a tool call's arguments that are kept. */
const ARGUMENT_DEPTH = 40

/**
 * Arguments as they can be recorded: what is nested deeper than 40 levels becomes a mark. A model may send thousands of
 * levels, which JSON can parse but not write; its trial must not be lost through that.
 */
export function boundedArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const bounded: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(args)) setOwn(bounded, key, boundedValue(value, ARGUMENT_DEPTH))
  return bounded
}

/** True for arguments of which {@link boundedArguments} leaves something out. */
export function isNestedDeeper(value: unknown, levels = ARGUMENT_DEPTH + 1): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(item => isNestedDeeper(item, levels - 1))
}

function boundedValue(value: unknown, levels: number): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '[nested too deeply to be recorded]'
  if (Array.isArray(value)) return value.map(item => boundedValue(item, levels - 1))
  const bounded: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) setOwn(bounded, key, boundedValue(item, levels - 1))
  return bounded
}

/** Plain assignment of `__proto__` would set the prototype and lose the key. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
