import type { ModelPlan, TurnStats } from './chat-model.ts'

/** A plan for tests of this folder; nothing answers at its address. */
export const planFixture = (more: Partial<ModelPlan> = {}): ModelPlan => ({
  model: 'm',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKey: null,
  sampling: { temperature: null, topP: null, maxTokens: 1_024, extraBody: null },
  idleTimeoutMs: 1_000,
  server: {
    kind: 'llama-server',
    baseUrl: 'http://127.0.0.1:1/v1',
    build: null,
    modelPath: null,
    contextTokens: 8_192,
    slots: 2,
    chatTemplateSha256: null,
    defaultSampling: null,
  },
  ...more,
})

/** Statistics of a request of which nothing is known. */
export const NO_STATS: TurnStats = {
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
  elapsedMs: 1,
  firstTokenMs: null,
  promptTokensPerSecond: null,
  decodeTokensPerSecond: null,
  attempts: 1,
}
