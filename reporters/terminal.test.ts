import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { createPainter, cutTo, escapeForTerminal, layOut, pad, wrap } from './terminal.ts'

describe('escapeForTerminal', () => {
  it.each([
    ['a clear-screen sequence', '\u001b[2Jx', '\\x1b[2Jx'],
    ['line breaks and tabs', 'a\r\n\tb', 'a\\r\\n\\tb'],
    ['the 8-bit control sequence introducer', '\u009b31m', '\\x9b31m'],
    ['a right-to-left override', 'cod\u202egnp.exe', 'cod\\u{202e}gnp.exe'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['an invisible tag', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['ordinary text of any script', 'naïve 模型 😀 ✗', 'naïve 模型 😀 ✗'],
  ])('shows %s', (_title, text, shown) => {
    expect(escapeForTerminal(text)).toBe(shown)
  })

  it('leaves nothing that controls a terminal, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(escapeForTerminal(text)).not.toMatch(/\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Bidi_C}/u)
      }),
    )
  })
})

describe('cutTo and pad', () => {
  it('count columns, not characters', () => {
    expect(cutTo('模型模型', 5)).toBe('模型…')
    expect(pad('模', 4)).toBe('模  ')
    expect(pad('ab', 4, 'right')).toBe('  ab')
  })

  it('never go over the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(stringWidth(cutTo(escapeForTerminal(text), width))).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('wrap', () => {
  it('breaks at spaces and cuts words that are longer than a line', () => {
    expect(wrap('one two three', 10)).toEqual(['one two', 'three'])
    expect(wrap(`a ${'x'.repeat(25)}`, 10)).toEqual(['a', 'x'.repeat(10), 'x'.repeat(10), 'xxxxx'])
  })

  it('loses no character and keeps every line within the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.integer({ min: 10, max: 40 }), (text, width) => {
        const lines = wrap(text, width)
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('layOut', () => {
  const columns = [
    { title: 'name', cell: (row: string) => ({ text: row }) },
    { title: 'size', align: 'right' as const, dropRank: 1, cell: (row: string) => ({ text: String(row.length) }) },
    { title: 'long', dropRank: 2, cell: (row: string) => ({ text: row.repeat(3) }) },
  ]
  const paint = createPainter(false)

  it('lines columns up', () => {
    const { title, lines } = layOut(['a', 'bcd'], columns, { width: 80, paint })
    expect([title, ...lines]).toEqual(['name  size  long', 'a        1  aaa', 'bcd      3  bcdbcdbcd'])
  })

  it('drops columns of high rank first when there is no room', () => {
    expect(layOut(['a', 'bcd'], columns, { width: 12, paint }).title).toBe('name  size')
    expect(layOut(['a', 'bcd'], columns, { width: 5, paint }).title).toBe('name')
  })

  it('cuts the widest column when nothing more can be dropped', () => {
    expect(layOut(['abcdefghijklmnop'], columns, { width: 10, paint }).lines).toEqual(['abcdefghi…'])
  })
})
