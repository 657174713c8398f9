import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scoreTrial } from './trial-score.ts'

const flags = (...reached: readonly boolean[]) =>
  reached.map((isReached, index) => ({ id: `f${index}`, reached: isReached, turn: null, reason: '', stack: null }))

describe('scoreTrial', () => {
  it('is the share of reached flags with four decimals', () => {
    expect(scoreTrial(flags(true, true, false), [])).toEqual({ reached: 2, total: 3, score: 0.6667, passed: false })
  })

  it('passes only when every flag is reached and nothing was tampered with', () => {
    expect(scoreTrial(flags(true, true), [])).toMatchObject({ score: 1, passed: true })
    expect(scoreTrial(flags(true, true), [{ path: 'x', kind: 'new' }])).toMatchObject({ score: 1, passed: false })
  })

  it('does not pass a trial without flags', () => {
    expect(scoreTrial([], [])).toEqual({ reached: 0, total: 0, score: 0, passed: false })
  })

  it('lies in [0, 1] and is 1 exactly when no flag was lost', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), reached => {
        const { score, passed } = scoreTrial(flags(...reached), [])
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score === 1).toBe(reached.every(Boolean))
        expect(passed).toBe(reached.every(Boolean))
      }),
    )
  })
})
