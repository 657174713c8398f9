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

const count = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`

/** Tasks that differ, below which the test over tasks cannot reach .05. */
const FEWEST_DIFFERING = 6

/** Settings that are named; the rest is counted. */
const NAMED = 4

/** Claims of one pair. @param pair.comparisons pairs among which this one stands: more than one weigh its p-value, and bar the pooled interval */
export function claimsOf(pair: {
  readonly a: string
  readonly b: string
  readonly overall: AdjustedEffect
  readonly needed: Needed | null
  readonly comparisons: number
  /** In what the arms differ. */
  readonly differing: readonly string[]
}): Claims {
  const { claim, notClaimed } = claimsOfEffect(pair)
  const { differing } = pair
  if (differing.length < 2) return { claim, notClaimed }
  const more = differing.length > NAMED ? ` and ${differing.length - NAMED} more settings` : ''
  const named = differing.slice(0, NAMED).join(', ')
  return { claim, notClaimed: `${notClaimed} Nor that one cause is behind it: the arms differ in ${named}${more}.` }
}

function claimsOfEffect({ a, b, overall, needed, comparisons }: Parameters<typeof claimsOf>[0]): Claims {
  const { difference, tasks, trials, likeThese, onThese } = overall
  if (difference === null) {
    return {
      claim: `Nothing: ${a} and ${b} have no task in common.`,
      notClaimed: 'Any difference, and that there is none.',
    }
  }
  const [better, worse] = difference > 0 ? [a, b] : [b, a]
  const among = comparisons === 1 ? '' : `, adjusted for ${comparisons} comparisons`
  const test = `${pText(overall.adjusted)}${among}`
  const range = likeThese.value === null ? '' : `, 95 %: ${pointsRange(likeThese.value)}`
  const mean = `${points(difference)} points for ${a} over ${count(tasks, 'task')}${range}`
  if (overall.isSeparable) {
    return {
      claim: `On tasks like these, ${better} passes more often than ${worse}: ${mean} (${test}).`,
      notClaimed: `That ${better} is better at every task or every module, or at other kinds of tasks.`,
    }
  }
  const pooled = onThese.value
  if (comparisons === 1 && pooled !== null && (pooled.low > 0 || pooled.high < 0)) {
    return {
      claim: `On these ${tasks} very tasks, ${better} passes more often than ${worse}: ${points(difference)} points for ${a}, 95 %: ${pointsRange(pooled)}, ${count(trials, 'trial')} each. Over tasks it is not shown (${test}).`,
      notClaimed: `That ${better} is better at other tasks of this kind: ${count(overall.wins + overall.losses, 'task')} of ${tasks} differ, which does not tell it from chance.`,
    }
  }
  const known = likeThese.value === null && pooled !== null ? `, 95 % on these very tasks: ${pointsRange(pooled)}` : ''
  const few =
    overall.wins + overall.losses < FEWEST_DIFFERING
      ? ` Fewer than ${FEWEST_DIFFERING} tasks differ, so no test over tasks can show one.`
      : ''
  return {
    claim: `No difference is shown between ${a} and ${b}: ${mean}${known} (${test}).${few}${decide(needed)}`,
    notClaimed: `That ${a} and ${b} are equally good, or that ${difference === 0 ? 'either' : better} is the better one.`,
  }
}

function decide(needed: Needed | null): string {
  if (needed === null) return ''
  const trials =
    needed.trialsPerTask === null ? '' : `; on these very tasks, about ${count(needed.trialsPerTask, 'trial')} of each`
  return ` Were the difference what it looks like, about ${count(needed.tasks, 'task')} would show it${trials}.`
}
