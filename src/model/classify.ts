/**
 * The one place that decides what a server's answer means. Tool calls are decided by their presence, never by
 * `finish_reason`, which only tells about truncation. Only `ok` and `model_error` are the model's doing.
 */

import type { RawReply } from './assemble.ts'
import type { ModelErrorReason, Reply, ReplyBody, ToolCall, TurnStats } from './chat-model.ts'
import { dropped } from './classify-network.ts'
import { isRecord, parseJson } from './json.ts'
import { MAX_REPLY_CHARACTERS } from './read-answer.ts'
import { readErrorText, type ServerFault, shortened } from './server-fault.ts'
import { findToolMarkup } from './tool-markup.ts'

/** What the classification knows besides the answer. */
export interface ReplyContext {
  /** Window of one request in tokens; null = the server does not say. */
  readonly contextTokens: number | null
  /** Whether the conversation held an answer of the model already: then a refused request may be about that. */
  readonly hasHistory: boolean
  /** Whether this server has answered a request of the run before: what it lacks now it had then. */
  readonly hasAnswered?: boolean
  /** The output limit that was asked for, in tokens; undefined = not known. */
  readonly maxTokens?: number | undefined
  readonly stats: TurnStats
}

/** Half of a surrogate pair as `JSON.stringify` writes it; a literal backslash before the `u` comes doubled. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/

/** Parses the arguments of one call. Nothing is repaired; empty text is the empty object (ollama sends it for no arguments). */
export function parseArguments(text: string): ToolCall['arguments'] {
  if (text.trim() === '') return { valid: true, value: {} }
  const invalid = (problem: string): ToolCall['arguments'] => ({ valid: false, raw: text, problem })
  const parsed = parseJson(text)
  if (!parsed.ok) return invalid(shortened(parsed.problem))
  if (!isRecord(parsed.value)) {
    const kind = Array.isArray(parsed.value) ? 'an array' : parsed.value === null ? 'null' : `a ${typeof parsed.value}`
    return invalid(`it is ${kind}`)
  }
  try {
    // Sent back to a server, half a pair would make the whole conversation unreadable.
    if (LONE_SURROGATE.test(JSON.stringify(parsed.value))) return invalid('it holds half of a surrogate pair')
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return invalid('it is nested too deeply')
  }
  return { valid: true, value: parsed.value }
}

/** What could be changed outside of the model where it failed by a limit or by its server's parser. */
const REMEDIES: Readonly<Record<ModelErrorReason, string | null>> = {
  empty_reply: null,
  tool_markup_in_text:
    'If the server should have parsed it: llama-server --jinja, vLLM --tool-call-parser, or a template made for this model; `agent-bench doctor` tells. Where only its streams are at fault: BENCH_STREAM=0.',
  output_limit: 'Raise BENCH_MAX_TOKENS if the answer was meant to be that long.',
  reasoning_exhausted:
    'Raise BENCH_MAX_TOKENS, or limit or turn off reasoning (BENCH_EXTRA_BODY, for example {"reasoning_effort":"low"}).',
  malformed_by_server:
    'Update the server, start it with a template and parser made for this model, or ask for whole replies (BENCH_STREAM=0).',
}
export const WINDOW_REMEDY =
  'Give the server a larger context window (llama-server -c, Ollama num_ctx or OLLAMA_CONTEXT_LENGTH, LM Studio "Context Length", vLLM --max-model-len).'

const LENGTH_STOPS = new Set(['length', 'max_tokens', 'max_output_tokens'])
/** The longest tokens that are written in a row: white space of deeply indented text. */
const MOST_CHARACTERS_PER_TOKEN = 64
/** Finish reasons with which a server says that it gave up itself. */
const FAULT_STOPS = new Set(['error', 'abort', 'aborted', 'cancelled'])

/** Classifies what came with status 200: a stream to its end, a broken one, or a whole body. */
export function classifyReply(raw: RawReply, context: ReplyContext): Reply {
  if (raw.fault !== null) return classifyFault(200, raw.fault, context)
  const { text, reasoning, finishReason, servedModel } = raw
  const toolCalls = raw.toolCalls.map(call => ({ ...call, arguments: parseArguments(call.arguments) }))
  const body: ReplyBody = { text, reasoning, toolCalls, finishReason, stats: context.stats, servedModel }
  const modelError = (reason: ModelErrorReason, detail: string, remedy = REMEDIES[reason]): Reply => ({
    kind: 'model_error',
    reason,
    detail,
    remedy,
    ...body,
  })
  if (raw.isOverBound) return classifyOverBound(context, modelError)
  if (!raw.isEnded) return dropped('the stream ended without a finish reason and without [DONE]')
  if (finishReason !== null && FAULT_STOPS.has(finishReason)) {
    return dropped(`the server ended the reply with finish_reason "${finishReason}"`)
  }
  if (finishReason === 'content_filter') {
    return {
      kind: 'infra',
      code: 'content_filtered',
      detail: 'a filter of the server withheld the reply (finish_reason "content_filter")',
      remedy: 'Turn the filter off, or use a server without one: what the model wrote cannot be judged.',
    }
  }
  const hasText = text.trim() !== ''
  const hasReasoning = reasoning !== null && reasoning.text.trim() !== ''
  if (finishReason === null && toolCalls.length === 0 && !hasText && !hasReasoning) {
    return {
      kind: 'infra',
      code: 'empty_stream',
      detail: 'the server sent a reply without any content and without a finish reason',
      remedy:
        "Look into the server's log; LM Studio answers like this when the prompt does not fit the context window.",
    }
  }
  if (finishReason !== null && LENGTH_STOPS.has(finishReason)) {
    return classifyLengthStop(raw, body, context, !hasText && hasReasoning, modelError)
  }
  if (toolCalls.length > 0) return { kind: 'ok', ...body }
  if (!hasText) {
    const markup = findToolMarkup(reasoning?.text ?? '')
    if (markup !== null) return modelError('empty_reply', `no answer; the reasoning holds tool-call markup (${markup})`)
    return modelError('empty_reply', hasReasoning ? 'the reply holds only reasoning' : 'the reply holds nothing')
  }
  const markup = findToolMarkup(text)
  if (markup !== null) return modelError('tool_markup_in_text', `a tool call was written as text (${markup})`)
  return { kind: 'ok', ...body }
}

/**
 * A reply that we stopped reading. Where the limit that was asked for allows fewer characters than were read, the
 * server did not keep to it; else the model was free to write so much, and did.
 */
function classifyOverBound(
  { maxTokens }: ReplyContext,
  modelError: (reason: ModelErrorReason, detail: string, remedy: string) => Reply,
): Reply {
  const bound = `${MAX_REPLY_CHARACTERS.toLocaleString('en-US')} characters, the most that is read of one reply`
  if (maxTokens !== undefined && maxTokens * MOST_CHARACTERS_PER_TOKEN < MAX_REPLY_CHARACTERS) {
    return {
      kind: 'infra',
      code: 'output_limit_ignored',
      detail: `the reply passed ${bound}, although only ${maxTokens.toLocaleString('en-US')} tokens were asked for`,
      remedy: 'The server ignores max_tokens: update it, or check whether a proxy drops the field.',
    }
  }
  return modelError(
    'output_limit',
    `the reply passed ${bound}, and was cut there`,
    'This bound is fixed. A lower BENCH_MAX_TOKENS ends a reply that runs on sooner.',
  )
}

function classifyLengthStop(
  raw: RawReply,
  body: ReplyBody,
  { contextTokens }: ReplyContext,
  isThought: boolean,
  modelError: (reason: ModelErrorReason, detail: string) => Reply,
): Reply {
  const { totalTokens, completionTokens } = raw.usage
  if (contextTokens !== null && totalTokens !== null && totalTokens >= contextTokens) {
    const detail = `prompt and reply reached the context window (${totalTokens} of ${contextTokens} tokens)`
    return { kind: 'context_overflow', detail, remedy: WINDOW_REMEDY, contextTokens }
  }
  const used = completionTokens === null ? '' : ` after ${completionTokens} tokens`
  const last = raw.toolCalls.at(-1)
  if (last === undefined) {
    return isThought
      ? modelError('reasoning_exhausted', `reasoning used up the output limit${used}`)
      : modelError('output_limit', `the output limit cut the reply${used}`)
  }
  // Calls before the last are whole; the last one is whole when its arguments are.
  return last.arguments.trim() !== '' && parseArguments(last.arguments).valid
    ? { kind: 'ok', ...body }
    : modelError('output_limit', `the output limit${used} cut the arguments of "${shortened(last.name)}"`)
}

type Matcher = (fault: ServerFault, status: number, context: ReplyContext) => boolean

const says =
  (pattern: RegExp): Matcher =>
  ({ message }) =>
    pattern.test(message)
const has =
  (...statuses: readonly number[]): Matcher =>
  (_fault, status) =>
    statuses.includes(status)
/** What is missing was there before: then the server has changed, and nothing was configured wrongly. */
const afterService =
  (matches: Matcher): Matcher =>
  (fault, status, context) =>
    (context.hasHistory || context.hasAnswered === true) && matches(fault, status, context)

const OVERFLOW_TYPES = new Set<string | null>(['exceed_context_size_error', 'context_length_exceeded'])
const OVERFLOW_WORDS =
  /exceeds? the (?:available |model'?s? )?(?:maximum )?context|context (?:size|length|window)(?: has been| was| is)? exceeded|maximum context length|greater than the context length|larger than the (?:maximum )?context|n_keep: \d+ >= n_ctx|no user query found in messages|prompt is too long|input (?:length|prompt) .{0,60}exceeds/i
const isOverflow: Matcher = ({ type, code, message }) =>
  OVERFLOW_TYPES.has(type) || OVERFLOW_TYPES.has(code) || OVERFLOW_WORDS.test(message)

/** vLLM counts the output limit into the window: on a first request it is the limit that does not fit, not the task. */
const LIMIT_WORDS =
  /max_(?:completion_|model_|new_)?(?:tokens|len)\S*.{0,60}(?:too large|cannot be greater|must be less)|tokens \(\d+ in the messages, \d+ in the completion\)/i
const isLimitOverWindow: Matcher = (fault, _status, { hasHistory }) => !hasHistory && LIMIT_WORDS.test(fault.message)

/** llama.cpp#22072 and ollama: the server could not parse what the model wrote. */
const isUnparsed = says(
  /failed to parse (?:tool call|input at pos)|error parsing tool call|unable to parse tool call|does not match the expected \S+ format/i,
)

const lacksModel: Matcher = ({ message }, status) =>
  [200, 400, 404].includes(status) &&
  /\bmodel\b.{0,200}(?:not found|does not exist|not exist|is not loaded|not available)|no models? (?:is |are )?loaded|model name is missing|invalid model/i.test(
    message,
  )
const lacksRoute: Matcher = (_fault, status) => status === 404 || status === 405 || (status >= 300 && status < 400)

const refusesTools = says(
  /(?:does not|doesn't) support (?:tools|tool calling|function calling)|tools? (?:are|is) not supported/i,
)
const refusesTemplate = says(
  /jinja|chat.?template|conversation roles must alternate|system message must be at the beginning|only user,? (?:system )?and assistant roles are supported|error rendering prompt/i,
)
const lacksQuota: Matcher = ({ code, type }, status) =>
  status === 402 || /insufficient.quota|billing/i.test(`${code} ${type}`)
const isLoading: Matcher = ({ type, message }, status) =>
  type === 'unavailable_error' || (status === 503 && /load|start|warm/i.test(message))

/** Read from top to bottom; the first rule that matches decides. Words come before statuses, because servers mix statuses up. */
const RULES: readonly (readonly [matches: Matcher, kind: 'config' | 'infra', code: string, remedy?: string])[] = [
  [says(/--jinja|unsupported param: tools/i), 'config', 'tools_unsupported', 'Start llama-server with --jinja.'],
  [
    says(/--enable-auto-tool-choice|--tool-call-parser/i),
    'config',
    'tools_unsupported',
    'Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of this model.',
  ],
  [refusesTools, 'config', 'tools_unsupported', 'Choose a model whose chat template has tools (BENCH_MODEL=…).'],
  [refusesTemplate, 'config', 'template_error'],
  [has(401, 403), 'config', 'server_unauthorised', 'Set BENCH_API_KEY to a key that this server accepts.'],
  [afterService(lacksModel), 'infra', 'model_unloaded'],
  [lacksModel, 'config', 'unknown_model', 'Name a model that the server has (BENCH_MODEL=…), or load it there.'],
  [afterService(lacksRoute), 'infra', 'route_gone'],
  [lacksRoute, 'config', 'server_not_found'],
  [lacksQuota, 'infra', 'quota', 'The account of this server is used up; fill it or use a local server.'],
  [has(429), 'infra', 'rate_limited', 'Wait, or run fewer workers (BENCH_WORKERS=1).'],
  [isLoading, 'infra', 'server_loading', 'Wait until the server has loaded the model, then run again.'],
  [has(503), 'infra', 'server_unavailable'],
  [(_fault, status) => status >= 500 || [408, 409, 425].includes(status), 'infra', 'server_error'],
  [has(200), 'infra', 'error_in_reply'],
  // What is left are refusals (400, 413, 422…). Of a first request they are about how we ask, and every trial would
  // meet them; later they may be about what the model said, which must not stop the run.
  [
    (_fault, _status, { hasHistory }) => hasHistory,
    'infra',
    'request_refused',
    "Look into the server's log: it refused the conversation so far.",
  ],
  [() => true, 'config', 'request_refused'],
]

/** By the code of a rule that names none itself; the others are told in the server's log. */
const FAULT_REMEDIES: Readonly<Record<string, string>> = {
  template_error:
    "The model's chat template refuses this conversation: give the server a template that takes tool results (llama-server: --chat-template-file).",
  model_unloaded: 'The model was there before: load it again, and look into the log for why it went.',
  route_gone: 'The same address answered before: see whether the model was unloaded, or another program took the port.',
  server_not_found:
    'Check BENCH_BASE_URL: it names the part of the address before /chat/completions, mostly ending with /v1.',
  request_refused:
    'Leave out what this server does not know: BENCH_SEED=off, BENCH_STREAM=0, or a null in BENCH_EXTRA_BODY for any other field, such as {"stream_options":null}. Check the sampling variables, too.',
}

function classifyFault(status: number, fault: ServerFault, context: ReplyContext): Reply {
  const { message } = fault
  const detail = `${status === 200 ? 'the server sent an error inside a reply' : `the server answered ${status}`}: ${message}`
  if (isLimitOverWindow(fault, status, context)) {
    const remedy = 'Set BENCH_MAX_TOKENS to less than the context window.'
    return { kind: 'config', code: 'output_limit_too_large', detail, remedy }
  }
  if (isOverflow(fault, status, context)) {
    const contextTokens = fault.contextTokens ?? context.contextTokens
    return { kind: 'context_overflow', detail: message, remedy: WINDOW_REMEDY, contextTokens }
  }
  if (isUnparsed(fault, status, context)) {
    const reason = 'malformed_by_server'
    const said = { text: '', reasoning: null, toolCalls: [], finishReason: null, servedModel: null }
    const what = `the server could not read the model's call: ${message}`
    return { kind: 'model_error', reason, detail: what, remedy: REMEDIES[reason], ...said, stats: context.stats }
  }
  const rule = RULES.find(([matches]) => matches(fault, status, context))
  if (rule === undefined) throw new Error('the last rule matches everything')
  const [, kind, code, remedy = FAULT_REMEDIES[code] ?? "Look into the server's log, then run again."] = rule
  return { kind, code, detail, remedy }
}

/** Classifies a response that is not 2xx. `body` is its text, whatever its envelope. */
export function classifyHttpError(
  response: { readonly status: number; readonly body: string },
  context: ReplyContext,
): Reply {
  const found = readErrorText(response.body)
  return classifyFault(response.status, found.message === '' ? { ...found, message: '(no text)' } : found, context)
}
