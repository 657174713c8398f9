import type { TurnStats } from './chat-model.ts'
import { WINDOW_REMEDY } from './classify.ts'

/** So many turns in a row with one count, in which the request doubles, are no chance. */
const STUCK_TURNS = 3
const GROWTH = 2
const SAME_SHARE = 0.01
/** The tokens of a first prompt are mostly the template's. */
const MIN_CHARACTERS = 4_000
/** A count below one token in so many characters was never one. */
const MOST_CHARACTERS_PER_TOKEN = 20

const thousands = (count: number): string => count.toLocaleString('en-US')

/**
 * Watches a conversation for a server that drops the beginning of prompts in silence: its count of prompt tokens stands
 * still while the requests grow (ollama#3839). What the model does then is about a task it no longer sees.
 * @returns called after each turn with the characters of its request: what is wrong and what to do, or null
 */
export function createPromptWatch(): (characters: number, stats: TurnStats) => string | null {
  let since = { tokens: 0, characters: 0, turns: 0 }
  return (characters, { promptTokens, cachedTokens }) => {
    if (promptTokens === null || characters < MIN_CHARACTERS) return null
    // Some servers leave what was cached out of their count.
    const tokens = cachedTokens !== null && cachedTokens > promptTokens ? promptTokens + cachedTokens : promptTokens
    const isSame = Math.abs(tokens - since.tokens) <= since.tokens * SAME_SHARE
    since = isSame && since.turns > 0 ? { ...since, turns: since.turns + 1 } : { tokens, characters, turns: 1 }
    const isCount = since.characters <= since.tokens * MOST_CHARACTERS_PER_TOKEN
    if (!isCount || since.turns < STUCK_TURNS || characters < since.characters * GROWTH) return null
    return `the server counted ${thousands(tokens)} prompt tokens in ${since.turns} turns in a row, while the request grew from ${thousands(since.characters)} to ${thousands(characters)} characters: it drops the beginning of the conversation without an error\nremedy: ${WINDOW_REMEDY}`
  }
}
