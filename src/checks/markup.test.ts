import { expect, test } from 'vitest'
import { plainMarkup } from './markup.ts'

test.each([
  ['<p>\n  one\n  two\n</p>\n', '<p>one two</p>'],
  ['<p>one</p> <!-- <p>two</p> --> <p>three</p>', '<p>one</p><p>three</p>'],
  ['<p>kept</p><!-- never closed <p>gone</p>', '<p>kept</p>'],
  ['<!---->a', 'a'],
  ['<a\n  href="/x"\n>', '<a href="/x" >'],
])('%j', (html, plain) => {
  expect(plainMarkup(html)).toBe(plain)
})

test('a text that is not the same stays different', () => {
  expect(plainMarkup('<p>shelf 45</p>')).not.toBe(plainMarkup('<p>shelf 54</p>'))
})
