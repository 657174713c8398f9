/** What "tests first" means to the tasks that ask for it: order by tool call, and tests that really test. */
import type { CallView, CheckResult, Moment, Run, VerifyTools } from 'agent-bench'
import { type PythonSource, readPython } from './python-source.ts'

export const CODE = 'main.py'
export const TESTS = 'test_main.py'

type Questions = Pick<Run, 'firstText' | 'firstExists' | 'firstCall' | 'sawTestsFail' | 'because'>

/** What tests are to be of. */
export interface TestedFunction {
  readonly functionName: string
  /** The cases the prompt names. */
  readonly cases: readonly (readonly [input: number, text: string])[]
}

/**
 * Has the text a test that takes from `main` what it tests, compares what came of the function with something, and has at
 * least one of the cases: its input, and its text? By syntax alone, as it has to tell when there is no code to run.
 */
export function isTestOf(text: string, { functionName, cases }: TestedFunction): boolean {
  const source = readPython(text.replace(/^\uFEFF/, ''))
  if (source === null || !source.imports.has('main') || source.tests.length === 0 || !source.asserts) return false
  // A text may be put together from several.
  const texts = source.strings.join('')
  const hasCase = cases.some(
    ([input, expected]) =>
      (source.numbers.includes(input) || source.strings.includes(String(input))) && texts.includes(expected),
  )
  const tested = comingFrom(source, [functionName, 'main', CODE])
  return hasCase && source.comparisons.some(words => [...words].some(word => tested(word)))
}

/** Says of names and texts whether the given ones, or anything made from them, is or is in them. */
function comingFrom({ origins, bindings }: PythonSource, given: readonly string[]): (word: string) => boolean {
  const known = new Set(given)
  for (const { name, by } of bindings) if (by === 'import from main') known.add(name)
  // A program in a text, or a path, holds the name among other words.
  const isKnown = (word: string) => known.has(word) || given.some(one => /\W/.test(word) && word.includes(one))
  for (let size = 0; size !== known.size; ) {
    size = known.size
    for (const { name, from } of origins) if (!known.has(name) && [...from].some(isKnown)) known.add(name)
  }
  return isKnown
}

/**
 * When the test file first held a test, if that was in an earlier call than the one that first left main.py, and no earlier
 * call had the code in another place. Writing both in one call shows no order, and the prompts ask for separate calls.
 */
export function testsBeforeCode(run: Questions, tested: TestedFunction): Moment | false {
  const tests = run.firstText(TESTS, text => isTestOf(text, tested))
  if (!tests) return run.because(`${TESTS} never held a test that imports from main and compares one of the cases`)
  const code = run.firstExists(CODE)
  if (!code) return false
  if (tests.call >= code.call) return run.because(`${CODE} was not written in a later call than the tests`)
  const early = run.firstCall(call => hasCode(call, tests.call, tested.functionName), { before: tests })
  return early ? run.because(`call ${early.call}, not later than the tests, had the code already`) : tests
}

/**
 * Was the code in anything that a call up to the tests' sent or wrote? In the tests' own call the test file is left out:
 * what it defines there is a stand-in, which is another matter.
 */
function hasCode({ call, sent, written }: CallView, testsCall: number, functionName: string): boolean {
  const tests = call === testsCall ? written.get(TESTS) : undefined
  const commands = tests === undefined ? sent : sent.map(text => text.replaceAll(tests.trim(), ''))
  const files = [...written].filter(([path]) => tests === undefined || path !== TESTS).map(([, text]) => text)
  const code = definition(functionName)
  return [...commands.flatMap(text => [text, ...decoded(text)]), ...files].some(text => code.test(text))
}

/** The function with a body, beginning a line or a quoted text. The head alone may well stand in a note. */
const definition = (name: string): RegExp =>
  new RegExp(
    `(?:^|\\\\n|['"])[ \\t]*(?:def ${name}[ \\t]*\\([^)\\n]{0,200}\\)[^:\\n]{0,100}:[^]{0,4000}?\\breturn\\b|${name}[ \\t]*=[ \\t]*lambda\\b)`,
    'm',
  )

/** What base64 in a command stands for. */
const decoded = (text: string): string[] =>
  (text.match(/[A-Za-z0-9+/]{40,}={0,2}/g) ?? []).map(digits => Buffer.from(digits, 'base64').toString())

/** When a failing run of tests that were there before the code had been seen, in an earlier call than the code's. */
export function redBeforeCode(run: Questions, tested: TestedFunction): Moment | false {
  const tests = testsBeforeCode(run, tested)
  const code = tests && run.firstExists(CODE)
  return code && run.sawTestsFail({ after: tests, before: callBefore(code) })
}

/** The call before a moment: a bound that leaves the call of the moment itself out. */
export const callBefore = (moment: Moment): Moment => ({ turn: moment.turn, call: moment.call - 1 })

/** Does main.py itself make the function, rather than take it from a test file or elsewhere? */
export function isDefinedInCode({ text, check }: VerifyTools, functionName: string): CheckResult {
  const source = readPython((text(CODE) ?? '').replace(/^\uFEFF/, ''))
  const own = source?.bindings.some(({ name, by }) => name === functionName && (by === 'def' || by === 'assignment'))
  return check(own ?? false, `${CODE} defines ${functionName}`)
}

/**
 * How a test file gives the function, or the module it is in, a meaning of its own, in words; null when it takes it from main
 * and from nowhere else. By syntax: see `testsNeedCode` for what that cannot see.
 */
export function ownMeaning(text: string, functionName: string, { isImportNeeded = true } = {}): string | null {
  const source = readPython(text.replace(/^\uFEFF/, ''))
  if (isImportNeeded && !source?.imports.has('main')) return 'does not import from main'
  const own = source?.bindings.find(
    ({ name, by }) => (name === functionName || name === 'main') && by !== 'import from main',
  )
  return own === undefined ? null : `gives ${own.name} a meaning of its own (${own.by})`
}
