/** What one row of the list of server behaviours looks like on the wire, and what it must become. */
import type { ChatRequest, ModelPlan, ToolCall } from '../../src/model/chat-model.ts'
import type { Completion, ScriptedReply } from '../scripted-server.ts'

type Fields = Readonly<Record<string, unknown>>

/** A reply, or several for a request that is sent again. */
export type Wire = ScriptedReply | readonly ScriptedReply[]

interface Told {
  /** What is sent to a request for a stream. */
  readonly stream?: Wire
  /** What is sent to a request for a whole reply. */
  readonly whole?: Wire
  /** More of the reply, for `toMatchObject`. */
  readonly shows?: Fields
  readonly plan?: Partial<ModelPlan>
  readonly request?: Partial<ChatRequest>
  /** What the last request must hold, for `toMatchObject`. */
  readonly sent?: Fields
  /** Names that must be nowhere in the last request. */
  readonly absent?: readonly string[]
  /** Requests in all; 1. */
  readonly requests?: number
}

export interface WireRow extends Told {
  /** Number in the list of what servers send: 1–23 seen on a llama-server, 50–83 reported by users, 84–90 found. */
  readonly id: number
  /** The number, the server, and what is peculiar about it. */
  readonly title: string
  /** `ok`, `model_error empty_reply`, `infra server_error`, `config …`, `context_overflow`. */
  readonly becomes: string
}

/** @param title begins with the number of the row */
export const row = (title: string, becomes: string, told: Told): WireRow => ({
  id: Number.parseInt(title, 10),
  title,
  becomes,
  ...told,
})

export const chunk = (delta: unknown, finish: string | null = null, more: Fields = {}): Fields => ({
  id: 'x',
  object: 'chat.completion.chunk',
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

/** A stream that ends with `[DONE]`. */
export const streamOf = (...chunks: readonly Fields[]) => ({ stream: { chunks: [...chunks, '[DONE]'] } })

/** Whole body of a completion with this message. */
export const body = (message: Fields, finish: string | null, more: Fields = {}): ScriptedReply => ({
  status: 200,
  body: {
    object: 'chat.completion',
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    ...more,
  },
})

/** A message in both forms: as one delta with the finish reason after it, and whole. */
export const message = (fields: Fields, finish = 'stop', more: Fields = {}) => ({
  ...streamOf(chunk(fields), chunk({}, finish, more)),
  whole: body(fields, finish, more),
})

/** The same in both forms. */
export const both = (reply: Wire) => ({ stream: reply, whole: reply })

/** The usual answer of the scripted server, in both forms. */
export const says = (text: string, more: Completion = {}) => both({ text, ...more })

/** The usual calls of the scripted server, in both forms. */
export const calling = (calls: NonNullable<Completion['calls']>, more: Completion = {}) => both({ calls, ...more })

/** An error response, which is the same in both forms. */
export const failing = (status: number, errorBody: unknown) => both({ status, body: errorBody })

export const llamaError = (code: number, text: string, type = 'server_error', more: Fields = {}): Fields => ({
  error: { code, message: text, type, ...more },
})

/** {@link llamaError} under its own status, in both forms. */
export const refusing = (status: number, ...error: [text: string, type?: string, more?: Fields]) =>
  failing(status, llamaError(status, ...error))

/** One call as `tool_calls` holds it. */
export const wireCall = (name: string, args: unknown, more: Fields = {}): Fields => ({
  id: 'c1',
  type: 'function',
  function: { name, arguments: args },
  ...more,
})

/** One element of `tool_calls`, as `index id name arguments`; `-` is not sent, nor are arguments that are not there. */
export function pieceOf(piece: string): Fields {
  const [, index = '-', id, name, args] = /^(\S+) (\S+) (\S+)(?: ([\s\S]*))?$/.exec(piece) ?? []
  return {
    ...(index === '-' ? {} : { index: Number(index) }),
    ...(id === '-' ? {} : { id }),
    function: { ...(name === '-' ? {} : { name }), arguments: args },
  }
}

/** A call by name and value of the arguments; a text is what came and is not JSON. */
export type Called = readonly [name: string, args: Fields | string]

/** What is shown of calls. */
export const called = (...calls: readonly Called[]) => ({
  toolCalls: calls.map(([name, args]) => ({
    name,
    arguments: typeof args === 'string' ? { valid: false, raw: args } : { valid: true, value: args },
  })),
})

/** A plan with these fields in every request. */
export const withBody = (extraBody: Fields, temperature: number | null = null) => ({
  plan: { sampling: { temperature, topP: null, maxTokens: 100, extraBody } },
})

/** A history in which the model made a call with these arguments (text: what came and was not JSON) and got a result. */
export const afterCall = (
  args: Fields | string,
  reasoning: { readonly field: 'reasoning' | 'reasoning_content'; readonly text: string } | null = null,
): { readonly request: Partial<ChatRequest> } => {
  const parsed: ToolCall['arguments'] =
    typeof args === 'string' ? { valid: false, raw: args, problem: 'cut' } : { valid: true, value: args }
  return {
    request: {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: '', reasoning, toolCalls: [{ id: 'c1', name: 'f', arguments: parsed }] },
        { role: 'tool', toolCallId: 'c1', content: 'done' },
      ],
    },
  }
}

/** The history that {@link afterCall} sends, the arguments as they must be sent. */
export const sentAfterCall = (args: string, more: Fields = {}) => ({
  sent: { messages: [{}, { tool_calls: [{ function: { arguments: args } }], ...more }, {}] },
})
