/** Checks after the agent is gone. Inputs go into the sandbox, outputs come back; expected values stay on the host. */
import type { Run } from './run.ts'

export interface CheckResult {
  readonly ok: boolean
  /** What was looked at and what was found; shown when a flag that needs this check is lost. Holds no hidden expected value. */
  readonly reason: string
  /** How much of it holds, from 0 to 1; without it, all or nothing by `ok`. */
  readonly share?: number
}

/** What a check may give back: a result, or a share of what it looked for. */
export type CheckAnswer =
  | CheckResult
  | {
      readonly holds: boolean
      /** From 0 to 1. */
      readonly share: number
      readonly reason?: string
    }

/** A number that may be int or float in Python, compared within a tolerance. */
export interface Approximately {
  readonly approximately: number
  readonly tolerance: number
}

/** What a Python function should give: JSON values (an integer means int, `true` means bool, an array means list), or one of these. */
export type Expected =
  | null
  | boolean
  | number
  | string
  | readonly Expected[]
  | Approximately
  | { readonly tuple: readonly Expected[] }
  | { readonly dict: readonly (readonly [Expected, Expected])[] }
  | { readonly raises: string }

export interface PythonModule {
  /** Calls the function once per list of arguments. */
  call(
    name: string,
    args: readonly (readonly unknown[])[],
  ): { gives(expected: readonly Expected[]): Promise<CheckResult> }
}

/**
 * Texts that stand in the clean workspace instead of what is there or besides, by path; null takes the file away. They hold
 * for the one request they are given to: another configuration, say, to see whether the code follows it.
 */
export type WithFiles = Readonly<Record<string, string | null>>

/** What a command did. It may have run the agent's code, so the status alone says nothing: compare the text. */
export interface CommandRun {
  /** Its output, decoded as UTF-8; of a very long one the beginning and the end. */
  readonly stdout: string
  readonly stderr: string
  /** Negative is the number of a signal; null when it was stopped because of time or output. */
  readonly exitCode: number | null
}

/** What a run of the suite did; ok when at least one test passed and none failed. */
export interface SuiteResult extends CheckResult {
  readonly passed: number
  /** Tests that failed, and files that could not be collected. */
  readonly failed: number
}

export interface VerifyTools<Instance = unknown> {
  /** What the task's `instance` gave. */
  readonly instance: Instance
  /** A module of the workspace, imported in a child that can write nothing. */
  python(module: string, withFiles?: WithFiles): PythonModule
  /**
   * The same for a file of JavaScript, such as `src/main.js`; promises are awaited. `null` is Python's None, whole numbers
   * are int, plain objects and maps are `dict(…)`, and `raises` names the class of what was thrown. Needs `requires: ['node']`.
   */
  javascript(file: string, withFiles?: WithFiles): PythonModule
  /**
   * Runs a bash command (60 s at most) in the clean workspace, in which nothing can be written; /tmp can. The same
   * command on the same files runs once. What it prints is to be compared here, with what the sandbox does not know. Never
   * judge by the exit status alone: code of the agent that runs in it can end the process with any.
   */
  run(command: string, withFiles?: WithFiles): Promise<CommandRun>
  /**
   * Runs the visible pytest suite in the clean workspace. Only corroborated, as the agent's own code runs in it: combine it
   * with values of `python`.
   */
  tests(withFiles?: WithFiles): Promise<SuiteResult>
  /**
   * Runs the suite once for each of several sets of files, in one start of pytest: quicker than one by one. Each run has ten
   * seconds and a separate process and folder; a path that is written out (`/workspace/main.py`) leads nowhere there.
   */
  tests(each: readonly WithFiles[]): Promise<readonly SuiteResult[]>
  /** Text of a file the agent left (allowed writes only), or null. */
  text(path: string): string | null
  /** Bytes of a file, of any kind, or null where there is none. */
  size(path: string): number | null
  /** Paths of files the agent left. */
  readonly files: readonly string[]
  /**
   * Result of a check written by hand. The statement is what should hold: where it does not, it is shown as `not so: …`. For
   * another reason give back `{ ok: false, reason }`.
   */
  check(ok: boolean, statement: string): CheckResult
}

/** What a check may ask about the trial: all that a flag may, but for checks and for test sessions, which come later. */
export type Past<State = unknown, Instance = unknown> = Omit<
  Run<string, State, Instance>,
  'verified' | 'share' | 'sawTestsFail' | 'sawTestsPass' | 'because'
>

/** @param run What happened in the trial. A check that takes it is made in each trial anew. */
export type VerifyCheck<State = unknown, Instance = unknown> = (
  tools: VerifyTools<Instance>,
  run: Past<State, Instance>,
) => CheckAnswer | Promise<CheckAnswer>
