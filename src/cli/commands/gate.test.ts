import { expect, it } from 'vitest'
import { failedRecord, sampleRecord } from '../../results/sample-record.fixture.ts'
import { addGate } from './gate.ts'
import { addItems } from './items.ts'
import { resultsFixture } from './results.fixture.ts'

/** Tasks of eight trials with so many passes each. */
const played = (passes: readonly number[], model = 'tiny-1b') =>
  passes.flatMap((c, task) =>
    Array.from({ length: 8 }, (_, trial) => {
      const of = { model, task_id: `t${task}`, transcript_hash: String(trial).repeat(64) }
      return trial < c ? sampleRecord({ trial_index: trial, ...of }) : failedRecord(trial, 'self_verify', '', of)
    }),
  )

async function gated(baseline: readonly number[], candidate: readonly number[], ...more: string[]) {
  using bench = resultsFixture(addGate)
  bench.write(played(baseline), 'old')
  bench.write(played(candidate), 'new')
  return await bench.call('gate', '--baseline', 'old', '--candidate', 'new', ...more)
}

it('gate passes what is not worse, and says how much worse it may be', async () => {
  const { out, status } = await gated([8, 8, 8, 8], [8, 8, 8, 8])
  expect(status).toBe(0)
  expect(out).toContain('PASS: tiny-1b, not worse by more than 10 points')
  expect(out).toContain('baseline 32/32, candidate 32/32 over 4 tasks: 0 points, on these tasks −9 to +9')
})

it('gate is 1 for what is worse, also for one task that the average hides', async () => {
  expect(await gated([8, 8], [3, 2])).toMatchObject({ status: 1 })
  const hidden = await gated(new Array(12).fill(8), [0, ...new Array(11).fill(8)], '--delta', '0.3', '--markdown')
  expect(hidden.status).toBe(1)
  expect(hidden.out).toContain('### WORSE: tiny-1b')
  expect(hidden.out).toContain('worse by itself: t0 (p &lt; .001')
})

it('gate is 2 for too few trials, and says how many it takes', async () => {
  const { out, status } = await gated([8], [8])
  expect(status).toBe(2)
  expect(out).toContain('It takes about 29 trials of each to pass without a change; 8 are there.')
})

it('gate is 2 for tasks that the candidate lacks, unless they may lack', async () => {
  const [before, after] = [
    [8, 8, 8, 8, 8],
    [8, 8, 8, 8],
  ]
  const { out, status } = await gated(before, after)
  expect(status).toBe(2)
  expect(out).toContain('dropped: 1 task without a trial that counts in some arm: t4 (candidate)')
  expect(await gated(before, after, '--allow-missing')).toMatchObject({ status: 0 })
})

it('gate never passes on no data, and takes no margin that is none', async () => {
  using bench = resultsFixture(addGate)
  bench.write([...played([8], 'tiny-1b'), ...played([8], 'big-2b')], 'old')
  bench.write([...played([8], 'other-3b'), ...played([8], 'big-2b')], 'new')
  const { out, status } = await bench.call('gate', '--baseline', 'old', '--candidate', 'new', '--delta', '0.5')
  expect(status).toBe(2)
  expect(out).toContain('INCONCLUSIVE: tiny-1b')
  expect(out).toContain('No task has trials of both')
  expect(out).toContain('PASS: big-2b')
  const refused = bench.call('gate', '--baseline', 'old', '--candidate', 'new', '--delta', '10')
  await expect(refused).rejects.toMatchObject({ code: 'delta_invalid' })
  await expect(bench.call('gate', '--baseline', 'old', '--candidate', 'nix')).rejects.toMatchObject({
    code: 'no_results',
  })
})

it('items says which tasks tell models apart, of the version that most have', async () => {
  using bench = resultsFixture(addItems)
  const models = Array.from({ length: 10 }, (_, at) => `model-${String.fromCharCode(97 + at)}`)
  bench.write(models.flatMap((model, at) => played([8, at > 4 ? 8 : 3, at > 4 ? 7 : 2, at > 4 ? 1 : 6], model)))
  bench.write([sampleRecord({ model: 'model-z', task_id: 't1', task_fingerprint: 'e'.repeat(64) })])
  const { out } = await bench.call('items')
  expect(out).toMatch(/^t0 +10 +8 +0\.00 +– +0\.00 +0 of 10 +ceiling$/m)
  expect(out).toMatch(/^t1 +10 +8 +0\.31 .* 5 of 10/m)
  expect(out).toMatch(/^t3 .* −1\.00 .* weaker models do better: review it$/m)
  expect((await bench.call('items', 't2', '--json')).out).toContain('"weight": "indicative"')
  expect(await bench.call('items', 'nix')).toMatchObject({ status: 2 })
})
