import { expect, test } from 'vitest'
import { NO_STATS } from './plan.fixture.ts'
import { createPromptWatch } from './prompt-watch.ts'

/** What is said of turns with these characters of the request, prompt tokens, and cached ones where they are told. */
function told(characters: readonly number[], tokens: readonly (number | null)[], cached: readonly number[] = []) {
  const watch = createPromptWatch()
  const found = characters.map((count, turn) =>
    watch(count, { ...NO_STATS, promptTokens: tokens[turn] ?? null, cachedTokens: cached[turn] ?? null }),
  )
  return found.find(one => one !== null) ?? null
}

test.each([
  ['the count stands still', [10_000, 15_000, 20_000, 25_000], [2_051, 2_051, 2_051, 2_051]],
  ['it grew before', [4_000, 10_000, 16_000, 22_000], [900, 2_051, 2_049, 2_060]],
])('a prompt that is cut in silence is told: %s', (_title, characters, tokens) => {
  expect(told(characters, tokens)).toMatch(
    /counted 2,0\d\d prompt tokens in 3 turns[\s\S]*remedy: Give the server a larger/,
  )
})

test.each<[string, number[], (number | null)[], number[]?]>([
  ['the count grows with the request', [10_000, 15_000, 20_000, 25_000], [2_000, 3_000, 4_000, 5_000]],
  ['the request hardly grows', [10_000, 10_100, 10_200, 10_300], [2_000, 2_010, 2_020, 2_020]],
  ['no count', [10_000, 20_000, 40_000, 80_000], [null, null, null, null]],
  ['a number that is not a count', [10_000, 20_000, 40_000, 80_000], [20, 20, 20, 20]],
  ['a short conversation', [400, 800, 1_600, 3_200], [200, 200, 200, 200]],
  ['two turns', [10_000, 25_000], [2_051, 2_051]],
  ['a count without what was cached', [10_000, 20_000, 40_000], [1_000, 1_000, 1_000], [1_500, 4_000, 9_000]],
])('a cut is not claimed: %s', (_title, characters, tokens, cached) => {
  expect(told(characters, tokens, cached)).toBeNull()
})
