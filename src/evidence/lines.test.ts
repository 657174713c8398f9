import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import { createKeyIndex, isTelling, normaliseText, prefixOf } from './lines.ts'

describe('createKeyIndex', () => {
  const text = fc.stringMatching(/^[ab ]{0,60}$/)
  it('finds every occurrence of every key, as a plain search does', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab ]{5,9}$/), { maxLength: 20 }), text, (keys, haystack) => {
        const found: string[] = []
        createKeyIndex(keys).scan(haystack, (key, position) => found.push(`${position} ${key}`))
        const expected: string[] = []
        for (const key of new Set(keys)) {
          for (let at = haystack.indexOf(key); at !== -1; at = haystack.indexOf(key, at + 1))
            expected.push(`${at} ${key}`)
        }
        expect(found.sort()).toEqual(expected.sort())
      }),
      { numRuns },
    )
  })
})

describe('normaliseText', () => {
  it('removes terminal codes and carriage returns and collapses white space inside lines only', () => {
    expect(normaliseText('\u001b[31m  a \t b\u001b[0m  \r\n\n c\u00a0d\rdone')).toBe('a b\n\nc d\ndone')
  })
})

describe('isTelling', () => {
  it.each([
    ['abcde', true],
    ['a-b-c-d-5', true],
    ['abcd', false],
    ['---- ====', false],
    ['設定ファイル', true],
    ['', false],
  ])('of %j is %j', (line, expected) => {
    expect(isTelling(line)).toBe(expected)
  })
})

describe('prefixOf', () => {
  it('is the first 24 characters of a longer line that begins with something telling', () => {
    expect(prefixOf('0123456789abcdefghijklmnop')).toBe('0123456789abcdefghijklmn')
    expect(prefixOf('0123456789abcdefghijklmn')).toBeNull()
    expect(prefixOf('------------------------ title of the page')).toBeNull()
  })
})
