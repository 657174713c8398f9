/**
 * Calls code of a task's author with a deadline. A timer cannot do that: while a loop goes round, or a pattern backtracks,
 * no timer fires. Node's `vm` can: it ends whatever the call has led to, functions of other contexts and the engine for
 * regular expressions included, and no `catch` or `finally` of that code can stop it.
 *
 * Not covered here: what such code does later, after an `await` or in a timer, and calls that block in the system
 * (`execSync`). For those a second thread (`trial/verify-watch.ts`) reads what is running from {@link authorCode}. Nothing
 * covers memory that it fills.
 */
import { url as inspectorUrl } from 'node:inspector'
import { createContext, Script } from 'node:vm'
import { InfraError } from '../errors.ts'

/** Milliseconds for the flags of one trial, or for one check until its first `await`. Those of this bench take a few. */
export const AUTHOR_CODE_MS = 10_000
/** Milliseconds for one pattern of a manifest over one text. */
const PATTERN_MS = 2_000

/** What the watching thread sees, by index of {@link authorCode}. */
export const CELLS = {
  /** Counts up while this thread gets on. */
  beats: 0,
  /** Calls with a deadline that have begun and not ended. */
  calls: 1,
  /** Milliseconds of the outermost of them. */
  callMs: 2,
  /** Checks that are waited for, and the milliseconds one stretch of theirs may take. */
  waits: 3,
  waitMs: 4,
  /** Stretches that were ended. */
  stops: 5,
  /** 1 from when a stretch is ended until this thread gets on again. */
  isStopping: 6,
  /** Whether a thread is watching. */
  isWatched: 7,
  /** Bytes of the name that follows. */
  nameBytes: 8,
} as const
export const NAME_AT = 4 * Object.keys(CELLS).length
const MAX_NAME_BYTES = 1_000
const KEY = Symbol.for('agent-bench.author-code')

/** Memory shared with the watching thread: {@link CELLS}, then the name of what is running. One for a process, however often Vitest loads this file. */
export function authorCode(): Int32Array<SharedArrayBuffer> {
  const known: unknown = Reflect.get(globalThis, KEY)
  if (known instanceof Int32Array && known.buffer instanceof SharedArrayBuffer) return new Int32Array(known.buffer)
  const cells = new Int32Array(new SharedArrayBuffer(NAME_AT + MAX_NAME_BYTES))
  Reflect.set(globalThis, KEY, cells)
  return cells
}

const encoder = new TextEncoder()
let owner = ''

/** Says whose code is called from now on: the watching thread can name it only if it is written down before. */
export function nameOwner(task: string): void {
  owner = task
  nameCode('code')
}

/** Says which code of the owner is called next, for example `flag "greeted"`. */
export function nameCode(what: string): void {
  const cells = authorCode()
  // A shared buffer cannot be encoded into.
  const bytes = encoder.encode(owner === '' ? what : `${what} of ${owner}`).subarray(0, MAX_NAME_BYTES)
  new Uint8Array(cells.buffer, NAME_AT).set(bytes)
  Atomics.store(cells, CELLS.nameBytes, bytes.length)
}

/** What a call came to. */
export type Within<Value> = { readonly isOverdue: false; readonly value: Value } | { readonly isOverdue: true }

/** A context with nothing but the call that is to be made; contexts are dear (about 1 ms), calls into one are not. */
const room: { work: () => void } = { work: () => undefined }
createContext(room)
const knock = new Script('work()', { filename: 'agent-bench:deadline' })

/**
 * Calls `work` and ends it after `limitMs` (a whole number above 0). Costs about 0.2 ms, so one call should take in all that shares a
 * deadline. A deadline inside another one works. Under a debugger there is none: the author may be at a breakpoint.
 * @example
 * const answer = callWithin(1_000, () => pattern.test(text))
 * @throws what `work` throws.
 */
export function callWithin<Value>(limitMs: number, work: () => Value): Within<Value> {
  if (inspectorUrl() !== undefined) return { isOverdue: false, value: work() }
  const outcome: { value?: { readonly made: Value }; thrown?: { readonly error: unknown } } = {}
  room.work = () => {
    try {
      outcome.value = { made: work() }
    } catch (error) {
      outcome.thrown = { error }
    }
  }
  const cells = authorCode()
  if (Atomics.add(cells, CELLS.calls, 1) === 0) {
    Atomics.store(cells, CELLS.callMs, limitMs)
    Atomics.add(cells, CELLS.beats, 1)
  }
  try {
    knock.runInContext(room, { timeout: limitMs, displayErrors: false })
  } catch (error) {
    if (!isTimeout(error)) throw error
    return { isOverdue: true }
  } finally {
    room.work = () => undefined
    Atomics.sub(cells, CELLS.calls, 1)
    Atomics.add(cells, CELLS.beats, 1)
  }
  if (outcome.thrown !== undefined) throw outcome.thrown.error
  if (outcome.value === undefined) throw new Error('a call within a deadline neither ended nor was ended')
  return { isOverdue: false, value: outcome.value.made }
}

/** The error comes from the other context, so it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

/**
 * Applies a pattern of a manifest to a text that comes from a model.
 * @param field Where the pattern stands, for example `required_commands[0]`.
 * @throws InfraError code `pattern_timeout`: a pattern that takes this long is the manifest's fault, never the model's.
 */
export function applyPattern<Value>(field: string, pattern: RegExp, apply: () => Value, limitMs = PATTERN_MS): Value {
  const answer = callWithin(limitMs, apply)
  if (!answer.isOverdue) return answer.value
  throw new InfraError(`the pattern of ${field}, ${pattern}, was not through with a text after ${limitMs / 1_000} s`, {
    code: 'pattern_timeout',
    remedy: `Simplify the pattern in bench_manifest.json: a repetition inside a repetition, such as (a+)+, can take for ever. ${UNCOUNTED}`,
  })
}

/** End of the remedy where code of the task ran too long. */
export const UNCOUNTED = 'The trial is not counted against the model.'
