/**
 * Tests first, judged by running: the test file as it stood before there was code is run on right code, without any, and on
 * code that is wrong in one case at a time. So it does not matter how tests are written.
 */
import type { CheckResult, Hands, Moment, Past, Play, Run, SuiteResult, VerifyTools, WithFiles } from 'agent-bench'

export const CODE = 'main.py'
export const TESTS = 'test_main.py'

/** A function the tests are of, with a wrong result for each of the cases that the prompt names. */
export interface Tested {
  readonly functionName: string
  /** A module that is right. */
  readonly right: string
  readonly wrong: readonly (readonly [input: number, text: string])[]
}

/** The call before a moment: a bound that leaves the call of the moment itself out. */
export const callBefore = (moment: Moment): Moment => ({ turn: moment.turn, call: moment.call - 1 })

/** The files beside the code as they stood before there was code; what came later is taken away. */
export function filesBeforeCode({ files }: VerifyTools, run: Past): WithFiles {
  const code = run.firstExists(CODE)
  const paths = new Set([TESTS, ...files.filter(path => path !== CODE)])
  return Object.fromEntries([...paths].map(path => [path, run.textBefore(path, code)]))
}

/** What the suite of these files does on right code, without it, and on that code made wrong in each case. */
interface Runs {
  readonly right: SuiteResult | undefined
  readonly without: SuiteResult | undefined
  readonly wrongs: readonly SuiteResult[]
}

async function runsOn(
  code: string,
  { tests, files: left }: VerifyTools,
  files: WithFiles,
  tested: Tested,
): Promise<Runs> {
  const { functionName: name, wrong } = tested
  const madeWrong = wrong.map(
    ([input, result]) =>
      `${code}\n\nright = ${name}\n\n\ndef ${name}(n):\n    return ${JSON.stringify(result)} if n == ${input} else right(n)\n`,
  )
  // Tests are run without what is not Python, such as a log: then the same tests need not be run again for another log.
  const others = Object.fromEntries(left.filter(path => !path.endsWith('.py')).map(path => [path, null]))
  const variants = [code, null, ...madeWrong].map(one => ({ ...files, ...others, [CODE]: one }))
  const [right, without, ...wrongs] = await tests(variants)
  return { right, without, wrongs }
}

/** What tests lack that the agent's own code, or where that is wrong ours, could show; null when nothing. */
async function lackOf(tools: VerifyTools, files: WithFiles, tested: Tested, find: (runs: Runs) => string | null) {
  const own = tools.text(CODE)
  const lack = own === null ? null : find(await runsOn(own, tools, files, tested))
  return own !== null && lack === null ? null : find(await runsOn(tested.right, tools, files, tested))
}

const needlessness = ({ right, without }: Runs): string | null =>
  passesMore(right, without) ? null : `no test passes with ${CODE} that does not pass without it`

/** Do tests pass on right code that do not pass without it? Then a failure without it was for want of it. */
export async function needCode(tools: VerifyTools, files: WithFiles, tested: Tested): Promise<CheckResult> {
  const lack = await lackOf(tools, files, tested, needlessness)
  return { ok: lack === null, reason: lack ?? `the tests need ${CODE}` }
}

/** And does each of the wrong codes make a test fail that passes on the right one? */
export async function catchWrong(tools: VerifyTools, files: WithFiles, tested: Tested): Promise<CheckResult> {
  const lack = await lackOf(tools, files, tested, runs => {
    const missed = tested.wrong.filter((_, index) => !passesMore(runs.right, runs.wrongs[index]))
    const cases = missed.map(([input]) => input).join(', ')
    return needlessness(runs) ?? (cases === '' ? null : `no test fails on code that is wrong for ${cases}`)
  })
  return { ok: lack === null, reason: lack ?? 'the tests catch code that is wrong in a case' }
}

const passesMore = (right: SuiteResult | undefined, other: SuiteResult | undefined): boolean =>
  right !== undefined && other !== undefined && right.passed > other.passed

/** Does the final suite pass on the agent's code, and would it catch wrong code? */
export async function finalTests(tools: VerifyTools, tested: Tested): Promise<CheckResult> {
  const { right } = await runsOn(tools.text(CODE) ?? '', tools, {}, tested)
  return right?.ok ? catchWrong(tools, {}, tested) : { ok: false, reason: right?.reason ?? 'nothing ran' }
}

/** When the test file got the text that it had before there was code, if the code had not been sent anywhere by then. */
export function testsBeforeCode(run: Run, { functionName }: Tested): Moment | false {
  const text = run.textBefore(TESTS, run.firstExists(CODE))
  const tests = text !== null && run.firstText(TESTS, one => one === text)
  if (!tests) return false
  const code = new RegExp(`def ${functionName}\\b[^]*\\breturn\\b|\\b${functionName} = lambda`)
  const early = run.firstCall(({ sent, written }) => !written.has(TESTS) && sent.some(one => code.test(one)), {
    before: callBefore(tests),
  })
  return early ? run.because(`call ${early.call} had the code before the tests were there`) : tests
}

/** When those tests had been seen to fail, in an earlier call than the code's. */
export function redBeforeCode(run: Run): Moment | false {
  const code = run.firstExists(CODE)
  const text = run.textBefore(TESTS, code)
  const tests = text !== null && run.firstText(TESTS, one => one === text)
  return code && run.verified('red') && run.sawTestsFail({ after: tests, before: callBefore(code) })
}

/** The code alone, without any file that may do its work: what a check of its values is to run on. */
export const codeAlone = ({ files }: VerifyTools): WithFiles =>
  Object.fromEntries(files.filter(path => path !== CODE).map(path => [path, null]))

/** How an agent may go through the steps. */
export interface Ways {
  /** A command that shows the failure. */
  readonly red: string
  readonly code: string
  /** What happens once there is code. */
  readonly later: (hands: Hands) => Promise<unknown>
}

/** A play of all steps in the order asked for. */
export const testsFirst =
  (tests: string, { red, code, later }: Omit<Ways, 'later'> & Partial<Ways>): Play =>
  async hands => {
    await hands.write(TESTS, tests)
    await hands.sh(red)
    await hands.write(CODE, code)
    await later?.(hands)
    await hands.sh('pytest -q')
    return 'The tests failed at first and pass now.'
  }
