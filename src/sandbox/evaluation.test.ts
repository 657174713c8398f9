import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEvaluation } from './evaluation.ts'

const parse = (value: unknown, calls = 1) => parseEvaluation(Buffer.from(JSON.stringify(value)), calls)

describe('what the evaluator wrote', () => {
  it('is read with every type', () => {
    const value = {
      t: 'dict',
      v: [
        [
          { t: 'str', v: 'a' },
          { t: 'tuple', v: [{ t: 'none' }, { t: 'bool', v: true }] },
        ],
        [
          { t: 'int*', v: '-12' },
          {
            t: 'list',
            v: [
              { t: 'float', v: '1e-07' },
              { t: 'other', v: 'set' },
            ],
          },
        ],
      ],
    }
    const results = [
      { ok: true, value },
      { ok: false, error: 'ValueError' },
    ]
    expect(parse(results, 2)).toEqual({ kind: 'values', results })
  })

  it.each<[string, unknown]>([
    ['no list', {}],
    [
      'too many results',
      [
        { ok: false, error: 'E' },
        { ok: false, error: 'E' },
      ],
    ],
    ['a value of no type', [{ ok: true, value: { v: 1 } }]],
    ['a bool that is a number', [{ ok: true, value: { t: 'bool', v: 1 } }]],
    ['an int that is a number', [{ ok: true, value: { t: 'int', v: 1 } }]],
    ['an int that is not a number', [{ ok: true, value: { t: 'int', v: '1; drop' } }]],
    ['a float that is none', [{ ok: true, value: { t: 'float', v: 'Infinity' } }]],
    ['a pair of three', [{ ok: true, value: { t: 'dict', v: [[{ t: 'none' }, { t: 'none' }, { t: 'none' }]] } }]],
    ['an unknown type', [{ ok: true, value: { t: 'expected', v: '2' } }]],
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
