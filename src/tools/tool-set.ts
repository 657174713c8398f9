/** What an agent is offered, seen from both sides: tools as a task gives them, and as an agent calls them. */
import type { LoggedCall } from '../evidence/log.ts'
import type { ToolDefinition } from '../model/chat-model.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** How a call reached the tools: with parsed arguments, or with arguments that did not parse (then `raw` is what came). */
export type ToolArguments =
  | { readonly valid: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly valid: false; readonly raw: string; readonly problem: string }

/** What one executed call adds to the log besides its number, turn, tool and arguments. */
export type Observation = Pick<
  LoggedCall,
  'invalid' | 'exitCode' | 'stopped' | 'delivered' | 'testReports' | 'stubReports' | 'delta'
>

/** The tools of one trial. They run a call and say what was observed; log and order are the toolbox's. */
export interface ToolSet {
  readonly definitions: readonly ToolDefinition[]
  /**
   * A call that cannot be run (no such tool, arguments that do not fit) is an observation with `invalid`, not an error.
   * @throws InfraError when what the tools stand on failed
   */
  call(name: string, args: ToolArguments, context: { readonly signal: AbortSignal }): Promise<Observation>
}

/** Tools as a task offers them: known before a trial, opened anew for each. */
export type ToolOffer =
  | {
      readonly needs: 'sandbox'
      readonly definitions: readonly ToolDefinition[]
      readonly open: (sandbox: Sandbox, limits: { readonly commandTimeoutMs: number }) => ToolSet
    }
  | {
      readonly needs: 'nothing'
      readonly definitions: readonly ToolDefinition[]
      /** @param state the trial's own copy of the task's state */
      readonly open: (state: unknown) => ToolSet
    }

/** What an agent gets back for one tool call. */
export interface ToolOutcome {
  /** Exactly the text the model sees, after cutting. */
  readonly delivered: string
  readonly exitCode: number | null
}

/** A tool set as an agent sees it. Every call is executed, observed and logged; calls run one after another. */
export interface Toolbox {
  readonly definitions: readonly ToolDefinition[]
  call(
    name: string,
    args: ToolArguments,
    context: { readonly turn: number; readonly signal: AbortSignal },
  ): Promise<ToolOutcome>
}

/** The observation of a call that touched no file and ran no program. */
export const NOTHING_RUN: Observation = {
  invalid: null,
  exitCode: null,
  stopped: null,
  delivered: '',
  testReports: [],
  stubReports: [],
  delta: null,
}
