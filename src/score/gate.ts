/** Regression gate: "not worse by more than delta", over the trials of two arms on the same tasks. */
import { meanOf, varianceOf } from './averages.ts'
import { lnGamma, tQuantile } from './distributions.ts'
import { holm } from './paired.ts'
import { type Counts, clopperPearson, countsOf, differenceInterval, type Interval } from './statistics.ts'

/** Fewest tasks for the bound "on tasks like these". */
const FEWEST_TASKS = 5
/** Trials per arm beyond which nobody is told how many would decide. */
const MOST_TRIALS = 2_000

/** Both ends at one-sided 95 %. Wilson's limits would let the true error reach .06 to .09 here; with these it stays below .05. */
const oneSided = (n: number, c: number) => clopperPearson(n, c, 0.1)

/** Bounds on the change of the pass rate, candidate − baseline, each at one-sided 95 %. null without trials. */
export const gateBounds = (candidate: Counts, baseline: Counts): Interval | null =>
  differenceInterval(candidate, baseline, oneSided).value

/** @throws never; without trials it is `inconclusive` */
export function gateOutcome(bounds: Interval | null, delta: number): 'pass' | 'worse' | 'inconclusive' {
  if (bounds === null) return 'inconclusive'
  if (bounds.high < 0) return 'worse'
  return bounds.low > -delta ? 'pass' : 'inconclusive'
}

/** ln of n over k. */
const lnChoose = (n: number, k: number) => lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1)

/** Fisher's exact test, one-sided: p of so few passes of the candidate, given those of both arms. */
export function fisherWorse(candidate: Counts, baseline: Counts): number {
  const passes = candidate.c + baseline.c
  let p = 0
  for (let c = Math.max(0, passes - baseline.n); c <= candidate.c; c++) {
    p += Math.exp(
      lnChoose(candidate.n, c) + lnChoose(baseline.n, passes - c) - lnChoose(candidate.n + baseline.n, passes),
    )
  }
  return Math.min(1, p)
}

/** One task of a gate: as many trials of each arm, in the order of their index. */
export interface GateTask {
  readonly id: string
  readonly baseline: readonly boolean[]
  readonly candidate: readonly boolean[]
}

export interface Gate {
  /** `worse` too where a single task has collapsed that an average hides. */
  readonly outcome: 'pass' | 'worse' | 'inconclusive'
  readonly delta: number
  readonly tasks: number
  /** Trials of each arm, over all tasks. */
  readonly trials: number
  readonly baseline: Counts
  readonly candidate: Counts
  /** Candidate − baseline, and its bounds on these tasks, each at one-sided 95 %; null without trials. */
  readonly change: number | null
  readonly bounds: Interval | null
  /** Lower bound of the mean change on tasks like these (Student, one-sided 95 %); null below five tasks. */
  readonly likeThese: number | null
  /** Tasks that are worse by themselves: Fisher's exact test, Holm over tasks. */
  readonly collapsed: readonly { readonly id: string; readonly p: number }[]
  /** Trials per arm that would let an unchanged candidate pass in four of five runs; null where it is decided or beyond 2,000. */
  readonly needs: number | null
}

/**
 * Pools the trials of each arm: the statement is about these tasks, and conservative where they differ in difficulty
 * (Hoeffding 1956). An arm with more trials of a task gives its first ones.
 * @param delta the margin, declared before the run; 0 < delta < 1
 */
export function gate(given: readonly GateTask[], delta = 0.1): Gate {
  if (!(delta > 0 && delta < 1)) throw new RangeError(`the margin must lie between 0 and 1, got ${delta}`)
  const tasks = given.flatMap(task => {
    const n = Math.min(task.baseline.length, task.candidate.length)
    const [b, c] = [countsOf(task.baseline.slice(0, n)), countsOf(task.candidate.slice(0, n))]
    return n === 0 ? [] : [{ id: task.id, b, c }]
  })
  const pool = (arm: 'b' | 'c'): Counts => ({
    n: tasks.reduce((sum, task) => sum + task[arm].n, 0),
    c: tasks.reduce((sum, task) => sum + task[arm].c, 0),
  })
  const [baseline, candidate] = [pool('b'), pool('c')]
  const bounds = gateBounds(candidate, baseline)
  const pValues = holm(tasks.map(({ b, c }) => fisherWorse(c, b)))
  const collapsed = tasks.flatMap(({ id }, at) => ((pValues[at] ?? 1) < 0.05 ? [{ id, p: pValues[at] ?? 1 }] : []))
  const changes = tasks.map(({ b, c }) => c.c / c.n - b.c / b.n)
  const outcome = collapsed.length > 0 ? 'worse' : gateOutcome(bounds, delta)
  const n = tasks.length
  return {
    outcome,
    delta,
    tasks: n,
    trials: baseline.n,
    baseline,
    candidate,
    change: bounds === null ? null : candidate.c / candidate.n - baseline.c / baseline.n,
    bounds,
    likeThese: n < FEWEST_TASKS ? null : meanOf(changes) - tQuantile(0.95, n - 1) * Math.sqrt(varianceOf(changes) / n),
    collapsed,
    needs:
      outcome === 'inconclusive' && baseline.n > 0
        ? gateTrialsNeeded(baseline.c / baseline.n, delta, baseline.n)
        : null,
  }
}

/** The chance that an unchanged candidate passes with n trials per arm, both passing at `rate`. */
function gatePower(rate: number, delta: number, n: number): number {
  const passes = Array.from({ length: n + 1 }, (_, c) => {
    const chance = rate === 0 || rate === 1 ? Number(c === rate * n) : 0
    const spread =
      rate > 0 && rate < 1 ? Math.exp(lnChoose(n, c) + c * Math.log(rate) + (n - c) * Math.log(1 - rate)) : 0
    return { c, share: chance + spread }
  }).filter(({ share }) => share > 1e-7)
  const limits = new Map(passes.map(({ c }) => [c, oneSided(n, c).value ?? { low: 0, high: 1 }]))
  let power = 0
  for (const { c: w, share: shareW } of passes) {
    for (const { c: o, share: shareO } of passes) {
      const low = (w - o) / n - Math.hypot(w / n - (limits.get(w)?.low ?? 0), (limits.get(o)?.high ?? 1) - o / n)
      if (low > -delta) power += shareW * shareO
    }
  }
  return power
}

/**
 * Trials per arm from which on an unchanged candidate passes with that power, found to 1 %, above `from`.
 * @returns null beyond 2,000
 */
export function gateTrialsNeeded(rate: number, delta: number, from = 1, power = 0.8): number | null {
  let [low, high] = [from, from + 1]
  while (gatePower(rate, delta, high) < power) {
    low = high
    high = Math.ceil(high * 1.5)
    if (high > MOST_TRIALS) return null
  }
  while (high - low > Math.max(1, high / 100)) {
    const middle = Math.floor((low + high) / 2)
    if (gatePower(rate, delta, middle) < power) low = middle
    else high = middle
  }
  return high
}
