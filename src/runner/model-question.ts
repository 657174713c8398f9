import type { ModelQuestion } from '../model/index.ts'
import type { ModelSetting } from './model-settings.ts'
import type { Settings } from './settings.ts'

/** What is asked of the servers for one model of a run. */
export function modelQuestion(settings: Settings, setting: ModelSetting): ModelQuestion {
  return {
    model: setting.model,
    baseUrl: setting.baseUrl,
    apiKey: setting.apiKey,
    sampling: {
      temperature: settings.temperature,
      topP: settings.topP,
      maxTokens: settings.maxTokens,
      extraBody: setting.extraBody,
    },
    idleTimeoutMs: settings.requestTimeout * 1_000,
    labels: setting.labels,
  }
}
