/** Regression gate: "not worse by more than delta", over the trials of two arms on the same tasks. */
import { lnGamma } from './distributions.ts'
import { holm } from './paired.ts'
import { type Counts, clopperPearson, countsOf, differenceInterval, type Interval } from './statistics.ts'

/** Each end at one-sided 95 %. With Wilson's limits the true error would reach .06 to .09; with these it stays below .05. */
const oneSided = (n: number, c: number) => clopperPearson(n, c, 0.1)

/** Bounds on candidate − baseline, each at one-sided 95 %; null without trials. */
export const gateBounds = (candidate: Counts, baseline: Counts): Interval | null =>
  differenceInterval(candidate, baseline, oneSided).value

export function gateOutcome(bounds: Interval | null, delta: number): 'pass' | 'worse' | 'inconclusive' {
  if (bounds !== null && bounds.high < 0) return 'worse'
  return bounds !== null && bounds.low > -delta ? 'pass' : 'inconclusive'
}

const lnChoose = (n: number, k: number) => lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1)

/** Fisher's exact test, one-sided: the chance of so few passes of the candidate, given those of both arms. */
export function fisherWorse(candidate: Counts, baseline: Counts): number {
  const [passes, all] = [candidate.c + baseline.c, candidate.n + baseline.n]
  let p = 0
  for (let c = Math.max(0, passes - baseline.n); c <= candidate.c; c++) {
    p += Math.exp(lnChoose(candidate.n, c) + lnChoose(baseline.n, passes - c) - lnChoose(all, passes))
  }
  return Math.min(1, p)
}

export interface Gate {
  /** `worse` too where a single task has collapsed, which an average may hide. */
  readonly outcome: 'pass' | 'worse' | 'inconclusive'
  readonly delta: number
  readonly tasks: number
  /** Trials of both arms, as many of each. */
  readonly baseline: Counts
  readonly candidate: Counts
  /** Bounds on the change of the pass rate on these tasks; null without trials. */
  readonly bounds: Interval | null
  /** Tasks that are worse by themselves: Fisher's exact test, Holm over tasks. */
  readonly collapsed: readonly { readonly id: string; readonly p: number }[]
  /** Trials per arm with which an unchanged candidate passes in four of five runs; null where decided, or beyond 2,000. */
  readonly needs: number | null
}

/**
 * Pools the trials of each arm: the statement is about these tasks, and conservative where they differ in difficulty
 * (Hoeffding 1956). Where one arm has more trials of a task, its first ones count. Without trials it is `inconclusive`.
 * @param given outcomes in the order of the trials' index
 * @param delta the margin, declared before the run. @throws RangeError unless 0 < delta < 1
 */
export function gate(
  given: readonly {
    readonly id: string
    readonly baseline: readonly boolean[]
    readonly candidate: readonly boolean[]
  }[],
  delta = 0.1,
): Gate {
  if (!(delta > 0 && delta < 1)) throw new RangeError(`the margin must lie between 0 and 1, got ${delta}`)
  const tasks = given.flatMap(({ id, baseline, candidate }) => {
    const n = Math.min(baseline.length, candidate.length)
    return n === 0 ? [] : [{ id, before: baseline.slice(0, n), after: candidate.slice(0, n) }]
  })
  const baseline = countsOf(tasks.flatMap(({ before }) => before))
  const candidate = countsOf(tasks.flatMap(({ after }) => after))
  const bounds = gateBounds(candidate, baseline)
  const pValues = holm(tasks.map(({ before, after }) => fisherWorse(countsOf(after), countsOf(before))))
  const collapsed = tasks.map(({ id }, at) => ({ id, p: pValues[at] ?? 1 })).filter(({ p }) => p < 0.05)
  const outcome = collapsed.length > 0 ? 'worse' : gateOutcome(bounds, delta)
  const isOpen = outcome === 'inconclusive' && baseline.n > 0
  const needs = isOpen ? gateTrialsNeeded(baseline.c / baseline.n, delta, baseline.n) : null
  return { outcome, delta, tasks: tasks.length, baseline, candidate, bounds, collapsed, needs }
}

/** The chance that an unchanged candidate passes with n trials per arm, both passing at `rate`. */
function gatePower(rate: number, delta: number, n: number): number {
  const ln = (share: number, times: number) => (times === 0 ? 0 : times * Math.log(share))
  const ends = Array.from({ length: n + 1 }, (_, c) => ({
    c,
    share: Math.exp(lnChoose(n, c) + ln(rate, c) + ln(1 - rate, n - c)),
  })).filter(({ share }) => share > 1e-7)
  const known = new Map(ends.map(({ c }) => [c, oneSided(n, c)]))
  const limits = (_n: number, c: number) => known.get(c) ?? oneSided(n, c)
  let power = 0
  for (const one of ends) {
    for (const other of ends) {
      const low = differenceInterval({ n, c: one.c }, { n, c: other.c }, limits).value?.low ?? -1
      if (low > -delta) power += one.share * other.share
    }
  }
  return power
}

/** Trials per arm, above `from`, with which an unchanged candidate passes in four of five runs, to 1 %; null beyond 2,000. */
export function gateTrialsNeeded(rate: number, delta: number, from = 1): number | null {
  let [low, high] = [from, from + 1]
  while (gatePower(rate, delta, high) < 0.8) {
    low = high
    high = Math.ceil(high * 1.5)
    if (high > 2_000) return null
  }
  while (high - low > Math.max(1, high / 100)) {
    const middle = Math.floor((low + high) / 2)
    if (gatePower(rate, delta, middle) < 0.8) low = middle
    else high = middle
  }
  return high
}
