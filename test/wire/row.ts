/** What one row of the list of server behaviours looks like on the wire, and what it must become. */
import type { ChatRequest, ModelPlan } from '../../src/model/chat-model.ts'
import type { Completion, ScriptedReply } from '../scripted-server.ts'

type Fields = Readonly<Record<string, unknown>>

/** A reply, or several for a request that is sent again. */
export type Wire = ScriptedReply | readonly ScriptedReply[]

export interface WireRow {
  /** Number of the row in the list of what servers send: 1–23 seen on a llama-server, 50–83 reported by users, 84–90 found. */
  readonly id: number
  readonly from: string
  /** What is peculiar, as the end of a sentence that begins with the server's name. */
  readonly does: string
  /** What is sent to a request for a stream. */
  readonly stream?: Wire
  /** What is sent to a request for a whole reply. */
  readonly whole?: Wire
  /** `ok`, `model_error empty_reply`, `infra server_error`, `config …`, `context_overflow`. */
  readonly becomes: string
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

/** The head of a row. */
export const seen = (id: number, from: string, does: string) => ({ id, from, does })

export const chunk = (delta: unknown, finish: string | null = null, more: Fields = {}): Fields => ({
  id: 'x',
  object: 'chat.completion.chunk',
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

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
  stream: { chunks: [chunk(fields), chunk({}, finish, more), '[DONE]'] },
  whole: body(fields, finish, more),
})

/** The usual answer of the scripted server, in both forms. */
export const usual = (completion: Completion) => ({ stream: completion, whole: completion })

/** An error response, which is the same in both forms. */
export const failing = (status: number, errorBody: unknown) => ({
  stream: { status, body: errorBody },
  whole: { status, body: errorBody },
})

export const llamaError = (code: number, text: string, type: string, more: Fields = {}): Fields => ({
  error: { code, message: text, type, ...more },
})

/** One call as `tool_calls` holds it. */
export const wireCall = (name: string, args: unknown, more: Fields = {}): Fields => ({
  id: 'c1',
  type: 'function',
  function: { name, arguments: args },
  ...more,
})

/** A history in which the model made a call with these arguments (text: what came and was not JSON) and got a result. */
export const afterCall = (
  args: Fields | string,
  reasoning: { readonly field: 'reasoning' | 'reasoning_content'; readonly text: string } | null = null,
): Partial<ChatRequest> => ({
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: '',
      reasoning,
      toolCalls: [
        {
          id: 'c1',
          name: 'f',
          arguments:
            typeof args === 'string' ? { valid: false, raw: args, problem: 'cut' } : { valid: true, value: args },
        },
      ],
    },
    { role: 'tool', toolCallId: 'c1', content: 'done' },
  ],
})
