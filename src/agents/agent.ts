import type { Reply, TurnStats } from '../model/chat-model.ts'
import type { CallRepair } from '../repair/repair-reply.ts'
import type { Play } from '../task/task.ts'
import type { Toolbox } from '../tools/tool-set.ts'

/** Notes of an agent about one turn; tool calls are logged by the toolbox itself. */
export interface TurnNote {
  readonly turn: number
  readonly text: string
  readonly reasoning: string | null
  readonly finishReason: string | null
  /** null for agents without a model. */
  readonly stats: TurnStats | null
  /** The model that the server says answered; absent or null = not said. */
  readonly servedModel?: string | null
}

export interface Session {
  readonly prompt: string
  readonly system: string | null
  readonly toolbox: Toolbox
  readonly maxTurns: number
  /** Tokens of the trial at most, prompts and replies of all turns together; null = no limit. */
  readonly maxTokens: number | null
  readonly seed: number
  /** What the user says to an answer; null ends the conversation. */
  readonly reply: (answer: string) => Promise<string | null>
  /** Data of the task's instance, for plays. */
  readonly instance: unknown
  /** What the `reference` agent plays; null for tasks without one. */
  readonly script: Play | null
  readonly signal: AbortSignal
  readonly emit: (note: TurnNote) => void
  /** Called with every reply of a model that is not a fault, before it is acted on. */
  readonly onReply?: (reply: Reply) => void
}

export type EndingReason =
  | 'answered'
  | 'max_turns'
  | 'max_tokens'
  | 'loop'
  | 'empty_reply'
  | 'tool_markup_in_text'
  | 'output_limit'
  | 'reasoning_exhausted'
  | 'context_overflow'
  | 'malformed_by_server'
  /** The server dropped the beginning of the conversation in silence. */
  | 'prompt_cut'

/** How an agent ended on its own. Deadlines and cancellation arrive through the signal instead. */
export interface Ending {
  readonly reason: EndingReason
  readonly finalText: string | null
  /** Detail for people, for example the server's own words. */
  readonly detail: string | null
  readonly servedModel: string | null
}

/**
 * What solves a task.
 * @throws InfraError when server or sandbox failed; ConfigError when the run must stop.
 */
export interface Agent {
  readonly name: string
  run(session: Session): Promise<Ending>
  /** Absent for agents that hear no replies of a model. */
  readonly repairing?: (options: RepairOptions) => Agent
}

/**
 * How an agent plays a trial once more with leaked and malformed calls understood. Such a trial is only reported beside
 * the strict one.
 */
export interface RepairOptions {
  /**
   * Replies of the strict trial in order. They are heard again until the first one is repaired; only then is the model
   * asked, so that both trials are the same up to there.
   */
  readonly heard: readonly Reply[]
  readonly onRepair: (repair: CallRepair & { readonly turn: number }) => void
}
