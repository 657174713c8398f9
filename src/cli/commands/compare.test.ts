import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TrialRecord } from '../../results/record-schema.ts'
import { failedRecord, sampleRecord } from '../../results/sample-record.fixture.ts'
import { addCompare } from './compare.ts'
import { resultsFixture } from './results.fixture.ts'

const IDS = ['t1', 't2', 't3', 't4', 't5', 't6', 't7']
const played = (model: string, isPassed: boolean, changes: Partial<TrialRecord> = {}) =>
  IDS.map(task_id =>
    isPassed
      ? sampleRecord({ model, task_id, ...changes })
      : failedRecord(0, 'self_verify', '', { model, task_id, ...changes }),
  )

describe('agent-bench compare', () => {
  it('names what differs before any number, and ends with what may be claimed', async () => {
    using bench = resultsFixture(addCompare)
    const parts = { ...sampleRecord().identity_parts, driver: 'namespace' }
    bench.write([...played('tiny-1b', false), ...played('big-2b', true, { identity_parts: parts })])
    const { out } = await bench.call('compare', 'big', 'tiny')
    expect(out.indexOf('differs: driver: namespace / docker (7 tasks)')).toBeLessThan(out.indexOf('pass rate'))
    expect(out).toMatch(/big-2b +7\/7 +100 %/)
    expect(out).toMatch(/^all +7 +\+100 /m)
    expect(out).toContain('What may be claimed\nOn tasks like these, big-2b passes more often than tiny-1b')
    expect(out).toContain('the arms differ in model, driver')
  })

  it('compares folders and files of the same model', async () => {
    using bench = resultsFixture(addCompare)
    bench.write(played('tiny-1b', true), 'old')
    const [file = ''] = bench.write(played('tiny-1b', false))
    const { out } = await bench.call('compare', 'old', file)
    expect(out).toContain('tiny-1b in old against tiny-1b in')
    expect(out).toContain('dropped: 6 tasks without a trial that counts in some arm: t2')
    expect(out).toContain('No difference is shown')
  })

  it('groups more than two models, as Markdown that a name cannot break', async () => {
    using bench = resultsFixture(addCompare)
    bench.write([...played('tiny|<b>', false), ...played('big-2b', true), ...played('mid-1b', true)])
    const { out } = await bench.call('compare', '--markdown')
    expect(out).toContain('| big-2b | 7/7 |')
    expect(out).toContain('| tiny\\|&lt;b> | 0/7 |')
    expect(out).toContain('### 2 of 3 pairs told apart')
  })

  it('gives the whole comparison as JSON, with a headline where weights are given', async () => {
    using bench = resultsFixture(addCompare)
    bench.write([...played('tiny-1b', false), ...played('big-2b', true)])
    const { out } = await bench.call('compare', '--json', '--weights', 'coding=1')
    const { comparison, settings, dropped } = JSON.parse(out)
    expect({ settings, dropped }).toEqual({ settings: [], dropped: [] })
    expect(comparison.arms[0]).toMatchObject({ name: 'big-2b', headline: { letter: 'S', value: { value: 1 } } })
    expect(comparison.pairs[0].overall.p).toBe(2 / 2 ** 7)
  })

  it('refuses one model alone, unknown names and weights that are none', async () => {
    using bench = resultsFixture(addCompare)
    bench.write(played('tiny-1b', true))
    mkdirSync(join(bench.dir, 'empty'))
    await expect(bench.call('compare')).rejects.toMatchObject({ code: 'nothing_to_compare' })
    await expect(bench.call('compare', 'tiny', 'nix')).rejects.toMatchObject({ code: 'model_unknown' })
    await expect(bench.call('compare', 'tiny', 'empty')).rejects.toMatchObject({ code: 'no_results' })
    bench.write(played('big-2b', true))
    await expect(bench.call('compare', '--weights', 'tools')).rejects.toMatchObject({ code: 'weights_invalid' })
  })
})
