import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEvaluation } from './evaluation.ts'

const parse = (value: unknown, calls = 1) => parseEvaluation(Buffer.from(JSON.stringify(value)), calls)

describe('what the evaluator wrote', () => {
  const valued = (value: object) => [{ ok: true, value }]
  const none = { t: 'none' }
  it('is read with every type', () => {
    const tuple = { t: 'tuple', v: [none, { t: 'bool', v: true }] }
    const list = {
      t: 'list',
      v: ['float 1e-07', 'other set'].map(text => ({ t: text.split(' ')[0], v: text.split(' ')[1] })),
    }
    const pairs = {
      t: 'dict',
      v: [
        { t: 'str', v: 'a' },
        { t: 'int*', v: '-12' },
      ].map((key, at) => [key, at ? list : tuple]),
    }
    const results = [...valued(pairs), { ok: false, error: 'ValueError' }]
    expect(parse(results, 2)).toEqual({ kind: 'values', results })
  })

  it.each<[string, unknown]>([
    ['no list', {}],
    ['too many results', [...valued(none), ...valued(none)]],
    ['a value of no type', valued({ v: 1 })],
    ['a bool that is a number', valued({ t: 'bool', v: 1 })],
    ['an int that is a number', valued({ t: 'int', v: 1 })],
    ['an int that is not a number', valued({ t: 'int', v: '1; drop' })],
    ['a float that is none', valued({ t: 'float', v: 'Infinity' })],
    ['a pair of three', valued({ t: 'dict', v: [[none, none, none]] })],
    ['an unknown type', valued({ t: 'expected', v: '2' })],
    ['neither value nor error', [{ ok: true }]],
  ])('is a bad frame when it holds %s', (_title, frame) => {
    expect(parse(frame)).toEqual({ kind: 'bad-frame' })
  })

  it('is a bad frame when it is nested too deep or no UTF-8', () => {
    const deep = `[{"ok":true,"value":${'{"t":"list","v":['.repeat(2_000)}${']}'.repeat(2_000)}}]`
    expect(parseEvaluation(Buffer.from(deep), 1)).toEqual({ kind: 'bad-frame' })
    expect(parseEvaluation(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 1)).toEqual({ kind: 'bad-frame' })
  })

  it('never breaks the harness', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.jsonValue(), (bytes, value) => {
        parseEvaluation(bytes, 1)
        parse([{ ok: true, value }])
      }),
    )
  })
})
