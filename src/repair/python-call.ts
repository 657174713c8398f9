/** Reads calls written in Python's syntax, as Gemma, LFM2 and Llama write them: `name(key="value", 3)`, alone or in a list. */

export interface PythonCall {
  /** As written, for example `default_api.read_file`. */
  readonly name: string
  readonly positional: readonly unknown[]
  readonly named: ReadonlyMap<string, unknown>
}

/** Raised inside; a text that is no call is an answer, not an error. */
class NotPython extends Error {
  override readonly name = 'NotPython'
}

const MAX_DEPTH = 50
const CONSTANTS: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
}
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** What stands behind a backslash. Numbers and names of characters are not worked out. */
function escaped(character: string): string {
  if (/[xuUN0-7]/.test(character)) throw new NotPython()
  return ESCAPES[character] ?? `\\${character}`
}

/** The calls a text is made of: one, several in a list or on lines, or one inside `print(…)`. Null when it holds anything else. */
export function readPythonCalls(text: string): readonly PythonCall[] | null {
  try {
    return new Reader(text).calls()
  } catch (error) {
    if (!(error instanceof NotPython)) throw error
    return null
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  calls(): readonly PythonCall[] {
    const isList = this.#take('[')
    const calls = [this.#call()]
    while (isList ? this.#take(',') : this.#startsCall()) calls.push(this.#call())
    if (isList && !this.#take(']')) throw new NotPython()
    this.#space()
    // Code after a call may do anything with it.
    if (this.#at < this.#text.length) throw new NotPython()
    return calls
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #take(token: string): boolean {
    this.#space()
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    return true
  }

  #match(pattern: RegExp): string | null {
    this.#space()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  #startsCall(): boolean {
    const before = this.#at
    const isName = this.#match(/[A-Za-z_][\w.]*\s*\(/y) !== null
    this.#at = before
    return isName
  }

  #call(): PythonCall {
    const name = this.#match(/[A-Za-z_][\w.-]*/y)
    if (name === null || !this.#take('(')) throw new NotPython()
    if (name === 'print' && this.#startsCall()) {
      const inner = this.#call()
      if (!this.#take(')')) throw new NotPython()
      return inner
    }
    const positional: unknown[] = []
    const named = new Map<string, unknown>()
    while (!this.#take(')')) {
      const key = this.#match(/[A-Za-z_]\w*\s*=(?!=)/y)
      if (key === null) positional.push(this.#value(0))
      else this.#add(named, key.slice(0, -1).trim(), this.#value(0))
      if (!this.#take(',') && !this.#text.startsWith(')', this.#at)) throw new NotPython()
    }
    return { name, positional, named }
  }

  #add(values: Map<string, unknown>, key: string, value: unknown): void {
    if (values.has(key)) throw new NotPython()
    values.set(key, value)
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NotPython()
    if (this.#take('[')) return this.#list(']', depth)
    if (this.#take('{')) return this.#dictionary(depth)
    const number = this.#match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y)
    if (number !== null) return Number(number)
    const word = this.#match(/[A-Za-z]+(?!['"])\b/y)
    if (word !== null) {
      if (Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word]
      throw new NotPython()
    }
    return this.#strings()
  }

  #list(end: string, depth: number): unknown[] {
    const items: unknown[] = []
    while (!this.#take(end)) {
      items.push(this.#value(depth + 1))
      if (!this.#take(',') && !this.#text.startsWith(end, this.#at)) throw new NotPython()
    }
    return items
  }

  #dictionary(depth: number): Readonly<Record<string, unknown>> {
    const pairs = new Map<string, unknown>()
    while (!this.#take('}')) {
      const key = this.#value(depth + 1)
      if (typeof key !== 'string' || !this.#take(':')) throw new NotPython()
      this.#add(pairs, key, this.#value(depth + 1))
      if (!this.#take(',') && !this.#text.startsWith('}', this.#at)) throw new NotPython()
    }
    return Object.fromEntries(pairs)
  }

  /** A string, or several side by side, which are one in Python. */
  #strings(): string {
    let text = ''
    let count = 0
    for (let quote = this.#quote(); quote !== null; quote = this.#quote()) {
      text += this.#string(quote)
      count += 1
    }
    if (count === 0) throw new NotPython()
    return text
  }

  #quote(): { readonly mark: string; readonly isRaw: boolean } | null {
    const found = this.#match(/[rR]?(?:"""|'''|"|')/y)
    return found === null ? null : { mark: found.replace(/^r/i, ''), isRaw: /^r/i.test(found) }
  }

  #string({ mark, isRaw }: { readonly mark: string; readonly isRaw: boolean }): string {
    let text = ''
    while (!this.#text.startsWith(mark, this.#at)) {
      const character = this.#text[this.#at]
      if (character === undefined) throw new NotPython()
      this.#at += 1
      const next = this.#text[this.#at]
      if (character !== '\\' || next === undefined) text += character
      else {
        this.#at += 1
        text += isRaw ? `\\${next}` : escaped(next)
      }
    }
    this.#at += mark.length
    return text
  }
}
