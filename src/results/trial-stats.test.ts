import { expect, it } from 'vitest'
import type { TurnNote } from '../agents/agent.ts'
import type { TurnStats } from '../model/chat-model.ts'
import { NO_STATS } from '../model/plan.fixture.ts'
import { trialStats } from './trial-stats.ts'

const USUAL: TurnStats = {
  ...NO_STATS,
  promptTokens: 100,
  completionTokens: 10,
  cachedTokens: 0,
  elapsedMs: 1_000,
  firstTokenMs: 200,
  promptTokensPerSecond: 1_000,
  decodeTokensPerSecond: 10,
}
const turn = (number: number, stats: Partial<TurnStats> | null): TurnNote => {
  const said = { text: '', reasoning: null, finishReason: 'stop' }
  return { turn: number, ...said, stats: stats && { ...USUAL, ...stats } }
}

it('adds up the turns', () => {
  const turns = [
    turn(1, { reasoningTokens: 4, firstTokenMs: 300 }),
    turn(2, { promptTokens: 150, cachedTokens: 100, reasoningTokens: 0, elapsedMs: 500, attempts: 2 }),
  ]
  expect(trialStats(turns)).toMatchObject({
    prompt_tokens: 250,
    completion_tokens: 20,
    cached_tokens: 100,
    reasoning_tokens: 4,
    model_ms: 1_500,
    first_token_ms: 300,
    requests: 3,
  })
})

it('weights rates by the time they held, and leaves out tokens from the cache', () => {
  const cached = { promptTokens: 150, cachedTokens: 100, promptTokensPerSecond: 100 }
  const fast = { decodeTokensPerSecond: 100, completionTokens: 100, ...cached }
  const stats = trialStats([turn(1, { decodeTokensPerSecond: 10, completionTokens: 100 }), turn(2, fast)])
  expect(stats?.decode_tokens_per_second).toBeCloseTo(200 / 11)
  expect(stats?.prompt_tokens_per_second).toBeCloseTo(150 / 0.6)
})

it('leaves a turn of one token, which has no rate, out of the rate', () => {
  const turns = [turn(1, {}), turn(2, { completionTokens: 1, decodeTokensPerSecond: null })]
  expect(trialStats(turns)).toMatchObject({ completion_tokens: 11, decode_tokens_per_second: 10 })
})

it('is null in what one turn does not tell: a part is not a total', () => {
  const unknown = { promptTokens: null, completionTokens: null, cachedTokens: null, firstTokenMs: null }
  const rates = { promptTokensPerSecond: null, decodeTokensPerSecond: null }
  expect(trialStats([turn(1, {}), turn(2, { ...unknown, ...rates })])).toEqual({
    prompt_tokens: null,
    completion_tokens: null,
    cached_tokens: null,
    reasoning_tokens: null,
    model_ms: 2_000,
    first_token_ms: 200,
    prompt_tokens_per_second: null,
    decode_tokens_per_second: null,
    requests: 2,
  })
})

it('is null for an agent without a model, and for a trial without a turn', () => {
  expect(trialStats([turn(1, null)])).toBeNull()
  expect(trialStats([])).toBeNull()
})
