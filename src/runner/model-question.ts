import type { Deadlines } from '../model/chat-model.ts'
import type { ModelQuestion } from '../model/index.ts'
import type { ModelSetting } from './model-settings.ts'
import type { Settings } from './settings.ts'

/** What is asked of the servers for one model of a run. */
export function modelQuestion(settings: Settings, setting: ModelSetting): ModelQuestion {
  return {
    model: setting.model,
    baseUrl: setting.baseUrl,
    apiKey: setting.apiKey,
    ...(setting.source === undefined ? {} : { source: setting.source }),
    sampling: {
      temperature: settings.temperature,
      topP: settings.topP,
      maxTokens: settings.maxTokens,
      // Recorded as part of the sampling: such trials are not those of a server that gets seeds.
      extraBody: settings.seed === 'off' ? { ...setting.extraBody, seed: null } : setting.extraBody,
    },
    idleTimeoutMs: settings.requestTimeout * 1_000,
    deadlines: deadlinesOf(settings),
    ...(settings.stream ? {} : { stream: false }),
    labels: setting.labels,
  }
}

/** The deadlines that are set, in milliseconds; the others keep their defaults. */
function deadlinesOf({ connectTimeout, firstTokenTimeout, replyTimeout }: Settings): Partial<Deadlines> {
  return {
    ...(connectTimeout === null ? {} : { connectMs: connectTimeout * 1_000 }),
    ...(firstTokenTimeout === null ? {} : { firstTokenMs: firstTokenTimeout * 1_000 }),
    ...(replyTimeout === null ? {} : { totalMs: replyTimeout * 1_000 }),
  }
}
