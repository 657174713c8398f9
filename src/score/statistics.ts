/**
 * Statistics of pass rates, by hand and without a library, so that every formula can be read where it is used.
 * Symbols: n trials that count, c of them passed, k of pass^k. What is undefined is `null` with a reason, never 0 or 1.
 */
import { betaQuantile, Z_95 } from './distributions.ts'

/** Why a number does not exist. */
export type UndefinedReason =
  /** Fewer trials that count than k (or, for a variance, than 2k). */
  | 'n<k'
  | 'no_trials'
  /** All trials have the same transcript, so they are one sample. */
  | 'identical_transcripts'
  /** Only a part of the trials was asked for (`-t`, `--bail`, a shard). */
  | 'partial_selection'
  /** Fewer tasks than the method needs, or a module without any. */
  | 'too_few_tasks'
  /** All tasks have the same value, which says nothing about the spread. */
  | 'no_variation'
  /** Tasks have different numbers of trials, so pooled trials are not their mean. */
  | 'unequal_trials'

/** A number, or the reason why there is none. */
export type Measured<T = number> =
  | { readonly value: T; readonly reason: null }
  | { readonly value: null; readonly reason: UndefinedReason }

export const measured = <T>(value: T): Measured<T> => ({ value, reason: null })
export const notMeasured = (reason: UndefinedReason): Measured<never> => ({ value: null, reason })

/** An interval on a proportion, both ends in [0, 1], or on a difference of two, both in [−1, 1]. */
export interface Interval {
  readonly low: number
  readonly high: number
}

function requireCounts(n: number, c: number): void {
  if (!Number.isSafeInteger(n) || !Number.isSafeInteger(c) || c < 0 || c > n) {
    throw new RangeError(`passes and trials must be whole numbers with 0 ≤ c ≤ n, got c = ${c}, n = ${n}`)
  }
}

function requireK(k: number): void {
  if (!Number.isSafeInteger(k) || k < 1) throw new RangeError(`k must be a whole number from 1 on, got ${k}`)
}

/** C(c, k) / C(n, k) for k ≤ n, as a product of factors ≤ 1: no factorials, so it is exact to about 1e-15. */
function choiceRatio(n: number, c: number, k: number): number {
  if (c < k) return 0
  // The ratio is the same with k and the failures n − c exchanged; the shorter product is taken.
  const [factors, top] = k <= n - c ? [k, c] : [n - c, n - k]
  let ratio = 1
  for (let i = 0; i < factors; i++) ratio *= (top - i) / (n - i)
  return ratio
}

/**
 * pass^k: the chance that k trials drawn without replacement from the n all passed, C(c,k)/C(n,k).
 * Unbiased for p^k (Yao et al. 2024, arXiv 2406.12045); the plug-in (c/n)^k is not. Undefined for n < k.
 * @example passHatK(5, 4, 3) // { value: 0.4, reason: null }
 */
export function passHatK(n: number, c: number, k: number): Measured {
  requireCounts(n, c)
  requireK(k)
  return n < k ? notMeasured('n<k') : measured(choiceRatio(n, c, k))
}

/**
 * pass@k: the chance that at least one of k trials drawn from the n passed, 1 − C(n−c,k)/C(n,k).
 * Chen et al. 2021, arXiv 2107.03374, section 2.1. Undefined for n < k.
 */
export function passAtK(n: number, c: number, k: number): Measured {
  requireCounts(n, c)
  requireK(k)
  if (n < k) return notMeasured('n<k')
  if (n - c < k) return measured(1)
  // Sum of logarithms of 1 − c/(n−i): no cancellation where c is small against n.
  let logarithm = 0
  for (let i = 0; i < k; i++) logarithm += Math.log1p(-c / (n - i))
  return measured(c === 0 ? 0 : -Math.expm1(logarithm))
}

/**
 * Unbiased estimate of the variance of {@link passHatK}, θ² − C(c,2k)/C(n,2k) (Hoeffding 1948). Undefined for n < 2k; 0
 * where all passed, which says nothing.
 */
export function passHatVariance(n: number, c: number, k: number): Measured {
  const twice = passHatK(n, c, 2 * k).value
  return twice === null ? notMeasured('n<k') : measured(choiceRatio(n, c, k) ** 2 - twice)
}

/**
 * Wilson's 95 % interval on a pass rate, two-sided: for showing (Brown, Cai & DasGupta 2001). Its coverage is near 95 %
 * but not guaranteed, so nothing is decided by it: use {@link clopperPearsonLower} for a claim.
 */
export function wilson(n: number, c: number): Measured<Interval> {
  requireCounts(n, c)
  if (n === 0) return notMeasured('no_trials')
  const rate = c / n
  const z2 = Z_95 * Z_95
  const shrink = 1 + z2 / n
  const centre = (rate + z2 / (2 * n)) / shrink
  const half = (Z_95 / shrink) * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n))
  return measured({ low: c === 0 ? 0 : centre - half, high: c === n ? 1 : centre + half })
}

/**
 * Lower bound of Clopper & Pearson (1934) at one-sided level 1 − alpha: "the pass rate is at least this".
 * Its coverage is at least nominal. 0 where nothing passed; alpha^(1/n) where all did.
 */
export function clopperPearsonLower(n: number, c: number, alpha = 0.05): Measured {
  requireCounts(n, c)
  if (n === 0) return notMeasured('no_trials')
  if (c === 0) return measured(0)
  return measured(c === n ? alpha ** (1 / n) : betaQuantile(alpha, c, n - c + 1))
}

/** Two-sided interval of Clopper & Pearson at level 1 − alpha (default 95 %). */
export function clopperPearson(n: number, c: number, alpha = 0.05): Measured<Interval> {
  const low = clopperPearsonLower(n, c, alpha / 2)
  const mirrored = clopperPearsonLower(n, n - c, alpha / 2)
  if (low.value === null) return low
  if (mirrored.value === null) return mirrored
  return measured({ low: low.value, high: 1 - mirrored.value })
}

/** Interval on p^k from one on p: p^k grows with p, so it keeps the coverage. The unbiased point may lie outside. */
export function powerInterval(interval: Interval, k: number): Interval {
  requireK(k)
  return { low: interval.low ** k, high: interval.high ** k }
}

/**
 * Trials needed, with that many failures among them, to claim a pass rate of at least `rate` at one-sided 95 %.
 * @example trialsNeeded(0.8, 0) // 14
 */
export function trialsNeeded(rate: number, failures: number, alpha = 0.05): number {
  if (!(rate > 0 && rate < 1)) throw new RangeError(`the rate must lie between 0 and 1, got ${rate}`)
  if (!Number.isSafeInteger(failures) || failures < 0)
    throw new RangeError(`failures must be a whole number, got ${failures}`)
  const claims = (n: number) => (clopperPearsonLower(n, n - failures, alpha).value ?? 0) >= rate
  let high = failures + 1
  while (!claims(high)) high *= 2
  let low = failures
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (claims(middle)) high = middle
    else low = middle
  }
  return high
}

/** Passes among the trials that count. */
export interface Counts {
  readonly n: number
  readonly c: number
}

export const countsOf = (outcomes: readonly boolean[]): Counts => ({
  n: outcomes.length,
  c: outcomes.filter(passed => passed).length,
})

/**
 * Interval on the difference of two independent pass rates a − b, from an interval on each ("square and add": Newcombe
 * 1998, method 10; Zou & Donner 2008). With Wilson's for showing; with Clopper and Pearson's where something is decided.
 */
export function differenceInterval(a: Counts, b: Counts, limits: typeof wilson): Measured<Interval> {
  const [ofA, ofB] = [limits(a.n, a.c), limits(b.n, b.c)]
  if (ofA.value === null) return ofA
  if (ofB.value === null) return ofB
  const [rateA, rateB] = [a.c / a.n, b.c / b.n]
  return measured({
    low: rateA - rateB - Math.hypot(rateA - ofA.value.low, ofB.value.high - rateB),
    high: rateA - rateB + Math.hypot(ofA.value.high - rateA, rateB - ofB.value.low),
  })
}
