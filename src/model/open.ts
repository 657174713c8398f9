import type { ChatModel, ModelPlan } from './chat-model.ts'
import { createChatModel } from './openai-client.ts'
import { recordExchanges, replayExchanges } from './recording.ts'

/**
 * The model of a plan: its server, its server with every exchange kept, or a recording in the place of a server.
 * @throws ConfigError when the folder of a recording cannot be written
 */
export function openChatModel(plan: ModelPlan): ChatModel {
  const { recording } = plan
  if (recording?.mode === 'replay') return replayExchanges(plan, recording.dir)
  const model = createChatModel(plan)
  return recording === undefined ? model : recordExchanges(model, recording.dir)
}
