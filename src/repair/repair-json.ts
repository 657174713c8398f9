/**
 * Understands slightly malformed JSON. Only for the repaired score, which is shown beside the strict one: what a model sent
 * is never repaired before it is judged. A parser of ours, not a library that always finds something: whatever is not in
 * the list of repairs, or could be read in another way, is not understood.
 */
import { isRecord, parseJson } from '../model/json.ts'

/** What may be wrong with a text that is still understood. Whatever else would have to be guessed is not. */
export const JSON_REPAIRS = [
  'trailing comma',
  'missing comma',
  'single quotes',
  'key without quotes',
  'line break in a string',
  'missing closing bracket',
  'Python constant',
  'JSON in a string',
  'code fence',
] as const

export type JsonRepair = (typeof JSON_REPAIRS)[number]

export type RepairedJson =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly JsonRepair[] }
  | { readonly ok: false }

const NOT_REPAIRED: RepairedJson = { ok: false }
/** Longer texts, and deeper ones, are not looked at. */
const MAX_CHARACTERS = 1_000_000
const MAX_DEPTH = 500

/** The value that a text means, with every repair that was needed; not ok where anything would have to be guessed. */
export function repairJson(text: string): RepairedJson {
  const strict = parseJson(text)
  if (strict.ok) return { ok: true, value: strict.value, repairs: [] }
  if (text.length > MAX_CHARACTERS) return NOT_REPAIRED
  const fenced = insideFence(text)
  if (fenced !== null) return adding('code fence', repairJson(fenced))
  try {
    return read(text)
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error
    return NOT_REPAIRED
  }
}

/** An object of arguments: as {@link repairJson}, and JSON in a string (also twice) is taken out of it. */
export function repairArguments(
  text: string,
): { readonly value: Readonly<Record<string, unknown>>; readonly repairs: readonly JsonRepair[] } | null {
  let found = repairJson(text)
  for (let depth = 0; depth < 2 && found.ok && typeof found.value === 'string'; depth++) {
    const inner = repairJson(found.value)
    found = inner.ok ? adding('JSON in a string', { ...inner, repairs: [...found.repairs, ...inner.repairs] }) : inner
  }
  if (!found.ok || !isRecord(found.value)) return null
  return { value: found.value, repairs: [...new Set(found.repairs)] }
}

function adding(repair: JsonRepair, found: RepairedJson): RepairedJson {
  return found.ok ? { ...found, repairs: [repair, ...found.repairs] } : found
}

function insideFence(text: string): string | null {
  const whole = text.trim()
  const opening = /^```(?:json)?[ \t]*\r?\n/.exec(whole)?.[0]
  if (opening === undefined || whole.length < opening.length + 3 || !whole.endsWith('```')) return null
  return whole.slice(opening.length, -3)
}

// --- The parser -------------------------------------------------------------------------------------------------

/** Raised inside; a text that is not understood is not an error. */
class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
}

const CONSTANTS = new Map<string, { readonly value: boolean | null; readonly isPython: boolean }>([
  ['true', { value: true, isPython: false }],
  ['false', { value: false, isPython: false }],
  ['null', { value: null, isPython: false }],
  ['True', { value: true, isPython: true }],
  ['False', { value: false, isPython: true }],
  ['None', { value: null, isPython: true }],
])
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])/y
const WORD = /[A-Za-z]+(?![\w$])/y
const BARE_KEY = /[A-Za-z_$][\w$-]*(?=\s*:)/y
/** All that JSON calls white space. */
const SPACE = /[ \t\r\n]*/y
const QUOTED_KEY = /(["'])([^"'\\]*)\1[ \t\r\n]*:/y
const PLAIN_NAME = /^[\w$.-]+$/
const ESCAPED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * JSON with the repairs of the list and nothing else. What makes it refuse where another reading is possible:
 * - A string ends at its first quote. Where a quote inside a string was not escaped, what follows is not JSON, or the last
 *   string of the text has no end; a lost comma is believed only before a plain key, and after a string only across a space.
 * - Single quotes are read in texts that are written with them (as Python prints a dictionary), never beside a key in
 *   double quotes, where one may be an apostrophe.
 * - A key that comes twice is none that was meant.
 */
function read(text: string): RepairedJson {
  let at = 0
  let depth = 0
  const repairs = new Set<JsonRepair>()
  const quotesOfKeys = new Set<string>()
  const refuse = (): never => {
    throw new NotUnderstood()
  }
  const next = (): string => text[at] ?? ''
  const isAtEnd = (): boolean => at >= text.length
  const look = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  const take = (pattern: RegExp): string | null => {
    const found = look(pattern)?.[0] ?? null
    at += found?.length ?? 0
    return found
  }
  const takes = (sign: string): boolean => {
    if (next() !== sign) return false
    at += 1
    take(SPACE)
    return true
  }
  const mayClose = (): boolean => isAtEnd() || next() === '}' || next() === ']'

  /** Whether the object or list ends here. One that lacks its own bracket ends where one of those around it does, or the text. */
  const closes = (bracket: string, isAfterComma: boolean): boolean => {
    if (!mayClose()) return false
    // After a comma more was to come: the text was cut.
    if (isAfterComma && isAtEnd()) refuse()
    if (isAfterComma) repairs.add('trailing comma')
    if (next() === bracket) at += 1
    else if (isAtEnd() || depth > 1) repairs.add('missing closing bracket')
    else refuse()
    return true
  }

  /** The character of a string that comes next, as JSON has it. */
  const character = (quote: string): string => {
    const found = next()
    if (found === '\\') {
      at += 1
      const escaped = next()
      return escaped === "'" && quote === "'" ? "'" : `\\${escaped}`
    }
    if (found === '"') return '\\"'
    const escaped = ESCAPED[found]
    if (escaped === undefined) return found
    repairs.add('line break in a string')
    return escaped
  }

  const string = (): string => {
    const quote = next()
    if (quote === "'") repairs.add('single quotes')
    let json = '"'
    for (at += 1; next() !== quote; at += 1) {
      if (isAtEnd()) refuse()
      json += character(quote)
    }
    at += 1
    // Escapes are JSON's own.
    const parsed = parseJson(`${json}"`)
    return parsed.ok && typeof parsed.value === 'string' ? parsed.value : refuse()
  }

  const key = (): string => {
    if (/["']/.test(next())) {
      quotesOfKeys.add(next())
      return string()
    }
    const bare = take(BARE_KEY) ?? refuse()
    repairs.add('key without quotes')
    return bare
  }

  const isKeyNext = (isAfterString: boolean, space: string): boolean => {
    const name = look(QUOTED_KEY)?.[2]
    return name !== undefined && PLAIN_NAME.test(name) && (space !== '' || !isAfterString)
  }

  const object = (): Readonly<Record<string, unknown>> => {
    const entries = new Map<string, unknown>()
    let isAfterComma = false
    while (!closes('}', isAfterComma)) {
      const name = key()
      take(SPACE)
      if (entries.has(name) || !takes(':')) refuse()
      const isString = /["']/.test(next())
      entries.set(name, value())
      const space = take(SPACE) ?? ''
      isAfterComma = takes(',')
      if (!isAfterComma && isKeyNext(isString, space)) repairs.add('missing comma')
      else if (!isAfterComma && !mayClose()) refuse()
    }
    return Object.fromEntries(entries)
  }

  const list = (): readonly unknown[] => {
    const items: unknown[] = []
    let isAfterComma = false
    while (!closes(']', isAfterComma)) {
      items.push(value())
      take(SPACE)
      isAfterComma = takes(',')
      if (!isAfterComma && !mayClose()) refuse()
    }
    return items
  }

  const value = (): unknown => {
    const opening = next()
    if (opening === '{' || opening === '[') {
      depth += 1
      if (depth > MAX_DEPTH) refuse()
      takes(opening)
      const found = opening === '{' ? object() : list()
      depth -= 1
      return found
    }
    if (opening === '"' || opening === "'") return string()
    const number = take(NUMBER)
    if (number !== null) return Number(number)
    const constant = CONSTANTS.get(take(WORD) ?? '') ?? refuse()
    if (constant.isPython) repairs.add('Python constant')
    return constant.value
  }

  take(SPACE)
  const found = value()
  take(SPACE)
  const isMixed = repairs.has('single quotes') && quotesOfKeys.has('"')
  if (!isAtEnd() || isMixed || repairs.size === 0) refuse()
  return { ok: true, value: found, repairs: [...repairs] }
}
