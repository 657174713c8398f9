/** Reads calls written in Python's syntax, as Gemma, LFM2 and Llama write them: `name(key="value", 3)`, alone or in a list. */

export interface PythonCall {
  /** As written, for example `default_api.read_file`. */
  readonly name: string
  readonly positional: readonly unknown[]
  readonly named: ReadonlyMap<string, unknown>
}

/** Raised inside; a text that is not a call is an answer, not an error. */
class NotPython extends Error {
  override readonly name = 'NotPython'
}

const MAX_DEPTH = 50
const CONSTANTS = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
  ['null', null],
])
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\n': '',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
}

const STRING =
  /([rR]?)("""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*')/y
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y
const WORD = /[A-Za-z]+(?!['"])\b/y
const NAME = /[A-Za-z_][\w.-]*/y
const KEY = /([A-Za-z_]\w*)\s*=(?!=)/y
const CALL = /[A-Za-z_][\w.]*\s*\(/y

/** The calls a text is made of: one, several in a list or on lines, or one inside `print(…)`. Null when it holds anything else. */
export function readPythonCalls(text: string): readonly PythonCall[] | null {
  try {
    return readCalls(text)
  } catch (error) {
    if (!(error instanceof NotPython)) throw error
    return null
  }
}

function readCalls(text: string): readonly PythonCall[] {
  let at = 0
  const skipSpace = (): void => {
    while (/\s/.test(text[at] ?? '')) at += 1
  }
  const look = (pattern: RegExp): RegExpExecArray | null => {
    skipSpace()
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = look(pattern)
    at += found?.[0].length ?? 0
    return found
  }
  const takes = (mark: string): boolean => {
    skipSpace()
    if (text[at] !== mark) return false
    at += 1
    return true
  }
  const expect = (mark: string): void => {
    if (!takes(mark)) throw new NotPython()
  }
  /** Reads items up to the closing mark, with commas between them. */
  const items = (close: string, read: () => void): void => {
    while (!takes(close)) {
      read()
      if (takes(',')) continue
      expect(close)
      return
    }
  }
  const adding = (values: Map<string, unknown>, key: unknown, value: unknown): void => {
    if (typeof key !== 'string' || values.has(key)) throw new NotPython()
    values.set(key, value)
  }

  const value = (depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new NotPython()
    if (takes('[')) {
      const list: unknown[] = []
      items(']', () => list.push(value(depth + 1)))
      return list
    }
    if (takes('{')) {
      const pairs = new Map<string, unknown>()
      items('}', () => {
        const key = value(depth + 1)
        expect(':')
        adding(pairs, key, value(depth + 1))
      })
      return Object.fromEntries(pairs)
    }
    const number = take(NUMBER)
    if (number !== null) return Number(number[0])
    const word = take(WORD)
    if (word !== null) {
      if (CONSTANTS.has(word[0])) return CONSTANTS.get(word[0])
      throw new NotPython()
    }
    // Strings side by side are one in Python.
    let found = take(STRING)
    if (found === null) throw new NotPython()
    let joined = ''
    for (; found !== null; found = take(STRING)) joined += unquoted(found[2] ?? '', found[1] !== '')
    return joined
  }

  const call = (): PythonCall => {
    const name = take(NAME)?.[0]
    if (name === undefined) throw new NotPython()
    expect('(')
    if (name === 'print' && look(CALL) !== null) {
      const inner = call()
      expect(')')
      return inner
    }
    const positional: unknown[] = []
    const named = new Map<string, unknown>()
    items(')', () => {
      const key = take(KEY)?.[1]
      if (key === undefined) positional.push(value(0))
      else adding(named, key, value(0))
    })
    return { name, positional, named }
  }

  const isList = takes('[')
  const calls = [call()]
  while (isList ? takes(',') : look(CALL) !== null) calls.push(call())
  if (isList) expect(']')
  // Code after a call may do anything with it.
  skipSpace()
  if (at < text.length) throw new NotPython()
  return calls
}

/** What a string means. Numbers and names of characters are not worked out. */
function unquoted(literal: string, isRaw: boolean): string {
  const marks = /^(?:"""|''')/.test(literal) && literal.length >= 6 ? 3 : 1
  const inside = literal.slice(marks, -marks)
  if (isRaw) return inside
  return inside.replaceAll(/\\([\s\S])/g, (all, escaped: string) => {
    if (/[xuUN0-7]/.test(escaped)) throw new NotPython()
    if (/[\\'"]/.test(escaped)) return escaped
    return ESCAPES[escaped] ?? all
  })
}
