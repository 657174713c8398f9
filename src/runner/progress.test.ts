import { describe, expect, it } from 'vitest'
import { formatDuration, projection } from './progress.ts'

describe('the projected time of a run', () => {
  it('is the mean of all trials so far times those that are left, divided among the workers', () => {
    expect(projection({ done: 1, doneMs: 30_000, left: 12, workers: 1 })).toBe(
      'time     the first trial took 30 s; at that pace the 12 that are left take about 6 min',
    )
    expect(projection({ done: 4, doneMs: 240_000, left: 12, workers: 4 })).toContain(
      '4 trials took 60 s on average; at that pace the 12 that are left take about 3 min',
    )
  })

  it.each([
    ['of the last trial', { done: 1, left: 0 }],
    ['after every trial', { done: 3, left: 12 }],
    ['anew of less than a minute', { done: 4, left: 1 }],
  ])('is not said %s', (_what, progress) => {
    expect(projection({ doneMs: 30_000 * progress.done, workers: 1, ...progress })).toBeNull()
  })

  it.each([
    [400, '0.4 s'],
    [20, '0.1 s'],
    [45_400, '45 s'],
    [600_000, '10 min'],
    [12_600_000, '3.5 h'],
  ])('says %i ms as %s', (milliseconds, words) => {
    expect(formatDuration(milliseconds)).toBe(words)
  })
})
