import { describe, expect, it } from 'vitest'
import { type CallFixture, makeLog, type SessionFixture, sessionReports } from './log.fixture.ts'
import type { SessionCheck } from './log.ts'
import { testSessions } from './sessions.ts'

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

  it.each<[string, string, readonly string[], string]>([
    ['on a path of the workspace', '/tmp', ['python3', '-m', 'pytest', '/workspace', '-q'], '/workspace'],
    ['on a relative path that leads there', '/', ['pytest', 'workspace/test_main.py'], '/workspace'],
    ['below it', '/workspace/sub', ['pytest', '-k', 'one'], '/workspace'],
    ['on its own files', '/tmp', ['pytest', '-q', 'test_own.py'], '/tmp'],
    ['on a name that only begins alike', '/workspace2', ['pytest'], '/workspace2'],
    ['on a path above', '/workspace/../tmp', ['pytest'], '/tmp'],
    ['on a copy from the workspace', '/workspace', ['pytest', '/tmp/copy'], '/tmp/copy'],
    ['on a file of a copy', '/', ['pytest', '-x', '/tmp/copy/test_main.py::test'], '/tmp/copy'],
  ])('knows where a session was: %s', (_what, cwd, argv, place) => {
    expect(sessionsOf(call({ ...FAIL, cwd, argv }, '', 0)).map(one => one.place)).toEqual([place])
    expect(sessionsOf(call({ ...PASS, cwd, argv }, '', 0))).toHaveLength(place === '/workspace' ? 1 : 0)
  })

  it('pairs the reports of several sessions of one call by process', () => {
    const [startOne, finishOne] = sessionReports({ ...FAIL, pid: 1 })
    const [startTwo, finishTwo] = sessionReports({ ...PASS, pid: 2 })
    const reports = [startOne, startTwo, finishTwo, finishOne].filter(report => report !== undefined)
    expect(sessionsOf({ sh: 'pytest & pytest; wait', reports }).map(one => one.outcome)).toEqual(['failed', 'passed'])
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
    ['when the model only typed the words', 'FAILED test.py::t', 0, 'pytest > /tmp/o; echo "FAILED test.py::t"'],
    ['when the result says 0 failed', '0 failed', 0],
    ['when the status was lost', '', null],
    ['when pytest was killed by a signal', '', -9],
  ])('not %s', (_how, delivered, exitCode, sh) => {
    expect(sessionsOf(call(FAIL, delivered, exitCode, sh))[0]?.seen).toBeNull()
  })

  const silent = call(FAIL, 'exit code: 0', 0, 'pytest > /tmp/o || true')
  it('in a later call that shows its output', () => {
    const shown = { sh: 'cat /tmp/o', delivered: '1 failed, 1 passed in 0.02s' }
    expect(sessionsOf(silent, { sh: 'ls' }, shown)[0]?.seen).toEqual({ turn: 3, call: 3 })
  })

  it('not by a mere word or exit status of a later call', () => {
    const word = { sh: 'cat errors.md', delivered: 'about failed errors', exitCode: 1 }
    expect(sessionsOf(silent, word)[0]?.seen).toBeNull()
  })
})

describe('a passing session is seen', () => {
  it.each<[string, string, number, string]>([
    ['by the status alone', '', 0, 'pytest -q > /dev/null 2>&1'],
    ['by the status of a chain', '', 0, 'cd /workspace && pytest -q &> /dev/null'],
    ['by the status of the last command', '', 0, 'cd /workspace\npytest -q > /dev/null 2>&1'],
    ['by the status of make', '', 0, 'cd /workspace; make test > /dev/null'],
    ['by the summary', '2 passed in 0.01s', 1, 'pytest; false'],
    ['by the summary through a pipe', '2 passed in 0.01s', 0, 'pytest | tail -n 1'],
    ['by the progress line', '.. [100%]', 0, 'pytest -qq || true'],
    ['by the verbose list', 'test_main.py::test PASSED [ 50%]', 0, 'pytest -v | grep PASSED'],
    ['by a status that is printed', '0', 0, 'pytest > /dev/null 2>&1; echo $?'],
    ['by a message', 'all green', 0, 'pytest > /dev/null 2>&1 && echo "all green" || echo red'],
    ['by a message of a condition', 'green', 0, 'if pytest &> /dev/null; then echo green; else echo red; fi'],
  ])('%s', (_how, delivered, exitCode, sh) => {
    expect(sessionsOf(call(PASS, delivered, exitCode, sh))[0]?.seen).toEqual({ turn: 1, call: 1 })
  })

  it.each<[string, string, number, string]>([
    ['when nothing is shown and any status made 0', '', 0, 'pytest -q > /dev/null 2>&1 || true'],
    ['when true comes last', '', 0, 'pytest -q > /dev/null 2>&1; true'],
    ['when another command comes last', 'o.txt', 0, 'pytest -q > /tmp/o 2>&1\nls'],
    ['when a pipe swallows it', '', 0, 'pytest -q 2>&1 | cat > /tmp/o'],
    ['when it runs in the background', '', 0, 'pytest -q > /tmp/o & wait'],
    ['when a shell is told to succeed', '', 0, "bash -c 'pytest > /dev/null 2>&1 || exit 0'"],
    ['when nothing is said either way', '', 0, 'pytest > /dev/null 2>&1 && touch /tmp/a || touch /tmp/b'],
    ['when the status is that of another', '', 1, 'pytest > /dev/null; false'],
    ['when the message is not there', '', 0, 'pytest > /dev/null 2>&1 && echo fine || true'],
    ['when the summary was typed', '2 passed', 0, 'pytest > /dev/null 2>&1; echo "2 passed"'],
  ])('not %s', (_how, delivered, exitCode, sh) => {
    expect(sessionsOf(call(PASS, delivered, exitCode, sh))[0]?.seen).toBeNull()
  })

  it('and so is a failing one by a message or a status that is printed', () => {
    expect(sessionsOf(call(FAIL, '1', 0, 'pytest &> /dev/null; echo $?'))[0]?.seen).not.toBeNull()
    expect(sessionsOf(call(FAIL, 'red', 0, 'pytest &> /dev/null && echo green || echo red'))[0]?.seen).not.toBeNull()
    expect(sessionsOf(call(FAIL, '', 0, 'pytest &> /dev/null || true'))[0]?.seen).toBeNull()
  })
})

describe('the sessions of one call', () => {
  it('know the place of their last report, whatever stands between', () => {
    const forged = sessionReports({ ...PASS, pid: 3, argv: ['python3', '-'] })
    const away = sessionReports({ ...PASS, pid: 4, cwd: '/tmp' })
    const reports = [...forged, ...away, ...sessionReports(FAIL), ...sessionReports({ status: null, pid: 5 })]
    expect(sessionsOf({ sh: 'x', reports }).map(({ outcome, position }) => [outcome, position])).toEqual([
      ['failed', 5],
      ['died', 6],
    ])
  })
})
