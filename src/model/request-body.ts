import type { ChatMessage, ChatRequest, ModelPlan, ToolCall, ToolDefinition } from './chat-model.ts'
import type { JsonRecord } from './json.ts'

function wireCall(call: ToolCall): JsonRecord {
  return {
    id: call.id,
    type: 'function',
    function: {
      // A call without a name is answered with an error, but a server would refuse it in the history.
      name: call.name === '' ? 'unnamed' : call.name,
      // Invalid JSON in the history makes llama-server refuse every later request (llama.cpp#25510).
      arguments: call.arguments.valid ? JSON.stringify(call.arguments.value) : '{}',
    },
  }
}

function wireMessage(message: ChatMessage): JsonRecord {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content }
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        // vLLM reads `reasoning`, llama-server `reasoning_content`: back into the field it came in.
        ...(message.reasoning === null ? {} : { [message.reasoning.field]: message.reasoning.text }),
        ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls.map(wireCall) }),
      }
  }
}

const wireTool = (tool: ToolDefinition): JsonRecord => ({
  type: 'function',
  function: { name: tool.name, description: tool.description, parameters: tool.parameters },
})

/** The output limit that is asked for, in tokens; undefined where `extraBody` leaves it out or sets something that is not a number. */
export function outputLimitOf({ maxTokens, extraBody }: ModelPlan['sampling']): number | undefined {
  const { max_tokens: asked = maxTokens, max_completion_tokens: completion } = extraBody ?? {}
  const limit = completion ?? asked
  return typeof limit === 'number' ? limit : undefined
}

/** What `extraBody` cannot leave out: without it there is no request. */
const NEEDED = new Set(['model', 'messages', 'tools'])

/**
 * The body of one completion request. Sampling is sent only where it is set; an output limit always, because servers
 * default to none. `extraBody` is merged in, but cannot replace the conversation, the tools, the seed or the streaming; its
 * `null` leaves a field out, for servers that refuse fields they do not know.
 */
export function requestBody(plan: ModelPlan, request: ChatRequest): JsonRecord {
  const { temperature, topP, maxTokens, extraBody } = plan.sampling
  const namesLimit = (extraBody?.max_completion_tokens ?? null) !== null
  const body = {
    ...(namesLimit ? {} : { max_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...extraBody,
    model: plan.model,
    messages: request.messages.map(wireMessage),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    seed: request.seed,
    ...(plan.stream === false ? { stream: false } : { stream: true, stream_options: { include_usage: true } }),
  }
  const isLeftOut = (name: string) => extraBody?.[name] === null && !NEEDED.has(name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isLeftOut(name)))
}
