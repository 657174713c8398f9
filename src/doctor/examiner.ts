import { randomBytes } from 'node:crypto'
import type { ChatMessage, ModelPlan, Reply, ReplyBody, ToolDefinition } from '../model/chat-model.ts'
import { createChatModel } from '../model/openai-client.ts'
import { broken, Judged, type Judgement } from './finding.ts'

/** One request of a probe; what is not said is as in a trial. */
interface Question {
  /** A text is the only message, the user's. */
  readonly messages: readonly ChatMessage[] | string
  readonly tools?: readonly ToolDefinition[]
  /** Output limit in tokens; 256. */
  readonly maxTokens?: number
  readonly temperature?: number
  readonly seed?: number
  /** More fields of the request, over the plan's own. */
  readonly extraBody?: Readonly<Record<string, unknown>>
  /** Asks for a whole reply, where the plan asks for streams. */
  readonly isWhole?: boolean
  /**
   * Keeps the model writing past its own end, where the server can do that: a measurement then does not depend on how
   * long the answer of a model happens to be. What it says past its end means nothing and is not kept in `seen`.
   */
  readonly runsOn?: boolean
  /** Stops this request only. */
  readonly signal?: AbortSignal
}

/** Asks the server under examination; every request goes through the client that trials use. */
export interface Examiner {
  readonly plan: ModelPlan
  /** Trials that are going to run at once. */
  readonly workers: number
  /** Tokens of prompt that a probe may send at most. */
  readonly maxPromptTokens: number
  /** Milliseconds that are left for this probe. */
  readonly remainingMs: () => number
  /** The classified reply; rejects only with a signal's reason. */
  readonly ask: (question: Question) => Promise<Reply>
  /** What the model said. @throws Judged where the server does not answer; `what` says what it refused then */
  readonly hear: (question: Question, what: string) => Promise<ReplyBody>
  /** Every body that came so far, also of earlier probes, as the model meant it. */
  readonly seen: readonly ReplyBody[]
  /** Prompt tokens of one filler word, measured once; null when the server does not count. */
  tokensPerWord: number | null
  /** Prompt tokens of a request with so many filler words; null when there was none. */
  gauge: { readonly words: number; readonly tokens: number } | null
  /** How fast the server reads a prompt; null until it is known. */
  promptTokensPerSecond: number | null
}

/** Tokens that a probe lets the model write where it has to think before it calls. */
export const CALL_TOKENS = 1_024

/** A limit that no server is known to find too small. */
const ACCEPTED_TOKENS = 64
const LIMIT_FIELD = /max_(?:completion_|output_)?tokens/i

export function createExaminer(
  plan: ModelPlan,
  options: Pick<Examiner, 'workers' | 'maxPromptTokens' | 'remainingMs'> & { readonly signal: () => AbortSignal },
): Examiner {
  const seen: ReplyBody[] = []
  /** Some servers refuse output limits below a least one, which trials never come near. */
  let leastTokens = 0
  const complete = ({ messages, ...question }: Question, maxTokens: number): Promise<Reply> => {
    const { sampling } = plan
    const more = { ...question.extraBody, ...(doesRunOn(plan, question) ? { ignore_eos: true } : {}) }
    const asked: ModelPlan = {
      ...plan,
      sampling: {
        ...sampling,
        temperature: question.temperature ?? sampling.temperature,
        maxTokens,
        extraBody: Object.keys(more).length === 0 ? sampling.extraBody : { ...sampling.extraBody, ...more },
      },
      ...(question.isWhole === true ? { stream: false } : {}),
    }
    // The plan was made from a server that had answered: whatever it does now is a finding, not something to sit out.
    const model = createChatModel(asked, { retry: { budgetMs: 2_000, refusedAttempts: 1 } })
    const conversation = typeof messages === 'string' ? [user(messages)] : messages
    const signals = [options.signal(), ...(question.signal === undefined ? [] : [question.signal])]
    return model.complete(
      { messages: conversation, tools: question.tools ?? [], seed: question.seed ?? 42 },
      AbortSignal.any(signals),
    )
  }
  const ask = async (question: Question): Promise<Reply> => {
    const limit = Math.max(question.maxTokens ?? 256, leastTokens)
    let reply = await complete(question, limit)
    if (reply.kind === 'config' && limit < ACCEPTED_TOKENS && LIMIT_FIELD.test(reply.detail)) {
      leastTokens = ACCEPTED_TOKENS
      reply = await complete(question, leastTokens)
    }
    const body = bodyOf(reply)
    if (body !== null && !doesRunOn(plan, question)) seen.push(body)
    return reply
  }
  const hear = async (question: Question, what: string): Promise<ReplyBody> => {
    const reply = await ask(question)
    const body = bodyOf(reply)
    if (body === null) throw new Judged(refused(reply, what))
    return body
  }
  const { workers, maxPromptTokens, remainingMs } = options
  const unknown = { tokensPerWord: null, gauge: null, promptTokensPerSecond: null }
  return { plan, workers, maxPromptTokens, remainingMs, seen, ask, hear, ...unknown }
}

/** These two know `ignore_eos`; others may refuse a field they do not know. */
const doesRunOn = ({ server }: ModelPlan, { runsOn }: Pick<Question, 'runsOn'>): boolean =>
  runsOn === true && (server.kind === 'llama-server' || server.kind === 'vllm')

/** What the model said, or null when the reply is the server's. */
export const bodyOf = (reply: Reply): ReplyBody | null =>
  reply.kind === 'ok' || reply.kind === 'model_error' ? reply : null

/** True when the reply was cut by the limit that the probe set. */
export const isCut = (body: ReplyBody): boolean => body.finishReason === 'length'

/** What a server said where it did not answer. */
export const detailOf = (reply: Reply): string => (reply.kind === 'ok' ? reply.kind : reply.detail)

/** The judgement on a server that does not answer a request it should answer. */
export function refused(reply: Reply, what: string): Judgement {
  if (reply.kind === 'ok' || reply.kind === 'model_error') return broken(what, "Look into the server's log.")
  const { kind, detail, remedy } = reply
  const code = kind === 'context_overflow' ? { code: kind } : { code: reply.code, kind }
  return broken(`${what}: ${detail}`, remedy, code)
}

const TOOLS_REMEDIES: Readonly<Record<ModelPlan['server']['kind'], string>> = {
  'llama-server': 'Start llama-server with --jinja and a chat template that has tools (--chat-template-file).',
  vllm: 'Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of this model.',
  ollama: 'Use a model whose template has tools (`ollama show MODEL` lists the capability "tools").',
  lmstudio: 'Use a model that LM Studio marks with tool use, and update LM Studio and its runtimes.',
  'openai-compatible':
    'Turn on tool calling in the server and choose the parser of this model, or use a model that has tools.',
}

/** What to do about calls that do not arrive as calls, in the words of this kind of server. */
export const toolsRemedy = ({ server }: ModelPlan): string => TOOLS_REMEDIES[server.kind]

/** Filler of so many words, different enough not to be folded by a tokeniser, the same each time. */
export function filler(words: number): string {
  const stock = ['river', 'stone', 'window', 'garden', 'paper', 'yellow', 'seven', 'morning', 'table', 'cloud']
  return Array.from({ length: words }, (_, at) => stock[(at * 7 + Math.floor(at / 10)) % stock.length]).join(' ')
}

/** Begins a prompt that must not be in the server's cache, where its reading is timed or its tokens are counted. */
export const uniqueOpening = (): string => `Examination ${randomBytes(4).toString('hex')}.`

export const user = (content: string): ChatMessage => ({ role: 'user', content })
