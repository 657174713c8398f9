import { describe, expect, it } from 'vitest'
import { type TierResult, tierOf } from './tiers.ts'

const PASSES: TierResult = { passes: true, score: 1 }
const results = (entries: Readonly<Record<string, TierResult>>) => new Map(Object.entries(entries))
const acts = { toolCalls: 5 }

describe('tierOf', () => {
  it('is 1 when every task passes', () => {
    expect(tierOf(results({ a: PASSES, b: PASSES }), ['a', 'b'], acts)).toBe(1)
  })

  it('is not 1 when all trials of a task passed but were fewer than k', () => {
    expect(tierOf(results({ a: PASSES, b: { passes: false, score: 1 } }), ['a', 'b'], acts)).toBe(2)
  })

  it.each([
    [0.49, 3],
    [0.5, 2],
  ])('with a best mean score of %d is %d', (best, tier) => {
    const scored = results({ a: { passes: false, score: 0.1 }, b: { passes: false, score: best } })
    expect(tierOf(scored, ['a', 'b'], acts)).toBe(tier)
  })

  it('is 3 for a model that never called a tool, whatever it scored', () => {
    expect(tierOf(results({ a: { passes: false, score: 0.75 } }), ['a'], { toolCalls: 0 })).toBe(3)
  })

  it('takes a missing task for no argument against a model', () => {
    expect(tierOf(results({ a: { passes: false, score: 0.8 } }), ['a', 'b', 'c'], acts)).toBe(2)
  })

  it('is unknown when no trial counts', () => {
    expect(tierOf(results({ a: { passes: false, score: null } }), ['a'], acts)).toBeNull()
    expect(tierOf(results({}), ['a'], acts)).toBeNull()
  })
})
