import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { sampleStanding } from './sample-standing.fixture.ts'
import { fieldOf, type Standing } from './standings.ts'
import { tierLines } from './tiers.ts'

const lines = (standings: readonly Standing[], width = 200) => tierLines(fieldOf(standings), { width, color: false })
const text = (standings: readonly Standing[]) => lines(standings).join('\n')

describe('tiers below the matrix', () => {
  it('stand with their rule, the number of tasks, and what each model passes', () => {
    const weak = [0.2, 0.4].map((score, at) => sampleStanding({ task: 'ab'[at] ?? '', model: 'weak', score }))
    const shown = text([sampleStanding({ task: 'a' }), sampleStanding({ task: 'b' }), ...weak])
    expect(shown).toContain('2 tasks (agentic)')
    expect(shown).toContain('1: passes every task (pass^k, n ≥ k)')
    expect(shown).toContain('tier 1  tiny-1b (tools · docker)  passes 2 of 2, 60.0 s in all')
    expect(shown).toContain('tier 3  weak (tools · docker)  passes 0 of 2')
  })

  it('keep a model without a result on a task out of tier 1, and name the task', () => {
    const shown = text([sampleStanding({ task: 'a' }), sampleStanding({ task: 'b', model: 'other' })])
    expect(shown).toContain('tier 2  other (tools · docker)  passes 1 of 2, 1 without a result (a)')
    expect(shown).toContain('tiny-1b (tools · docker)  passes 1 of 2, 1 without a result (b)')
    expect(shown).not.toContain('tier 1  ')
  })

  it('name result files that cannot be used, with the reason, where a model stands on what is left', () => {
    const broken = ['a', 'b', 'c'].map(name => ({ file: `result_${name}.json`, reason: 'it was changed' }))
    const shown = tierLines(fieldOf([sampleStanding()], { broken, unread: 0 }), { width: 200, color: false }).join('\n')
    expect(shown).toContain('tier 1  tiny-1b')
    expect(shown).toContain('3 of the result files cannot be used: it was changed (result_a.json and 2 more).')
  })

  it('count no observed skill, neither for nor against a model', () => {
    const observed = { task: 'skill', observed: true, verdict: null, score: 0 }
    const seen = [sampleStanding(observed), sampleStanding({ ...observed, model: 'zed' })]
    const shown = text([sampleStanding({ task: 'a' }), ...seen])
    expect(shown).toContain('1 task (agentic)')
    expect(shown).toContain('tier 1  tiny-1b (tools · docker)  passes 1 of 1')
    expect(shown).not.toContain('zed')
  })

  it('list the models of a tier by name, whatever they scored', () => {
    const shown = text(
      Object.entries({ b: 0.9, a: 0.6, c: 0.8 }).map(([model, score]) => sampleStanding({ model, score })),
    )
    expect([...shown.matchAll(/(\w) \(tools · docker\)/g)].map(([, model]) => model)).toEqual(['a', 'b', 'c'])
  })

  it('say when a result rests on one sample', () => {
    expect(text([sampleStanding({ isOneSample: true })])).toContain('1 on one sample only')
  })

  it('are not there without a model', () => {
    expect(lines([sampleStanding({ isModel: false })])).toEqual([])
  })

  it.each([40, 80, 120])('keep within %i columns, and let no name control the terminal', width => {
    const evil = `\u001b[2J${'long name '.repeat(20)}\n`
    for (const line of lines([sampleStanding({ model: evil, suite: evil.slice(0, 10), task: evil })], width)) {
      expect(line).not.toMatch(/\p{Cc}/u)
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }
  })
})
