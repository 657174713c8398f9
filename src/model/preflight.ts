import type { ModelPlan } from './chat-model.ts'

/** What something needs of the context window; a task, for this layer only a name and a number. */
export interface ContextNeed {
  readonly name: string
  /** Tokens that it needs at least; null = it does not say. */
  readonly contextTokens: number | null
}

export interface PreflightProblem {
  /** `window_too_small`: this cannot be measured here. `output_limit_over_window`: it can, but replies may be refused. */
  readonly code: 'window_too_small' | 'output_limit_over_window'
  /** Whose need it is; null where it concerns all. */
  readonly name: string | null
  readonly isFatal: boolean
  readonly detail: string
  readonly remedy: string
}

const thousands = (tokens: number): string => tokens.toLocaleString('en-US')

/**
 * Compares the window of one request with what is going to be asked of it. Pure. A window that the server does not tell
 * is no problem here: what does not fit then is found when it overflows.
 */
export function preflightContext(needs: readonly ContextNeed[], plan: ModelPlan): readonly PreflightProblem[] {
  const windowTokens = plan.server.contextTokens
  if (windowTokens === null) return []
  const { slots } = plan.server
  const perSlot = slots !== null && slots > 1 ? ` (of each of ${slots} slots)` : ''
  const problems = needs.flatMap(({ name, contextTokens }): readonly PreflightProblem[] =>
    contextTokens === null || contextTokens <= windowTokens
      ? []
      : [
          {
            code: 'window_too_small',
            name,
            isFatal: true,
            detail: `${name} needs ${thousands(contextTokens)} tokens of context, and the window${perSlot} holds ${thousands(windowTokens)}`,
            remedy: `Give the server at least ${thousands(contextTokens)} tokens for one request (llama-server: -c ${contextTokens * Math.max(1, slots ?? 1)}; Ollama: OLLAMA_CONTEXT_LENGTH=${contextTokens}; LM Studio: "Context Length"; vLLM: --max-model-len ${contextTokens}), or leave the task out.`,
          },
        ],
  )
  const { maxTokens } = plan.sampling
  // vLLM counts the output limit into the window before it begins; others cut at the window.
  if (maxTokens < windowTokens) return problems
  return [
    ...problems,
    {
      code: 'output_limit_over_window',
      name: null,
      isFatal: false,
      detail: `the output limit of ${thousands(maxTokens)} tokens is not below the context window${perSlot} of ${thousands(windowTokens)}`,
      remedy: `Set BENCH_MAX_TOKENS to at most ${Math.max(1, Math.floor(windowTokens / 2))}; vLLM refuses requests that could outgrow the window.`,
    },
  ]
}
