import { describe, expect, it } from 'vitest'
import { sessionReports } from '../evidence/log.fixture.ts'
import type { CallSession } from '../evidence/sessions.ts'
import type { TestDigests, TestReport } from '../sandbox/sandbox.ts'
import { contradiction } from './session-check.ts'

/** The finish of a session in which these tests passed and failed. */
function finishOf(passed: readonly string[], failed: readonly string[], tests?: TestDigests | null): TestReport {
  const status = failed.length > 0 ? 1 : 0
  const report = sessionReports({ passed: passed.length, failed: failed.length, status }).at(-1)
  if (report === undefined) throw new Error('the fixture gave no report')
  return { ...report, ...(tests === undefined ? {} : { tests }) }
}
const ran = (passed: string, failed = '') => {
  const [green, red] = [[...passed], [...failed]]
  return finishOf(green, red, { passed: green, failed: red })
}
const claim = (finish: TestReport | null): CallSession => ({
  outcome: finish === null || finish.failed > 0 ? 'failed' : 'passed',
  finish,
  position: 1,
})

describe('a claim to pass', () => {
  it.each<[string, TestReport, TestReport, RegExp | null]>([
    ['all tests of the suite', ran('ab'), ran('ab'), null],
    ['these and tests of its own', ran('abz'), ran('ab'), null],
    ['a part', ran('a'), ran('ab'), /not all tests/],
    ['as many others', ran('xy'), ran('ab'), /not all tests/],
    ['a part and as many of its own', ran('az'), ran('ab'), /not all tests/],
    ['what does not pass', ran('ab'), ran('a', 'b'), /does not pass/],
    ['where no test is named, as many', finishOf(['a', 'b'], [], null), ran('ab'), null],
    ['where no test is named, fewer', finishOf(['a'], [], null), ran('ab'), /not all tests/],
    ['where the suite names none, as many', ran('ab'), finishOf(['a', 'b'], [], null), null],
  ])('of %s', (_what, finish, given, problem) => {
    const found = contradiction(claim(finish), given)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toMatch(problem)
  })
})

describe('a claim to fail', () => {
  it.each<[string, TestReport, TestReport, RegExp | null]>([
    ['in the same test', ran('a', 'b'), ran('a', 'b'), null],
    ['in one of several', ran('', 'b'), ran('a', 'bc'), null],
    ['in that and one of its own', ran('a', 'bz'), ran('a', 'b'), null],
    ['in one of its own', ran('', 'z'), ran('a', 'b'), /no test of the suite/],
    ['in a test that passes', ran('', 'a'), ran('a', 'b'), /no test of the suite/],
    ['where nothing fails', ran('a', 'b'), ran('ab'), /does not fail/],
    ['without saying in what', finishOf([], ['b'], null), ran('a', 'b'), null],
  ])('%s', (_what, finish, given, problem) => {
    const found = contradiction(claim(finish), given)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toMatch(problem)
  })

  it('is not borne out by a suite that did not end, or that has no tests', () => {
    expect(contradiction(claim(ran('', 'a')), null)).toMatch(/did not run to its end/)
    expect(contradiction(claim(ran('', 'a')), ran(''))).toMatch(/does not fail/)
  })
})
