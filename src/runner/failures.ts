/**
 * The errors a trial's test fails with. Their stack points into the spec file, so that the code frame is the task's. Stock
 * reporters print a message as it is, so text of the model, a file or a server is escaped here.
 */
import { escapeForTerminal, printable } from '../../reporters/terminal.ts'
import type { FlagResult, Tamper } from '../evidence/log.ts'
import type { SourcePosition } from '../task/position.ts'

/** One line per frame of a stack, without the message. */
function framesOf(stack: string): string[] {
  return stack.split('\n').filter(line => /^\s+at /.test(line))
}

/** The frames of a stack that lie in the given file; positions are as the module runner sees them, Vitest maps them. */
function framesIn(stack: string | null, file: string): string[] {
  return stack === null ? [] : framesOf(printable(stack)).filter(frame => frame.includes(file))
}

function stackAt(name: string, message: string, frames: readonly string[], source: SourcePosition): string {
  const shown = frames.length > 0 ? frames : [`    at ${source.file}:${source.line}:${source.column}`]
  return [`${name}: ${message}`, ...shown].join('\n')
}

/** A trial in which flags were lost or protected files changed. The message never names the trial: equal failures are shown once. */
export class FlagsFailedError extends Error {
  override readonly name = 'FlagsFailedError'

  constructor(
    options: {
      readonly flags: readonly FlagResult[]
      readonly tamper: readonly Tamper[]
      readonly ending: string | null
      /** Only names what was lost: the reasons are shown elsewhere. */
      readonly isBrief: boolean
    },
    source: SourcePosition,
  ) {
    const lost = options.flags.filter(flag => !flag.reached)
    const lines = [
      ...(options.ending === null ? [] : [options.ending]),
      ...lost.map(flag => `✗ ${flag.id}: ${flag.reason}`),
      ...options.tamper.slice(0, 10).map(change => `tamper: ${change.path} (${change.kind})`),
    ]
    const heading =
      lost.length > 0
        ? `${lost.length} of ${options.flags.length} flags lost`
        : options.tamper.length > 0
          ? 'every flag reached, but protected files changed'
          : 'every flag reached, but the trial says nothing about the model'
    const names = [
      ...lost.map(({ id }) => id),
      ...(options.tamper.length > 0 ? ['tamper'] : []),
      ...(options.ending === null ? [] : ['ended early']),
    ]
    super(
      options.isBrief
        ? `${heading}: ${escapeForTerminal(names.join(', '))}`
        : printable([heading, ...lines.map(escapeForTerminal)].join('\n  ')),
    )
    this.stack = stackAt(this.name, this.message, framesIn(lost[0]?.stack ?? null, source.file), source)
  }
}

/** An error whose stack is the place of the task, as nothing else is known of where it belongs. */
abstract class TaskError extends Error {
  constructor(name: string, message: string, source: SourcePosition) {
    super(printable(message))
    this.name = name
    this.stack = stackAt(name, this.message, [], source)
  }
}

/** A trial that an earlier run judged, and that did not pass there. */
export class RecordedFailureError extends TaskError {
  constructor(message: string, source: SourcePosition) {
    super('RecordedFailureError', message, source)
  }
}

/** A trial that was not judged: server, sandbox or harness failed. */
export class TrialNotJudgedError extends TaskError {
  constructor(message: string, source: SourcePosition) {
    super('TrialNotJudgedError', message, source)
  }
}
