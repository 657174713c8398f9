/** The questions a flag can ask about one trial. Pure over what was recorded; implemented in `src/evidence`. */

/** When something happened: the tool call (1 = first of the trial) and the turn it belonged to. */
export interface Moment {
  readonly turn: number
  readonly call: number
}

/** Whether a value is one; whole numbers only. */
export function isMoment(value: unknown): value is Moment {
  if (typeof value !== 'object' || value === null || !('turn' in value && 'call' in value)) return false
  return Number.isSafeInteger(value.turn) && Number.isSafeInteger(value.call)
}

/** A flag that is reached in part: how far, from 0 to 1, and when. */
export interface Share {
  readonly share: number
  readonly at?: Moment | false
}

/**
 * false: not reached. true: reached, no turn attributed. A moment: reached then. null or undefined count as false. A number
 * from 0 to 1, alone or with a moment: reached so far; only 1 is reached.
 */
export type Reached = boolean | Moment | number | Share | null | undefined

/** Whether a value is one that a flag may give. */
export function isReached(answer: unknown): answer is Reached {
  if (answer === undefined || answer === null || typeof answer === 'boolean' || isMoment(answer)) return true
  if (typeof answer === 'number') return answer >= 0 && answer <= 1
  if (typeof answer !== 'object' || !('share' in answer)) return false
  const at = 'at' in answer ? answer.at : undefined
  return (
    typeof answer.share === 'number' && isReached(answer.share) && (at === undefined || at === false || isMoment(at))
  )
}

/** Bounds on when something must have happened. `false` (the other thing never happened) makes the answer false. */
export interface Order {
  readonly before?: Moment | false
  readonly after?: Moment | false
}

export interface ReadQuestion extends Order {
  /** How many distinct lines of the file must have been shown (default 1). */
  readonly lines?: number
  /** A distinctive line that matches this must have been shown. */
  readonly showing?: RegExp
}

export interface StubQuestion extends Order {
  /** The arguments, joined by single spaces, must match; or they must fit one by one, with the directory they were given in. */
  readonly args?: RegExp | ((args: readonly string[], cwd: string) => boolean)
}

export interface CommandQuestion extends Order {
  /** Scripts that are stubs: a call of one counts by its own report, never by the command line. */
  readonly stubs?: readonly string[]
  /** Files that are meant: a script of the same name somewhere else, or of a name that only ends alike, does not count. */
  readonly scripts?: readonly string[]
}

/** One tool call as a flag can look at it. */
export interface CallView extends Moment {
  readonly tool: string
  /** The tool exists and takes these arguments. What it answered may still be an error of its own. */
  readonly valid: boolean
  /** Arguments as they were sent; `{ raw }` where they could not be parsed. */
  readonly args: Readonly<Record<string, unknown>>
  /** Every text in the arguments, in order: a command, a path, the content of a file. */
  readonly sent: readonly string[]
  /** The text that the agent got back, after cutting. */
  readonly result: string
  /** Texts of the files that the call left new or changed, by path; binary and very large ones are absent. */
  readonly written: ReadonlyMap<string, string>
}

export interface Run<Check extends string = string, State = unknown, Instance = unknown> {
  /** First moment at which content of the file, as it was then, was in a tool result. */
  sawContentOf(path: string, question?: ReadQuestion): Moment | false
  /** First moment at which a failing test session had been seen by the model (exit status or summary in a result). */
  sawTestsFail(order?: Order): Moment | false
  /** First moment of a passing test session of the whole visible suite that the model could see. Combine with `verified`. */
  sawTestsPass(order?: Order): Moment | false
  /** First moment at which the file (a path or a glob) differed from the setup. */
  firstChange(pathOrGlob: string): Moment | false
  /** First moment at which the file existed. */
  firstExists(path: string): Moment | false
  /** The file's final content equals its setup. */
  unchanged(path: string): boolean
  /** Final text of a file; null when absent, binary or too large. */
  finalText(path: string): string | null
  /** The named check of `verify` held. */
  verified(check: Check): boolean
  /** The agent called a tool that does not exist. */
  calledUnknownTool(): Moment | false
  /** How often the file was read (its content shown to the model). */
  timesRead(path: string): number
  /** How far the checks of `verify` held: the mean of their shares, from 0 to 1. A check without a share has 1 or 0. */
  share(...checks: readonly [Check, ...Check[]]): number
  /** Tool calls made in the whole trial. */
  readonly callCount: number
  /** All calls in their order, or those of one tool. */
  calls(tool?: string): readonly CallView[]
  /** First moment at which a valid call named the file in its arguments, or showed its content. */
  touched(path: string): Moment | false
  /** Last text of the agent. */
  readonly finalAnswer: string
  /** What the agent answered to the last message of the user; empty when it did not. The same as `finalAnswer`. */
  readonly answer: string
  /**
   * What the agent answered to each message of the user, in order. As many as the task has messages, empty where there was
   * no answer.
   */
  readonly answers: readonly string[]
  /** The task's state at the end. */
  readonly state: State
  /** What the task's `instance` gave. */
  readonly instance: Instance
  /** Tokens of the trial that the server counted, prompts and replies of all turns together; null where it does not say. */
  readonly tokens: number | null
  /** Adds a reason that is shown when the flag is lost. */
  because(reason: string): false
  /**
   * First moment at which a tool result gave away a file or directory: its name, or content of it, although neither the
   * prompt nor any argument of the agent up to then held that name. So it was found by looking, not by guessing.
   */
  discovered(path: string, order?: Order): Moment | false
  /** Text of the file just before the call of a moment; null when it was absent, binary or too large then. */
  textBefore(path: string, moment: Moment | false): string | null
  /** First moment at which the file's text fitted; texts that are binary or too large are not looked at. */
  firstText(path: string, fits: (text: string) => boolean): Moment | false
  /**
   * First call that fits, by what was sent, what came back and what it wrote. What an agent sends is not evidence of what it
   * did: ask for it where it would be a fault.
   */
  firstCall(fits: (call: CallView) => boolean, order?: Order): Moment | false
  /** First call of a tool that does not exist, or with arguments that the tool does not take. */
  madeInvalidCall(): Moment | false
  /** First moment at which the stub at this path reported that it ran. */
  ranStub(path: string, question?: StubQuestion): Moment | false
  /**
   * First moment at which a command that fits was executed: a simple command of the command line (also in a sub-shell, in
   * `bash -c` or a script the agent wrote), or a stub. The match must begin in the program or script, so a command line
   * that is only printed or searched for does not count.
   */
  ranCommand(pattern: RegExp, question?: CommandQuestion): Moment | false
}
