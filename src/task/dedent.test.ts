import { expect, test } from 'vitest'
import { dedent } from './dedent.ts'

test('removes the shared margin, and ends in a line break when the closing backtick stands alone', () => {
  const text = dedent`
    def add(a, b):
        return a + b
  `
  expect(text).toBe('def add(a, b):\n    return a + b\n')
})

test('keeps a last line without line break when the backtick follows it', () => {
  expect(dedent`
    one
    two`).toBe('one\ntwo')
})

test('leaves escapes as JavaScript reads them', () => {
  expect(dedent`
    print('a\\nb')
    tab\there
  `).toBe("print('a\\nb')\ntab\there\n")
})

test('indents every line of an interpolated text, and does not measure the margin on it', () => {
  const body = 'first\nsecond'
  expect(dedent`
    if x:
        ${body}
    ${'  kept'}
  `).toBe('if x:\n    first\n    second\n  kept\n')
})

test('lines that hold nothing but a value have their margin removed', () => {
  expect(dedent`
    ${'a'}
    ${'b'}
  `).toBe('a\nb\n')
})

test('blank lines do not count for the margin and stay', () => {
  expect(dedent`
    a

      b
  `).toBe('a\n\n  b\n')
})

test('text on one line is left alone', () => {
  expect(dedent`  plain ${1} text `).toBe('  plain 1 text ')
})
