import { describe, expect, it } from 'vitest'
import { durationInWords, projection } from './progress.ts'

describe('the projected time of a run', () => {
  it('is the first trial times the trials, divided among the workers', () => {
    expect(projection({ firstTrialMs: 30_000, trials: 12, workers: 1 })).toContain(
      'at that pace all 12 take about 6 min',
    )
    expect(projection({ firstTrialMs: 30_000, trials: 12, workers: 4 })).toContain('about 90 s')
  })

  it('is not said of a single trial', () => {
    expect(projection({ firstTrialMs: 30_000, trials: 1, workers: 1 })).toBeNull()
  })

  it.each([
    [400, '0.4 s'],
    [20, '0.1 s'],
    [45_400, '45 s'],
    [600_000, '10 min'],
    [12_600_000, '3.5 h'],
  ])('says %i ms as %s', (milliseconds, words) => {
    expect(durationInWords(milliseconds)).toBe(words)
  })
})
