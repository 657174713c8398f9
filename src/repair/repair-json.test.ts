import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import { JSON_REPAIRS, type JsonRepair, repairArguments, repairJson } from './repair-json.ts'

const write = { path: 'a.txt', content: 'one\ntwo' }

const UNDERSTOOD: readonly [string, object, JsonRepair[]][] = [
  ['{"path": "a.txt",}', { path: 'a.txt' }, ['trailing comma']],
  ['{"a": [1, 2, ], }', { a: [1, 2] }, ['trailing comma']],
  ['{"path": "a.txt" "content": "x"}', { path: 'a.txt', content: 'x' }, ['missing comma']],
  ["{'path': 'a.txt'}", { path: 'a.txt' }, ['single quotes']],
  [`{'command': 'echo "hi" it\\'s'}`, { command: `echo "hi" it's` }, ['single quotes']],
  ['{path: "a.txt", limit : 3}', { path: 'a.txt', limit: 3 }, ['key without quotes']],
  ['{"path":"a.txt","content":"one\ntwo"}', write, ['line break in a string']],
  ['{"path": "a.txt"', { path: 'a.txt' }, ['missing closing bracket']],
  ['{"a": {"b": [1', { a: { b: [1] } }, ['missing closing bracket']],
  ['{"a": [1}', { a: [1] }, ['missing closing bracket']],
  ['{"all": True, "none": None}', { all: true, none: null }, ['Python constant']],
  [JSON.stringify(JSON.stringify(write)), write, ['JSON in a string']],
  [JSON.stringify(JSON.stringify(JSON.stringify(write))), write, ['JSON in a string']],
  ['```json\n{"path": "a.txt"}\n```', { path: 'a.txt' }, ['code fence']],
  ["{'a': True,}", { a: true }, ['single quotes', 'Python constant', 'trailing comma']],
]

describe('slightly malformed arguments', () => {
  it.each(UNDERSTOOD)('%s', (text, value, repairs) => {
    expect(repairArguments(text)).toEqual({ value, repairs })
  })

  it.each([
    ['nothing', ''],
    ['text', 'ls -la'],
    ['a list', '["a.txt"]'],
    ['a string that was cut: half a file must not be written', '{"path": "a.txt", "content": "one'],
    ['a key that was cut', '{"path": "a.txt", "con'],
    ['a value that is missing', '{"path":'],
    ['a value without quotes', '{"command": ls}'],
    ['two objects', '{"path": "a"} {"path": "b"}'],
    ['an expression', '{"path": "a" + "b"}'],
    ['a call', 'f({"path": "a"})'],
    ['a comment', '{"path": "a" /* b */}'],
    ['text after the end', '{"path": "a"} done'],
    ['quotes inside that end a string', '{"command": "echo "a", "command": "rm b""}'],
    ['quotes inside that look like a key', '{"path":"a","content":"say "hi", "path": "b""}'],
    ['quotes inside that look like a pair', '{"command": "echo "x", "y": "z""}'],
    ['quotes inside around nothing', '{"content": "x = """}'],
    ['a key that comes twice', '{"path": "a", "path": "b",}'],
    ['a string that would be a key without its comma and its space', '{"a": "x""b": "y"}'],
    ['a lost comma before what is not a plain key', '{"a": "x" ", c": "y"}'],
    ['a lost comma in a list, where Python joins strings', '{"a": ["x" "y"]}'],
    ['single quotes beside double ones: they may be apostrophes', `{"a": "x", 'b': "y"}`],
    ['an apostrophe in single quotes', `{'a': 'it's'}`],
    ['an escape that JSON does not have', '{"command": "grep \\d a",}'],
    ['a backslash outside of a string', '{\\"a\\": 1}'],
    ['a text that was cut after a comma', '{"path": "a",'],
    ['a number that JSON does not have', '{"a": 007,}'],
    ['a nesting without end', `{"a": ${'['.repeat(200_000)}`],
  ])('not understood: %s', (_, text) => {
    expect(repairArguments(text)).toBeNull()
  })

  it('every repair of the list can happen, and there is no other', () => {
    const seen = UNDERSTOOD.flatMap(([, , repairs]) => repairs)
    expect(new Set(seen)).toEqual(new Set(JSON_REPAIRS))
  })

  // Everything that could be taken for JSON's own signs.
  const text = fc.string({ unit: fc.constantFrom(...'"\'\\{}[]:, \nab1', 'True', '": "', '", "'), maxLength: 12 })
  const json: fc.Arbitrary<unknown> = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(fc.stringMatching(/^[a-z_]{1,4}$/), tie('value'), { minKeys: 1, maxKeys: 4 }),
  })).object

  it.each<[JsonRepair, (sound: string) => string]>([
    ['trailing comma', sound => sound.replace(/\}$/, ',}')],
    ['missing closing bracket', sound => sound.replace(/[}\]]+$/, '')],
    ['code fence', sound => `\`\`\`json\n${sound}\n\`\`\``],
    ['JSON in a string', sound => JSON.stringify(sound)],
  ])('%s: any object comes back as it was, and nothing else is claimed', (repair, damage) => {
    fc.assert(
      fc.property(json, value => {
        const damaged = damage(JSON.stringify(value))
        expect(repairArguments(damaged), damaged).toEqual({ value, repairs: [repair] })
      }),
    )
  })

  it('missing comma: between any two pairs, the object comes back as it was', () => {
    fc.assert(
      fc.property(json, text, (one, other) => {
        const damaged = `{"one": ${JSON.stringify(one)} "two": ${JSON.stringify(other)} "three": 3}`
        const value = { one, two: other, three: 3 }
        expect(JSON.stringify(repairArguments(damaged)), damaged).toBe(
          JSON.stringify({ value, repairs: ['missing comma'] }),
        )
      }),
    )
  })

  it('a quote inside a string that was not escaped is never guessed', () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, pick) => {
        const sound = JSON.stringify(value)
        const escaped = [...sound.matchAll(/\\[\s\S]/g)].filter(([pair]) => pair === '\\"')
        const at = escaped[pick % Math.max(1, escaped.length)]?.index
        fc.pre(at !== undefined)
        if (at === undefined) return
        const damaged = sound.slice(0, at) + sound.slice(at + 1)
        expect(repairArguments(damaged), damaged).toBeNull()
      }),
      { numRuns },
    )
  })

  it('never gives a value that the text does not hold: its strings are in it, in order', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]":,\'\n ab1\\'), maxLength: 30 })
    fc.assert(
      fc.property(noise, text => {
        const found = repairJson(text)
        if (!found.ok || found.repairs.length === 0) return
        const letters = (value: string) => value.replace(/[^ab1]/g, '')
        expect(letters(JSON.stringify(found.value))).toBe(letters(text))
      }),
      { numRuns },
    )
  })
})
