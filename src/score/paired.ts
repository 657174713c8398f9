/** Two arms on the same tasks: exact tests, and what it would take to decide. */
import { bisect, Z_95 } from './distributions.ts'
import { randomSource } from './random.ts'
import { type Interval, type Measured, measured, notMeasured } from './statistics.ts'

/** Beyond this sum of differences draws are quicker than the exact distribution. */
const LARGEST_SUM = 100_000

/**
 * Sign-flip test (Fisher; Pitman 1937), two-sided: under "within each task the arms are exchangeable" every difference is
 * as likely with the other sign. Exact for whole numbers, by the distribution of Σ±d; else by draws.
 * @returns p in (0, 1]; 1 where nothing differs
 * @example signFlip([2, 1, -1, 3, 0, 1]) // 0.25
 */
export function signFlip(differences: readonly number[]): number {
  const sum = differences.reduce((total, d) => total + Math.abs(d), 0)
  if (sum > LARGEST_SUM || !differences.every(Number.isSafeInteger)) return signFlipByDraws(differences)
  let mass = new Float64Array(2 * sum + 1)
  mass[sum] = 1
  let reach = 0
  for (const step of differences.map(Math.abs).filter(d => d > 0)) {
    const next = new Float64Array(2 * sum + 1)
    for (let at = sum - reach; at <= sum + reach; at++) {
      const half = (mass[at] ?? 0) / 2
      next[at - step] = (next[at - step] ?? 0) + half
      next[at + step] = (next[at + step] ?? 0) + half
    }
    mass = next
    reach += step
  }
  const observed = Math.abs(differences.reduce((total, d) => total + d, 0))
  return Math.min(
    1,
    mass.reduce((p, share, at) => (Math.abs(at - sum) >= observed ? p + share : p), 0),
  )
}

/** The same test by drawn signs: p = (b + 1)/(draws + 1), never 0 (Phipson & Smyth 2010). Zeros take a draw too. */
export function signFlipByDraws(differences: readonly number[], { seed = 42, draws = 99_999 } = {}): number {
  const random = randomSource(seed)
  const observed = Math.abs(differences.reduce((total, d) => total + d, 0))
  let extreme = 0
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0
    for (const d of differences) sum += random() >= 2 ** 31 ? d : -d
    if (Math.abs(sum) >= observed * (1 - 1e-12)) extreme++
  }
  return (extreme + 1) / (draws + 1)
}

/**
 * Exact sign test over tasks, ties left out; for one trial a task it is McNemar's test. `midP` is less conservative and not
 * guaranteed (Fagerland et al. 2013): for showing, nothing is decided by it.
 */
export function signTest(wins: number, losses: number): { readonly p: number; readonly midP: number } {
  const n = wins + losses
  let term = 0.5 ** n
  let tail = term
  for (let i = 1; i <= Math.min(wins, losses); i++) {
    term *= (n - i + 1) / i
    tail += term
  }
  const p = Math.min(1, 2 * tail)
  return { p, midP: wins === losses ? p : p - term }
}

/**
 * Holm's adjusted p-values (1979), in the order given. From unrounded p-values only: 17 to 1 among 378 comparisons is
 * .0548, and would be .0378 had it been rounded to four decimals before.
 */
export function holm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1))
  const adjusted = new Array<number>(pValues.length)
  let largest = 0
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * (pValues[index] ?? 1)))
    adjusted[index] = largest
  }
  return adjusted
}

/**
 * Score interval of Tango (1998) on the difference of two paired proportions, 95 %: for one trial a task and arm.
 * @param wins tasks that only the first arm passed
 * @param losses tasks that only the second one passed
 */
export function tango(wins: number, losses: number, tasks: number): Measured<Interval> {
  if (tasks === 0) return notMeasured('no_trials')
  const z = (delta: number) => {
    const linear = -wins - losses + (2 * tasks - wins + losses) * delta
    const root = Math.sqrt(Math.max(0, linear ** 2 + 8 * tasks * losses * delta * (1 - delta)))
    const variance = tasks * (2 * ((root - linear) / (4 * tasks)) + delta * (1 - delta))
    const distance = wins - losses - tasks * delta
    return distance === 0 ? 0 : distance / Math.sqrt(Math.max(0, variance))
  }
  const centre = (wins - losses) / tasks
  return measured({ low: bisect(d => Z_95 - z(d), -1, centre), high: bisect(d => -Z_95 - z(d), centre, 1) })
}

/** z of two-sided 5 % and of a power of 80 %, added. */
const Z_POWER = Z_95 + 0.8416212335729143

/**
 * How many values of this variance show a mean of `delta` (two-sided 5 %, power 80 %), by the normal approximation
 * (planning as in Miller 2024, arXiv 2411.00640). Optimistic: it takes all tasks to differ by the same.
 */
export const neededToShow = (variance: number, delta: number): number =>
  Math.ceil((Z_POWER ** 2 * variance) / delta ** 2)

/** Wins that it takes beside so many losses for a sign test to be below .05 as the smallest of `comparisons`. */
export function winsNeeded(losses: number, comparisons = 1): number {
  let wins = losses
  while (comparisons * signTest(wins, losses).p >= 0.05) wins++
  return wins
}
