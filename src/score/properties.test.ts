/** Properties of the tests and intervals over random inputs; the values themselves are in `reference.test.ts`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bcaInterval, meanOverTasks } from './averages.ts'
import { fisherWorse, gate, gateBounds, gateTrialsNeeded } from './gate.ts'
import { inseparableSets } from './groups.ts'
import { headlineOf, letterOf } from './headline.ts'
import { itemOf } from './items.ts'
import { holm, neededToShow, signFlip, signFlipByDraws, signTest, tango, winsNeeded } from './paired.ts'
import { clopperPearson, clopperPearsonLower } from './statistics.ts'

const differences = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 12 })
const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 })

/** The chance of each number of passes among n. */
function binomial(n: number, p: number): readonly number[] {
  const row = [1]
  for (let i = 0; i < n; i++) {
    row.push(0)
    for (let c = i + 1; c >= 0; c--) row[c] = (row[c] ?? 0) * (1 - p) + (c > 0 ? (row[c - 1] ?? 0) * p : 0)
  }
  return row
}

describe('sign-flip test', () => {
  it('equals the enumeration of all signs, and knows neither order, sign, scale nor zeros', () => {
    fc.assert(
      fc.property(differences, fc.integer({ min: 1, max: 9 }), (d, scale) => {
        const observed = Math.abs(d.reduce((sum, one) => sum + one, 0))
        let extreme = 0
        for (let signs = 0; signs < 2 ** d.length; signs++) {
          if (Math.abs(d.reduce((sum, one, at) => ((signs >> at) & 1 ? sum + one : sum - one), 0)) >= observed)
            extreme++
        }
        const p = signFlip(d)
        expect(p).toBeCloseTo(extreme / 2 ** d.length, 12)
        expect(p).toBeGreaterThan(0)
        expect(signFlip([0, ...d.toReversed().map(one => -scale * one)])).toBeCloseTo(p, 12)
      }),
      { numRuns: 60 },
    )
  })

  it('is the sign test where each task says one thing only', () => {
    for (let wins = 0; wins < 12; wins++) {
      for (let losses = 0; losses < 12; losses++) {
        const signs = [...new Array(wins).fill(1), ...new Array(losses).fill(-1)]
        expect(signFlip(signs)).toBeCloseTo(signTest(wins, losses).p, 12)
      }
    }
  })

  it('draws signs where numbers are not whole, the same ones every time', () => {
    const logs = [0.31, -0.12, 0.55, 0.2, 0.7, 0.05]
    expect(signFlip(logs)).toBe(signFlipByDraws(logs))
    const exact = signFlip(logs.map(log => Math.round(log * 100)))
    expect(Math.abs(signFlip(logs) - exact)).toBeLessThan(0.006)
  })
})

describe('Holm', () => {
  it('never lowers a p-value, keeps order and place, and more comparisons never lower one', () => {
    fc.assert(
      fc.property(pValues, fc.double({ min: 0, max: 1, noNaN: true }), (p, more) => {
        const adjusted = holm(p)
        for (const [at, one] of p.entries()) {
          expect(adjusted[at]).toBeGreaterThanOrEqual(one)
          expect(adjusted[at]).toBeLessThanOrEqual(1)
          expect(holm([...p, more])[at]).toBeGreaterThanOrEqual((adjusted[at] ?? 0) - 1e-12)
          for (const [place, other] of p.entries())
            if (one < other) expect(adjusted[at]).toBeLessThanOrEqual(adjusted[place] ?? 0)
        }
        expect(holm(p.toReversed())).toEqual(adjusted.toReversed())
      }),
    )
  })
})

it.each([
  [1, ['6–0', '8–1', '10–2', '12–3', '13–4', '15–5']],
  [45, ['11–0', '14–1', '17–2', '19–3', '21–4', '23–5']],
  [378, ['14–0', '18–1', '20–2', '23–3', '25–4', '27–5']],
])('among %d comparisons a sign test needs %j', (comparisons, records) => {
  expect(records.map((_, losses) => `${winsNeeded(losses, comparisons)}–${losses}`)).toEqual(records)
})

it.each([
  [0.1, [252, 84, 51, 26]],
  [0.2, [63, 21, 13, 7]],
])('a difference of %d at a pass rate of .8 needs %j tasks of 1, 3, 5, 10 trials', (delta, tasks) => {
  expect([1, 3, 5, 10].map(n => neededToShow((2 * 0.8 * 0.2) / n, delta))).toEqual(tasks)
})

it.each([
  [17, 1, 39, 0.229416940694, 0.573605589526],
  [0, 0, 10, -0.277532799863, 0.277532799863],
])('Tango: %d won, %d lost of %d', (wins, losses, tasks, low, high) => {
  expect(tango(wins, losses, tasks).value?.low).toBeCloseTo(low, 9)
  expect(tango(wins, losses, tasks).value?.high).toBeCloseTo(high, 9)
})

it('Clopper and Pearson cover a pass rate at least as often as they say', () => {
  for (const n of [1, 5, 12, 30]) {
    for (let p = 0.05; p < 1; p += 0.05) {
      const covered = binomial(n, p).reduce((sum, share, c) => {
        const { low, high } = clopperPearson(n, c).value ?? { low: 1, high: 0 }
        return low <= p && p <= high ? sum + share : sum
      }, 0)
      expect(covered).toBeGreaterThanOrEqual(0.95 - 1e-12)
      for (let c = 0; c <= n; c++) {
        expect(clopperPearsonLower(n, c).value).toBeGreaterThanOrEqual(clopperPearson(n, c).value?.low ?? 1)
      }
    }
  }
})

describe('means over tasks', () => {
  it.each([
    [[1, 1, 0.5, 0], 'too_few_tasks'],
    [new Array(12).fill(0.5), 'no_variation'],
  ])('%j has no interval: %s', (values, reason) => {
    expect(meanOverTasks(values)).toMatchObject({ interval: { value: null, reason }, method: null })
  })

  it('below ten tasks Student stands for the bootstrap, and stays between 0 and 1', () => {
    const mean = meanOverTasks([1, 1, 1, 1, 0])
    expect(mean).toMatchObject({ value: 0.8, method: 'few tasks' })
    expect(mean.interval.value?.high).toBe(1)
  })

  it('a task that is all 0 has an upper bound only', () => {
    expect(meanOverTasks(new Array(10).fill(0)).interval.value).toEqual({ low: 0, high: 1 - 0.025 ** 0.1 })
  })

  it('are drawn alike every time', () => {
    const values = Array.from({ length: 15 }, (_, at) => (at % 4) / 3)
    expect(bcaInterval(values)).toEqual(bcaInterval(values))
  })
})

describe('headline', () => {
  it('lies within its bounds, and is none where a module has no task', () => {
    const figure = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(
        fc.array(figure, { minLength: 1, maxLength: 6 }),
        fc.array(figure, { maxLength: 6 }),
        (one, other) => {
          const { value, bounds } = headlineOf([
            { name: 'one', weight: 0.6, tasks: one },
            { name: 'other', weight: 0.4, tasks: other },
          ])
          if ([one, other].some(tasks => tasks.every(task => task === null))) expect(value.reason).toBe('too_few_tasks')
          else {
            expect(bounds.low).toBeLessThanOrEqual((value.value ?? -1) + 1e-12)
            expect(bounds.high).toBeGreaterThanOrEqual((value.value ?? 2) - 1e-12)
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('has letters from their floors on', () => {
    expect([1, 0.9, 0.8999, 0.8, 0.7, 0.6, 0.45, 0.3, 0.2999, 0].map(letterOf).join('')).toBe('SSAABCDEFF')
  })

  it('names weights that let one task or module dominate', () => {
    const problems = (...modules: (readonly [string, number, number])[]) =>
      headlineOf(modules.map(([name, weight, tasks]) => ({ name, weight, tasks: new Array(tasks).fill(1) }))).problems
    expect(problems(['a', 0.5, 20], ['b', 0.5, 20])).toEqual([])
    expect(problems(['a', 0.4, 36], ['b', 0.5, 4], ['c', 0.2, 3])).toEqual([
      'the weights add up to 1.1, not to 1',
      'a has 0.48 × the weight of its share of the tasks, not 0.5 to 2',
      'b has 5.38 × the weight of its share of the tasks, not 0.5 to 2',
      'c has 3 tasks, fewer than 4',
    ])
  })
})

it('groups are all maximal sets without a separable pair, whatever the order of the pairs', () => {
  const pair = fc.tuple(fc.nat(5), fc.nat(5)).filter(([a, b]) => a < b)
  fc.assert(
    fc.property(fc.uniqueArray(pair, { selector: String, maxLength: 10 }), pairs => {
      const isOne = (set: number) => pairs.every(([a, b]) => !((set >> a) & 1 && (set >> b) & 1))
      const sets = Array.from({ length: 63 }, (_, at) => at + 1).filter(isOne)
      const maximal = sets.filter(set => !sets.some(other => other !== set && (other & set) === set))
      const found = (of: typeof pairs) =>
        inseparableSets(6, of)
          .map(set => set.reduce((bits, member) => bits | (1 << member), 0))
          .sort((a, b) => a - b)
      expect(found(pairs)).toEqual(maximal)
      expect(found(pairs.toReversed())).toEqual(maximal)
    }),
  )
})

describe('gate', () => {
  const many = (n: number, c: number) => Array.from({ length: n }, (_, at) => at < c)

  it('has bounds around the change that swap with the arms', () => {
    const arm = fc.integer({ min: 1, max: 40 }).chain(n => fc.record({ n: fc.constant(n), c: fc.nat(n) }))
    fc.assert(
      fc.property(arm, arm, (one, other) => {
        const [bounds, swapped] = [gateBounds(one, other), gateBounds(other, one)]
        const change = one.c / one.n - other.c / other.n
        expect(bounds?.low).toBeLessThanOrEqual(change)
        expect(bounds?.high).toBeGreaterThanOrEqual(change)
        expect(swapped?.low).toBeCloseTo(-(bounds?.high ?? 0), 12)
      }),
    )
  })

  it('passes a candidate that is worse by delta in at most 5 % of runs', () => {
    for (const [n, delta, rate] of [
      [11, 0.2, 1],
      [30, 0.1, 0.9],
      [40, 0.3, 0.6],
    ] as const) {
      const [ofBaseline, ofCandidate] = [binomial(n, rate), binomial(n, rate - delta)]
      let wrong = 0
      for (let b = 0; b <= n; b++) {
        for (let c = 0; c <= n; c++) {
          if ((gateBounds({ n, c }, { n, c: b })?.low ?? -1) > -delta)
            wrong += (ofBaseline[b] ?? 0) * (ofCandidate[c] ?? 0)
        }
      }
      expect(wrong).toBeLessThanOrEqual(0.05)
    }
  })

  it('never passes without data', () => {
    expect(gate([])).toMatchObject({ outcome: 'inconclusive', tasks: 0, bounds: null, needs: null })
    expect(gate([{ id: 'a', baseline: many(9, 9), candidate: [] }]).outcome).toBe('inconclusive')
  })

  it('takes as many trials of each arm, the first ones', () => {
    const gated = gate([{ id: 'a', baseline: many(40, 40), candidate: many(29, 29) }])
    expect(gated).toMatchObject({ outcome: 'pass', baseline: { n: 29, c: 29 } })
  })

  it('finds the one task that an average hides', () => {
    const tasks = Array.from({ length: 20 }, (_, at) => ({
      id: `t${at}`,
      baseline: many(8, 8),
      candidate: many(8, at === 3 ? 0 : 8),
    }))
    expect(gate(tasks, 0.2)).toMatchObject({ outcome: 'worse', collapsed: [{ id: 't3' }] })
    expect(fisherWorse({ n: 3, c: 0 }, { n: 3, c: 3 })).toBeCloseTo(1 / 20, 12)
  })

  it.each([
    [1, 0.1, 29],
    [0.9, 0.1, 128],
    [0.95, 0.2, 25],
    [0.8, 0.3, 25],
  ])('at a pass rate of %d and a margin of %d it takes %d trials of each arm', (rate, delta, trials) => {
    expect(Math.abs((gateTrialsNeeded(rate, delta) ?? 0) - trials)).toBeLessThanOrEqual(Math.ceil(0.03 * trials))
  })
})

it('a task is known by the models that have it, and by the tasks that they all have', () => {
  const cell = (c: number, n = 3) => ({ n, c })
  const matrix = [
    [cell(3), cell(3), null],
    [cell(2), cell(1), cell(3)],
    [cell(0), cell(0), cell(3)],
    [null, cell(0), cell(3)],
  ]
  expect(itemOf(matrix, 0)).toMatchObject({
    models: 3,
    flaky: 1,
    trials: [3, 3],
    saturated: null,
    weight: 'hidden',
    thirds: null,
  })
  expect(itemOf(matrix, 0).difficulty).toBeCloseTo(4 / 9, 12)
  expect(itemOf(matrix, 0).discrimination.value).toBeCloseTo(0.928571428571, 9)
  expect(itemOf(matrix, 2)).toMatchObject({
    models: 3,
    saturated: 'ceiling',
    discrimination: { reason: 'no_variation' },
  })
})
