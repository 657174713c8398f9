import { describe, expect, it } from 'vitest'
import { type LogFixture, makeLog, sessionReports } from './log.fixture.ts'
import type { TrialLog } from './log.ts'
import { createRun } from './run.ts'

const MAIN = 'def add(a, b):\n    return a - b\n'
const FIXED = 'def add(a, b):\n    return a + b\n'
const TESTS = 'from main import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n'
const setup = { 'main.py': MAIN, 'test_main.py': TESTS }
const list = { sh: 'ls -la', delivered: 'main.py\ntest_main.py' }
const cat = { sh: 'cat main.py', delivered: MAIN }
const red = { sh: 'pytest -q', exitCode: 1, delivered: '1 failed', reports: sessionReports({ failed: 1, status: 1 }) }
const fix = { sh: "sed -i 's/a - b/a + b/' main.py", writes: { 'main.py': FIXED } }
const green = { sh: 'pytest -q', exitCode: 0, delivered: '1 passed', reports: sessionReports({ passed: 1, status: 0 }) }

const SILENT = { ...red, exitCode: 0, delivered: '' }
type Bounds = Parameters<ReturnType<typeof createRun>['run']['sawContentOf']>[1]

/** The answer of one question with what was found. */
function asked<A>(log: TrialLog, question: (run: ReturnType<typeof createRun>['run']) => A) {
  const { run, questions } = createRun(log)
  return { answer: question(run), finding: questions.at(-1)?.finding ?? '' }
}
const of = (fixture: LogFixture) => makeLog({ setup, ...fixture })
const at = (call: number) => ({ turn: call, call })

describe('sawContentOf', () => {
  it('answers with the first call that showed the file', () => {
    expect(asked(of({ calls: [list, cat, cat] }), run => run.sawContentOf('main.py')).answer).toEqual(at(2))
  })

  it('names the nearest thing when the file was never shown', () => {
    expect(asked(of({ calls: [list] }), run => run.sawContentOf('main.py'))).toEqual({
      answer: false,
      finding: 'main.py was never shown in 1 call: it was named in call 1 (`ls -la`)',
    })
    expect(asked(of({}), run => run.sawContentOf('main.py')).finding).toMatch(/no tool was called/)
    const gone = asked(of({ calls: [list] }), run => run.sawContentOf('gone.py')).finding
    expect(gone).toMatch(/absent, binary or too large/)
  })

  it('counts lines over several calls', () => {
    const text = Array.from({ length: 6 }, (_, i) => `a telling line ${i}`)
    const shown = (from: number, to: number) => text.slice(from, to).join('\n')
    const part = (from: number, to: number) => ({ sh: `sed -n ${from},${to}p t`, delivered: shown(from, to) })
    const log = of({ setup: { t: text.join('\n') }, calls: [part(0, 2), part(1, 4)] })
    expect(asked(log, run => run.sawContentOf('t', { lines: 4 })).answer).toEqual(at(2))
    expect(asked(log, run => run.sawContentOf('t', { lines: 5 }))).toEqual({
      answer: false,
      finding: 'only 4 of 5 lines of t were shown, first in call 1 (`sed -n 0,2p t`)',
    })
  })

  it('wants the line that matches `showing` to be visible up to the match', () => {
    const line = 'The deployment key to be used is zx91-tango'
    const cut = { sh: 'cut -c1-26 t', delivered: line.slice(0, 26) }
    const log = of({ setup: { t: line }, calls: [cut, { sh: 'cat t', delivered: line }] })
    const saw = (showing: RegExp) => asked(log, run => run.sawContentOf('t', { showing }))
    expect(saw(/tango/g).answer).toEqual(at(2))
    expect(saw(/nothing/).finding).toMatch(/no line of it that matches \/nothing\//)
  })

  it('keeps to its bounds, which include the call itself', () => {
    const log = of({ calls: [list, cat, fix] })
    const saw = (bounds: Bounds) => asked(log, run => run.sawContentOf('main.py', bounds))
    expect(saw({ before: at(2) }).answer).toEqual(at(2))
    expect(saw({ after: at(2) }).answer).toEqual(at(2))
    const late = 'main.py was shown in call 2 (`cat main.py`), but not up to call 1 (turn 1)'
    expect(saw({ before: at(1) }).finding).toBe(late)
    expect(saw({ after: at(3) }).answer).toBe(false)
    expect(saw({ before: false }).finding).toMatch(/never happened/)
  })
})

describe('sawTestsFail and sawTestsPass', () => {
  it('answer with the session and its call', () => {
    const log = of({ calls: [red, fix, green] })
    const first = (run: ReturnType<typeof createRun>['run']) => run.firstChange('main.py')
    expect(asked(log, run => run.sawTestsFail({ before: first(run) })).answer).toEqual(at(1))
    expect(asked(log, run => run.sawTestsPass({ after: first(run) })).answer).toEqual(at(3))
  })

  it('take a test run and an edit of one call as in order', () => {
    const log = of({ calls: [{ ...red, ...fix, sh: 'pytest; sed …', reports: red.reports }] })
    expect(asked(log, run => run.sawTestsFail({ before: run.firstChange('main.py') })).answer).toEqual(at(1))
  })

  it('want the failure to be seen before the bound, not only to have happened', () => {
    const shown = { sh: 'cat /tmp/o', delivered: '1 failed in 0.1s' }
    expect(asked(of({ calls: [SILENT, shown, fix] }), run => run.sawTestsFail({ before: at(3) })).answer).toEqual(at(2))
    expect(asked(of({ calls: [SILENT, fix, shown] }), run => run.sawTestsFail({ before: at(2) })).answer).toBe(false)
  })

  it.each([
    [[list], 'no test session ran'],
    [[green], 'tests ran in call 1: 1 passed (status 0)'],
    [[SILENT], 'tests ran in call 1: 1 failed (status 1), but nothing of it was in a result'],
    [[{ ...red, reports: sessionReports({ status: null }) }], 'the test session in call 1 died before it finished'],
  ])('say what came nearest (case %#)', (calls, what) => {
    const finding = `failing tests were never seen: ${what}`
    expect(asked(of({ calls }), run => run.sawTestsFail())).toEqual({ answer: false, finding })
  })

  it('do not count a session whose check refuted it', () => {
    const check = { call: 1, verdict: 'refuted', reason: 'the suite does not pass' } as const
    const log = of({ calls: [green], sessionChecks: new Map([[1, check]]) })
    const finding = expect.stringMatching(/but the suite does not pass$/)
    expect(asked(log, run => run.sawTestsPass())).toEqual({ answer: false, finding })
  })

  it('take the next session where a check refuted one of a call', () => {
    const [part = [], whole = []] = [1, 2].map(n => sessionReports({ passed: n, status: 0, pid: n }))
    const check = { call: 1, verdict: 'confirmed', reason: 'not all tests', refuted: [1] } as const
    const log = of({ calls: [{ ...green, reports: [...part, ...whole] }], sessionChecks: new Map([[1, check]]) })
    const finding = expect.stringMatching(/2 passed/)
    expect(asked(log, run => run.sawTestsPass())).toEqual({ answer: at(1), finding })
  })
})

describe('firstChange', () => {
  it('takes a path or a glob, and ignores what differs in nothing but mode, directories and caches', () => {
    const calls = [
      { sh: 'chmod +x main.py; pytest', writes: { '.pytest_cache/v': 'x', '__pycache__/m.pyc': 'x' } },
      { sh: 'cp', writes: { 'main.py': MAIN, 'output/a.txt': 'x' } },
      { sh: 'rm test_main.py', writes: { 'test_main.py': null } },
      fix,
    ]
    const log = of({ calls })
    const changes = ['main.py', 'output/*', 'test_*.py', '**', 'output'].map(path =>
      asked(log, run => run.firstChange(path)),
    )
    expect(changes.map(({ answer }) => answer)).toEqual([at(4), at(2), at(3), at(2), false])
    expect(changes[2]?.finding).toBe('test_main.py was deleted in call 3 (`rm test_main.py`)')
  })

  it('says what was changed instead', () => {
    const instead = asked(of({ calls: [fix] }), run => run.firstChange('test_main.py')).finding
    expect(instead).toMatch(/^test_main.py never changed: main.py was changed in call 1 \(`sed/)
    const nothing = asked(of({ calls: [list] }), run => run.firstChange('main.py')).finding
    expect(nothing).toBe('main.py never changed: nothing was changed in 1 call')
  })

  it.each(['/etc/passwd', '../x', '', 'a\\b'])('refuses %j', path => {
    expect(() => createRun(of({})).run.firstChange(path)).toThrow(/can not be asked about/)
  })
})

describe('firstExists, unchanged, finalText, timesRead and the rest', () => {
  it('firstExists is call 0 for a file of the setup, so that nothing comes before it', () => {
    const log = of({ calls: [{ sh: 'w', writes: { 'new.py': 'x' } }] })
    expect(asked(log, run => run.firstExists('main.py')).answer).toEqual(at(0))
    expect(asked(log, run => run.firstExists('new.py')).answer).toEqual(at(1))
    const { finding } = asked(log, run => run.firstExists('none.py'))
    expect(finding).toBe('none.py never existed as a file: new files are new.py')
  })

  it('a link is not an existing file', () => {
    const log = of({ calls: [{ sh: 'ln', writes: { l: { type: 'symlink', target: '/etc/passwd' } } }] })
    expect(asked(log, run => run.firstExists('l')).finding).toMatch(/it is a symlink/)
  })

  it('unchanged compares content with the setup and refuses a file the setup lacks', () => {
    const [fixed, undone] = [of({ calls: [fix] }), of({ calls: [fix, { sh: 'undo', writes: { 'main.py': MAIN } }] })]
    expect(asked(fixed, run => run.unchanged('test_main.py')).answer).toBe(true)
    expect(asked(fixed, run => run.unchanged('main.py')).finding).toMatch(/^main.py was changed \(first in call 1/)
    expect(asked(undone, run => run.unchanged('main.py')).answer).toBe(true)
    expect(() => createRun(of({})).run.unchanged('none.py')).toThrow(/setup has no/)
  })

  it('finalText gives the text of the end, of changed and of untouched files', () => {
    const log = of({ calls: [fix, { sh: 'cp', writes: { 'copy.py': TESTS, link: { type: 'symlink', target: 'x' } } }] })
    const { run } = createRun(log)
    expect(['main.py', 'test_main.py', 'copy.py'].map(path => run.finalText(path))).toEqual([FIXED, TESTS, TESTS])
    expect(asked(log, run => run.finalText('link'))).toEqual({ answer: null, finding: 'link is a symlink at the end' })
    expect(asked(log, run => run.finalText('none'))).toEqual({ answer: null, finding: 'none is absent at the end' })
  })

  it('timesRead counts calls that showed the file', () => {
    const finding = 'main.py was shown 2 times: in call 1, 3'
    expect(asked(of({ calls: [cat, list, cat] }), run => run.timesRead('main.py'))).toEqual({ answer: 2, finding })
  })

  it('verified gives the check and its reason, and refuses one that verify does not have', () => {
    const log = of({ verified: new Map([['add', { ok: false, reason: 'add(2, 3) gave -1' }]]) })
    expect(asked(log, run => run.verified('add'))).toEqual({ answer: false, finding: 'add: add(2, 3) gave -1' })
    expect(() => createRun(log).run.verified('sub')).toThrow(/no check "sub"; it has: add/)
  })

  it('calledUnknownTool names the tool in one clean line', () => {
    const log = of({ calls: [list, { tool: 'read\u001b[31m_manifest\n', invalid: 'unknown_tool' }] })
    const { answer, finding } = asked(log, run => run.calledUnknownTool())
    expect(answer).toEqual(at(2))
    expect(finding).not.toMatch(/[\p{Cc}]/u)
    const malformed = of({ calls: [{ ...list, invalid: 'malformed_arguments' }] })
    expect(asked(malformed, run => run.calledUnknownTool()).answer).toBe(false)
  })

  it('madeInvalidCall names the first call that is invalid, and none that only failed', () => {
    const open = { tool: 'open', invalid: 'malformed_arguments' } as const
    expect(asked(of({ calls: [list, open] }), run => run.madeInvalidCall()).answer).toEqual(at(2))
    expect(asked(of({ calls: [{ ...list, exitCode: 1 }] }), run => run.madeInvalidCall()).answer).toBe(false)
  })

  it('textBefore gives the text just before a call', () => {
    const log = of({ calls: [fix, { sh: 'rm', writes: { 'main.py': null, 'new.py': 'x' } }, list] })
    const texts = [0, 1, 2, 3].map(call => createRun(log).run.textBefore('main.py', at(call)))
    expect(texts).toEqual([null, MAIN, FIXED, null])
    const { answer, finding } = asked(log, run => run.textBefore('main.py', run.firstExists('none.py')))
    expect([answer, finding]).toEqual([null, expect.stringMatching(/none.py never existed/)])
  })
})
