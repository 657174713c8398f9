import { describe, expect, it } from 'vitest'
import { InfraError } from '../errors.ts'
import type { Flag } from '../task/task.ts'
import { decisiveSessions, judge } from './judge.ts'
import { makeLog, sessionReports } from './log.fixture.ts'

const MAIN = 'def add(a, b):\n    return a - b\n'
const red = { sh: 'pytest -q', exitCode: 1, delivered: '1 failed', reports: sessionReports({ failed: 1, status: 1 }) }
const green = { sh: 'pytest -q', exitCode: 0, delivered: '1 passed', reports: sessionReports({ passed: 1, status: 0 }) }
const log = makeLog({
  setup: { 'main.py': MAIN, 'other.py': 'something_else = 1\n' },
  calls: [
    { sh: 'cat main.py', delivered: MAIN, turn: 3 },
    { ...red, turn: 4 },
    { sh: 'sed …', writes: { 'main.py': 'x = 1\n' }, turn: 4 },
    { ...green, turn: 5 },
    { tool: 'publish', invalid: 'unknown_tool', turn: 6 },
  ],
  verified: new Map([['add', { ok: true, reason: 'fine' }]]),
})
const judgeOne = (flag: Flag) => {
  const result = judge(new Map([['f', flag]]), log)[0]
  if (result === undefined) throw new Error('no result')
  return result
}

describe('judge', () => {
  it('attributes the turn of the moment, and none for true or what the setup had', () => {
    expect(judgeOne(run => run.sawContentOf('main.py'))).toMatchObject({ id: 'f', reached: true, turn: 3, reason: '' })
    expect(judgeOne(run => run.verified('add'))).toMatchObject({ reached: true, turn: null })
    expect(judgeOne(run => run.firstExists('main.py'))).toMatchObject({ reached: true, turn: null })
    expect(judgeOne(run => run.verified('add') && run.sawTestsPass())).toMatchObject({ reached: true, turn: 5 })
  })

  it.each([[false], [null], [undefined]])('takes %s as lost', answer => {
    const reason = 'the flag asked nothing and gave no reason'
    expect(judgeOne(() => answer)).toEqual({ id: 'f', reached: false, turn: null, reason, stack: null })
  })

  it.each<[string, Flag, RegExp]>([
    ['the question that found nothing', run => run.sawContentOf('other.py'), /^other.py was never shown/],
    [
      'both questions of an or',
      run => run.sawContentOf('other.py') || run.firstChange('other.py'),
      /^other.py was never shown.*; other.py never changed/,
    ],
    [
      'the answer it did not want',
      run => !run.calledUnknownTool(),
      /^call 5 named a tool that does not exist: publish$/,
    ],
    ['a count the flag did not accept', run => run.timesRead('main.py') > 1, /^main.py was shown 1 time/],
    ['a text it did not accept', run => run.finalText('main.py') === '', /^main.py has 6 characters/],
    ['the reason of the flag itself', run => run.because('more than three calls'), /^more than three calls$/],
    [
      'a bound that never happened',
      run => run.sawTestsFail({ before: run.firstChange('other.py') }),
      /^other.py never changed: main.py was.*; failing tests were never seen: other.py never changed, so nothing could come before it$/,
    ],
    [
      'a bound on the other side that never happened',
      run => run.sawContentOf('main.py', { after: run.ranCommand(/npm: test/) }),
      /reading main.py does not count: no command fits \/npm: test\/, so nothing could come after it$/,
    ],
    [
      'a bound of several that may be meant, without naming the wrong one',
      run => {
        const change = run.firstChange('other.py')
        return run.firstExists('new.py') || run.sawTestsFail({ before: change })
      },
      /: the other thing that the flag asks about never happened, so nothing could come before it$/,
    ],
    [
      'that nothing was given back although there was something',
      run => {
        run.sawContentOf('main.py')
      },
      /^the flag gave nothing back \(is a "return" missing\?\), although main.py was shown in call 1/,
    ],
    [
      'the question that found nothing, where a part of its answer is asked for',
      run => (run.finalText('gone.py')?.length === 0 ? true : undefined),
      /^gone.py is absent at the end$/,
    ],
  ])('gives as reason %s', (_what, flag, reason) => {
    expect(judgeOne(flag)).toMatchObject({ reached: false, reason: expect.stringMatching(reason) })
  })

  it('gives the stack of the deciding question, beginning in the file of the flag', () => {
    const { stack } = judgeOne(run => run.verified('add') && run.unchanged('main.py'))
    expect(stack?.split('\n')[1]).toMatch(/judge\.test\.ts/)
  })

  it('reports a flag that throws as a fault of the task, by name', () => {
    const flag: Flag = () => {
      throw new TypeError('oops')
    }
    const fault = expect.objectContaining({ code: 'flag_threw', message: 'flag "f" threw: oops' })
    expect(() => judgeOne(flag)).toThrow(fault)
    expect(() => judgeOne(run => run.verified('none'))).toThrow(InfraError)
  })

  it('reports a question that does not exist as a fault of the task, with the nearest one', () => {
    // @ts-expect-error: a flag written in JavaScript can ask anything
    const flag: Flag = run => run.sawContent('main.py')
    const message = 'flag "f": there is no question "sawContent"'
    const remedy = expect.stringContaining('Did you mean "sawContentOf"?')
    expect(() => judgeOne(flag)).toThrow(expect.objectContaining({ code: 'flag_threw', message, remedy }))
  })

  it.each<[string, () => unknown]>([
    ['a string', () => 'yes'],
    ['3, which is not from 0 to 1', () => 3],
    ['an object that is not a moment or a share', () => ({ turn: 1 })],
    ['an object that is not a moment or a share', () => ({ share: 2 })],
    ['a promise', () => Promise.reject(new Error('late'))],
  ])('refuses %s as answer of a flag', (what, answer) => {
    // @ts-expect-error: a flag written in JavaScript can return anything
    const flag: Flag = answer
    const fault = expect.objectContaining({ code: 'flag_answer', message: `flag "f" gave ${what}` })
    expect(() => judgeOne(flag)).toThrow(fault)
  })
})

describe('a flag that does not come to an end', () => {
  const fine: Flag = run => run.callCount > 0
  const loop: Flag = () => {
    for (;;);
  }
  const inCallback: Flag = run =>
    run.firstText('main.py', () => {
      for (;;);
    })

  it.each<[string, Flag]>([
    ['goes round in a loop', loop],
    ['loops in a function given to a question', inCallback],
  ])('because it %s is a fault of the task, by name', (_what, endless) => {
    const flags = new Map(Object.entries({ fine, endless, later: fine }))
    const fault = expect.objectContaining({
      code: 'flag_timeout',
      message: expect.stringMatching(/^flag "endless" had been asked for .* when the 0\.05 s for the flags/),
      remedy: expect.stringContaining('flags["endless"]'),
    })
    expect(() => judge(flags, log, 50)).toThrow(fault)
    expect(() => judge(flags, log, 50)).toThrow(InfraError)
    expect(() => decisiveSessions(flags, log, 50)).toThrow(fault)
  })
})

describe('decisiveSessions', () => {
  const lost: Flag = run => run.sawTestsPass() && false
  const flags = new Map<string, Flag>([
    ['seen', run => run.sawTestsFail({ before: run.firstChange('main.py') })],
    ['again', run => run.sawTestsFail()],
    ['passes', run => run.sawTestsPass()],
    ['lost', lost],
  ])

  it('lists the calls whose claims reached flags rest on, once each', () => {
    expect(decisiveSessions(flags, log)).toEqual([
      { call: 2, claim: 'fail' },
      { call: 4, claim: 'pass' },
    ])
  })

  it('leaves out what only lost flags asked, and what a check refuted', () => {
    expect(decisiveSessions(new Map([['lost', lost]]), log)).toEqual([])
    const refuted = { ...log, sessionChecks: new Map([[4, { call: 4, verdict: 'refuted', reason: '' } as const]]) }
    expect(decisiveSessions(flags, refuted)).toEqual([{ call: 2, claim: 'fail' }])
  })
})
