/**
 * Calls code of a task's author with a deadline. A timer cannot do that: while a loop goes round, or a pattern backtracks,
 * no timer fires. Node's `vm` can: it ends whatever the call has led to, functions of other contexts and the engine for
 * regular expressions included, and no `catch` or `finally` of that code can stop it.
 *
 * Not covered here: what such code does later, after an `await` or in a timer, and calls that block in the system
 * (`execSync`). A process that such code blocks is ended by its parent (`trial/beat.ts`). Nothing covers memory that it fills.
 */
import { url as inspectorUrl } from 'node:inspector'
import { createContext, Script } from 'node:vm'
import { InfraError } from '../errors.ts'

/** Milliseconds for the flags of one trial, or for one check until its first `await`. Those of this bench take a few. */
export const AUTHOR_CODE_MS = 10_000
/** Milliseconds for one pattern of a manifest over one text. */
const PATTERN_MS = 2_000

/** What a call came to. */
export type Within<Value> = { readonly isOverdue: false; readonly value: Value } | { readonly isOverdue: true }

/** A context with nothing but the call that is to be made; contexts are expensive (about 1 ms), calls into one are not. */
const sandboxContext: { work: () => void } = { work: () => undefined }
createContext(sandboxContext)
const callScript = new Script('work()', { filename: 'agent-bench:deadline' })

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
  sandboxContext.work = () => {
    try {
      outcome.value = { made: work() }
    } catch (error) {
      outcome.thrown = { error }
    }
  }
  try {
    callScript.runInContext(sandboxContext, { timeout: limitMs, displayErrors: false })
  } catch (error) {
    if (!isTimeout(error)) throw error
    return { isOverdue: true }
  } finally {
    sandboxContext.work = () => undefined
  }
  if (outcome.thrown !== undefined) throw outcome.thrown.error
  if (outcome.value === undefined) throw new Error('a call within a deadline neither ended nor was ended')
  return { isOverdue: false, value: outcome.value.made }
}

/** The error comes from the other context, so it is not an `Error` of this one. */
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
