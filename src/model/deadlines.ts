/** The deadlines of one request. Each has a name of its own, so that a report says which one fired and how to raise it. */
import type { Deadlines, ModelPlan } from './chat-model.ts'

/**
 * What is meant for machines that answer slowly, not for hiding that they do: a local model may read a long prompt for
 * minutes, so nothing but silence ends a request early, and silence is judged by `idleTimeoutMs` of the plan.
 */
export const DEFAULT_DEADLINES: Deadlines = {
  connectMs: 10_000,
  firstTokenMs: 3_600_000,
  totalMs: 7_200_000,
}

/** After the finish reason only counts can come; a server that never closes would hold the turn until it is idle. */
export const AFTER_FINISH_MS = 5_000

export type DeadlineName = keyof typeof CODES

const CODES = {
  connect: 'CONNECT_DEADLINE',
  'first token': 'FIRST_TOKEN_DEADLINE',
  idle: 'IDLE_DEADLINE',
  total: 'TOTAL_DEADLINE',
} as const

/** One of the deadlines passed; `code` names it. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly code: (typeof CODES)[DeadlineName]

  constructor(deadline: DeadlineName, milliseconds: number, origin: string) {
    const what = {
      connect: `no connection to ${origin} was made`,
      'first token': `${origin} sent no token of a reply`,
      idle: `in the middle of a reply ${origin} sent nothing but pings`,
      total: `a reply of ${origin} was not complete`,
    }[deadline]
    super(`${what} ${deadline === 'idle' ? 'for' : 'within'} ${milliseconds / 1_000} s (the ${deadline} deadline)`)
    this.code = CODES[deadline]
  }
}

/** The deadlines of a plan, defaults filled in. */
export function deadlinesOf(plan: ModelPlan): Deadlines {
  return { ...DEFAULT_DEADLINES, ...plan.deadlines }
}

/** Runs out after so many milliseconds unless it is cleared. setTimeout cannot wait longer than 24 days. */
export function startTimer(milliseconds: number, onEnd: () => void): { readonly clear: () => void } {
  const timer = setTimeout(onEnd, Math.min(milliseconds, 2_147_483_647))
  return { clear: () => clearTimeout(timer) }
}
