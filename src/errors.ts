/**
 * The error classes of the product. This file is a leaf: every folder may import it, it imports nothing of ours.
 * Every message says what happened; `remedy` says what to do about it.
 */
export interface ErrorDetails {
  /** Stable, machine-readable name of the fault, for example `engine_unreachable`. */
  readonly code: string
  /** One sentence that tells the user what to do. */
  readonly remedy: string
  readonly cause?: unknown
}

export class BenchError extends Error {
  readonly code: string
  readonly remedy: string

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = details.code
    this.remedy = details.remedy
  }
}

/** The run cannot be made as configured (bad variable, no engine, server refused the key): exit status 2, nothing recorded. */
export class ConfigError extends BenchError {}

/** Server, sandbox or harness failed during a trial: outcome `infra`, never the model's failure. */
export class InfraError extends BenchError {}

/** The time of a trial is over. It is the reason of the trial's signal, so that whoever is waiting can say for what. */
export class TrialDeadlineError extends Error {
  override readonly name = 'TrialDeadlineError'

  /** @param limitMs milliseconds that the trial had */
  constructor(readonly limitMs: number) {
    super(`the trial took longer than ${limitMs / 1000} s`)
  }
}

/** A mistake in a task or manifest, reported at collection with file, field and remedy. */
export class SpecError extends BenchError {}

/**
 * Text of an error for a person: message, remedy, and the cause when it adds something. Where message and remedy tell of
 * several mistakes, one a line, each stands with its remedy.
 */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const problems = error.message.split('\n')
  const remedies = error instanceof BenchError ? error.remedy.split('\n') : []
  if (problems.length > 1 && problems.length === remedies.length) {
    return problems.map((problem, at) => `${problem}\n  remedy: ${remedies[at]}`).join('\n')
  }
  const remedy = error instanceof BenchError ? `\n  remedy: ${error.remedy}` : ''
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? `\n  cause: ${error.cause.message}`
      : ''
  return `${error.message}${cause}${remedy}`
}

/** Code of the {@link InfraError} for a sandbox that was lost while a command of the agent ran in it. */
export const LOST_DURING_COMMAND = 'sandbox_lost_during_command'
