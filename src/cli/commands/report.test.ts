import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failedRecord, sampleRecord } from '../../results/sample-record.fixture.ts'
import { addReport } from './report.ts'
import { resultsFixture } from './results.fixture.ts'

const models = (...names: string[]) => names.map(model => sampleRecord({ model }))

describe('agent-bench report radar', () => {
  it('draws the named models only, into the results folder', async () => {
    using bench = resultsFixture(addReport)
    bench.write(models('tiny-1b', 'big-2b', '/models/Other-3B.gguf'))
    const { err } = await bench.call('report', 'radar', '--models', 'tiny-1b,OTHER-3b')
    const svg = readFileSync(join(bench.dir, 'results/radar.svg'), 'utf8')
    expect(svg).toContain('>tiny-1b<')
    expect(svg).toContain('>Other-3B<')
    expect(svg).not.toContain('big-2b')
    expect(err).toContain('radar.svg')
  })

  it('writes where it is told, and reads where the variable says', async () => {
    using bench = resultsFixture(addReport, { BENCH_RESULTS_DIR: 'results' })
    bench.write(models('tiny-1b'))
    await bench.call('report', 'radar', '--out', 'deep/er/x.svg')
    expect(readFileSync(join(bench.dir, 'deep/er/x.svg'), 'utf8')).toContain('<svg')
  })

  it('says so when the results path is a file', async () => {
    using bench = resultsFixture(addReport)
    writeFileSync(join(bench.dir, 'results'), '')
    await expect(bench.call('report', 'radar')).rejects.toMatchObject({ code: 'results_not_readable' })
  })

  it('takes an exact name for that model and no other', async () => {
    using bench = resultsFixture(addReport)
    bench.write(models('tiny', 'tiny-1b'))
    await bench.call('report', 'radar', '--models', 'tiny')
    expect(readFileSync(join(bench.dir, 'results/radar.svg'), 'utf8')).not.toContain('tiny-1b')
  })

  const reference = [sampleRecord({ agent: 'reference', model: 'reference' })]
  it.each([
    ['a model that is not known', models('tiny-1b'), ['--models', 'nix'], 'model_unknown', /have results: tiny-1b\.$/],
    ['a fifth model', models('m1', 'm2', 'm3', 'm4', 'm5'), ['--models', 'm'], 'too_many_models', /./],
    ['a reference run, which has nothing to draw', reference, [], 'no_results', /./],
  ])('refuses %s', async (_what, records, args, code, remedy) => {
    using bench = resultsFixture(addReport)
    bench.write(records)
    await expect(bench.call('report', 'radar', ...args)).rejects.toMatchObject({ code, remedy })
  })

  it.each([[[]], [['rader']]])('names the reports there are for %j', async args => {
    using bench = resultsFixture(addReport)
    const remedy = expect.stringMatching(/^Name one of these: radar \(.*matrix \(/)
    await expect(bench.call('report', ...args)).rejects.toMatchObject({ code: 'report_unknown', remedy })
  })
})

describe('agent-bench report matrix', () => {
  it('shows every model with what it lost, and the tiers', async () => {
    using bench = resultsFixture(addReport)
    bench.write([
      sampleRecord({ model: 'big-2b' }),
      failedRecord(0, 'self_verify', 'no test session ran', { model: 'tiny-1b' }),
    ])
    const { out } = await bench.call('report', 'matrix')
    expect(out).toMatch(/PASS +debug_python +big-2b/)
    expect(out).toMatch(/FAIL +debug_python +tiny-1b/)
    expect(out).toContain('no test session ran')
    expect(out).toContain('tier 1  big-2b')
  })

  it('goes into a file when asked', async () => {
    using bench = resultsFixture(addReport)
    bench.write(models('tiny-1b', 'big-2b'))
    const { out } = await bench.call('report', 'matrix', '--models', 'tiny', '--out', 'matrix.txt')
    expect(out).toBe('')
    const text = readFileSync(join(bench.dir, 'matrix.txt'), 'utf8')
    expect(text).toContain('tiny-1b')
    expect(text).not.toContain('big-2b')
  })
})
