import { ConfigError } from '../errors.ts'
import type { ChatModel } from '../model/chat-model.ts'
import type { Agent } from './agent.ts'
import { createNopAgent } from './nop-agent.ts'
import { createScriptedAgent } from './scripted-agent.ts'
import { createToolsAgent } from './tools-agent.ts'

export { createNopAgent } from './nop-agent.ts'
export { createScriptedAgent } from './scripted-agent.ts'
export { createToolsAgent, LOOP_LIMIT, MAX_CALLS_PER_TURN } from './tools-agent.ts'

/** Agents that can be asked for by name. */
export const AGENT_NAMES: readonly string[] = ['tools', 'reference', 'nop']

/** Whether an agent talks to a model; the runs of the others are never a model's result. */
export function needsModel(name: string): boolean {
  return name === 'tools'
}

/**
 * @throws ConfigError code `unknown_agent`, or `no_model` for an agent that needs one
 * @example createAgent('tools', { model: createChatModel(plan) })
 */
export function createAgent(name: string, options: { readonly model: ChatModel | null }): Agent {
  switch (name) {
    case 'tools':
      if (options.model === null) {
        throw new ConfigError('the agent "tools" needs a model, and there is none', {
          code: 'no_model',
          remedy: 'Start a model server, name one with BENCH_BASE_URL, or use BENCH_AGENT=reference.',
        })
      }
      return createToolsAgent(options.model)
    case 'reference':
      return createScriptedAgent('reference')
    case 'nop':
      return createNopAgent()
    default:
      throw new ConfigError(`there is no agent "${name}"`, {
        code: 'unknown_agent',
        remedy: `Use one of these: BENCH_AGENT=${AGENT_NAMES.join(' | ')}.`,
      })
  }
}
