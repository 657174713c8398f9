import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { parseFragment } from 'parse5'
import { beforeEach, describe, expect, it } from 'vitest'
import type { TrialRecord } from '../src/results/record-schema.ts'
import { sampleRecord } from '../src/results/sample-record.fixture.ts'
import { writeSummary } from '../src/results/store.ts'
import { summarise } from '../src/results/summary.ts'
import { folderOfEachTest } from '../test/folder.ts'
import { finishedRun } from './finished-run.fixture.ts'
import { radarReporter } from './radar.ts'
import { radarSvg } from './radar-svg.ts'
import { sampleStanding } from './sample-standing.fixture.ts'
import { fieldOf, type Standing } from './standings.ts'

function svgOf(standings: readonly Standing[]): string {
  const svg = radarSvg(fieldOf(standings))
  if (svg === null) throw new Error('there is something to draw')
  return svg
}

/** What XML 1.0 does not allow, besides the line feeds that we write. */
const FORBIDDEN = /[\p{Cs}\p{Noncharacter_Code_Point}]|[^\n\P{Cc}]/u
const text = () =>
  fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('</text><script>alert(1)</script>', '"/><g onload="x"', ']]>', '&lt;', "'", '\u0000\ufffe'),
  )

const TASKS = ['a', 'b', 'c', 'd']
const whole = (model: string, score = 1) => TASKS.map(task => sampleStanding({ model, task, score }))
const outlines = (svg: string) => [...svg.matchAll(/<path d="([^"]*)" class="line( area)? s\d"/g)]

describe('the radar', () => {
  it('has a closed outline for a model with a result of every task', () => {
    const [outline] = outlines(svgOf(whole('m', 0.5)))
    expect(outline?.[1]).toMatch(/Z$/)
  })

  it('leaves a gap where a result is missing, and draws no marker there', () => {
    const missing = whole('m').filter(standing => standing.task !== 'b')
    const svg = svgOf([...missing, sampleStanding({ model: 'other', task: 'b' })])
    const [outline] = outlines(svg)
    expect(outline?.[1]).not.toContain('Z')
    expect(outline?.[1]?.match(/M/g)).toHaveLength(2)
    expect(svg).not.toContain('<title>m, b:')
    expect(svg).toContain('>no result<')
  })

  it('draws a zero as a zero', () => {
    const svg = svgOf(whole('m').map(standing => (standing.task === 'b' ? { ...standing, score: 0 } : standing)))
    expect(svg).toContain('<title>m, b: 0.00</title>')
    expect(outlines(svg)[0]?.[1]).toMatch(/Z$/)
  })

  it('keeps ties visible: equal models have different shapes, sizes and line widths', () => {
    const svg = svgOf(['a', 'b', 'c', 'd'].flatMap(model => whole(model, 0.75)))
    const widths = [...svg.matchAll(/class="line area s\d" stroke-width="([\d.]+)"/g)].map(match => Number(match[1]))
    expect(widths).toHaveLength(4)
    expect(widths).toEqual(widths.toSorted((x, y) => y - x))
    expect(new Set(widths).size).toBe(4)
    const first = [...svg.matchAll(/<path d="([^"]*)" class="m s\d"><title>\w, a:/g)].map(match => match[1])
    expect(new Set(first).size).toBe(4)
  })

  it('has the values in a table, with passes and n, and in words for those who hear it', () => {
    const svg = svgOf([...whole('m').slice(1), sampleStanding({ model: 'm', task: 'a', score: 0.83, passes: 2 })])
    expect(svg).toContain('>0.83</text>')
    expect(svg).toContain('>2/3</text>')
    expect(svg).toMatch(/<title id="radar-title">[^<]*: m<\/title>/)
    expect(svg).toMatch(/<desc id="radar-desc">[^<]*m \(tools · docker\): a 0\.83 \(2 of 3 trials pass\)/)
    expect(svg).toContain('role="img" aria-labelledby="radar-title radar-desc"')
  })

  it('is the same bytes for the same results, in whatever order and whenever they were read', () => {
    const standings = ['x', 'y', 'z'].flatMap(model => whole(model, 0.3))
    const later = standings.map(standing => ({ ...standing, latest: '2027-01-01T00:00:00.000Z', file: '/other.json' }))
    expect(svgOf(later.toReversed())).toBe(svgOf(standings))
    expect(svgOf(standings)).not.toMatch(/2026|2027/)
  })

  it('shows long names cut, with the whole name as a tooltip', () => {
    const name = `model-${'x'.repeat(100)}`
    const svg = svgOf(whole(name))
    expect(svg).toMatch(/…<title>model-x{100}<\/title>/)
  })

  it.each([1, 2, 3, 16, 17, 60])('can be drawn with %i tasks', count => {
    const svg = svgOf(Array.from({ length: count }, (_, at) => sampleStanding({ task: `t${at}` })))
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    if (count > 48) expect(svg).toContain(`${count - 48} more tasks are not shown`)
  })

  it('is nothing without a model', () => {
    expect(radarSvg(fieldOf([sampleStanding({ isModel: false })]))).toBeNull()
    expect(radarSvg(fieldOf([sampleStanding({ observed: true, verdict: null })]))).toBeNull()
  })

  it('lets no name become markup, and holds no character that XML forbids', () => {
    const elements = (svg: string) => svg.match(/<[a-z]+/g)?.filter(tag => tag !== '<title').length
    const plain = elements(svgOf([sampleStanding({ model: 'm', task: 't', suite: 's', agent: 'a' })]))
    fc.assert(
      fc.property(fc.record({ model: text(), task: text(), suite: text(), agent: text() }), names => {
        const svg = svgOf([sampleStanding(names)])
        expect(elements(svg)).toBe(plain)
        expect(svg).not.toMatch(FORBIDDEN)
        expect(parseFragment(svg).childNodes).toHaveLength(2)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the radar reporter', () => {
  const dir = folderOfEachTest()
  const lines: string[] = []
  beforeEach(() => {
    lines.length = 0
  })

  function finish(records: readonly TrialRecord[], options: { isModelResult?: boolean } = {}): void {
    const summaries = summarise(records, { runId: 'r', k: 1, trials: 1 })
    for (const summary of summaries) writeSummary(dir(), summary)
    lines.push(...radarReporter.onRunEnd(finishedRun({ resultsDir: dir(), summaries, ...options })))
  }

  it('draws what is in the results folder, also of earlier runs, and leaves nothing else there', () => {
    finish([sampleRecord({ model: 'early' })])
    finish([sampleRecord({ model: 'late' })])
    const svg = readFileSync(dir('radar.svg'), 'utf8')
    expect(svg).toContain('>early<')
    expect(svg).toContain('>late<')
    expect(lines.at(-1)).toMatch(/^radar: .*radar\.svg$/)
    expect(readdirSync(dir()).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('takes the four models with the newest results and says so', () => {
    for (const [day, model] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      finish([sampleRecord({ model, started_at: `2026-01-0${day + 1}T00:00:00.000Z` })])
    }
    expect(lines.at(-1)).toContain('(the 4 newest models of 5)')
    expect(readFileSync(dir('radar.svg'), 'utf8')).not.toContain('>a<')
  })

  it('writes no file when no model was measured, and leaves an old one as it is', () => {
    const reference = [sampleRecord({ agent: 'reference', model: 'reference' })]
    finish(reference, { isModelResult: false })
    expect(existsSync(dir('radar.svg'))).toBe(false)
    dir.write({ 'radar.svg': 'old' })
    finish(reference, { isModelResult: false })
    expect(readFileSync(dir('radar.svg'), 'utf8')).toBe('old')
  })

  it('says that the file cannot be written, and does not throw', () => {
    finish([sampleRecord()])
    rmSync(dir('radar.svg'))
    // A folder cannot be replaced by a file, not even by root.
    mkdirSync(dir('radar.svg'))
    finish([sampleRecord()])
    expect(lines.join('\n')).toContain('remedy: ')
    expect(readdirSync(dir()).filter(name => name.startsWith('.'))).toEqual([])
  })
})
