import { expect, it } from 'vitest'
import { defineSuite, isSuite } from './suite.ts'

it('a suite has a title of one line', () => {
  expect(isSuite(defineSuite({ title: 'Agentic work' }))).toBe(true)
  expect(isSuite({ title: 'Agentic work' })).toBe(false)
  for (const title of ['', ' ', 'a\nb', 'x'.repeat(81)]) {
    expect(() => defineSuite({ title })).toThrow(/1 to 80 characters/)
  }
})
