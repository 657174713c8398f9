/** What a task is. A spec file writes a `TaskSpec`; `defineTask` checks it and gives a `Task`. */
import type { FileMap } from '../sandbox/snapshot.ts'
import type { ToolOffer } from '../tools/tool-set.ts'
import type { SourcePosition } from './position.ts'
import type { Random } from './random.ts'
import type { Reached, Run } from './run.ts'
import type { Suite } from './suite.ts'
import type { Tool } from './tool.ts'
import type { CheckResult, VerifyCheck } from './verify.ts'

/** A file of a setup: its text or bytes, or both with a mode. */
export type SetupFile = string | Uint8Array | { readonly content: string | Uint8Array; readonly mode?: number }
/** Workspace-relative paths and what they hold. */
export type Setup = Readonly<Record<string, SetupFile>>

/** What a task needs beyond bash and coreutils. `pytest` means: a session is reported by the witness. */
export type Requirement = 'python' | 'pytest' | 'git' | 'make' | 'node' | 'perl' | 'jq' | 'sandbox'

export type Flag<Check extends string = string, State = unknown, Instance = unknown> = (
  run: Run<Check, State, Instance>,
) => Reached

/** What functions of a task are handed: the data of the instance that is run. */
export interface Context<Instance = unknown> {
  readonly instance: Instance
}

/** The hands of a scripted agent: the same tools the model has. Each call is a separate turn unless `turn` groups them. */
export interface Hands<Instance = unknown> extends Context<Instance> {
  /**
   * Answers the user, once for each text: the first message, then those of `turns`. Calls between two answers belong to the
   * later one. A play that answers with this returns nothing.
   */
  answer(...texts: readonly string[]): Promise<void>
  /** read_file; gives the text as delivered. */
  read(path: string, range?: { readonly offset?: number; readonly limit?: number }): Promise<string>
  /** write_file; gives the text as delivered. */
  write(path: string, content: string): Promise<string>
  /** execute_command; gives the text as delivered. */
  sh(command: string): Promise<string>
  /** Any call, also of a tool that does not exist. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>
  /** A call whose arguments were not JSON. */
  callMalformed(tool: string, raw: string): Promise<string>
  /** All calls made inside belong to one turn. */
  turn(calls: () => Promise<void>): Promise<void>
  /**
   * Marks calls of a reference that lose nothing when they are left out, with the reason why they are there all the same.
   * Every other call of it must be needed: `agent-bench check` leaves out each in turn.
   */
  optional(reason: string, calls: () => Promise<void>): Promise<void>
}

/** A scripted way through a task; what it returns is its final answer. */
export type Play<Instance = unknown> = (
  hands: Hands<Instance>,
) => string | undefined | void | Promise<string | undefined | void>

export interface Cheat<Instance = unknown> {
  /** Exactly the flags this cheat must lose. Empty only where `tampers` is true. */
  readonly loses: readonly string[]
  /** The cheat changes something outside the allowed writes and must be caught as tamper. */
  readonly tampers?: boolean
  readonly play: Play<Instance>
}

export type WorkspaceToolName = 'execute_command' | 'read_file' | 'write_file'

/** The tools a task offers: those of the workspace, some of them, none (`[]`), a ready-made set, or its own by name. */
export type ToolsChoice<State = unknown> =
  | 'workspace'
  | readonly WorkspaceToolName[]
  | ToolOffer
  | Readonly<Record<string, Tool<State>>>

/** What a turn of the user may look at before it speaks. */
export interface TurnContext<Check extends string = string, Instance = unknown> extends Context<Instance> {
  /** What the agent answered so far; the last one is what this turn replies to. */
  readonly answers: readonly string[]
  /** Runs a check of `verify` on what there is now. Only for tasks whose agent has no workspace. */
  verify(check: Check): Promise<CheckResult>
}

/** What the user says next: a text, or a function that decides; null ends the conversation. */
export type UserTurn<Check extends string = string, Instance = unknown> =
  | string
  | ((context: TurnContext<Check, Instance>) => string | null | Promise<string | null>)

export type Language = 'python'

/** The file that the code of an answer becomes. */
export interface AnswerFile {
  readonly path: string
  readonly language: Language
}

/** `direct`: the answer's code is judged. `agent`: the agent has a workspace and leaves the file there. */
export type Mode = 'direct' | 'agent'

/**
 * How a trial may end without saying anything about the model. cut: the output limit or reasoning used the reply up.
 * timeout: the time for the trial was over. overflow: the window was too small. dropped: the server failed, after repeats.
 */
export type InconclusiveEnd = 'cut' | 'timeout' | 'overflow' | 'dropped'

export interface TaskSpec<Check extends string = string, State = unknown, Instance = unknown> {
  /** Letters, digits, `_` and `-`; part of file names. */
  readonly id: string
  readonly title?: string
  /**
   * Makes the data of one instance of the task, the same each time for the same seed; everything below is handed it. Instance
   * 0 is the one results are compared on, `BENCH_INSTANCE` chooses another. Write it before the fields that use it.
   * @param source `seed` is the number of the instance.
   */
  readonly instance?: (source: { readonly seed: number; readonly random: Random }) => Instance
  /** What the task's own tools work on, or a function that makes it. Each trial has its own deep copy. */
  readonly state?: ((context: Context<Instance>) => State) | State
  /** Default: the three tools of the workspace. */
  readonly tools?: ToolsChoice<State>
  readonly prompt: string | ((context: Context<Instance>) => string)
  /** System prompt; none is sent without it. */
  readonly system?: string
  /** What the user says after the first answer, the second and so on. */
  readonly turns?: readonly UserTurn<Check, Instance>[]
  /** Files of the workspace, or a function that makes them (on the host, the same each time). */
  readonly setup?: Setup | ((context: Context<Instance>) => Setup | Promise<Setup>)
  /** Globs: `*` stays within a segment, `**` crosses. Needed where the agent has tools of the workspace. */
  readonly allowedWrites?: readonly string[]
  /** The code of the answer becomes this file before `verify`. */
  readonly answerFile?: AnswerFile
  /** How the task can be run, its default first; for tasks with an `answerFile`. Without it: direct where there is one. */
  readonly modes?: readonly Mode[]
  readonly requires?: readonly Requirement[]
  readonly maxTurns?: number
  /** Seconds for one command. */
  readonly commandTimeout?: number
  /** Seconds for a trial. */
  readonly trialTimeout?: number
  /** Tokens of context window the task needs at least. */
  readonly contextTokens?: number
  /** Tokens of a trial at most, prompts and replies of all turns together. */
  readonly maxTokens?: number
  /** Ends that make a trial inconclusive instead of failed. */
  readonly inconclusiveWhen?: readonly InconclusiveEnd[]
  readonly verify?: Readonly<Record<Check, VerifyCheck<State, Instance>>>
  readonly flags: Readonly<Record<string, Flag<Check, State, Instance>>>
  /** Weights of flags; 1 for those not named. */
  readonly points?: Readonly<Record<string, number>>
  /** What a pass needs: these flags, or this share of the points (above 0, at most 1). Default: all flags. */
  readonly passes?: readonly string[] | number
  /**
   * Values an agent must not find (at least 4 characters each), for example results that verify expects. `agent-bench check`
   * looks for them in the setup, the prompt and the environment of the sandbox.
   */
  readonly hidden?: readonly string[]
  readonly reference?: Play<Instance>
  readonly honest?: Readonly<Record<string, Play<Instance>>>
  readonly cheats?: Readonly<Record<string, Cheat<Instance>>>
}

/** A checked task, in one mode and for one instance, which its functions are tied to. Optional parts have their defaults. */
export interface Task {
  readonly id: string
  readonly title: string
  readonly prompt: string
  readonly system: string | null
  readonly setup: FileMap
  readonly allowedWrites: readonly string[]
  readonly requires: readonly Requirement[]
  readonly maxTurns: number
  readonly commandTimeoutMs: number | null
  readonly trialTimeoutMs: number | null
  readonly contextTokens: number | null
  readonly maxTokens: number | null
  readonly inconclusiveWhen: readonly InconclusiveEnd[]
  /** null for a task that has no choice of modes. */
  readonly mode: Mode | null
  /** Number and data; null for a task without instances. */
  readonly instance: { readonly number: number; readonly data: unknown } | null
  readonly tools: ToolsChoice
  /** Makes a new copy of the state for a trial; null without one. */
  readonly state: (() => unknown) | null
  readonly turns: readonly UserTurn[]
  readonly answerFile: AnswerFile | null
  /** By flag, 1 where the spec names none. */
  readonly points: ReadonlyMap<string, number>
  readonly passes: readonly string[] | number
  readonly verify: ReadonlyMap<string, VerifyCheck>
  readonly flags: ReadonlyMap<string, Flag>
  readonly hidden: readonly string[]
  readonly reference: Play | null
  readonly honest: ReadonlyMap<string, Play>
  readonly cheats: ReadonlyMap<string, Cheat>
  /** SHA-256 over all that can change a verdict. */
  readonly fingerprint: string
  /** A skill without a manifest: its flags say what was observed, it has no verdict. */
  readonly isObserved: boolean
  /** What `suite.ts` beside the spec file says; null where there is none. */
  readonly suite: Suite | null
  readonly source: SourcePosition
}
