/** Times and tokens: medians with an interval, and how much more one arm took than another. */
import { meanOf } from './averages.ts'
import { signFlip } from './paired.ts'

/** Sum of the probabilities of fewer than `r` heads among n. */
function fewerHeads(n: number, r: number): number {
  let [term, sum] = [0.5 ** n, 0]
  for (let i = 0; i < r; i++) {
    sum += term
    term *= (n - i) / (i + 1)
  }
  return sum
}

/** Ranks (from 1) of the order statistics that hold the median with at least 95 %; null for n ≤ 5. */
export function medianRanks(n: number): readonly [number, number] | null {
  let r = 0
  while (2 * fewerHeads(n, r + 1) <= 0.05) r++
  return r === 0 ? null : [r, n + 1 - r]
}

export interface Ratio {
  /** Pairs that both arms have. */
  readonly tasks: number
  /** Geometric mean of a/b over tasks: every task weighs the same. */
  readonly geometric: number
  /** Σa/Σb: long tasks weigh more. */
  readonly totals: number
  /** Sign-flip test of the logarithms, by draws. */
  readonly p: number
}

/**
 * How much more the first arm took, task by task. Never the mean of the ratios, by which each of two arms can be slower
 * than the other (Fleming & Wallace 1986). null where no task has both, above 0.
 */
export function ratioOf(a: readonly (number | null)[], b: readonly (number | null)[]): Ratio | null {
  const pairs = a.flatMap((one, at) => {
    const other = b[at] ?? null
    return one !== null && other !== null && one > 0 && other > 0 ? [[one, other] as const] : []
  })
  if (pairs.length === 0) return null
  const logs = pairs.map(([one, other]) => Math.log(one / other))
  const total = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side], 0)
  return { tasks: pairs.length, geometric: Math.exp(meanOf(logs)), totals: total(0) / total(1), p: signFlip(logs) }
}
