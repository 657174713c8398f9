/** Compares what the model's Python code gave with what it should have given. Pure; runs on the host. */
import type { EvaluatedValue } from '../sandbox/sandbox.ts'
import type { Approximately, Expected } from './verify.ts'

/** A number, int or float, no further than `tolerance` away. */
export function approximately(value: number, tolerance = 1e-9): Approximately {
  return { approximately: value, tolerance }
}

/** A Python tuple of these items. */
export function tuple(...items: readonly Expected[]): { readonly tuple: readonly Expected[] } {
  return { tuple: items }
}

/** A Python dict: entries in any order; an object stands for text keys. */
export function dict(entries: Readonly<Record<string, Expected>> | readonly (readonly [Expected, Expected])[]): {
  readonly dict: readonly (readonly [Expected, Expected])[]
} {
  return { dict: isPairs(entries) ? entries : Object.entries(entries) }
}

/** The call raises an exception of exactly this class, for example `ValueError`. */
export function raises(exception: string): { readonly raises: string } {
  return { raises: exception }
}

export type CallOutcome =
  | { readonly ok: true; readonly value: EvaluatedValue }
  | { readonly ok: false; readonly error: string }

export interface Comparison {
  readonly ok: boolean
  /** What the call gave. Never what was expected: the reason ends in records and reports that a model may be shown. */
  readonly reason: string
}

/**
 * Compares the outcome of one call, an exception included, with what it should be, by type: `True` is not 1, 1.0 is not 1, a
 * subclass of int or float is neither.
 */
export function compareOutcome(outcome: CallOutcome, expected: Expected): Comparison {
  const wantsException = isObject(expected) && 'raises' in expected
  if (outcome.ok) {
    return wantsException || !equals(outcome.value, expected)
      ? { ok: false, reason: `gave ${describeValue(outcome.value)}: not what is expected` }
      : { ok: true, reason: `gave ${describeValue(outcome.value)}` }
  }
  const raised = `raised ${printable(outcome.error)}`
  return wantsException && expected.raises === outcome.error
    ? { ok: true, reason: raised }
    : { ok: false, reason: `${raised}: not what is expected` }
}

/** What is wrong with an expected value that a spec file wrote, or null. */
export function expectedProblem(expected: unknown, depth = 0): string | null {
  // The evaluator encodes 20 levels; deeper expectations could never be met.
  if (depth > 20) return 'is nested deeper than 20 levels'
  if (expected === null || ['boolean', 'number', 'string'].includes(typeof expected)) return null
  if (Array.isArray(expected)) return firstProblem(expected, depth)
  if (typeof expected !== 'object') return `holds ${typeof expected}, which Python cannot give`
  if ('approximately' in expected) {
    const { approximately: value } = expected
    const tolerance = 'tolerance' in expected ? expected.tolerance : undefined
    const isFine =
      typeof value === 'number' && Number.isFinite(value) && typeof tolerance === 'number' && tolerance >= 0
    return isFine ? null : 'has an approximate number without a finite value and a tolerance of at least 0'
  }
  if ('tuple' in expected)
    return Array.isArray(expected.tuple) ? firstProblem(expected.tuple, depth) : 'has a tuple that is not a list'
  if ('dict' in expected) {
    return isPairs(expected.dict) ? firstProblem(expected.dict.flat(), depth) : 'has a dict that is not a list of pairs'
  }
  if ('raises' in expected) {
    if (depth > 0) return 'has an exception inside a value; only a whole call can raise'
    return typeof expected.raises === 'string' ? null : 'has an exception without a name'
  }
  return `has an object with the keys ${Object.keys(expected).join(', ')}; use dict(…) for a Python dict`
}

function firstProblem(items: readonly unknown[], depth: number): string | null {
  for (const item of items) {
    const problem = expectedProblem(item, depth + 1)
    if (problem !== null) return problem
  }
  return null
}

/** Recursion follows `expected`, which the spec wrote, so a hostile value cannot make it deep. */
function equals(value: EvaluatedValue, expected: Expected): boolean {
  if (expected === null) return value.t === 'none'
  if (typeof expected === 'boolean') return value.t === 'bool' && value.v === expected
  if (typeof expected === 'string') return value.t === 'str' && value.v === expected
  if (typeof expected === 'number') return equalsNumber(value, expected)
  if (isList(expected)) return value.t === 'list' && equalItems(value.v, expected)
  if ('approximately' in expected) return isNear(value, expected)
  if ('tuple' in expected) return value.t === 'tuple' && equalItems(value.v, expected.tuple)
  if ('dict' in expected) return value.t === 'dict' && equalEntries(value.v, expected.dict)
  return false
}

function equalsNumber(value: EvaluatedValue, expected: number): boolean {
  if (Number.isInteger(expected)) return value.t === 'int' && parseInteger(value.v) === BigInt(expected)
  if (value.t !== 'float') return false
  const number = parseNumber(value.v)
  return number === expected || (Number.isNaN(number) && Number.isNaN(expected))
}

function isNear(value: EvaluatedValue, { approximately: expected, tolerance }: Approximately): boolean {
  if (value.t !== 'int' && value.t !== 'float') return false
  const number = parseNumber(value.v)
  return number !== null && Math.abs(number - expected) <= tolerance
}

function equalItems(values: readonly EvaluatedValue[], expected: readonly Expected[]): boolean {
  if (values.length !== expected.length) return false
  return expected.every((item, index) => {
    const value = values[index]
    return value !== undefined && equals(value, item)
  })
}

/** Order-free. Keys are compared by type too, each entry of the value is used once. */
function equalEntries(
  entries: readonly (readonly [EvaluatedValue, EvaluatedValue])[],
  expected: readonly (readonly [Expected, Expected])[],
): boolean {
  if (entries.length !== expected.length) return false
  const left = [...entries]
  return expected.every(([key, item]) => {
    const index = left.findIndex(([candidate, value]) => equals(candidate, key) && equals(value, item))
    if (index === -1) return false
    left.splice(index, 1)
    return true
  })
}

/** Decimal text of a Python int; null for anything else. Bounded, since converting a long text is slow. */
function parseInteger(text: string): bigint | null {
  return /^-?\d{1,400}$/.test(text) ? BigInt(text) : null
}

/** `repr` of a Python int or float; null for anything else. */
function parseNumber(text: string): number | null {
  if (text === 'nan') return Number.NaN
  if (text === 'inf' || text === '-inf') return text === 'inf' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  return /^-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,4})?$/.test(text) ? Number(text) : null
}

/** A value as a person would say it; short, on one line. It comes from the model's code. */
export function describeValue(value: EvaluatedValue): string {
  switch (value.t) {
    case 'none':
      return 'None'
    case 'bool':
      return `bool ${value.v ? 'True' : 'False'}`
    case 'int*':
    case 'float*':
      return `a subclass of ${value.t.slice(0, -1)} (${printable(value.v)})`
    case 'str':
      return `str "${printable(value.v)}"`
    case 'list':
    case 'tuple':
      return `a ${value.t} of ${value.v.length}`
    case 'dict':
      return `a dict of ${value.v.length}`
    case 'other':
      return `an object of type ${printable(value.v)}`
    default:
      return `${value.t} ${printable(value.v)}`
  }
}

const MAX_PRINTED = 60

function printable(text: string): string {
  const clean = text.slice(0, MAX_PRINTED).replace(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '?')
  return text.length > MAX_PRINTED ? `${clean}…` : clean
}

function isObject(
  expected: Expected,
): expected is Exclude<Expected, null | boolean | number | string | readonly Expected[]> {
  return typeof expected === 'object' && expected !== null && !isList(expected)
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(expected: Expected): expected is readonly Expected[] {
  return Array.isArray(expected)
}

function isPairs<Pairs extends readonly (readonly [Expected, Expected])[]>(value: unknown): value is Pairs {
  return Array.isArray(value) && value.every(pair => Array.isArray(pair) && pair.length === 2)
}
