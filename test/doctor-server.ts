/** A scripted server that does everything right, so that a test can break one thing at a time. */
import type { Completion, ScriptedCall, ScriptedReply } from './scripted-server.ts'

export type Body = Readonly<Record<string, unknown>>
/** Changes the reply of the healthy server; gives back what is sent instead. */
export type Defect = (reply: Completion, body: Body, index: number) => ScriptedReply

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Messages of a request that have this role. */
export const messagesOf = (body: Body, role?: string): readonly Body[] =>
  list(body.messages)
    .filter(isObject)
    .filter(message => role === undefined || message.role === role)

/** Text of the last message of the user. */
export const questionOf = (body: Body): string => String(messagesOf(body, 'user').at(-1)?.content ?? '')

const wordsOf = (value: unknown): number => JSON.stringify(value).split(/\s+/).length

/** A word is a token; tools count by their length, as they would in a template. */
export function promptTokensOf(
  body: Body,
  options: { readonly withTools?: boolean; readonly withResults?: boolean } = {},
): number {
  const messages = messagesOf(body).filter(message => options.withResults !== false || message.role !== 'tool')
  const tools = options.withTools === false ? 0 : Math.round(JSON.stringify(body.tools ?? '').length / 4)
  return 10 + wordsOf(messages) + tools
}

function callsFor(tool: string, question: string): readonly ScriptedCall[] {
  const paths = question.match(/\w+\.txt/g) ?? ['notes.txt']
  switch (tool) {
    case 'save_person':
      return [{ name: tool, args: question.slice(question.indexOf('{')), id: 'call_0' }]
    case 'write_file':
      return [
        { name: tool, args: { path: 'copy.txt', content: question.slice(question.indexOf('\n') + 1) }, id: 'call_0' },
      ]
    default:
      return paths.map((path, index) => ({ name: tool, args: { path }, id: `call_${index}` }))
  }
}

function textFor(question: string): string {
  if (question.includes('Count from')) return Array.from({ length: 1_000 }, (_, index) => `${index + 1}`).join(' ')
  if (question.includes('code word')) return 'QUARTZ-4711'
  return question.includes('word yes') ? 'yes' : 'The sea is wide and blue.'
}

/** What a faultless server with a well-behaved model answers, within the request's limit of tokens. */
export function healthyReply(body: Body): Completion {
  const question = questionOf(body)
  const limit = typeof body.max_tokens === 'number' ? body.max_tokens : 10_000
  const promptTokens = promptTokensOf(body)
  const tool = list(body.tools)[0]
  const name = isObject(tool) && isObject(tool.function) ? String(tool.function.name) : null
  const isAsked = list(body.messages).at(-1) === messagesOf(body, 'user').at(-1)
  const wantsCall = name !== null && isAsked && body.tool_choice !== 'none'
  const words = textFor(question).split(' ')
  const isCut = !wantsCall && words.length > limit
  const completionTokens = wantsCall ? 20 : Math.min(words.length, limit)
  return {
    ...(wantsCall ? { calls: callsFor(name, question) } : { text: words.slice(0, limit).join(' ') }),
    ...(isCut ? { finishReason: 'length' } : {}),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    timings: { predicted_per_second: 80, prompt_per_second: 900 },
  }
}

/** Other counts in a reply. */
export const counting = (reply: Completion, promptTokens: number): Completion => ({
  ...reply,
  usage: { ...reply.usage, prompt_tokens: promptTokens },
})

export const WINDOW = 16_384

/** The script of a server: healthy, with one defect. Prompts over the window are refused, unless `cutsSilently`. */
export function doctorScript(
  defect: Defect = reply => reply,
  options: { readonly windowTokens?: number; readonly cutsSilently?: boolean } = {},
): (body: unknown, index: number) => ScriptedReply {
  const windowTokens = options.windowTokens ?? WINDOW
  return (given, index) => {
    const body = isObject(given) ? given : {}
    const tokens = promptTokensOf(body)
    if (tokens > windowTokens && options.cutsSilently !== true) {
      const message = `request (${tokens} tokens) exceeds the available context size (${windowTokens} tokens)`
      return {
        status: 400,
        body: { error: { code: 400, message, type: 'exceed_context_size_error', n_ctx: windowTokens } },
      }
    }
    const reply = healthyReply(body)
    // Long answers take their time, so that they can be given up.
    const isLong = (reply.text?.length ?? 0) > 2_000
    return { ...defect(reply, body, index), ...(isLong ? { chunkDelayMs: 20 } : {}) }
  }
}

/** Routes of a llama-server with this window and so many slots. */
export const propsRoutes = (windowTokens = WINDOW, slots = 2): Readonly<Record<string, unknown>> => ({
  '/props': {
    default_generation_settings: { n_ctx: windowTokens, params: { temperature: 0.8 } },
    total_slots: slots,
    build_info: 'b1-test',
    chat_template: '{{ messages }}',
    model_path: '/models/scripted.gguf',
  },
})
