/** What the files of a recording look like; they are read on another day, maybe by another version. */

const textOrNull = { type: ['string', 'null'] } as const
const countOrNull = { type: ['number', 'null'] } as const
const reasoning = {
  type: ['object', 'null'],
  required: ['field', 'text'],
  properties: { field: { enum: ['reasoning', 'reasoning_content'] }, text: { type: 'string' } },
} as const

const toolCall = {
  type: 'object',
  required: ['id', 'name', 'arguments'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    arguments: {
      oneOf: [
        {
          type: 'object',
          required: ['valid', 'value'],
          properties: { valid: { const: true }, value: { type: 'object' } },
        },
        {
          type: 'object',
          required: ['valid', 'raw', 'problem'],
          properties: { valid: { const: false }, raw: { type: 'string' }, problem: { type: 'string' } },
        },
      ],
    },
  },
} as const

const body = {
  text: { type: 'string' },
  reasoning,
  toolCalls: { type: 'array', items: toolCall },
  finishReason: textOrNull,
  servedModel: textOrNull,
  stats: {
    type: 'object',
    required: [
      'promptTokens',
      'completionTokens',
      'cachedTokens',
      'reasoningTokens',
      'elapsedMs',
      'firstTokenMs',
      'promptTokensPerSecond',
      'decodeTokensPerSecond',
      'attempts',
    ],
    properties: { elapsedMs: { type: 'number' }, attempts: { type: 'number' } },
    additionalProperties: countOrNull,
  },
} as const
const bodyFields = Object.keys(body)

const reply = {
  type: 'object',
  required: ['kind'],
  oneOf: [
    { required: bodyFields, properties: { kind: { const: 'ok' }, ...body } },
    {
      required: [...bodyFields, 'reason', 'detail', 'remedy'],
      properties: {
        kind: { const: 'model_error' },
        reason: {
          enum: ['empty_reply', 'tool_markup_in_text', 'output_limit', 'reasoning_exhausted', 'malformed_by_server'],
        },
        detail: { type: 'string' },
        remedy: textOrNull,
        ...body,
      },
    },
    {
      required: ['detail', 'remedy', 'contextTokens'],
      properties: {
        kind: { const: 'context_overflow' },
        detail: { type: 'string' },
        remedy: { type: 'string' },
        contextTokens: countOrNull,
      },
    },
    {
      required: ['code', 'detail', 'remedy'],
      properties: {
        kind: { enum: ['infra', 'config'] },
        code: { type: 'string' },
        detail: { type: 'string' },
        remedy: { type: 'string' },
      },
    },
  ],
}

export const EXCHANGE_SCHEMA = {
  type: 'object',
  required: ['key', 'request', 'reply'],
  properties: { key: { type: 'string' }, request: { type: 'object' }, reply },
}

export const PLAN_SCHEMA = {
  type: 'object',
  required: ['model', 'baseUrl', 'apiKey', 'sampling', 'idleTimeoutMs', 'server'],
  properties: {
    model: { type: 'string' },
    baseUrl: { type: 'string' },
    apiKey: { type: 'null' },
    idleTimeoutMs: { type: 'number' },
    labels: {
      type: 'object',
      required: ['label', 'size', 'quantisation'],
      properties: { label: { type: 'string' }, size: textOrNull, quantisation: textOrNull },
    },
    sampling: {
      type: 'object',
      required: ['temperature', 'topP', 'maxTokens', 'extraBody'],
      properties: {
        temperature: countOrNull,
        topP: countOrNull,
        maxTokens: { type: 'number' },
        extraBody: { type: ['object', 'null'] },
      },
    },
    server: {
      type: 'object',
      required: [
        'kind',
        'baseUrl',
        'build',
        'modelPath',
        'contextTokens',
        'slots',
        'chatTemplateSha256',
        'defaultSampling',
      ],
      properties: {
        kind: { enum: ['llama-server', 'ollama', 'lmstudio', 'vllm', 'openai-compatible'] },
        baseUrl: { type: 'string' },
        build: textOrNull,
        modelPath: textOrNull,
        contextTokens: countOrNull,
        slots: countOrNull,
        chatTemplateSha256: textOrNull,
        defaultSampling: { type: ['object', 'null'] },
      },
    },
  },
}
