/** Token counts, rates and times of a whole trial, from those of its turns. Pure; what a server did not say stays null. */
import type { TurnNote } from '../agents/agent.ts'
import type { TurnStats } from '../model/chat-model.ts'
import type { TrialRecord } from './record-schema.ts'

/** Sum of the values, null where one is missing: a part is not a total. */
function total(values: readonly (number | null)[]): number | null {
  let sum = 0
  for (const value of values) {
    if (value === null) return null
    sum += value
  }
  return sum
}

/** All tokens over all of the time that they took: the mean of the rates, weighted by time. null where a turn's part is not known. */
function rateOf(parts: readonly { readonly tokens: number | null; readonly rate: number | null }[]): number | null {
  let [tokens, seconds] = [0, 0]
  for (const part of parts) {
    // A turn of a single token has no rate, and takes none of the time that counts.
    if (part.rate === null && part.tokens !== null && part.tokens <= 1) continue
    if (part.tokens === null || part.rate === null || part.rate <= 0) return null
    tokens += part.tokens
    seconds += part.tokens / part.rate
  }
  return seconds === 0 ? null : tokens / seconds
}

const processed = ({ promptTokens, cachedTokens }: TurnStats): number | null =>
  promptTokens === null ? null : Math.max(0, promptTokens - (cachedTokens ?? 0))

/** Tokens of a trial, prompts and replies of all turns together; null where the server did not count them. */
export function tokensOf(notes: readonly TurnNote[]): number | null {
  const turns = notes.flatMap(({ stats }) => (stats === null ? [] : [stats]))
  return turns.length === 0
    ? null
    : total(turns.flatMap(({ promptTokens, completionTokens }) => [promptTokens, completionTokens]))
}

/**
 * `prompt_tokens` counts a prompt in each turn that it was sent in, as servers bill it; `first_token_ms` is the first
 * turn's; `model_ms` is the time of all requests. null for an agent without a model.
 */
export function trialStats(notes: readonly TurnNote[]): TrialRecord['stats'] {
  const turns = notes.flatMap(({ stats }) => (stats === null ? [] : [stats]))
  const [first] = turns
  if (first === undefined) return null
  return {
    prompt_tokens: total(turns.map(({ promptTokens }) => promptTokens)),
    completion_tokens: total(turns.map(({ completionTokens }) => completionTokens)),
    cached_tokens: total(turns.map(({ cachedTokens }) => cachedTokens)),
    reasoning_tokens: total(turns.map(({ reasoningTokens }) => reasoningTokens)),
    model_ms: turns.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    first_token_ms: first.firstTokenMs,
    prompt_tokens_per_second: rateOf(
      turns.map(stats => ({ tokens: processed(stats), rate: stats.promptTokensPerSecond })),
    ),
    decode_tokens_per_second: rateOf(
      turns.map(({ completionTokens, decodeTokensPerSecond }) => ({
        tokens: completionTokens,
        rate: decodeTokensPerSecond,
      })),
    ),
    requests: turns.reduce((sum, { attempts }) => sum + attempts, 0),
  }
}
