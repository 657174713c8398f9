import type { Command } from 'commander'

/** What a command sees of the world, so that tests can hand it another one. */
export interface CliContext {
  /** Absolute path of the folder the command was called in. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  /**
   * Writes text (with its line ends) to stdout: what the command is asked for, and nothing else. Text of both streams goes
   * through `printable`: only `\n` breaks a line, and what controls a terminal or a build server is shown as an escape.
   */
  readonly write: (text: string) => void
  /** Writes text to stderr: progress, warnings, errors. */
  readonly writeError: (text: string) => void
  /** Is stderr a terminal? Absent: no. */
  readonly isTerminal?: boolean
  /** Writes to a terminal as it is, for a line of our own that is written over; absent where stderr is none. */
  readonly writeOver?: (text: string) => void
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Sets the exit status: 0 fine, 1 the thing examined is not, 2 it could not be examined. */
  readonly setStatus: (status: 0 | 1 | 2) => void
}

/**
 * One file of `commands/` exports one of these: it adds its command, options and action to the program. An action may
 * throw a `BenchError`, which ends the program with message, remedy and status 2. Heavy imports belong into the action
 * (`await import(…)`), so that `--help` stays quick.
 */
export type AddCommand = (program: Command, context: CliContext) => void
