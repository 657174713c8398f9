import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import { verifyResultHash } from './hash.ts'
import { rowName } from './row-name.ts'
import { failedRecord, infraRecord, sampleRecord } from './sample-record.fixture.ts'
import { exitStatus, type Summary, type SummaryPlan, summarise } from './summary.ts'
import { checkSummary } from './validate.ts'

const plan: SummaryPlan = { runId: 'run1', k: 3, trials: 3 }
const passed = (trial: number) => sampleRecord({ trial_index: trial })
const failed = (trial: number) => failedRecord(trial, 'self_verify', 'no test session passed after the change')

function only(records: Parameters<typeof summarise>[0], changes: Partial<SummaryPlan> = {}): Summary {
  const summaries = summarise(records, { ...plan, ...changes })
  const [summary] = summaries
  if (summary === undefined || summaries.length > 1) throw new Error(`${summaries.length} summaries`)
  return summary
}

describe('summarise', () => {
  it('gives pass to a task whose k trials all passed', () => {
    expect(only([passed(0), passed(1), passed(2)])).toMatchObject({
      verdict: 'pass',
      pass_all_k: true,
      pass_hat_k: 1,
      n: 3,
      passes: 3,
      avg_score: 1,
      interval: { low: expect.closeTo(0.438502968245, 10), high: 1 },
      skills: { self_verify: { reach_rate: 1, avg_turns: 3, reached: 3, n: 3 } },
    })
  })

  it('gives fail with one lost trial, and the flag that lost it', () => {
    expect(only([passed(0), failed(1), passed(2)])).toMatchObject({
      verdict: 'fail',
      pass_all_k: false,
      pass_hat_k: 0,
      interval: { low: expect.closeTo(0.207659600802, 10), high: expect.closeTo(0.93850805528, 10) },
      skills: {
        self_verify: { reach_rate: 2 / 3, reached: 2, n: 3 },
        read_before_write: { reach_rate: 1, reached: 3, n: 3 },
      },
    })
  })

  it('never counts a fault as a failure: two passed of three is inconclusive, and pass^3 is null', () => {
    expect(only([passed(0), infraRecord(1, 'server_5xx', 'HTTP 500'), passed(2)])).toMatchObject({
      verdict: 'inconclusive',
      pass_all_k: false,
      pass_hat_k: null,
      pass_hat_k_reason: 'fewer trials count than k',
      n: 2,
      passes: 2,
      attempted: 3,
      excluded: { infra: 1, inconclusive: 0, cancelled: 0, skipped: 0 },
      avg_score: 1,
    })
  })

  it('gives no pass and no pass^k to a part of the trials', () => {
    const summary = only([passed(1)])
    expect(summary).toMatchObject({ verdict: null, pass_hat_k: null, trials_run: 1, trials_planned: 3 })
    expect(summary.notes).toContain('1 of 3 trials were run')
  })

  it('marks an early stop only where the run asked for it and the shape fits', () => {
    expect(only([passed(0), failed(1)], { earlyStop: true })).toMatchObject({ early_stopped: true, interval: null })
    const beside = only([failed(0), passed(1)], { earlyStop: true })
    expect(beside).toMatchObject({ early_stopped: true, trials_run: 2 })
    expect(only([passed(0), failed(2)], { earlyStop: true })).toMatchObject({ early_stopped: false })
    expect(only([passed(0), failed(1)])).toMatchObject({ early_stopped: false })
    expect(only([passed(0), passed(1)], { earlyStop: true })).toMatchObject({ early_stopped: false })
  })

  it('counts a trial that was resumed after a fault once', () => {
    const faults = [0, 2].map(trial => infraRecord(trial, 'server_5xx', 'x'))
    const summary = only([...faults, passed(0), passed(1), passed(2)])
    expect(summary).toMatchObject({ trials_run: 3, n: 3, verdict: 'pass' })
  })

  it('keeps models, tasks and identities apart', () => {
    const records = [
      passed(0),
      sampleRecord({ model: 'tiny-2b' }),
      sampleRecord({ task_id: 'tdd_order' }),
      sampleRecord({ task_fingerprint: 'e'.repeat(64) }),
    ]
    const names = summarise(records, plan).map(summary => `${summary.task_id} ${summary.model}`)
    const debug = (model: string) => `debug_python ${model}`
    expect(names).toEqual([debug('tiny-1b'), debug('tiny-1b'), debug('tiny-2b'), 'tdd_order tiny-1b'])
  })

  it('always follows its schema and carries its hash, whatever the mixture of outcomes', () => {
    const record = fc.oneof(
      fc.nat(5).map(passed),
      fc.nat(5).map(failed),
      fc.nat(5).map(trial => infraRecord(trial, 'server_5xx', 'HTTP 500')),
      fc.nat(5).map(trial => sampleRecord({ trial_index: trial, outcome: 'skipped', passed: false, score: null })),
    )
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (records, k) => {
        for (const summary of summarise(records, { ...plan, k, trials: k + 1 })) {
          const checked = checkSummary(JSON.parse(JSON.stringify(summary)))
          expect(checked.ok ? null : checked.reason).toBeNull()
          expect(verifyResultHash(summary)).toBe(true)
          if (summary.n < k) expect(summary.pass_hat_k).toBeNull()
          if (summary.verdict === 'pass') expect(summary.passes).toBe(summary.n)
        }
      }),
      { numRuns },
    )
  })
})

it('gives an observed skill no verdict, whatever its flags did', () => {
  const records = [0, 1, 2].map(trial_index => sampleRecord({ observed: true, trial_index }))
  const [summary] = summarise(records, { runId: 'r', k: 3, trials: 3 })
  expect(summary).toMatchObject({ observed: true, verdict: null, pass_all_k: false, pass_hat_k: null })
})

describe('exitStatus', () => {
  it.each([
    [['pass', 'pass'], 0],
    [['pass', 'fail', 'inconclusive'], 1],
    [['pass', 'inconclusive'], 2],
    [['pass', null], 2],
    [[], 2],
  ] as const)('of %j is %i', (verdicts, status) => {
    expect(exitStatus(verdicts.map(verdict => ({ verdict, observed: false })))).toBe(status)
  })

  it('leaves out skills that are only observed', () => {
    const observed = { verdict: null, observed: true }
    expect(exitStatus([observed])).toBe(0)
    expect(exitStatus([observed, { verdict: 'fail', observed: false }])).toBe(1)
  })
})

it('keeps trials of two modes and of two instances apart, under names of their own', () => {
  const forms = [{}, { mode: 'agent' as const }, { mode: 'agent' as const, instance: 3 }]
  const records = forms.map((form, at) => sampleRecord({ ...form, task_fingerprint: `${at}`.repeat(64) }))
  const names = summarise(records, { runId: 'r', k: 3, trials: 3 }).map(rowName)
  expect(names.sort()).toEqual(['debug_python', 'debug_python (agent)', 'debug_python (agent, instance 3)'])
})
