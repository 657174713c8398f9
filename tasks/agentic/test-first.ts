/** What "tests first" means to the tasks that ask for it: order by tool call, and tests that really test. */
import type { CheckResult, Moment, Run, VerifyTools } from 'agent-bench'
import { readPython } from './python-source.ts'

export const CODE = 'main.py'
export const TESTS = 'test_main.py'

type Questions = Pick<Run, 'firstText' | 'firstExists' | 'sawTestsFail' | 'because'>

/** Has the text a test that asserts something, takes from `main` what it tests, and mentions the function? */
export function isTestOf(text: string, functionName: string): boolean {
  const source = readPython(text)
  if (source === null) return false
  return source.imports.has('main') && source.tests.length > 0 && source.asserts && source.names.has(functionName)
}

/**
 * When the test file first held a test, if that was in an earlier call than the one that first left main.py. Writing both
 * in one call shows no order, and the prompts ask for separate calls.
 */
export function testsBeforeCode(run: Questions, isTests: (text: string) => boolean): Moment | false {
  const tests = run.firstText(TESTS, isTests)
  if (!tests) return run.because(`${TESTS} never held a test that imports from main and asserts something`)
  const code = run.firstExists(CODE)
  if (!code) return false
  return tests.call < code.call ? tests : run.because(`${CODE} was not written in a later call than the tests`)
}

/** When a failing run of tests that were there before the code had been seen, in an earlier call than the code's. */
export function redBeforeCode(run: Questions, isTests: (text: string) => boolean): Moment | false {
  const tests = testsBeforeCode(run, isTests)
  const code = tests && run.firstExists(CODE)
  return code && run.sawTestsFail({ after: tests, before: callBefore(code) })
}

/** The call before a moment: a bound that leaves the call of the moment itself out. */
export const callBefore = (moment: Moment): Moment => ({ turn: moment.turn, call: moment.call - 1 })

/** Does main.py itself make the function, rather than take it from a test file or elsewhere? */
export function isDefinedInCode({ text, check }: VerifyTools, functionName: string): CheckResult {
  const source = readPython(text(CODE) ?? '')
  const own = source?.bindings.some(({ name, by }) => name === functionName && (by === 'def' || by === 'assignment'))
  return check(own ?? false, `${CODE} defines ${functionName}`)
}
