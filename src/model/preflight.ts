import type { ModelPlan } from './chat-model.ts'

const thousands = (tokens: number): string => tokens.toLocaleString('en-US')

/**
 * Why the window of one request is too small for something that needs so many tokens (null = it does not say), with what to
 * do; null where it is not. Pure. A window that the server does not tell is not a problem here: what does not fit is found
 * when it overflows.
 */
export function windowProblem(name: string, neededTokens: number | null, { server }: ModelPlan): string | null {
  const { contextTokens, slots } = server
  if (contextTokens === null || neededTokens === null || neededTokens <= contextTokens) return null
  const perSlot = slots !== null && slots > 1 ? ` (of each of ${slots} slots)` : ''
  return `${name} needs ${thousands(neededTokens)} tokens of context, and the window${perSlot} holds ${thousands(contextTokens)}; give the server more for one request (llama-server: -c ${neededTokens * Math.max(1, slots ?? 1)}; Ollama: OLLAMA_CONTEXT_LENGTH=${neededTokens}; LM Studio: "Context Length"; vLLM: --max-model-len ${neededTokens})`
}
