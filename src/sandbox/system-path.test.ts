import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeName, encodeName } from './system-path.ts'

describe('names of files', () => {
  it('of any bytes survive being text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        expect([...encodeName(decodeName(bytes))]).toEqual([...bytes])
      }),
    )
  })

  it('that are text stay the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(decodeName(encodeName(text))).toBe(text)
      }),
    )
  })

  it('escape exactly the bytes that are not UTF-8, as Python does', () => {
    expect(decodeName(Uint8Array.of(0x61, 0xff, 0xc3, 0xa4, 0xed, 0xa0, 0x80))).toBe(
      'a\u{dcff}ä\u{dced}\u{dca0}\u{dc80}',
    )
  })
})
