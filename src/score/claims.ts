/** The sentence that a comparison lets one say, and the one that it does not. */
import type { AdjustedEffect, Needed } from './effect.ts'
import type { Interval } from './statistics.ts'

export interface Claims {
  readonly claim: string
  readonly notClaimed: string
}

/** `+12`: a difference of rates in points, without decimals. */
export const points = (difference: number): string => signed(Math.round(difference * 100))

const signed = (value: number): string => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0')

/** `−5 to +12`, rounded outwards. */
export const pointsRange = ({ low, high }: Interval): string =>
  `${signed(Math.floor(low * 100 + 1e-9))} to ${signed(Math.ceil(high * 100 - 1e-9))}`

/** `.031`, two significant digits; `< .001` for less. */
export function pValue(p: number): string {
  if (p < 0.001) return '< .001'
  return p >= 0.995 ? '1' : p.toPrecision(2).replace(/^0/, '')
}

/** `p = .031`, `p < .001`. */
export const pText = (p: number): string => (p < 0.001 ? `p ${pValue(p)}` : `p = ${pValue(p)}`)

/** `1 task`, `12 tasks`. */
export const count = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`

/** A pair, and `comparisons` among which it stands: more than one weigh its p-value, and bar the pooled interval. */
interface Pair {
  readonly a: string
  readonly b: string
  readonly overall: AdjustedEffect
  readonly needed: Needed | null
  readonly comparisons: number
  /** In what the arms differ. */
  readonly differing: readonly string[]
}

export function claimsOf(pair: Pair): Claims {
  const { claim, notClaimed } = ofEffect(pair)
  const { differing } = pair
  if (differing.length < 2) return { claim, notClaimed }
  const more = differing.length > 4 ? ` and ${differing.length - 4} more settings` : ''
  const named = `${differing.slice(0, 4).join(', ')}${more}`
  return { claim, notClaimed: `${notClaimed} Nor that one cause is behind it: the arms differ in ${named}.` }
}

function ofEffect({ a, b, overall, needed, comparisons }: Pair): Claims {
  const {
    difference,
    tasks,
    likeThese,
    onThese: { value: pooled },
    wins,
    losses,
  } = overall
  if (difference === null) {
    return {
      claim: `Nothing: ${a} and ${b} have no task in common.`,
      notClaimed: 'Any difference, or that there is none.',
    }
  }
  const [better, worse] = difference > 0 ? [a, b] : [b, a]
  const test = `${pText(overall.adjusted)}${comparisons === 1 ? '' : `, adjusted for ${comparisons} comparisons`}`
  const onThese = pooled === null ? '' : `, 95 % on these very tasks: ${pointsRange(pooled)}`
  const range = likeThese.value === null ? onThese : `, 95 %: ${pointsRange(likeThese.value)}`
  const mean = `${points(difference)} points for ${a} over ${count(tasks, 'task')}${range}`
  if (overall.isSeparable) {
    return {
      claim: `On tasks like these, ${better} passes more often than ${worse}: ${mean} (${test}).`,
      notClaimed: `That ${better} is better at every task or every module, or at other kinds of tasks.`,
    }
  }
  if (comparisons === 1 && pooled !== null && (pooled.low > 0 || pooled.high < 0)) {
    return {
      claim: `On these ${tasks} very tasks, ${better} passes more often than ${worse}: ${points(difference)} points for ${a}, 95 %: ${pointsRange(pooled)}, ${count(overall.trials, 'trial')} each. Over tasks it is not shown (${test}).`,
      notClaimed: `That ${better} is better at other tasks of this kind: ${count(wins + losses, 'task')} of ${tasks} differ, which may be chance.`,
    }
  }
  const few = wins + losses < 6 ? ' Fewer than 6 tasks differ, so no test over tasks can show one.' : ''
  const trials =
    needed?.trialsPerTask == null ? '' : `; on these very tasks, about ${needed.trialsPerTask} trials of each`
  const decide =
    needed && ` Were the difference what it looks like, about ${needed.tasks} tasks would show it${trials}.`
  return {
    claim: `No difference is shown between ${a} and ${b}: ${mean} (${test}).${few}${decide ?? ''}`,
    notClaimed: `That ${a} and ${b} are equally good, or that ${difference === 0 ? 'either' : better} is the better one.`,
  }
}
