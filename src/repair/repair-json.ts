/**
 * Understands slightly malformed JSON. Only for the repaired score, which is told beside the strict one: what a model sent
 * is never repaired before it is judged. A parser of its own, and no library that always finds something: whatever is not in
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
    return new Reader(text).read()
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

/** Raised inside; a text that is not understood is no error. */
class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
}

const CONSTANTS: Readonly<Record<string, { readonly value: boolean | null; readonly isPython: boolean }>> = {
  true: { value: true, isPython: false },
  false: { value: false, isPython: false },
  null: { value: null, isPython: false },
  True: { value: true, isPython: true },
  False: { value: false, isPython: true },
  None: { value: null, isPython: true },
}
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])/y
const WORD = /[A-Za-z]+(?![\w$])/y
const BARE_KEY = /[A-Za-z_$][\w$-]*(?=\s*:)/y
/** All that JSON calls white space. */
const SPACE = /[ \t\r\n]*/y
const PLAIN_NAME = /^[\w$.-]+$/
const ESCAPED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * JSON with the repairs of the list and nothing else. What makes it refuse where another reading is possible:
 * - A string ends at its first quote. Where a quote inside a string was not escaped, what follows is no JSON, or the last
 *   string of the text has no end; a lost comma is believed only before a plain key, and after a string only across a space.
 * - Single quotes are read in texts that are written with them (as Python prints a dictionary), never beside a key in
 *   double quotes, where one may be an apostrophe.
 * - A key that comes twice is none that was meant.
 */
class Reader {
  readonly #text: string
  #at = 0
  #depth = 0
  readonly #repairs = new Set<JsonRepair>()
  readonly #quotesOfKeys = new Set<string>()
  #hasSingleQuotes = false

  constructor(text: string) {
    this.#text = text
  }

  read(): RepairedJson {
    this.#space()
    const value = this.#value()
    this.#space()
    const isMixed = this.#hasSingleQuotes && this.#quotesOfKeys.has('"')
    if (this.#at < this.#text.length || isMixed || this.#repairs.size === 0) throw new NotUnderstood()
    return { ok: true, value, repairs: [...this.#repairs] }
  }

  #next(): string {
    return this.#text[this.#at] ?? ''
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  #space(): string {
    return this.#match(SPACE) ?? ''
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  #value(): unknown {
    const next = this.#next()
    if (next === '{' || next === '[') return this.#nested(next)
    if (next === '"' || next === "'") return this.#string()
    const number = this.#match(NUMBER)
    if (number !== null) return Number(number)
    const word = this.#match(WORD) ?? ''
    const constant = Object.hasOwn(CONSTANTS, word) ? CONSTANTS[word] : undefined
    if (constant === undefined) throw new NotUnderstood()
    if (constant.isPython) this.#repairs.add('Python constant')
    return constant.value
  }

  #nested(opening: string): unknown {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new NotUnderstood()
    this.#at += 1
    this.#space()
    const value = opening === '{' ? this.#object() : this.#list()
    this.#depth -= 1
    return value
  }

  #object(): Readonly<Record<string, unknown>> {
    const entries = new Map<string, unknown>()
    let isAfterComma = false
    while (!this.#closes('}', isAfterComma)) {
      const key = this.#key()
      this.#space()
      if (this.#next() !== ':' || entries.has(key)) throw new NotUnderstood()
      this.#at += 1
      this.#space()
      const isString = /["']/.test(this.#next())
      entries.set(key, this.#value())
      const space = this.#space()
      isAfterComma = this.#takesComma()
      if (!isAfterComma && this.#isKeyNext(isString, space)) this.#repairs.add('missing comma')
      else if (!isAfterComma && !this.#mayClose()) throw new NotUnderstood()
    }
    return Object.fromEntries(entries)
  }

  #list(): readonly unknown[] {
    const items: unknown[] = []
    let isAfterComma = false
    while (!this.#closes(']', isAfterComma)) {
      items.push(this.#value())
      this.#space()
      isAfterComma = this.#takesComma()
      if (!isAfterComma && !this.#mayClose()) throw new NotUnderstood()
    }
    return items
  }

  #takesComma(): boolean {
    if (this.#next() !== ',') return false
    this.#at += 1
    this.#space()
    return true
  }

  #mayClose(): boolean {
    return this.#isAtEnd() || this.#next() === '}' || this.#next() === ']'
  }

  /** Whether the object or list ends here. One that lacks its own bracket ends where one of those around it does, or the text. */
  #closes(bracket: string, isAfterComma: boolean): boolean {
    if (!this.#mayClose()) return false
    // After a comma more was to come: the text was cut.
    if (isAfterComma && this.#isAtEnd()) throw new NotUnderstood()
    if (isAfterComma) this.#repairs.add('trailing comma')
    if (this.#next() === bracket) this.#at += 1
    else if (this.#isAtEnd() || this.#depth > 1) this.#repairs.add('missing closing bracket')
    else throw new NotUnderstood()
    return true
  }

  #isKeyNext(isAfterString: boolean, space: string): boolean {
    const found = /(["'])([^"'\\]*)\1[ \t\r\n]*:/y
    found.lastIndex = this.#at
    const name = found.exec(this.#text)?.[2]
    return name !== undefined && PLAIN_NAME.test(name) && (space !== '' || !isAfterString)
  }

  #key(): string {
    const quote = this.#next()
    if (quote === '"' || quote === "'") {
      this.#quotesOfKeys.add(quote)
      return this.#string()
    }
    const key = this.#match(BARE_KEY)
    if (key === null) throw new NotUnderstood()
    this.#repairs.add('key without quotes')
    return key
  }

  #string(): string {
    const quote = this.#next()
    if (quote === "'") {
      this.#hasSingleQuotes = true
      this.#repairs.add('single quotes')
    }
    let json = '"'
    for (this.#at += 1; this.#next() !== quote; this.#at += 1) {
      if (this.#isAtEnd()) throw new NotUnderstood()
      json += this.#character(quote)
    }
    this.#at += 1
    // Escapes are JSON's own.
    const parsed = parseJson(`${json}"`)
    if (!parsed.ok || typeof parsed.value !== 'string') throw new NotUnderstood()
    return parsed.value
  }

  /** The character of a string that comes next, as JSON has it. */
  #character(quote: string): string {
    const character = this.#next()
    if (character === '\\') {
      this.#at += 1
      const escaped = this.#next()
      return escaped === "'" && quote === "'" ? "'" : `\\${escaped}`
    }
    if (character === '"') return '\\"'
    const escaped = ESCAPED[character]
    if (escaped === undefined) return character
    this.#repairs.add('line break in a string')
    return escaped
  }
}
