/** A comparison in words and tables: first what the arms differ in and what was dropped, then the numbers, then the claims. */
import type { Dropped, Matched } from '../src/results/matching.ts'
import type { TaskMean } from '../src/score/averages.ts'
import { points, pointsRange, pText, pValue } from '../src/score/claims.ts'
import type { ArmFigures, Comparison, PairComparison } from '../src/score/comparison.ts'
import type { AdjustedEffect } from '../src/score/effect.ts'
import type { Counts, Interval } from '../src/score/statistics.ts'
import type { Ratio } from '../src/score/timing.ts'
import type { Block } from './blocks.ts'

/** Claims that are shown of more than two arms; the rest is counted. */
const CLAIMS_SHOWN = 10
/** Names of dropped tasks that are shown for each reason. */
const DROPPED_SHOWN = 8

/** Percent without decimals, an interval rounded outwards: `58 % (40–75 %)`. */
function percent(value: number | null, interval: Interval | null): string {
  if (value === null) return '–'
  const range =
    interval === null ? '' : ` (${Math.floor(interval.low * 100 + 1e-9)}–${Math.ceil(interval.high * 100 - 1e-9)} %)`
  return `${Math.round(value * 100)} %${range}`
}

const mean = ({ value, interval, method }: TaskMean) =>
  `${percent(value, interval.value)}${method === 'few tasks' ? ' few tasks' : ''}`

export function comparisonBlocks(comparison: Comparison, matched: Omit<Matched, 'input'>): readonly Block[] {
  const { arms, tasks, pairs, k } = comparison
  const given = pairs.length === 1 && pairs[0] !== undefined ? [pairs[0].a, pairs[0].b] : arms.map(({ name }) => name)
  return [
    { text: `${given.join(' against ')}: ${count(tasks.length, 'task')} in all, pass^${k}`, isHeading: true },
    ...beforeNumbers(matched).map(text => ({ text })),
    ...comparison.weightProblems.map(text => ({ text: `weights: ${text}` })),
    ...(tasks.length === 0
      ? []
      : [
          armsTable(arms, k),
          ...headlineLines(arms),
          ...(pairs.length === 1 ? pairBlocks(pairs[0]) : groupLines(arms)),
        ]),
    ...claimLines(pairs),
  ]
}

const count = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`

const DROPPED: Readonly<Record<Dropped['reason'], string>> = {
  missing: 'without a trial that counts in some arm',
  version: 'of different versions',
  observed: 'observed only',
}

/** What has to be known before any number: settings that differ, tasks that were dropped, trials that do not count. */
function beforeNumbers({ settings, dropped, notes }: Omit<Matched, 'input'>): readonly string[] {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))]
  return [
    ...settings.map(
      ({ setting, values, tasks }) => `differs: ${setting}: ${values.join(' / ')} (${count(tasks, 'task')})`,
    ),
    ...reasons.map(reason => {
      const of = dropped.filter(one => one.reason === reason)
      const names = of
        .slice(0, DROPPED_SHOWN)
        .map(({ task, arms }) => (arms.length === 0 ? task : `${task} (${arms.join(', ')})`))
      const more = of.length > names.length ? ` and ${of.length - names.length} more` : ''
      return `dropped: ${count(of.length, 'task')} ${DROPPED[reason]}: ${names.join(', ')}${more}`
    }),
    ...notes.map(note => `note: ${note}`),
  ]
}

function armsTable(arms: readonly ArmFigures[], k: number): Block {
  const rank = ([best, worst]: readonly [number, number]) => (best === worst ? String(best) : `${best}–${worst}`)
  const few = (arm: ArmFigures) => {
    const of = arm.passRate.tasks
    const { low, high } = arm.passHatBounds
    const rest = `, so ${percent(low, null)} to ${percent(high, null)} of all`
    return arm.passHat.tasks === of ? '' : ` on ${arm.passHat.tasks} of ${of} tasks${rest}`
  }
  return {
    head: ['arm', 'trials', 'pass rate (95 %)', `pass^${k} (95 %)`, 'group', 'rank'],
    rows: arms.map(arm => [
      arm.name,
      `${arm.counts.c}/${arm.counts.n}`,
      mean(arm.passRate),
      `${mean(arm.passHat)}${few(arm)}`,
      arm.group.letters,
      rank(arm.group.ranks),
    ]),
  }
}

function headlineLines(arms: readonly ArmFigures[]): readonly Block[] {
  return arms.flatMap(({ name, headline }) => {
    if (headline === null) return []
    const { value, interval, letter, bounds, missing } = headline
    const lacks = missing.map(({ module, missing: tasks, of }) =>
      of === 0 ? `all of ${module}` : `${tasks} of ${of} in ${module}`,
    )
    const rest =
      lacks.length === 0
        ? ''
        : `; missing: ${lacks.join(', ')}, so between ${percent(bounds.low, null)} and ${percent(bounds.high, null)}`
    return [
      {
        text: `headline of ${name}: ${letter === null ? 'none' : `${letter}, ${percent(value.value, interval)}`}${rest}`,
      },
    ]
  })
}

function groupLines(arms: readonly ArmFigures[]): readonly Block[] {
  return arms.length < 3
    ? []
    : [{ text: 'Arms that share a letter are not told apart; their order within a group says nothing.' }]
}

const passes = ({ c, n }: Counts) => `${c}/${n}`

function pairBlocks(pair: PairComparison | undefined): readonly Block[] {
  if (pair === undefined) return []
  const effectRow = (name: string, effect: AdjustedEffect) => [
    name,
    String(effect.tasks),
    effect.difference === null ? '–' : points(effect.difference),
    effect.likeThese.value === null ? '–' : pointsRange(effect.likeThese.value),
    effect.onThese.value === null ? '–' : pointsRange(effect.onThese.value),
    `${effect.wins}–${effect.losses}`,
    pValue(effect.adjusted),
  ]
  const modules = pair.modules.length < 2 ? [] : pair.modules.map(({ module, effect }) => effectRow(module, effect))
  return [
    {
      head: [
        'difference in points',
        'tasks',
        `${pair.a} − ${pair.b}`,
        'tasks like these',
        'these tasks',
        'won–lost',
        'p',
      ],
      rows: [effectRow('all', pair.overall), ...modules],
    },
    {
      head: ['task', pair.a, pair.b, 'difference', '95 %'],
      rows: pair.tasks.map(({ id, a, b, difference, interval }) => [
        id,
        passes(a),
        passes(b),
        points(difference),
        interval === null ? '–' : pointsRange(interval),
      ]),
    },
    ...costLines(pair),
  ]
}

function costLines({ a, b, cost }: PairComparison): readonly Block[] {
  const line = (what: string, ratio: Ratio | null) =>
    ratio === null
      ? []
      : [
          `${what} × ${ratio.geometric.toFixed(2)} (${pText(ratio.p)}; totals × ${ratio.totals.toFixed(2)}; ${count(ratio.tasks, 'task')})`,
        ]
  if (cost === null) return []
  const lines = [...line('time', cost.seconds), ...line('turns', cost.turns), ...line('tokens', cost.tokens)]
  return lines.length === 0 ? [] : [{ text: `${a} took, against ${b}: ${lines.join(', ')}` }]
}

function claimLines(pairs: readonly PairComparison[]): readonly Block[] {
  const [only] = pairs
  if (pairs.length === 1 && only !== undefined) {
    return [
      { text: 'What may be claimed', isHeading: true },
      { text: only.claim },
      { text: `Not claimed: ${only.notClaimed}` },
    ]
  }
  const shown = pairs.filter(({ overall }) => overall.isSeparable)
  const claims = shown.slice(0, CLAIMS_SHOWN).map(({ claim }) => ({ text: claim }))
  const more = shown.length > claims.length ? [{ text: `… and ${shown.length - claims.length} more` }] : []
  const rest = pairs.length - shown.length
  return [
    { text: `${shown.length} of ${count(pairs.length, 'pair')} told apart`, isHeading: true },
    ...claims,
    ...more,
    ...(rest === 0
      ? []
      : [{ text: `Not claimed: any order of the other ${count(rest, 'pair')}, or that they are equally good.` }]),
  ]
}
