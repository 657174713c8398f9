import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JSON_REPAIRS, repairArguments, repairJson } from './repair-json.ts'

const write = { path: 'a.txt', content: 'one\ntwo' }

describe('slightly malformed arguments', () => {
  it.each([
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
  ])('%s', (text, value, repairs) => {
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
    ['a nesting without end', `{"a": ${'['.repeat(200_000)}`],
  ])('not understood: %s', (_, text) => {
    expect(repairArguments(text)).toBeNull()
  })

  it('every repair of the list can happen, and there is no other', () => {
    const texts = [
      '{"a":1,}',
      '{"a":1 "b":2}',
      "{'a':1}",
      '{a:1}',
      '{"a":"\n"}',
      '{"a":1',
      '{"a":True}',
      '```\n{"a":1}\n```',
    ]
    const seen = [...texts, '"{\\"a\\":1}"'].flatMap(text => repairArguments(text)?.repairs ?? [])
    expect(new Set(seen)).toEqual(new Set(JSON_REPAIRS))
  })

  it('leaves sound JSON alone', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(repairJson(text)).toEqual({ ok: true, value: JSON.parse(text), repairs: [] })
      }),
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
      { numRuns: 5_000 },
    )
  })
})
