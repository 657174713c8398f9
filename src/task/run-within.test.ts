import { describe, expect, it } from 'vitest'
import { applyPattern, callWithin } from './run-within.ts'

const forever = () => {
  for (;;);
}
const dreadful = /^(?:a+)+$/
const longText = `${'a'.repeat(60)}b`

describe('a call with a deadline', () => {
  it('gives what the call gives, of whatever kind', () => {
    expect(callWithin(1_000, () => undefined)).toEqual({ isOverdue: false, value: undefined })
  })

  it('throws what the call throws, the very same error', () => {
    const error = new TypeError('mine')
    const work = () => {
      throw error
    }
    expect(() => callWithin(1_000, work)).toThrow(error)
  })

  it.each<[string, () => unknown]>([
    ['a loop', forever],
    ['a pattern that backtracks', () => dreadful.test(longText)],
    [
      'a loop that catches everything',
      () => {
        for (;;) {
          try {
            forever()
          } catch {
            // a task may do so
          }
        }
      },
    ],
    [
      'an async function before its first await',
      async () => {
        forever()
        await null
      },
    ],
  ])('ends %s', (_what, work) => {
    expect(callWithin(20, work)).toEqual({ isOverdue: true })
  })

  it('works inside another one, and either can be the one that ends', () => {
    expect(callWithin(5_000, () => callWithin(20, forever))).toEqual({ isOverdue: false, value: { isOverdue: true } })
    expect(callWithin(20, () => callWithin(5_000, forever))).toEqual({ isOverdue: true })
  })
})

describe('a pattern of a manifest', () => {
  it('gives its answer', () => {
    expect(applyPattern('required_commands[0]', /b$/, () => /b$/.test(longText))).toBe(true)
  })

  it('that takes too long is the fault of the manifest, with its field and a remedy', () => {
    expect(() => applyPattern('required_commands[0]', dreadful, () => dreadful.test(longText), 20)).toThrow(
      expect.objectContaining({
        code: 'pattern_timeout',
        message: 'the pattern of required_commands[0], /^(?:a+)+$/, was not through with a text after 0.02 s',
        remedy: expect.stringContaining('Simplify the pattern'),
      }),
    )
  })
})
