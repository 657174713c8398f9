/** What a task is. A spec file writes a `TaskSpec`; `defineTask` checks it and gives a `Task`. */
import type { FileMap } from '../sandbox/snapshot.ts'
import type { Moment, Run } from './run.ts'
import type { Suite } from './suite.ts'
import type { VerifyCheck } from './verify.ts'

/** A file of a setup: its text or bytes, or both with a mode. */
export type SetupFile = string | Uint8Array | { readonly content: string | Uint8Array; readonly mode?: number }
/** Workspace-relative paths and what they hold. */
export type Setup = Readonly<Record<string, SetupFile>>

/** What a task needs beyond bash and coreutils. `pytest` means: a session is reported by the witness. */
export type Requirement = 'python' | 'pytest' | 'git' | 'make' | 'node' | 'perl' | 'jq' | 'sandbox'

/** false: not reached. true: reached, no turn attributed. A moment: reached then. null or undefined count as false. */
export type Reached = boolean | Moment | null | undefined
export type Flag<Check extends string = string> = (run: Run<Check>) => Reached

/** The hands of a scripted agent: the same three tools the model has. Each call is a separate turn unless `turn` groups them. */
export interface Hands {
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
export type Play = (hands: Hands) => Promise<string | undefined | void>

export interface Cheat {
  /** Exactly the flags this cheat must lose. Empty only where `tampers` is true. */
  readonly loses: readonly string[]
  /** The cheat changes something outside the allowed writes and must be caught as tamper. */
  readonly tampers?: boolean
  readonly play: Play
}

export interface TaskSpec<Check extends string = string> {
  /** Letters, digits, `_` and `-`; part of file names. */
  readonly id: string
  readonly title?: string
  readonly prompt: string
  /** System prompt; none is sent without it. */
  readonly system?: string
  /** Files of the workspace, or a function that makes them (on the host, the same each time). */
  readonly setup?: Setup | (() => Setup | Promise<Setup>)
  /** Globs: `*` stays within a segment, `**` crosses. */
  readonly allowedWrites: readonly string[]
  readonly requires?: readonly Requirement[]
  readonly maxTurns?: number
  /** Seconds for one command. */
  readonly commandTimeout?: number
  /** Seconds for a trial. */
  readonly trialTimeout?: number
  /** Tokens of context window the task needs at least. */
  readonly contextTokens?: number
  /** A cut reply makes the trial inconclusive instead of failed. */
  readonly inconclusiveWhenCut?: boolean
  readonly verify?: Readonly<Record<Check, VerifyCheck>>
  readonly flags: Readonly<Record<string, Flag<Check>>>
  /**
   * Values an agent must not find (at least 4 characters each), for example results that verify expects. `agent-bench check`
   * looks for them in the setup, the prompt and the environment of the sandbox.
   */
  readonly hidden?: readonly string[]
  readonly reference?: Play
  readonly honest?: Readonly<Record<string, Play>>
  readonly cheats?: Readonly<Record<string, Cheat>>
}

/** A place in a source file, for errors and code frames. */
export interface SourcePosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A checked task. Optional parts of the spec have their defaults. */
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
  readonly inconclusiveWhenCut: boolean
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
