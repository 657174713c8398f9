import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { betaInc, lnGamma } from './distributions.ts'
import { INTERVALS, PASS_K, POWERS, TRIALS_NEEDED, TRUE_VARIANCE } from './statistics.fixture.ts'
import {
  clopperPearson,
  clopperPearsonLower,
  passAtK,
  passHatK,
  powerInterval,
  trialsNeeded,
  wilson,
} from './statistics.ts'

/** Relative comparison: the references have twelve digits. */
function expectClose(actual: number | null | undefined, expected: number): void {
  if (actual === null || actual === undefined) expect.unreachable(`no value, expected ${expected}`)
  else
    expect(Math.abs(actual - expected), `${actual} against ${expected}`).toBeLessThanOrEqual(2e-11 * Math.abs(expected))
}

const counts = fc.nat(40).chain(n => fc.tuple(fc.constant(n), fc.nat(n)))
const someCounts = fc.integer({ min: 1, max: 60 }).chain(n => fc.tuple(fc.constant(n), fc.nat(n)))
const countsAndK = fc
  .integer({ min: 1, max: 40 })
  .chain(n => fc.tuple(fc.constant(n), fc.nat(n), fc.integer({ min: 1, max: n })))

/** C(n, k) exactly. */
function choose(n: number, k: number): bigint {
  let result = 1n
  for (let i = 0; i < k; i++) result = (result * BigInt(n - i)) / BigInt(i + 1)
  return k > n ? 0n : result
}

describe('pass^k and pass@k', () => {
  it.each(PASS_K)('n=%d c=%d k=%d: pass^k %d, pass@k %d', (n, c, k, hat, at) => {
    expectClose(passHatK(n, c, k).value, hat)
    expectClose(passAtK(n, c, k).value, at)
  })

  it('are undefined for n < k, with the reason, never 0 or 1', () => {
    expect(passHatK(2, 2, 3)).toEqual({ value: null, reason: 'n<k' })
    expect(passAtK(2, 2, 3)).toEqual({ value: null, reason: 'n<k' })
    expect(passHatK(0, 0, 1)).toEqual({ value: null, reason: 'n<k' })
  })

  it('equal the ratio of binomial coefficients', () => {
    fc.assert(
      fc.property(countsAndK, ([n, c, k]) => {
        const scale = 10n ** 18n
        const exact = (passes: number) => Number((choose(passes, k) * scale) / choose(n, k)) / 1e18
        expect(passHatK(n, c, k).value).toBeCloseTo(exact(c), 12)
        expect(passAtK(n, c, k).value).toBeCloseTo(1 - exact(n - c), 12)
      }),
    )
  })

  it('pass^k falls and pass@k grows with k; both grow with c; pass^k ≤ rate ≤ pass@k', () => {
    fc.assert(
      fc.property(countsAndK, ([n, c, k]) => {
        const hat = passHatK(n, c, k).value ?? Number.NaN
        const at = passAtK(n, c, k).value ?? Number.NaN
        expect(hat).toBeLessThanOrEqual(c / n + 1e-12)
        expect(at).toBeGreaterThanOrEqual(c / n - 1e-12)
        if (k < n) {
          expect(passHatK(n, c, k + 1).value).toBeLessThanOrEqual(hat + 1e-12)
          expect(passAtK(n, c, k + 1).value).toBeGreaterThanOrEqual(at - 1e-12)
        }
        if (c < n) {
          expect(passHatK(n, c + 1, k).value).toBeGreaterThanOrEqual(hat)
          expect(passAtK(n, c + 1, k).value).toBeGreaterThanOrEqual(at - 1e-12)
        }
      }),
    )
  })

  it.each(TRUE_VARIANCE)('are unbiased: n=%d k=%d p=%d gives p^k %d with variance %d', (n, k, p, power, variance) => {
    let mean = 0
    let square = 0
    for (let c = 0; c <= n; c++) {
      const weight = Number(choose(n, c)) * p ** c * (1 - p) ** (n - c)
      const value = passHatK(n, c, k).value ?? Number.NaN
      mean += weight * value
      square += weight * value * value
    }
    expect(mean).toBeCloseTo(power, 10)
    expect(square - mean * mean).toBeCloseTo(variance, 10)
  })

  it.each([
    [3, 4, 1],
    [3, -1, 1],
    [3, 1.5, 1],
    [3, 1, 0],
    [3, 1, 1.5],
  ])('refuse impossible counts n=%d c=%d k=%d', (n, c, k) => {
    expect(() => passHatK(n, c, k)).toThrow(RangeError)
    expect(() => passAtK(n, c, k)).toThrow(RangeError)
  })
})

describe('intervals', () => {
  it.each(INTERVALS)('%d of %d', (c, n, wilsonLow, wilsonHigh, low, high, lower) => {
    expectClose(wilson(n, c).value?.low, wilsonLow)
    expectClose(wilson(n, c).value?.high, wilsonHigh)
    expectClose(clopperPearson(n, c).value?.low, low)
    expectClose(clopperPearson(n, c).value?.high, high)
    expectClose(clopperPearsonLower(n, c).value, lower)
  })

  it('are exactly 0 and 1 at the ends', () => {
    expect(wilson(7, 0).value?.low).toBe(0)
    expect(wilson(7, 7).value?.high).toBe(1)
    expect(clopperPearson(7, 0).value?.low).toBe(0)
    expect(clopperPearson(7, 7).value?.high).toBe(1)
  })

  it('are undefined without trials', () => {
    for (const interval of [wilson(0, 0), clopperPearson(0, 0), clopperPearsonLower(0, 0)]) {
      expect(interval).toEqual({ value: null, reason: 'no_trials' })
    }
  })

  it.each([
    ['Wilson', wilson],
    ['Clopper-Pearson', clopperPearson],
  ])('%s holds the rate, stays in [0, 1], is symmetric and grows with c', (_name, interval) => {
    fc.assert(
      fc.property(someCounts, ([n, c]) => {
        const here = interval(n, c).value ?? { low: Number.NaN, high: Number.NaN }
        const mirrored = interval(n, n - c).value ?? { low: Number.NaN, high: Number.NaN }
        expect(here.low).toBeGreaterThanOrEqual(0)
        expect(here.high).toBeLessThanOrEqual(1)
        expect(here.low).toBeLessThanOrEqual(c / n)
        expect(here.high).toBeGreaterThanOrEqual(c / n)
        expect(here.low).toBeCloseTo(1 - mirrored.high, 12)
        if (c < n) expect(interval(n, c + 1).value?.low).toBeGreaterThan(here.low)
      }),
    )
  })

  it.each(POWERS)('%d of %d to the power %d: point %d', (c, n, k, point, low, high, lower) => {
    expectClose(passHatK(n, c, k).value, point)
    const interval = powerInterval(wilson(n, c).value ?? { low: Number.NaN, high: Number.NaN }, k)
    expectClose(interval.low, low)
    expectClose(interval.high, high)
    expectClose((clopperPearsonLower(n, c).value ?? Number.NaN) ** k, lower)
  })

  it.each(TRIALS_NEEDED)('with %d failures a claim needs %j trials', (failures, trials) => {
    expect([0.5, 0.7, 0.8, 0.9, 0.95, 0.99].map(rate => trialsNeeded(rate, failures))).toEqual(trials)
  })
})

describe('kernels', () => {
  it('lnGamma is the logarithm of the factorial', () => {
    let factorial = 0
    for (let n = 1; n <= 170; n++) {
      factorial += Math.log(n)
      expect(lnGamma(n + 1)).toBeCloseTo(factorial, 10)
    }
    expect(lnGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 14)
  })

  it('betaInc is the tail of the binomial distribution', () => {
    fc.assert(
      fc.property(counts, fc.double({ min: 0.001, max: 0.999, noNaN: true }), ([n, c], p) => {
        fc.pre(c >= 1)
        let tail = 0
        for (let i = c; i <= n; i++) tail += Number(choose(n, i)) * p ** i * (1 - p) ** (n - i)
        expect(betaInc(p, c, n - c + 1)).toBeCloseTo(tail, 11)
      }),
    )
  })
})
