import { describe, expect, it } from 'vitest'
import { type CallFixture, makeLog, type SessionFixture, sessionReports } from './log.fixture.ts'
import type { SessionCheck } from './log.ts'
import { callSessions, testSessions } from './sessions.ts'

const call = (session: SessionFixture, delivered: string, exitCode: number | null, sh = 'pytest -q'): CallFixture => ({
  sh,
  delivered,
  exitCode,
  reports: sessionReports(session),
})
const FAIL: SessionFixture = { failed: 1, passed: 1, status: 1 }
const PASS: SessionFixture = { passed: 2, status: 0 }
const setup = { 'main.py': 'x = 1\n', 'test_main.py': 'def test(): ...\n', 'sub/test_more.py': 'def test(): ...\n' }
const sessionsOf = (...calls: CallFixture[]) => testSessions(makeLog({ setup, calls }))

describe('outcome of a session', () => {
  it.each<[string, SessionFixture, string]>([
    ['a failing test', FAIL, 'failed'],
    ['an error at collection (status 2)', { errors: 1, status: 2 }, 'failed'],
    ['failures before an interrupt (status 2)', { failed: 1, status: 2 }, 'failed'],
    ['counts forged to nothing while the status stays 1', { status: 1 }, 'failed'],
    ['a failing test whose status a hook made 0', { failed: 1, passed: 1, status: 0 }, 'failed'],
    ['passing tests', PASS, 'passed'],
    ['only collecting (--co)', { status: 0 }, 'empty'],
    ['nothing collected', { status: 5 }, 'empty'],
    ['a usage error', { status: 4 }, 'broken'],
    ['an internal error', { status: 3 }, 'broken'],
    ['an interrupt without failures', { passed: 1, status: 2 }, 'broken'],
    ['a start without a finish', { status: null }, 'died'],
  ])('of %s', (_what, session, outcome) => {
    expect(sessionsOf(call(session, '', 0)).map(one => one.outcome)).toEqual([outcome])
  })

  it.each<[string, readonly string[] | null, number]>([
    ['pytest itself', ['/usr/bin/python3', '/usr/bin/pytest', '-q'], 1],
    ['python3 -m pytest', ['python3', '-m', 'pytest'], 1],
    ['code given with -c that says pytest', ['python3', '-c', 'import pytest; pytest.main()'], 1],
    ['a script of its own', ['python3', 'run_tests.py'], 1],
    ['a process whose command line could not be read', null, 1],
    ['a process that was gone when its command line was read', [], 1],
    ['code piped into an interpreter', ['python3', '-'], 0],
    ['code given with -c that never says pytest', ['python3', '-c', 'import socket'], 0],
    ['an interpreter without anything', ['python3'], 0],
  ])('counts a report of %s or not', (_what, argv, count) => {
    expect(sessionsOf(call({ ...PASS, argv }, '', 0))).toHaveLength(count)
  })

  it.each<[string, string, readonly string[], number]>([
    ['outside, on a path of the workspace', '/tmp', ['python3', '-m', 'pytest', '/workspace', '-q'], 1],
    ['outside, on a relative path that leads there', '/', ['pytest', 'workspace/test_main.py'], 1],
    ['outside, on its own files', '/tmp', ['pytest', '-q', 'test_own.py'], 0],
    ['outside, on everything there', '/tmp', ['pytest'], 0],
  ])('counts a session started %s or not', (_what, cwd, argv, count) => {
    expect(sessionsOf(call({ ...PASS, cwd, argv }, '', 0))).toHaveLength(count)
  })

  it('pairs the reports of several sessions of one call by process', () => {
    const [startOne, finishOne] = sessionReports({ ...FAIL, pid: 1 })
    const [startTwo, finishTwo] = sessionReports({ ...PASS, pid: 2 })
    const reports = [startOne, startTwo, finishTwo, finishOne].filter(report => report !== undefined)
    expect(sessionsOf({ sh: 'pytest & pytest; wait', reports }).map(one => one.outcome)).toEqual(['failed', 'passed'])
  })

  it.each(['/tmp', '/workspace2', '/workspace/../tmp', '/'])('leaves out a session in %s', cwd => {
    expect(sessionsOf(call({ ...FAIL, cwd }, '', 1))).toEqual([])
  })

  it.each<[string, Partial<SessionCheck>, readonly (string | null)[]]>([
    ['not', { verdict: 'confirmed' }, [null, null]],
    ['for all sessions of its call', { verdict: 'refuted' }, ['passes here', 'passes here']],
    ['for one of them', { verdict: 'confirmed', refuted: [1] }, ['passes here', null]],
  ])('knows a claim that was refuted %s', (_what, found, refutations) => {
    const check: SessionCheck = { call: 1, verdict: 'refuted', reason: 'passes here', ...found }
    const reports = [...sessionReports({ ...FAIL, pid: 1 }), ...sessionReports({ ...FAIL, pid: 2 })]
    const log = makeLog({ setup, calls: [{ sh: 'pytest; pytest', reports }], sessionChecks: new Map([[1, check]]) })
    expect(testSessions(log).map(one => one.refutation)).toEqual(refutations)
  })
})

describe('a failing session is seen', () => {
  it.each<[string, string, number | null, string?]>([
    ['by the exit status alone', 'exit code: 1\nstdout: (empty)', 1],
    ['by the summary through a pipe', '1 failed, 1 passed in 0.02s', 0, 'pytest -q | tail -1'],
    ['by the short summary', 'FAILED test_main.py::test - assert 1 == 2', 0],
    ['by the heading of the failures', '=================== FAILURES ===================', 0],
    ['by the assertion', 'E       assert -1 == 5', 0],
    ['by the verbose list', 'test_main.py::test FAILED      [100%]', 0],
    ['by the progress line', '.F                                   [100%]', 0],
    ['by an error of make', 'make: *** [Makefile:2: test] Error 1', 0, 'make test || true'],
    ['by the words of a wrapper', 'The tests have failed.', 0, 'sh run.sh'],
    ['by colours', '\u001b[31m1 failed\u001b[0m, 1 passed', 0],
  ])('%s', (_how, delivered, exitCode, sh) => {
    expect(sessionsOf(call(FAIL, delivered, exitCode, sh))[0]?.seen).toEqual({ turn: 1, call: 1 })
  })

  it.each<[string, string, number | null, string?]>([
    ['when nothing of it is shown', 'exit code: 0\nstdout: (empty)', 0, 'pytest > /tmp/o || true'],
    [
      'when the model only typed the words',
      'FAILED test_main.py::test',
      0,
      'pytest > /tmp/o; echo "FAILED test_main.py::test"',
    ],
    ['when the result says 0 failed', '0 failed', 0],
    ['when the status was lost', '', null],
    ['when pytest was killed by a signal', '', -9],
  ])('not %s', (_how, delivered, exitCode, sh) => {
    expect(sessionsOf(call(FAIL, delivered, exitCode, sh))[0]?.seen).toBeNull()
  })

  it('in a later call that shows its output', () => {
    const silent = call(FAIL, 'exit code: 0', 0, 'pytest > /tmp/o || true')
    expect(
      sessionsOf(silent, { sh: 'ls' }, { sh: 'cat /tmp/o', delivered: '1 failed, 1 passed in 0.02s' })[0]?.seen,
    ).toEqual({ turn: 3, call: 3 })
  })

  it('not by a mere word or exit status of a later call', () => {
    const silent = call(FAIL, 'exit code: 0', 0, 'pytest > /tmp/o || true')
    expect(
      sessionsOf(silent, { sh: 'cat errors.md', delivered: 'about failed errors', exitCode: 1 })[0]?.seen,
    ).toBeNull()
  })
})

describe('a passing session', () => {
  it('is seen by exit status 0 or by its summary', () => {
    expect(sessionsOf(call(PASS, '', 0))[0]?.seen).toEqual({ turn: 1, call: 1 })
    expect(sessionsOf(call(PASS, '2 passed in 0.01s', 1, 'pytest; false'))[0]?.seen).toEqual({ turn: 1, call: 1 })
    expect(sessionsOf(call(PASS, '', 1, 'pytest > /dev/null; false'))[0]?.seen).toBeNull()
  })

  it.each<readonly string[]>([
    ['-k', 'one'],
    ['--lf'],
    ['--ignore=sub'],
    ['test_main.py::test', 'sub'],
    ['test_main.py'],
  ])('counts whatever it was asked to run, for a check to find out what that was: %s', (...args) => {
    const [session] = sessionsOf(call({ ...PASS, argv: ['/usr/bin/python3', '-m', 'pytest', ...args] }, '', 0))
    expect(session).toMatchObject({ outcome: 'passed', refutation: null })
  })
})

describe('the sessions of one call', () => {
  it('know the place of their last report, whatever stands between', () => {
    const forged = sessionReports({ ...PASS, pid: 3, argv: ['python3', '-'] })
    const away = sessionReports({ ...PASS, pid: 4, cwd: '/tmp' })
    const reports = [...forged, ...away, ...sessionReports(FAIL), ...sessionReports({ status: null, pid: 5 })]
    const log = makeLog({ calls: [{ sh: 'x', reports }] })
    expect(log.calls.flatMap(callSessions).map(({ outcome, position }) => [outcome, position])).toEqual([
      ['failed', 5],
      ['died', 6],
    ])
  })
})
