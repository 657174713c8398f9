/** Puts the chunks of one completion, streamed or whole, together into a raw reply. Pure: no clock, no network. */
import type { Reasoning } from './chat-model.ts'
import { countAt, isRecord, listAt, parseJson, stringAt, valueAt } from './json.ts'
import { isErrorBody, readErrorText, readServerFault, type ServerFault } from './server-fault.ts'
import { createCallCollector, type RawCall } from './tool-call-pieces.ts'

/** Token counts and rates in the server's words. null = not said. */
interface RawUsage {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly totalTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
  readonly promptTokensPerSecond: number | null
  readonly decodeTokensPerSecond: number | null
}

export interface RawReply {
  readonly text: string
  readonly reasoning: Reasoning | null
  readonly toolCalls: readonly RawCall[]
  readonly finishReason: string | null
  readonly servedModel: string | null
  readonly usage: RawUsage
  /** An error body found where a completion belonged. */
  readonly fault: ServerFault | null
  /** The stream said that it is over: `[DONE]`, a finish reason, or a whole body. */
  readonly isEnded: boolean
  /** The reply was cut by us because it passed the bound. */
  readonly isOverBound: boolean
}

/** The text of `content`: a string, null, or a list of parts; thinking parts (Mistral) are kept apart. */
function readContent(content: unknown): { readonly text: string; readonly thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' }
  let text = ''
  let thinking = ''
  for (const part of Array.isArray(content) ? content : []) {
    if (typeof part === 'string') text += part
    else if (valueAt(part, 'thinking') !== undefined) {
      thinking += stringAt(part, 'thinking') ?? readContent(valueAt(part, 'thinking')).text
    } else text += stringAt(part, 'text') ?? ''
  }
  return { text, thinking }
}

function readUsage(usage: unknown, timings: unknown): RawUsage {
  const processed = countAt(timings, 'prompt_n')
  const predicted = countAt(timings, 'predicted_n')
  // `timings.prompt_n` leaves out what came from the prompt cache.
  const timedPrompt = processed === null ? null : processed + (countAt(timings, 'cache_n') ?? 0)
  const promptTokens = countAt(usage, 'prompt_tokens') ?? timedPrompt
  const completionTokens = countAt(usage, 'completion_tokens') ?? predicted
  const sum = promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens
  // With a single token llama-server reports a rate of 0, which is not a rate.
  const rate = (name: string): number | null => countAt(timings, name) || null
  return {
    promptTokens,
    completionTokens,
    totalTokens: countAt(usage, 'total_tokens') ?? sum,
    cachedTokens: countAt(usage, 'prompt_tokens_details', 'cached_tokens') ?? countAt(timings, 'cache_n'),
    reasoningTokens: countAt(usage, 'completion_tokens_details', 'reasoning_tokens'),
    promptTokensPerSecond: rate('prompt_per_second'),
    decodeTokensPerSecond: rate('predicted_per_second'),
  }
}

/**
 * Collects chunks until `end` is asked for what they come to.
 * @param options.maxCharacters bound on text, reasoning and arguments together; the rest is left unread
 * @param options.toolNames the tools on offer
 */
export function createAssembler(options: { readonly maxCharacters: number; readonly toolNames?: readonly string[] }) {
  const calls = createCallCollector(options.toolNames)
  let text = ''
  let reasoning: Reasoning | null = null
  let finishReason: string | null = null
  let servedModel: string | null = null
  let usage: unknown
  let timings: unknown
  let fault: ServerFault | null = null
  let isDone = false
  let characters = 0

  const addReasoning = (field: Reasoning['field'], piece: string): boolean => {
    if (piece === '') return false
    reasoning ??= { field, text: '' }
    // Some servers send the same text in both fields: the first one seen is the one that counts.
    if (reasoning.field !== field) return false
    reasoning = { field, text: reasoning.text + piece }
    characters += piece.length
    return true
  }

  const addDelta = (delta: unknown): boolean => {
    const { text: content, thinking } = readContent(valueAt(delta, 'content'))
    const said = content + (stringAt(delta, 'refusal') ?? '')
    text += said
    characters += said.length
    let hasPiece = said !== ''
    hasPiece = addReasoning('reasoning_content', stringAt(delta, 'reasoning_content') ?? '') || hasPiece
    hasPiece = addReasoning('reasoning', (stringAt(delta, 'reasoning') ?? '') + thinking) || hasPiece
    for (const piece of listAt(delta, 'tool_calls')) {
      characters += calls.add(piece)
      hasPiece = true
    }
    return hasPiece
  }

  const add = (chunk: unknown): boolean => {
    if (fault !== null || characters > options.maxCharacters) return false
    if (isErrorBody(chunk)) {
      fault = readServerFault(chunk, JSON.stringify(chunk))
      return false
    }
    servedModel ??= stringAt(chunk, 'model')?.toWellFormed() ?? null
    if (isRecord(valueAt(chunk, 'usage'))) usage = valueAt(chunk, 'usage')
    if (isRecord(valueAt(chunk, 'timings'))) timings = valueAt(chunk, 'timings')
    let hasPiece = false
    for (const choice of listAt(chunk, 'choices')) {
      // One answer is asked for; another choice would be mixed into it.
      if ((countAt(choice, 'index') ?? 0) !== 0) continue
      finishReason = stringAt(choice, 'finish_reason') ?? finishReason
      hasPiece = addDelta(valueAt(choice, 'delta') ?? valueAt(choice, 'message')) || hasPiece
    }
    return hasPiece
  }

  return {
    /** Adds a parsed chunk; true when it brought text, reasoning or a piece of a call. */
    add,
    /** Adds the data of one server-sent event; true as in `add`. */
    addData(data: string): boolean {
      if (data.trim() === '[DONE]') isDone = true
      if (data.trim() === '' || isDone) return false
      const parsed = parseJson(data)
      if (parsed.ok) return add(parsed.value)
      const message = `a chunk of the stream is not JSON (${parsed.problem})`
      fault ??= { message, type: 'unreadable_chunk', code: null, contextTokens: null }
      return false
    },
    /** Adds the data of an event that announces an error. */
    addError(data: string): void {
      fault ??= readErrorText(data)
    },
    /** True when nothing more needs to be read: `[DONE]`, an error body, or the bound. */
    isSettled: () => isDone || fault !== null || characters > options.maxCharacters,
    /** True when the answer is whole although the stream has not ended: only counts can follow. */
    hasFinished: () => finishReason !== null,
    end: (): RawReply => ({
      text: text.toWellFormed(),
      reasoning: reasoning === null ? null : { field: reasoning.field, text: reasoning.text.toWellFormed() },
      toolCalls: calls.end(),
      finishReason,
      servedModel,
      usage: readUsage(usage, timings),
      fault,
      isEnded: isDone || finishReason !== null,
      isOverBound: characters > options.maxCharacters,
    }),
  }
}
