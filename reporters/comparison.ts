/** A comparison in words and tables: first in what the arms differ and what was dropped, then the numbers, then the claims. */
import type { Matched } from '../src/results/matching.ts'
import type { TaskMean } from '../src/score/averages.ts'
import { count, points, pointsRange, pText, pValue } from '../src/score/claims.ts'
import type { ArmFigures, Comparison, PairComparison } from '../src/score/comparison.ts'
import type { AdjustedEffect } from '../src/score/effect.ts'
import type { Counts, Interval, Measured } from '../src/score/statistics.ts'
import type { Block } from './blocks.ts'

/** Claims of more than two arms, and dropped tasks of one reason, that are shown; the rest is counted. */
const SHOWN = 10

/** Percent without decimals, an interval rounded outwards: `58 % (40–75 %)`. */
function percent(value: number | null, interval: Interval | null = null): string {
  if (value === null) return '–'
  const [low, high] = [Math.floor((interval?.low ?? 0) * 100 + 1e-9), Math.ceil((interval?.high ?? 1) * 100 - 1e-9)]
  return `${Math.round(value * 100)} %${interval === null ? '' : ` (${low}–${high} %)`}`
}

const mean = ({ value, interval, method }: TaskMean) =>
  `${percent(value, interval.value)}${method === 'few tasks' ? ' few tasks' : ''}`

export function comparisonBlocks(comparison: Comparison, matched: Omit<Matched, 'input'>): readonly Block[] {
  const { arms, tasks, pairs, k } = comparison
  const [only] = pairs
  const given = pairs.length === 1 && only !== undefined ? [only.a, only.b] : arms.map(({ name }) => name)
  const problems = arms[0]?.headline?.problems ?? []
  const numbers = [armsTable(arms, k), ...headlineLines(arms), ...(pairs.length === 1 ? pairBlocks(only) : [])]
  return [
    { text: `${given.join(' against ')}: ${count(tasks.length, 'task')} in all, pass^${k}`, isHeading: true },
    ...[...beforeNumbers(matched), ...problems.map(problem => `weights: ${problem}`)].map(text => ({ text })),
    ...(tasks.length === 0 ? [] : numbers),
    ...claimBlocks(pairs),
  ]
}

const DROPPED = {
  missing: 'without a trial that counts in some arm',
  version: 'of different versions',
  observed: 'observed only',
} as const

/** What has to be known before any number: settings that differ, tasks that were dropped, trials that do not count. */
export function beforeNumbers({ settings, dropped, notes }: Omit<Matched, 'input'>): readonly string[] {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))]
  return [
    ...settings.map(one => `differs: ${one.setting}: ${one.values.join(' / ')} (${count(one.tasks, 'task')})`),
    ...reasons.map(reason => {
      const names = dropped
        .filter(one => one.reason === reason)
        .map(({ task, arms }) => (arms.length === 0 ? task : `${task} (${arms.join(', ')})`))
      const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
      return `dropped: ${count(names.length, 'task')} ${DROPPED[reason]}: ${names.slice(0, SHOWN).join(', ')}${more}`
    }),
    ...notes.map(note => `note: ${note}`),
  ]
}

function armsTable(arms: readonly ArmFigures[], k: number): Block {
  return {
    head: ['arm', 'trials', 'pass rate (95 %)', `pass^${k} (95 %)`, 'group', 'rank'],
    rows: arms.map(({ name, counts, passRate, passHat, passHatBounds: { low, high }, group }) => {
      const isPart = passHat.tasks < passRate.tasks
      const part = ` on ${passHat.tasks} of ${passRate.tasks} tasks, ${percent(low)} to ${percent(high)} on all`
      const ranks = [...new Set(group.ranks)].join('–')
      return [name, passes(counts), mean(passRate), `${mean(passHat)}${isPart ? part : ''}`, group.letters, ranks]
    }),
  }
}

function headlineLines(arms: readonly ArmFigures[]): readonly Block[] {
  return arms.flatMap(({ name, headline }) => {
    if (headline === null) return []
    const { value, interval, letter, bounds, missing } = headline
    const lacks = missing.map(one => `${one.of === 0 ? 'all' : `${one.missing} of ${one.of}`} of ${one.module}`)
    const between = `; missing: ${lacks.join(', ')}, so between ${percent(bounds.low)} and ${percent(bounds.high)}`
    const figure = letter === null ? 'none' : `${letter}, ${percent(value.value, interval)}`
    return [{ text: `headline of ${name}: ${figure}${lacks.length === 0 ? '' : between}` }]
  })
}

const passes = ({ c, n }: Counts) => `${c}/${n}`
const range = ({ value }: Measured<Interval>) => (value === null ? '–' : pointsRange(value))

function pairBlocks(pair: PairComparison | undefined): readonly Block[] {
  if (pair === undefined) return []
  const { a, b, overall, modules, tasks, cost } = pair
  const row = (name: string, { tasks: of, difference, likeThese, onThese, wins, losses, adjusted }: AdjustedEffect) => {
    const figures = [difference === null ? '–' : points(difference), range(likeThese), range(onThese)]
    return [name, String(of), ...figures, `${wins}–${losses}`, pValue(adjusted)]
  }
  const ratios = Object.entries(cost ?? {}).flatMap(([what, ratio]) =>
    ratio === null
      ? []
      : [`${what} × ${ratio.geometric.toFixed(2)} (${pText(ratio.p)}, totals × ${ratio.totals.toFixed(2)})`],
  )
  return [
    {
      head: ['difference in points', 'tasks', `${a} − ${b}`, 'tasks like these', 'these tasks', 'won–lost', 'p'],
      rows: [
        row('all', overall),
        ...(modules.length < 2 ? [] : modules.map(({ module, effect }) => row(module, effect))),
      ],
    },
    {
      head: ['task', a, b, 'difference', '95 %'],
      rows: tasks.map(task => [
        task.id,
        passes(task.a),
        passes(task.b),
        points(task.difference),
        task.interval === null ? '–' : pointsRange(task.interval),
      ]),
    },
    ...(ratios.length === 0 ? [] : [{ text: `${a} took, against ${b}: ${ratios.join(', ')}` }]),
  ]
}

function claimBlocks(pairs: readonly PairComparison[]): readonly Block[] {
  const [only] = pairs
  if (pairs.length === 1 && only !== undefined) {
    const texts = [only.claim, `Not claimed: ${only.notClaimed}`]
    return [{ text: 'What may be claimed', isHeading: true }, ...texts.map(text => ({ text }))]
  }
  const shown = pairs.filter(({ overall }) => overall.isSeparable)
  const more = shown.length > SHOWN ? [`… and ${shown.length - SHOWN} more, see --json`] : []
  const rest = `Not claimed: any order of arms that share a letter, or that they are equally good.`
  return [
    { text: `${shown.length} of ${count(pairs.length, 'pair')} told apart`, isHeading: true },
    ...[...shown.slice(0, SHOWN).map(({ claim }) => claim), ...more, rest].map(text => ({ text })),
  ]
}
