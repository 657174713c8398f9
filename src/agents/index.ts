import { ConfigError } from '../errors.ts'
import type { ChatModel } from '../model/chat-model.ts'
import type { Agent } from './agent.ts'
import { AGENTS } from './table.ts'

/** Whether an agent talks to a model; the runs of the others are never a model's result. */
export function needsModel(name: string): boolean {
  return AGENTS.some(agent => agent.name === name && agent.needsModel)
}

/**
 * @throws ConfigError code `unknown_agent`, or `no_model` for an agent that needs one
 * @example createAgent('tools', { model: createChatModel(plan) })
 */
export function createAgent(name: string, { model }: { readonly model: ChatModel | null }): Agent {
  const row = AGENTS.find(agent => agent.name === name)
  if (row === undefined) {
    throw new ConfigError(`there is no agent "${name}"`, {
      code: 'unknown_agent',
      remedy: `Use one of these: BENCH_AGENT=${AGENTS.map(agent => agent.name).join(' | ')}.`,
    })
  }
  if (!row.needsModel) return row.create()
  if (model !== null) return row.create(model)
  throw new ConfigError(`the agent "${name}" needs a model, and there is none`, {
    code: 'no_model',
    remedy: 'Start a model server, name one with BENCH_BASE_URL, or use BENCH_AGENT=reference.',
  })
}
