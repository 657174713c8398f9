import { describe, expect, it } from 'vitest'
import { type CallFixture, makeLog, sessionReports } from '../evidence/log.fixture.ts'
import type { CallSession } from '../evidence/sessions.ts'
import type { Sandbox, TestReport } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { checkSessions, contradiction } from './session-check.ts'

/** The reports of a session in which the tests named by these letters passed and failed; unless it named none. */
function reportsOf(passed: string, failed = '', { named = true, cwd = '/workspace', pid = 1 } = {}): TestReport[] {
  const status = failed === '' ? 0 : 1
  const reports = sessionReports({ passed: passed.length, failed: failed.length, status, cwd, pid })
  return reports.map(report => ({
    ...report,
    ...(named ? { tests: { passed: [...passed], failed: [...failed] } } : {}),
  }))
}
const ran = (passed: string, failed = '', named = true): TestReport => {
  const report = reportsOf(passed, failed, { named }).at(-1)
  if (report === undefined) throw new Error('the fixture gave no report')
  return report
}
const claim = (finish: TestReport): Pick<CallSession, 'outcome' | 'finish'> => ({
  outcome: finish.failed > 0 ? 'failed' : 'passed',
  finish,
})

describe('a claim', () => {
  it.each<[string, TestReport, TestReport | null, RegExp | null]>([
    ['to pass all tests of the suite', ran('ab'), ran('ab'), null],
    ['to pass these and tests of its own', ran('abz'), ran('ab'), null],
    ['to pass a part', ran('a'), ran('ab'), /not all tests/],
    ['to pass a part and as many of its own', ran('az'), ran('ab'), /not all tests/],
    ['to pass what does not pass', ran('ab'), ran('a', 'b'), /does not pass/],
    ['to pass, without the names', ran('ab', '', false), ran('ab'), /did not say which tests/],
    ['to pass as many where the suite names none', ran('ab', '', false), ran('ab', '', false), null],
    ['to pass fewer where the suite names none', ran('a', '', false), ran('ab', '', false), /not all tests/],
    ['to fail in one of several', ran('', 'b'), ran('a', 'bc'), null],
    ['to fail in that and one of its own', ran('a', 'bz'), ran('a', 'b'), null],
    ['to fail in one of its own', ran('', 'z'), ran('a', 'b'), /not a test of the suite/],
    ['to fail in a test that passes', ran('', 'a'), ran('a', 'b'), /not a test of the suite/],
    ['to fail where nothing fails', ran('a', 'b'), ran('ab'), /does not fail/],
    ['to fail, without the names', ran('', 'b', false), ran('a', 'b'), /did not say which tests/],
    ['to fail where there are no tests', ran('', 'a'), ran(''), /does not fail/],
    ['where the suite did not end', ran('', 'a'), null, /did not run to its end/],
  ])('%s', (_what, finish, given, problem) => {
    const found = contradiction(claim(finish), given)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toMatch(problem)
  })
})

/** A call that ran sessions, each of a passing part, in a way that shows them. */
const call = (parts: readonly string[], more: CallFixture = {}): CallFixture => ({
  sh: 'pytest',
  delivered: '1 passed in 0.01s',
  reports: parts.flatMap((part, index) => reportsOf(part, '', { pid: index + 1 })),
  ...more,
})

/** Checks the sessions of the last call in a sandbox whose suite has the tests a and b, and fails in b while main.py is bad. */
async function checkLast(calls: readonly CallFixture[]) {
  const setup = new Map([['main.py', { bytes: Buffer.from('bad'), mode: 0o644 }]])
  let laid: FileMap = new Map()
  const commands: string[] = []
  const sandbox = {
    reset: async (files: FileMap) => {
      laid = files
    },
    exec: async (command: string) => {
      commands.push(command)
      const isBad = Buffer.from(laid.get('main.py')?.bytes ?? []).toString() === 'bad'
      return { testReports: isBad ? reportsOf('a', 'b') : reportsOf('ab') }
    },
  } as unknown as Sandbox
  const log = makeLog({ setup: { 'main.py': 'bad' }, calls })
  const task = { setup, allowedWrites: ['main.py'] }
  const found = await checkSessions(sandbox, log, task, calls.length, new Map(), AbortSignal.timeout(5_000))
  return { verdict: found.verdict, commands }
}
const FIX: CallFixture = { sh: 'sed', writes: { 'main.py': 'good' } }
const HIDDEN = { sh: 'pytest > /dev/null 2>&1 || true', delivered: '' }

describe('a whole suite put together', () => {
  it.each<[string, readonly CallFixture[]]>([
    ['of two sessions of a call', [FIX, call(['a', 'b'])]],
    ['in a call that also changed the code', [call(['a', 'b'], { writes: { 'main.py': 'good' } })]],
    ['of two calls', [FIX, call(['a']), call(['b'])]],
    ['of the call of the change and the next', [call(['b'], { writes: { 'main.py': 'good' } }), call(['a'])]],
    ['with another command between', [FIX, call(['a']), { sh: 'ls' }, call(['b'])]],
    ['with a cache between', [FIX, call(['a'], { writes: { '.pytest_cache/x': '1' } }), call(['b'])]],
    ['with a scratch file between', [FIX, call(['a']), { sh: 'x', writes: { 'note.txt': '1' } }, call(['b'])]],
    ['of one part that is run twice', [FIX, call(['a']), call(['a']), call(['b'])]],
    ['of a part and the whole', [FIX, call(['a']), call(['ab'])]],
    ['of one that was shown with the next', [FIX, call(['a'], HIDDEN), call(['b'])]],
  ])('%s is confirmed', async (_what, calls) => {
    expect((await checkLast(calls)).verdict).toBe('confirmed')
  })

  it.each<[string, readonly CallFixture[]]>([
    ['of one part', [FIX, call(['a'])]],
    ['of the same part twice', [FIX, call(['a']), call(['a'])]],
    ['with a change between', [FIX, call(['a']), { sh: 'x', writes: { 'main.py': 'better' } }, call(['b'])]],
    ['with a change back and forth', [FIX, call(['a']), { sh: 'x', writes: { 'main.py': 'bad' } }, FIX, call(['b'])]],
    ['of parts before and after the fix', [call(['a']), FIX, call(['b'])]],
    ['of a part that nobody saw', [FIX, call(['b'], HIDDEN), call(['a'], { sh: 'pytest > o', delivered: '' })]],
  ])('%s is refuted', async (_what, calls) => {
    expect((await checkLast(calls)).verdict).toBe('refuted')
  })
})

describe('a failure in a copy of the workspace', () => {
  const failing = (cwd: string, failed: string): CallFixture => ({
    sh: 'pytest',
    exitCode: 1,
    reports: reportsOf('', failed, { cwd }),
  })

  it('counts where the given suite fails alike in that place', async () => {
    const { verdict, commands } = await checkLast([failing("/tmp/a 'copy'", 'b')])
    expect(verdict).toBe('confirmed')
    expect(commands[0]).toContain(String.raw`'/tmp/a '\''copy'\'''`)
    expect(commands[0]).toMatch(/^mkdir -p ('.+') && cp -R \. \1 && cd \1 && python3 -m pytest/)
  })

  it('does not where it was of other tests, or passes there', async () => {
    expect((await checkLast([failing('/tmp/own', 'z')])).verdict).toBe('refuted')
    expect((await checkLast([FIX, failing('/tmp/copy', 'b')])).verdict).toBe('refuted')
  })
})
