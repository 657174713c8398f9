import type { ModelPlan } from './chat-model.ts'

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
