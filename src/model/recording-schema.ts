/** What the files of a recording look like; they are read on another day, maybe by another version. */

type Properties = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const number = { type: 'number' }
const textOrNull = { type: ['string', 'null'] }
const numberOrNull = { type: ['number', 'null'] }
const objectOrNull = { type: ['object', 'null'] }
/** Every property is required; more may be there. */
const object = (properties: Properties, type: string | readonly string[] = 'object') => ({
  type,
  required: Object.keys(properties),
  properties,
})

/** Properties of one type. */
const all = (schema: unknown, ...names: readonly string[]): Properties =>
  Object.fromEntries(names.map(name => [name, schema]))

const toolCall = object({
  id: text,
  name: text,
  arguments: {
    oneOf: [
      object({ valid: { const: true }, value: { type: 'object' } }),
      object({ valid: { const: false }, raw: text, problem: text }),
    ],
  },
})

const said = {
  text,
  reasoning: object({ field: { enum: ['reasoning', 'reasoning_content'] }, text }, ['object', 'null']),
  toolCalls: { type: 'array', items: toolCall },
  finishReason: textOrNull,
  servedModel: textOrNull,
  stats: object({
    ...all(number, 'elapsedMs', 'attempts'),
    ...all(numberOrNull, 'promptTokens', 'completionTokens', 'cachedTokens', 'reasoningTokens'),
    ...all(numberOrNull, 'firstTokenMs', 'promptTokensPerSecond', 'decodeTokensPerSecond'),
  }),
}

const REASONS = ['empty_reply', 'tool_markup_in_text', 'output_limit', 'reasoning_exhausted', 'malformed_by_server']

export const EXCHANGE_SCHEMA = object({
  key: text,
  request: { type: 'object' },
  reply: {
    oneOf: [
      object({ kind: { const: 'ok' }, ...said }),
      object({ kind: { const: 'model_error' }, reason: { enum: REASONS }, detail: text, remedy: textOrNull, ...said }),
      object({ kind: { const: 'context_overflow' }, detail: text, remedy: text, contextTokens: numberOrNull }),
      object({ kind: { enum: ['infra', 'config'] }, code: text, detail: text, remedy: text }),
    ],
  },
})

const labels = object({ label: text, ...all(textOrNull, 'size', 'quantisation') })
const plan = object({
  ...all(text, 'model', 'baseUrl'),
  apiKey: { type: 'null' },
  idleTimeoutMs: number,
  sampling: object({ ...all(numberOrNull, 'temperature', 'topP'), maxTokens: number, extraBody: objectOrNull }),
  server: object({
    kind: { enum: ['llama-server', 'ollama', 'lmstudio', 'vllm', 'openai-compatible'] },
    baseUrl: text,
    ...all(textOrNull, 'build', 'modelPath', 'chatTemplateSha256'),
    ...all(numberOrNull, 'contextTokens', 'slots'),
    defaultSampling: objectOrNull,
  }),
})
export const PLAN_SCHEMA = { ...plan, properties: { ...plan.properties, labels } }
