/**
 * Dry run of flags: every flag is asked about invented trials, and what it asks in turn is noted. That finds a check that
 * does not exist, a file that can never be there and code that throws, before a model has spent an hour on the task.
 */
import { isUtf8 } from 'node:buffer'
import { types } from 'node:util'
import { SpecError } from '../errors.ts'
import { didYouMean, knownOnly } from './mistakes.ts'
import type { CallView, CommandQuestion, Moment, Order, ReadQuestion, Run, StubQuestion } from './run.ts'
import { isMoment, isReached } from './run.ts'
import { callWithin } from './run-within.ts'
import type { Flag, Task } from './task.ts'

/** What one flag asked, over all invented trials. */
export interface FlagProbe {
  readonly checks: ReadonlySet<string>
  /** Files whose content must have been read (`sawContentOf`, `timesRead`, …). */
  readonly reads: ReadonlySet<string>
  /** All other files asked for, globs included. */
  readonly files: ReadonlySet<string>
  /** What the flag threw, or null. */
  readonly thrown: { readonly error: unknown } | null
  /** Its code ends without a `return` in every case, so it can never be reached. */
  readonly givesNothing: boolean
  /** What it answered where the answer is none a flag may give, for example `a promise`; else null. */
  readonly wrongAnswer: string | null
  /** Milliseconds after which it was given up because it did not come to an end; else null. */
  readonly endlessAfterMs: number | null
}

/**
 * Answers of the invented trials: question number n of a flag is answered by bit n of the number, repeated. 0 is "nothing
 * happened", 15 is "everything happened"; the mixes lead past both sides of `&&` and `||`.
 */
const PATTERNS = Array.from({ length: 16 }, (_, pattern) => pattern)
const PATTERN_BITS = 4
/** Milliseconds for one flag and all its invented trials, which hold no more text than the setup. */
const PROBE_MS = 3_000

/**
 * Asks a flag about the invented trials. `textOf` gives a file's text in the setup, where it has one.
 * @param limitMs Milliseconds for all of them together.
 */
export function probeFlag(
  flag: Flag,
  textOf: (path: string) => string | null,
  invented: Invented = NOTHING_INVENTED,
  limitMs: number = PROBE_MS,
): FlagProbe {
  const checks = new Set<string>()
  const reads = new Set<string>()
  const files = new Set<string>()
  let thrown: FlagProbe['thrown'] = null
  let wrongAnswer: string | null = null
  let hasAnswered = false
  const asked = callWithin(limitMs, () => {
    for (const pattern of PATTERNS) {
      try {
        const answer: unknown = flag(inventedRun(pattern, { checks, reads, files, textOf, ...invented }))
        wrongAnswer ??= describeWrongAnswer(answer)
        hasAnswered ||= answer !== undefined
      } catch (error) {
        thrown ??= { error }
      }
    }
  })
  const endlessAfterMs = asked.isOverdue ? limitMs : null
  const givesNothing = thrown === null && !asked.isOverdue && !hasAnswered && hasNoReturn(flag)
  return { checks, reads, files, thrown, givesNothing, wrongAnswer, endlessAfterMs }
}

/**
 * The code is a body in braces in which the word `return` does not stand. A flag that has one may well give nothing in all
 * invented trials: its files may hold what it looks for.
 */
function hasNoReturn(flag: Flag): boolean {
  const code = String(flag)
  return (
    /^\s*(?:function\b|(?:\([^()]*\)|[\w$]+)\s*=>\s*\{|[\w$]+\s*\([^()]*\)\s*\{)/.test(code) && !/\breturn\b/.test(code)
  )
}

/** What can be asked more closely; record types make the compiler say when an option is added and forgotten here. */
const BOUNDS: Readonly<Record<keyof Order, true>> = { before: true, after: true }
const READING: Readonly<Record<keyof ReadQuestion, true>> = { ...BOUNDS, lines: true, showing: true }
const STUB_RUN: Readonly<Record<keyof StubQuestion, true>> = { ...BOUNDS, args: true }
const COMMAND: Readonly<Record<keyof CommandQuestion, true>> = { ...BOUNDS, stubs: true, scripts: true }

/**
 * An option that is mistyped, or a moment in place of options, would be passed over: the flag would ask less than it says.
 * @throws SpecError
 */
function checkOptions(question: keyof Run, options: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof options !== 'object' || options === null) return
  const names = Object.keys(known)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name)) {
      const remedy =
        'call' in options ? 'Write { before: … } or { after: … } around the moment.' : didYouMean(name, names)
      throw new SpecError(`${question} has no option ${JSON.stringify(name)}`, { code: 'spec_invalid', remedy })
    }
    if (!Object.hasOwn(BOUNDS, name) || value === undefined || value === false || isMoment(value)) continue
    throw new SpecError(
      `the option ${JSON.stringify(name)} of ${question} is ${String(value)}, which is not a moment`,
      {
        code: 'spec_invalid',
        remedy: 'Give a moment that a question returned, such as run.firstChange(…).',
      },
    )
  }
}

/** What invented trials have of the task's own. */
export interface Invented {
  readonly instance: unknown
  readonly state: unknown
  /** Messages of the user. */
  readonly messages: number
}

/** What invented trials of a task have. */
const inventedFor = ({ instance, state, turns }: Pick<Task, 'instance' | 'state' | 'turns'>): Invented => ({
  instance: instance?.data,
  state: state?.(),
  messages: 1 + turns.length,
})

const NOTHING_INVENTED: Invented = { instance: undefined, state: undefined, messages: 1 }

interface Notes extends Invented {
  readonly checks: Set<string>
  readonly reads: Set<string>
  readonly files: Set<string>
  readonly textOf: (path: string) => string | null
}

const INVENTED_CALL: CallView = {
  turn: 1,
  call: 1,
  tool: 'bash',
  valid: true,
  args: {},
  sent: ['true'],
  result: 'exit code: 0',
  written: new Map(),
}

function inventedRun(pattern: number, notes: Notes): Run {
  const { checks, reads, files, textOf } = notes
  let asked = 0
  const yes = (): boolean => {
    const bit = (pattern >> (asked % PATTERN_BITS)) & 1
    asked += 1
    return bit === 1
  }
  const moment = (): Moment | false => (yes() ? { turn: asked, call: asked } : false)
  const note = (set: Set<string>, value: string): void => {
    set.add(typeof value === 'string' ? value : `(${typeof value})`)
  }
  const answer = pattern === 0 ? '' : 'final answer'
  const run: Run = {
    sawContentOf(path, question) {
      checkOptions('sawContentOf', question, READING)
      note(reads, path)
      return moment()
    },
    timesRead(path) {
      note(reads, path)
      return yes() ? 1 : 0
    },
    sawTestsFail(order) {
      checkOptions('sawTestsFail', order, BOUNDS)
      return moment()
    },
    sawTestsPass(order) {
      checkOptions('sawTestsPass', order, BOUNDS)
      return moment()
    },
    firstChange(pathOrGlob) {
      note(files, pathOrGlob)
      return moment()
    },
    firstExists(path) {
      note(files, path)
      return moment()
    },
    unchanged(path) {
      note(files, path)
      return yes()
    },
    finalText(path) {
      note(files, path)
      return yes() ? (textOf(path) ?? 'text of a file\n') : null
    },
    verified(check) {
      note(checks, check)
      return yes()
    },
    share(...names) {
      for (const name of names) note(checks, name)
      return yes() ? 1 : 0
    },
    calledUnknownTool: () => moment(),
    callCount: pattern,
    calls: () => (yes() ? [INVENTED_CALL] : []),
    touched(path) {
      note(files, path)
      return moment()
    },
    finalAnswer: answer,
    answer,
    answers: Array.from({ length: notes.messages }, () => answer),
    state: notes.state,
    instance: notes.instance,
    tokens: pattern === 0 ? null : pattern,
    because: () => false,
    discovered(path, order) {
      checkOptions('discovered', order, BOUNDS)
      note(files, path)
      return moment()
    },
    textBefore(path) {
      note(files, path)
      return yes() ? (textOf(path) ?? 'text of a file\n') : null
    },
    firstText(path, fits) {
      note(files, path)
      fits(textOf(path) ?? 'text of a file\n') // only to see it throw
      return moment()
    },
    firstCall(fits, order) {
      checkOptions('firstCall', order, BOUNDS)
      fits(INVENTED_CALL) // only to see it throw
      return moment()
    },
    madeInvalidCall: () => moment(),
    ranStub(path, question) {
      checkOptions('ranStub', question, STUB_RUN)
      note(files, path)
      return moment()
    },
    ranCommand(_pattern, question) {
      checkOptions('ranCommand', question, COMMAND)
      return moment()
    },
  }
  return knownOnly(run, 'question')
}

function describeWrongAnswer(answer: unknown): string | null {
  if (isReached(answer)) return null
  if (typeof answer === 'number') return `the number ${answer}, which is not from 0 to 1`
  if (typeof answer !== 'object') return `a ${typeof answer}`
  return types.isPromise(answer) ? 'a promise' : 'an object that is not a moment or a share'
}

/**
 * The files each flag of a task must have been shown (`sawContentOf`, `timesRead`), by flag id. A collector uses it to
 * refuse a flag that asks for a file without any line to recognise it by.
 */
export function readsOf(
  task: Pick<Task, 'flags' | 'setup' | 'instance' | 'state' | 'turns'>,
): ReadonlyMap<string, readonly string[]> {
  const reads = new Map<string, readonly string[]>()
  for (const [id, flag] of task.flags) {
    const probe = probeFlag(flag, path => textIn(task.setup, path), inventedFor(task))
    if (probe.reads.size > 0) reads.set(id, [...probe.reads].sort())
  }
  return reads
}

/** Text of a file of a setup; null when it is absent or not UTF-8. */
export function textIn(setup: ReadonlyMap<string, { readonly bytes: Uint8Array }>, path: string): string | null {
  const file = setup.get(path)
  if (file === undefined) return null
  return isUtf8(file.bytes) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes) : null
}
