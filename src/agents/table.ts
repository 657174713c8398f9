/** The agents that can be asked for by name; a new one is a row here and a file beside it. */
import type { ChatModel } from '../model/chat-model.ts'
import type { Agent } from './agent.ts'
import { createNopAgent } from './nop-agent.ts'
import { createScriptedAgent } from './scripted-agent.ts'
import { createToolsAgent } from './tools-agent.ts'

export type AgentRow =
  /** Talks to a model. */
  | { readonly name: string; readonly needsModel: true; readonly create: (model: ChatModel) => Agent }
  /** Its runs are never a model's result. */
  | { readonly name: string; readonly needsModel: false; readonly create: () => Agent }

export const AGENTS: readonly AgentRow[] = [
  { name: 'tools', needsModel: true, create: createToolsAgent },
  { name: 'reference', needsModel: false, create: () => createScriptedAgent('reference') },
  { name: 'nop', needsModel: false, create: createNopAgent },
]
