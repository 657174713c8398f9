/** Checks after the agent is gone. Inputs go into the sandbox, outputs come back; expected values stay on the host. */

export interface CheckResult {
  readonly ok: boolean
  /** What was looked at and what was found; shown when a flag that needs this check is lost. Holds no hidden expected value. */
  readonly reason: string
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

export interface VerifyTools {
  /**
   * A module of the workspace, imported in a child that can write nothing.
   * @param withFiles Texts that stand in the workspace for the calls of this module, instead of what is there or besides, by
   * path: another configuration, say, to see whether the code follows it.
   */
  python(module: string, withFiles?: Readonly<Record<string, string>>): PythonModule
  /**
   * Runs the visible pytest suite in the clean workspace; ok when at least one test passed and none failed. Only
   * corroborated, as the agent's own code runs in it: combine it with values of `python`.
   */
  tests(): Promise<CheckResult>
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

export type VerifyCheck = (tools: VerifyTools) => CheckResult | Promise<CheckResult>
