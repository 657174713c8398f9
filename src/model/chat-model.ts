/** One OpenAI-compatible server behind a small interface: a conversation goes in, one classified reply comes out. */

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A call the model made. `arguments` is parsed once, here; what does not parse to an object is kept as it came. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments:
    | { readonly valid: true; readonly value: Readonly<Record<string, unknown>> }
    | { readonly valid: false; readonly raw: string; readonly problem: string }
}

/** Reasoning text, with the field it came in, so that it can be sent back where it is read. */
export interface Reasoning {
  readonly field: 'reasoning' | 'reasoning_content'
  readonly text: string
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly reasoning: Reasoning | null
      readonly toolCalls: readonly ToolCall[]
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string }

/** Token counts and times of one request. null = the server did not say; nothing is estimated. */
export interface TurnStats {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
  readonly elapsedMs: number
  /** From sending the request to the first piece of text, reasoning or tool call. */
  readonly firstTokenMs: number | null
  readonly promptTokensPerSecond: number | null
  readonly decodeTokensPerSecond: number | null
  /** Attempts made, 1 = no retry. */
  readonly attempts: number
}

export interface ReplyBody {
  readonly text: string
  readonly reasoning: Reasoning | null
  readonly toolCalls: readonly ToolCall[]
  /** As the server sent it; null when none came. Never used to decide whether there are tool calls. */
  readonly finishReason: string | null
  readonly stats: TurnStats
  /** The model the server says it used. */
  readonly servedModel: string | null
}

export type ModelErrorReason =
  | 'empty_reply'
  | 'tool_markup_in_text'
  | 'output_limit'
  | 'reasoning_exhausted'
  | 'malformed_by_server'

/** What the server sent, classified once. Only `ok` and `model_error` are the model's doing. */
export type Reply =
  | ({ readonly kind: 'ok' } & ReplyBody)
  | ({
      readonly kind: 'model_error'
      readonly reason: ModelErrorReason
      readonly detail: string
      /** What could be changed outside of the model, where there is something. */
      readonly remedy: string | null
    } & ReplyBody)
  | {
      readonly kind: 'context_overflow'
      readonly contextTokens: number | null
      readonly detail: string
      readonly remedy: string
    }
  | { readonly kind: 'infra' | 'config'; readonly code: string; readonly detail: string; readonly remedy: string }

export interface Sampling {
  readonly temperature: number | null
  readonly topP: number | null
  readonly maxTokens: number
  readonly extraBody: Readonly<Record<string, unknown>> | null
}

/** What the server says it is. null = not said. */
export interface ServerIdentity {
  readonly kind: 'llama-server' | 'ollama' | 'lmstudio' | 'vllm' | 'openai-compatible'
  readonly baseUrl: string
  readonly build: string | null
  readonly modelPath: string | null
  readonly contextTokens: number | null
  readonly slots: number | null
  readonly chatTemplateSha256: string | null
  /** The server's own default sampling, as it reports it. */
  readonly defaultSampling: Readonly<Record<string, unknown>> | null
}

/** Deadlines of one request besides the idle one, in milliseconds. Which one passed is named in the reply. */
export interface Deadlines {
  /** For the connection, TLS included. */
  readonly connectMs: number
  /** From sending the request to the first piece of text, reasoning or a call: waiting in a queue and reading the prompt. */
  readonly firstTokenMs: number
  /** For the whole reply. */
  readonly totalMs: number
}

/** What people call a model where results are compared. null = not known; nothing is guessed. */
export interface ModelLabels {
  readonly label: string
  /** Such as `8B`. */
  readonly size: string | null
  /** Such as `Q4_K_M`. */
  readonly quantisation: string | null
}

/** Everything a worker needs to talk to the model; serialisable. */
export interface ModelPlan {
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly sampling: Sampling
  /** Milliseconds without a byte from the server before a request is given up. */
  readonly idleTimeoutMs: number
  readonly server: ServerIdentity
  /** Those that are not named have defaults (src/model/deadlines.ts). */
  readonly deadlines?: Partial<Deadlines>
  /** false asks for whole replies instead of streams; then the time to the first token is unknown. */
  readonly stream?: boolean
  readonly labels?: ModelLabels
  /** Keeps every exchange in `dir` (an absolute path), or answers from what was kept there. */
  readonly recording?: { readonly mode: 'record' | 'replay'; readonly dir: string }
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly seed: number
}

export interface ChatModel {
  readonly plan: ModelPlan
  /** Never throws for what a server does; rejects only with the signal's reason. */
  complete(request: ChatRequest, signal: AbortSignal): Promise<Reply>
}
