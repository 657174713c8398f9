import { describe, expect, test } from 'vitest'
import { NO_STATS } from './plan.fixture.ts'
import { createPromptWatch } from './prompt-watch.ts'

/** Turns as characters of the request, prompt tokens, and cached ones where they are told. */
function told(turns: readonly (readonly [number, number | null, number?])[]): string | null {
  const watch = createPromptWatch()
  const found = turns.map(([characters, promptTokens, cachedTokens = null]) =>
    watch(characters, { ...NO_STATS, promptTokens, cachedTokens }),
  )
  return found.find(one => one !== null) ?? null
}

describe('a prompt that is cut in silence', () => {
  test.each([
    [
      'the count stands still',
      [
        [10_000, 2_051],
        [15_000, 2_051],
        [20_000, 2_051],
        [25_000, 2_051],
      ],
    ],
    [
      'it grew before',
      [
        [4_000, 900],
        [10_000, 2_051],
        [16_000, 2_049],
        [22_000, 2_060],
      ],
    ],
  ] as const)('is told: %s', (_title, turns) => {
    expect(told(turns)).toMatch(/counted 2,0\d\d prompt tokens in 3 turns[\s\S]*remedy: Give the server a larger/)
  })

  test.each([
    [
      'the count grows with the request',
      [
        [10_000, 2_000],
        [15_000, 3_000],
        [20_000, 4_000],
        [25_000, 5_000],
      ],
    ],
    [
      'the request hardly grows',
      [
        [10_000, 2_000],
        [10_100, 2_010],
        [10_200, 2_020],
        [10_300, 2_020],
      ],
    ],
    [
      'no count',
      [
        [10_000, null],
        [20_000, null],
        [40_000, null],
        [80_000, null],
      ],
    ],
    [
      'a number that is not a count',
      [
        [10_000, 20],
        [20_000, 20],
        [40_000, 20],
        [80_000, 20],
      ],
    ],
    [
      'a short conversation',
      [
        [400, 200],
        [800, 200],
        [1_600, 200],
        [3_200, 200],
      ],
    ],
    [
      'two turns',
      [
        [10_000, 2_051],
        [25_000, 2_051],
      ],
    ],
    [
      'a count without what was cached',
      [
        [10_000, 1_000, 1_500],
        [20_000, 1_000, 4_000],
        [40_000, 1_000, 9_000],
      ],
    ],
  ] as const)('is not claimed: %s', (_title, turns) => {
    expect(told(turns)).toBeNull()
  })
})
