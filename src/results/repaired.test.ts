import { describe, expect, it } from 'vitest'
import type { RecordedRepair, TrialRecord } from './record-schema.ts'
import { describeRepaired, repairedOf } from './repaired.ts'
import { failedRecord, infraRecord, sampleRecord } from './sample-record.fixture.ts'
import { exitStatus, summarise } from './summary.ts'

const repair = (status: RecordedRepair['status'], passed: boolean | null): RecordedRepair => ({
  status,
  passed,
  score: passed === null ? null : Number(passed),
  outcome: passed === null ? null : passed ? 'passed' : 'failed',
  failure_reason: passed === false ? 'flags_lost' : null,
  reason: passed === null ? 'replay_missing: no reply' : null,
  repairs: [],
})
const failed = (trial: number, repaired: TrialRecord['repaired']) =>
  failedRecord(trial, 'self_verify', 'x', { repaired })

describe('the pass count with calls understood', () => {
  it('is null where nobody asked', () => {
    expect(repairedOf([sampleRecord(), failed(1, null)])).toBeNull()
  })

  it('counts strict passes, repaired ones, and what nobody knows; faults are not in n', () => {
    const trials = [
      sampleRecord({ repaired: repair('same', true) }),
      failed(1, repair('played', true)),
      failed(2, repair('played', false)),
      failed(3, repair('unknown', null)),
      failed(4, null),
      sampleRecord({ trial_index: 6 }),
      infraRecord(5, 'server_error', 'HTTP 500'),
    ]
    expect(repairedOf(trials)).toEqual({ passes: 3, unknown: 2, n: 6 })
  })

  it('changes no other number of a summary, and not the exit status', () => {
    const plan = { runId: 'r', k: 3, trials: 3 }
    const strict = [0, 1, 2].map(trial => failed(trial, null))
    const asked = [0, 1, 2].map(trial => failed(trial, repair('played', true)))
    const [[without], [beside]] = [summarise(strict, plan), summarise(asked, plan)]
    const numbers = (summary: typeof without) => ({ ...summary, repaired: null, trials: [], result_hash: '' })
    expect(beside?.repaired).toEqual({ passes: 3, unknown: 0, n: 3 })
    expect(numbers(beside)).toEqual(numbers(without))
    expect(exitStatus(summarise(asked, plan))).toBe(1)
  })

  it('reads with n, and says what is not known', () => {
    expect(describeRepaired({ passes: 0, n: 3, repaired: { passes: 2, unknown: 1, n: 3 } })).toBe(
      'strict 0/3, repaired 2/3, n=3 (1 not known)',
    )
    expect(describeRepaired({ passes: 3, n: 3, repaired: null })).toBeNull()
  })
})
