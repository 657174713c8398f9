import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomSource } from './random.ts'
import {
  type Candidate,
  decisionAt,
  operatingCharacteristic,
  searchProgress,
  sequentialLowerBound,
  soundnessClaim,
  soundnessPlan,
  taskProgress,
} from './sequential.ts'

const passes = (count: number) => new Array<boolean>(count).fill(true)
const candidate = (name: string, ...tasks: (boolean | null)[][]): Candidate => ({
  name,
  tasks: new Map(tasks.map((outcomes, at) => [`t${at}`, outcomes])),
})

describe('bounds of the sequential test', () => {
  it.each([
    [1, [18, 27, 36, 45, 54, 63, 72]],
    [3, [24, 33, 42, 52, 61, 70, 79]],
    [16, [34, 43, 52, 61, 70, 79]],
  ])('with %d models a task is accepted after %j trials with 0, 1, 2 … failures', (models, trials) => {
    const plan = soundnessPlan({ models })
    for (const [failures, n] of trials.entries()) {
      expect(decisionAt(n - failures, failures, plan)).toBe('accepted')
      expect(decisionAt(n - failures - 1, failures, plan)).toBe('open')
    }
  })

  it.each([
    [1, 3, [9, 18, 27]],
    [5, 4, [9, 18, 27]],
    [20, 5, [10, 19, 28]],
  ])('with %d tasks one is rejected by failure %d and the next at trial %j or before', (tasks, first, trials) => {
    const plan = soundnessPlan({ tasks })
    for (const [more, n] of trials.entries()) {
      expect(decisionAt(n - first - more, first + more, plan)).toBe('rejected')
      expect(decisionAt(n + 1 - first - more, first + more, plan)).toBe('open')
    }
  })

  it.each([
    [1, 1, 0.95, 0.947067946064, 0.0277432370184, 30.4357184887],
    [8, 5, 0.8, 0.00506359834146, 0.929095257987, 34.8435516374],
    [8, 5, 0.95, 0.8598584901, 0.00561969167695, 50.6442468963],
  ])('m=%d T=%d p=%d: accepts %d, rejects %d', (models, tasks, p, accept, reject, meanTrials) => {
    const ends = operatingCharacteristic(p, soundnessPlan({ models, tasks }))
    expect(ends.accept).toBeCloseTo(accept, 10)
    expect(ends.reject).toBeCloseTo(reject, 10)
    expect(ends.meanTrials).toBeCloseTo(meanTrials, 8)
  })

  it('errors stay within alpha/m and beta/T, for any plan', () => {
    const plan = fc.record({
      p0: fc.double({ min: 0.5, max: 0.85, noNaN: true }),
      p1: fc.double({ min: 0.88, max: 0.99, noNaN: true }),
      models: fc.integer({ min: 1, max: 10 }),
      tasks: fc.integer({ min: 1, max: 10 }),
      maxTrials: fc.integer({ min: 5, max: 90 }),
    })
    fc.assert(
      fc.property(plan, changes => {
        const all = soundnessPlan(changes)
        expect(operatingCharacteristic(all.p0, all).accept).toBeLessThanOrEqual(all.alpha / all.models)
        expect(operatingCharacteristic(all.p1, all).reject).toBeLessThanOrEqual(all.beta / all.tasks)
      }),
      { numRuns: 40 },
    )
  })

  it.each([
    [1, 1, [0.846682, 0.822893, 0.81363]],
    [8, 5, [0.904966, 0.880251, 0.867555]],
  ])('m=%d T=%d: lower bounds after acceptance with 0, 1, 2 failures', (models, tasks, bounds) => {
    const plan = soundnessPlan({ models, tasks })
    const accepted = bounds.map((_, failures) => {
      let n = 1
      while (decisionAt(n - failures, failures, plan) !== 'accepted') n++
      return n
    })
    for (const [at, n] of accepted.entries()) expect(sequentialLowerBound(n, plan)).toBeCloseTo(bounds[at] ?? 0, 6)
  })

  it('refuses a plan without room between p0 and p1', () => {
    expect(() => soundnessPlan({ p0: 0.95 })).toThrow('p0 < p1')
  })
})

describe('a task', () => {
  const plan = soundnessPlan()
  it('does not look at what comes after its decision', () => {
    const rejected = taskProgress([false, false, false], plan)
    expect(rejected).toMatchObject({ decision: 'rejected', failures: 3, consumed: 3 })
    expect(taskProgress([false, false, false, ...passes(80)], plan)).toEqual(rejected)
  })

  it('leaves faults out, and says how many passes would accept it', () => {
    expect(taskProgress([true, null, true, null], plan)).toEqual({ ...taskProgress(passes(2), plan), consumed: 4 })
    expect(taskProgress([...passes(10), false], plan).passesToAccept).toBe(16)
  })

  it('is undecided after its last trial, and said to be lost where the rest cannot accept it', () => {
    expect(taskProgress(passes(5), soundnessPlan({ maxTrials: 5 }))).toMatchObject({ decision: 'undecided' })
    expect(taskProgress(passes(2), soundnessPlan({ maxTrials: 5 }))).toMatchObject({
      decision: 'open',
      passesToAccept: null,
    })
  })
})

describe('a search', () => {
  const plan = soundnessPlan({ models: 3, tasks: 2 })

  it('goes up in size, past what breaks, and stops at the first sound model', () => {
    const state = searchProgress(
      [
        candidate('1b', [false, false, false], [true]),
        candidate('2b', passes(24), passes(30)),
        candidate('4b', [], []),
      ],
      plan,
    )
    expect(state.candidates.map(({ decision }) => decision)).toEqual(['rejected', 'sound', 'untested'])
    expect(state).toMatchObject({ smallest: '2b', next: null })
    expect(state.candidates[1]?.trials).toBe(48)
  })

  it('runs the open task with the fewest trials next', () => {
    const state = searchProgress([candidate('1b', passes(3), passes(2)), candidate('2b', [], [])], plan)
    expect(state.next).toEqual({ candidate: '1b', task: 't1' })
    expect(state.candidates.map(({ decision }) => decision)).toEqual(['open', 'untested'])
  })

  it('gives up a model whose server fails, and claims nothing of one sample', () => {
    const [faulty, same] = searchProgress(
      [
        candidate('1b', [true, null, null, null], [true]),
        { ...candidate('2b', passes(30), passes(30)), isOneSample: true },
      ],
      plan,
    ).candidates
    expect([faulty?.decision, same?.decision]).toEqual(['not_evaluated', 'not_evaluated'])
  })

  it('holds no more models and tasks than were declared', () => {
    expect(() => searchProgress([candidate('1b', [], [], [])], plan)).toThrow(RangeError)
  })

  it('played trial by trial, interrupted or with trials to spare, ends alike', () => {
    const random = randomSource(7)
    for (let round = 0; round < 40; round++) {
      const full = candidate('1b', ...[0, 1].map(() => Array.from({ length: 80 }, () => random() < 0.9 * 2 ** 32)))
      const played = new Map([...full.tasks.keys()].map(id => [id, [] as boolean[]]))
      for (;;) {
        const { next } = searchProgress([{ name: '1b', tasks: played }], plan)
        if (next === null) break
        const outcomes = played.get(next.task) ?? []
        outcomes.push(full.tasks.get(next.task)?.[outcomes.length] === true)
      }
      const decisionOf = (one: Candidate) => searchProgress([one], plan).candidates[0]?.decision
      expect(decisionOf({ name: '1b', tasks: played })).toBe(decisionOf(full))
    }
  })

  it('is said in sentences that claim no more than was tested', () => {
    const one = soundnessPlan()
    const say = (outcomes: boolean[], of = one) =>
      searchProgress([candidate('1b', outcomes)], of).candidates.map(state => soundnessClaim(state, of))[0]
    expect(say(passes(18))).toBe(
      'Sound: if the task had a pass probability below 0.8, this procedure would accept the model with a probability below 5 %. Each task passes with a probability of at least 0.84 (95 %, per task).',
    )
    expect(say([false, false, false])).toContain('Not sound: if every task had a pass probability of at least 0.95')
    expect(say(passes(4))).toBe('Not decided: t0 needs 14 passes in a row.')
    expect(say(passes(2), soundnessPlan({ maxTrials: 5 }))).toBe('Not decided: t0 cannot be accepted within 5 trials.')
  })
})
