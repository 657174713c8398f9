/** A scripted server that does everything right, so that a test can break one thing at a time. */
import type { ModelPlan } from '../src/model/chat-model.ts'
import { planModel } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import {
  type Completion,
  type ScriptedCall,
  type ScriptedReply,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from './scripted-server.ts'

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
    case 'write_file': {
      const content = question.slice(question.indexOf('\n') + 1)
      return [{ name: tool, args: { path: 'copy.txt', content }, id: 'call_0' }]
    }
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
  return {
    ...(wantsCall ? { calls: callsFor(name, question) } : { text: words.slice(0, limit).join(' ') }),
    ...(isCut ? { finishReason: 'length' } : {}),
    usage: { prompt_tokens: promptTokens, completion_tokens: wantsCall ? 20 : Math.min(words.length, limit) },
    timings: { predicted_per_second: 80, prompt_per_second: 900 },
  }
}

/** A defect after which the server still answers with a completion. */
type Change = (reply: Completion, body: Body) => Completion
type Calling = Completion & { readonly calls: readonly ScriptedCall[] }

/** Other counts in a reply. */
export const counting = (reply: Completion, promptTokens: number): Completion => ({
  ...reply,
  usage: { ...reply.usage, prompt_tokens: promptTokens },
})

/** Changes the replies that call. */
export const whereItCalls =
  (change: (reply: Calling, body: Body) => Completion): Change =>
  (reply, body) =>
    reply.calls === undefined ? reply : change({ ...reply, calls: reply.calls }, body)

/** Says this where it would call. */
export const saying = (text: string): Change => whereItCalls(({ calls: _, ...reply }) => ({ ...reply, text }))

/** Leaves calls in the text. */
export const leaking = saying('<tool_call>{"name": "read_file", "arguments": {}}</tool_call>')

/** Other arguments in every call of this tool. */
export const withArgs = (tool: string, args: ScriptedCall['args']): Change =>
  whereItCalls(reply => ({
    ...reply,
    calls: reply.calls.map(call => (call.name === tool ? { ...call, args } : call)),
  }))

/** Cuts prompts to so many tokens in silence; its template has so many of its own. */
export const cuttingAt =
  (tokens: number, ofTemplate = 0): Change =>
  (reply, body) =>
    counting(reply, Math.min(tokens, ofTemplate + promptTokensOf(body)))

export const error = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'server_error' } },
})

/** Refuses tools. */
export const refusingTools: Defect = (reply, body) =>
  body.tools === undefined ? reply : error(500, 'tools param requires --jinja flag')

/** Refuses results of calls. */
export const refusingResults: Defect = (reply, body) =>
  messagesOf(body, 'tool').length > 0 ? error(500, 'Jinja Exception: conversation roles must alternate') : reply

/** Leaves the tools out of the prompt. */
export const hidingTools: Change = (reply, body) =>
  counting(saying('I cannot.')(reply, body), promptTokensOf(body, { withTools: false }))

const WINDOW = 16_384

export interface DoctorServerOptions extends ScriptedServerOptions {
  readonly windowTokens?: number
  /** Prompts over the window are answered, not refused. */
  readonly cutsSilently?: boolean
  readonly slots?: number
}

/** The script of a server: healthy, with one defect. */
export function doctorScript(
  defect: Defect = reply => reply,
  options: DoctorServerOptions = {},
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

/** A llama-server that is healthy, with one defect. */
export const startDoctorServer = (defect?: Defect, options: DoctorServerOptions = {}): Promise<ScriptedServer> =>
  startScriptedServer(doctorScript(defect, options), {
    routes: propsRoutes(options.windowTokens, options.slots),
    ...options,
  })

/** The plan of a run on this server. */
export async function planFor(baseUrl: string): Promise<ModelPlan> {
  const { sampling } = planFixture()
  const planned = await planModel({ model: null, baseUrl, apiKey: null, sampling, idleTimeoutMs: 60_000 })
  if (planned === null) throw new Error('no plan')
  return planned.plan
}
