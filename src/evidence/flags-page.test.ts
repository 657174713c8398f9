import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Flag } from '../task/task.ts'
import { judge } from './judge.ts'
import { makeLog, sessionReports, stubReport } from './log.fixture.ts'
import { createRun } from './run.ts'

const page = readFileSync(new URL('../../docs/flags.md', import.meta.url), 'utf8')
const sections = page.split(/^## /m).slice(1)
const questions = Object.keys(createRun(makeLog({})).run)

const BEFORE = 'def add(first, second):\n    return first - second\n'
const AFTER = 'def add(first, second):\n    return first + second\n'
const TESTS = 'from main import add\n\n\ndef test_small_numbers():\n    assert add(2, 3) == 5\n'
const RATES = 'The standard rate is 21 percent.\n'
const BUILD = '#!/bin/bash\necho building\n'
const setup = {
  'main.py': BEFORE,
  'test_main.py': TESTS,
  'docs/guide/rates.md': RATES,
  'skill/scripts/build.sh': BUILD,
}

const BUILT = stubReport('skill/scripts/build.sh', BUILD, ['--out', 'dist'])

/** An agent that works as it should. */
const worked = makeLog({
  setup,
  calls: [
    { sh: 'cat main.py test_main.py', delivered: BEFORE + TESTS },
    { sh: 'pytest -q', exitCode: 1, delivered: '1 failed', reports: sessionReports({ failed: 1, status: 1 }) },
    { sh: 'grep -rn standard .', delivered: `./docs/guide/rates.md:1:${RATES}` },
    { tool: 'write_file', args: { path: 'main.py', content: AFTER }, writes: { 'main.py': AFTER } },
    { sh: 'pytest -q', delivered: 'exit code: 0\n1 passed', reports: sessionReports({ passed: 1, status: 0 }) },
    { sh: 'bash skill/scripts/build.sh --out dist', delivered: 'building', stubs: [BUILT] },
    { sh: 'printf …', writes: { 'report.md': '# Report\n\nThe rate is 21 percent.\n' } },
  ],
  finalAnswer: 'The sign in main.py was wrong.',
  state: { orders: ['tea'] },
  instance: { report: 'report.md' },
  tokens: 9_000,
  verified: new Map([['adds', { ok: true, reason: 'all 7 calls gave what is expected' }]]),
})

/** An agent that did nothing. */
const idle = makeLog({
  setup,
  state: { orders: [] },
  instance: { report: 'report.md' },
  verified: new Map([['adds', { ok: false, reason: 'call 1 of 7 differs' }]]),
})

/** The flag written in a section of the page. */
function exampleOf(section: string): Flag {
  const code = /```ts\n([\s\S]*?)```/.exec(section)?.[1]
  if (code === undefined) throw new Error(`no example in: ${section.slice(0, 60)}`)
  return new Function(`return (${code})`)()
}

describe('the page of flag questions', () => {
  it('has a section for each question, and for nothing else', () => {
    const named = sections.map(section => /^`(\w+)/.exec(section)?.[1])
    expect(named.toSorted()).toEqual(questions.toSorted())
  })

  it('names each question in the overview', () => {
    const overview = page.split(/^## /m)[0] ?? ''
    expect(questions.filter(question => !overview.includes(`\`${question}\``))).toEqual([])
  })

  it.each(questions)(
    'has an example of %s that an agent at work reaches and an idle one loses, with a reason',
    question => {
      const section = sections.find(text => text.startsWith(`\`${question}`)) ?? ''
      expect(section.slice(section.indexOf('```'))).toContain(`run.${question}`)
      const flags = new Map([['example', exampleOf(section)]])
      expect(judge(flags, worked)).toMatchObject([{ reached: true, reason: '' }])
      const [lost] = judge(flags, idle)
      expect(lost?.reached).toBe(false)
      expect(lost?.reason).not.toBe('')
    },
  )
})
