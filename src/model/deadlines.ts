/** The deadlines of one request. Each has a name, so that a report says which one fired and how to raise it. */
import type { Deadlines, ModelPlan } from './chat-model.ts'

/**
 * What is meant for machines that answer slowly, not for hiding that they do: a local model may read a long prompt for
 * minutes, so nothing but silence ends a request early, and silence is judged by `idleTimeoutMs` of the plan.
 */
const DEFAULT_DEADLINES: Deadlines = { connectMs: 10_000, firstTokenMs: 3_600_000, totalMs: 7_200_000 }

/** After the finish reason only counts can come; a server that never closes would hold the turn until it is idle. */
export const AFTER_FINISH_MS = 5_000

const MISSED = {
  connect: 'no connection could be made to',
  'first token': 'no token of a reply came from',
  silence: 'no byte came from',
  pings: 'in the middle of a reply nothing but pings came from',
  total: 'a reply was not complete that came from',
} as const

export type DeadlineName = keyof typeof MISSED

/** One of the deadlines passed; `code` names it. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly code: `DEADLINE_${DeadlineName}`

  constructor(deadline: DeadlineName, milliseconds: number, origin: string) {
    const name = deadline === 'silence' || deadline === 'pings' ? 'idle' : deadline
    super(`${MISSED[deadline]} ${origin} within ${milliseconds / 1_000} s (the ${name} deadline)`)
    this.code = `DEADLINE_${deadline}`
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
