import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from './outcome.ts'
import { type ScoredTrial, scoreTask } from './task-score.ts'

let serial = 0
const trial = (outcome: Outcome, more: Partial<ScoredTrial> = {}): ScoredTrial => ({
  outcome,
  score: outcome === 'passed' ? 1 : 0.5,
  turns: 4,
  elapsedSec: 10,
  tamperDetected: false,
  invalidCalls: 0,
  flags: [],
  transcriptHash: `hash ${serial++}`,
  ...more,
})
const trials = (...outcomes: readonly Outcome[]) => outcomes.map(outcome => trial(outcome))
const whole = { k: 3, isComplete: true }
const part = { k: 3, isComplete: false }
const flag = (id: string, reached: boolean, turn: number | null) => ({ id, reached, turn, reason: '', stack: null })

describe('verdict', () => {
  it.each<[string, readonly Outcome[], typeof whole, string | null]>([
    ['n = k and all passed', ['passed', 'passed', 'passed'], whole, 'pass'],
    ['n > k and all passed', ['passed', 'passed', 'passed', 'passed'], whole, 'pass'],
    ['n ≥ k beside an infra fault', ['passed', 'infra', 'passed', 'passed'], whole, 'pass'],
    ['one failed', ['passed', 'failed', 'passed'], whole, 'fail'],
    ['stopped early after a failure', ['failed'], whole, 'fail'],
    ['one failed in a partial selection', ['failed'], part, 'fail'],
    ['none failed and n < k', ['passed', 'infra', 'passed'], whole, 'inconclusive'],
    ['none failed and one cut', ['passed', 'inconclusive', 'passed'], whole, 'inconclusive'],
    ['only infra faults', ['infra', 'infra', 'infra'], whole, 'inconclusive'],
    ['a partial selection that passed', ['passed'], part, null],
    ['a partial selection with n ≥ k', ['passed', 'passed', 'passed'], part, null],
    ['everything skipped', ['skipped', 'skipped', 'skipped'], whole, null],
    ['nothing run', ['cancelled'], whole, null],
    ['no trial at all', [], whole, null],
  ])('with %s', (_what, outcomes, selection, verdict) => {
    const score = scoreTask(trials(...outcomes), selection)
    expect(score.verdict).toBe(verdict)
    expect(score.passAllK).toBe(verdict === 'pass')
  })
})

describe('scoreTask', () => {
  it('counts only passed and failed trials in n, and the begun ones as attempted', () => {
    const score = scoreTask(trials('passed', 'failed', 'infra', 'inconclusive', 'cancelled', 'skipped'), whole)
    expect(score).toMatchObject({ n: 2, c: 1, attempted: 4, excluded: 2 })
  })

  it('has no number where nothing counts', () => {
    expect(scoreTask(trials('infra'), whole)).toMatchObject({
      rate: { value: null, reason: 'no_trials' },
      interval: { value: null, reason: 'no_trials' },
      atLeast: { value: null, reason: 'no_trials' },
      meanScore: null,
      meanTurns: null,
      meanElapsedSec: null,
      effectiveN: 0,
    })
  })

  it('averages over trials that count, tampered ones with their score', () => {
    const played = [
      trial('passed', { turns: 2, elapsedSec: 1, invalidCalls: 1 }),
      trial('failed', { score: 0.5, turns: 6, elapsedSec: 3, tamperDetected: true, invalidCalls: 2 }),
      trial('infra', { score: 0, turns: 99, elapsedSec: 99, tamperDetected: true, invalidCalls: 99 }),
    ]
    const means = { meanScore: 0.75, meanTurns: 4, meanElapsedSec: 2 }
    expect(scoreTask(played, whole)).toMatchObject({ ...means, tamperCount: 1, invalidCallCount: 3 })
  })

  it('gives each flag its count, rate and mean turn of the attributed turns', () => {
    const played = [
      trial('passed', { flags: [flag('read', true, 2), flag('fixed', true, null)] }),
      trial('failed', { flags: [flag('read', true, 5), flag('fixed', false, null)] }),
      trial('infra', { flags: [flag('read', false, null)] }),
    ]
    const { flags } = scoreTask(played, whole)
    expect([...flags.keys()]).toEqual(['read', 'fixed'])
    expect(flags.get('read')).toMatchObject({ reached: 2, n: 2, reachRate: { value: 1 }, meanTurn: 3.5 })
    expect(flags.get('fixed')).toMatchObject({ reached: 1, n: 2, reachRate: { value: 0.5 }, meanTurn: null })
  })

  it('takes trials with one transcript as one sample: no interval and no claim', () => {
    const same = { transcriptHash: 'same', flags: [flag('read', true, 1)] }
    const score = scoreTask([trial('passed', same), trial('passed', same), trial('passed', same)], whole)
    expect(score).toMatchObject({
      verdict: 'pass',
      n: 3,
      effectiveN: 1,
      identicalTranscripts: true,
      interval: { value: null, reason: 'identical_transcripts' },
      atLeast: { value: null, reason: 'identical_transcripts' },
    })
    expect(score.flags.get('read')?.interval).toEqual({ value: null, reason: 'identical_transcripts' })
  })

  it('does not take one trial, unhashed trials or the same hash of an excluded trial for identical', () => {
    const same = { transcriptHash: 'same' }
    expect(scoreTask([trial('passed', same)], whole).identicalTranscripts).toBe(false)
    expect(scoreTask([trial('passed', same), trial('infra', same)], whole).identicalTranscripts).toBe(false)
    const none = { transcriptHash: null }
    expect(scoreTask([trial('passed', none), trial('passed', none)], whole).identicalTranscripts).toBe(false)
    expect(scoreTask([trial('passed', same), trial('passed')], whole).identicalTranscripts).toBe(false)
  })

  const outcome = fc.constantFrom<Outcome>('passed', 'failed', 'inconclusive', 'infra', 'cancelled', 'skipped')
  const selection = fc.record({ k: fc.integer({ min: 1, max: 5 }), isComplete: fc.boolean() })

  it('does not depend on the order of trials, and a pass never stands beside a failure or n < k', () => {
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 12 }), selection, (outcomes, chosen) => {
        const list = outcomes.map(one => trial(one))
        const score = scoreTask(list, chosen)
        expect(scoreTask([...list].reverse(), chosen)).toEqual(score)
        if (score.verdict === 'pass') expect(score.c === score.n && score.n >= chosen.k && chosen.isComplete).toBe(true)
        if (score.passHatK.value === 1) expect(score.verdict).toBe('pass')
        expect(score.attempted).toBeLessThanOrEqual(list.length)
      }),
    )
  })

  it('is not moved by faults: excluded trials change neither pass^k nor the rate', () => {
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 12 }), fc.nat(4), (outcomes, faults) => {
        const list = outcomes.map(one => trial(one))
        const more = [...list, ...Array.from({ length: faults }, () => trial('infra'))]
        expect(scoreTask(more, whole).passHatK).toEqual(scoreTask(list, whole).passHatK)
        expect(scoreTask(more, whole).rate).toEqual(scoreTask(list, whole).rate)
      }),
    )
  })
})
