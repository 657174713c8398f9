/**
 * Two or more arms (models, settings, versions of a skill) on the same tasks: what each reached, what differs, and what may
 * be said of it. From data to one object, without reading or rendering anything.
 */
import { meanOf, meanOverTasks, type TaskMean } from './averages.ts'
import { type Claims, claimsOf } from './claims.ts'
import {
  type AdjustedEffect,
  adjusted,
  effectOf,
  type Needed,
  neededFor,
  type PairedTask,
  pairedTask,
} from './effect.ts'
import { type Grouped, groupsOf } from './groups.ts'
import { type Headline, headlineOf } from './headline.ts'
import { type Counts, countsOf, differenceInterval, type Interval, passHatK, wilson } from './statistics.ts'
import { type Ratio, ratioOf } from './timing.ts'

/** What one arm did on one task. */
export interface ArmTrials {
  /** Did the trial pass? Trials that count and are separate samples, in the order of their index. */
  readonly outcomes: readonly boolean[]
  /** Means over its trials that count; null where not known. */
  readonly seconds: number | null
  readonly turns: number | null
  readonly tokens: number | null
}

export interface ComparedTask {
  readonly id: string
  readonly module: string
  /** One for each arm, in their order. */
  readonly arms: readonly ArmTrials[]
}

/** Weights of modules by name, adding up to 1. */
export type Weights = Readonly<Record<string, number>>

export interface ComparisonInput {
  readonly arms: readonly string[]
  /** The k of pass^k for all: the smallest of theirs. */
  readonly k: number
  readonly tasks: readonly ComparedTask[]
  /** Without them there is no headline. */
  readonly weights?: Weights | undefined
  /** In what the arms differ, the model among it; with more than one the claims say so. */
  readonly differing?: readonly string[]
}

interface Figures {
  readonly passRate: TaskMean
  /** Mean of pass^k over the tasks with n ≥ k. */
  readonly passHat: TaskMean
}

/** What one arm reached; intervals are "on tasks like these". */
export interface ArmFigures extends Figures {
  readonly name: string
  readonly counts: Counts
  /** pass^k with the tasks of n < k counted as 0, and as 1. */
  readonly passHatBounds: Interval
  readonly modules: readonly (Figures & { readonly module: string })[]
  readonly headline: Headline | null
  readonly group: Grouped
}

export interface PairComparison extends Claims {
  /** Names of the arms; every difference is a − b. */
  readonly a: string
  readonly b: string
  /** Adjusted over all pairs. */
  readonly overall: AdjustedEffect
  /** Adjusted over the modules of this pair. */
  readonly modules: readonly { readonly module: string; readonly effect: AdjustedEffect }[]
  /** With Newcombe's interval, 95 %, for showing: one task is never a finding. */
  readonly tasks: readonly (PairedTask & { readonly interval: Interval | null })[]
  /** a/b, of two arms only. Where many trials ran into a time limit, a ratio of times leans to 1. */
  readonly cost: Readonly<Record<'seconds' | 'turns' | 'tokens', Ratio | null>> | null
  readonly needed: Needed | null
}

export interface Comparison {
  readonly k: number
  readonly tasks: readonly { readonly id: string; readonly module: string; readonly arms: readonly Counts[] }[]
  /** The best mean pass rate first: an order to show them in, inside a group nothing is claimed. */
  readonly arms: readonly ArmFigures[]
  /** Every pair, in the order of the arms given. */
  readonly pairs: readonly PairComparison[]
}

/** Compares arms over the tasks of which all have a trial, in the order of the tasks' ids. */
export function compareArms({ arms, k, tasks: given, weights, differing = [] }: ComparisonInput): Comparison {
  const tasks = given
    .filter(task => task.arms.length === arms.length && task.arms.every(({ outcomes }) => outcomes.length > 0))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const modules = [...new Set(tasks.map(({ module }) => module))].sort()
  const pairs = arms.flatMap((nameA, a) =>
    arms.slice(a + 1).map((nameB, after) => {
      const b = a + 1 + after
      const paired = tasks.map(task => pairedTask(task, task.arms[a]?.outcomes ?? [], task.arms[b]?.outcomes ?? []))
      return { a, b, nameA, nameB, paired }
    }),
  )
  const effects = adjusted(pairs.map(({ paired }) => effectOf(paired)))
  const figures = arms.map((name, arm) => ({ name, ...figuresOf(tasks, arm, { k, modules, weights }) }))
  const order = figures.map((one, arm) => ({ one, arm }))
  order.sort((x, y) => (y.one.passRate.value ?? 0) - (x.one.passRate.value ?? 0) || x.arm - y.arm)
  const placeOf = (arm: number) => order.findIndex(entry => entry.arm === arm)
  const separable = pairs.flatMap(({ a, b }, at) => {
    const effect = effects[at]
    if (effect?.isSeparable !== true || effect.difference === null) return []
    return [effect.difference > 0 ? ([placeOf(a), placeOf(b)] as const) : ([placeOf(b), placeOf(a)] as const)]
  })
  const groups = groupsOf(arms.length, separable)
  return {
    k,
    tasks: tasks.map(({ id, module, arms: of }) => ({
      id,
      module,
      arms: of.map(({ outcomes }) => countsOf(outcomes)),
    })),
    arms: groups.flatMap((group, at) => (order[at] === undefined ? [] : [{ ...order[at].one, group }])),
    pairs: pairs.flatMap(({ a, b, nameA, nameB, paired }, at): readonly PairComparison[] => {
      const overall = effects[at]
      if (overall === undefined) return []
      const ofModules = adjusted(modules.map(name => effectOf(paired.filter(({ module }) => module === name))))
      const valuesOf = (arm: number, of: 'seconds' | 'turns' | 'tokens') =>
        tasks.map(task => task.arms[arm]?.[of] ?? null)
      const cost = (of: 'seconds' | 'turns' | 'tokens') => ratioOf(valuesOf(a, of), valuesOf(b, of))
      const needed = neededFor(paired, overall, pairs.length)
      return [
        {
          a: nameA,
          b: nameB,
          overall,
          modules: ofModules.map((effect, place) => ({ module: modules[place] ?? '', effect })),
          tasks: paired.map(task => ({ ...task, interval: differenceInterval(task.a, task.b, wilson).value })),
          cost: arms.length > 2 ? null : { seconds: cost('seconds'), turns: cost('turns'), tokens: cost('tokens') },
          needed,
          ...claimsOf({ a: nameA, b: nameB, overall, needed, comparisons: pairs.length, differing }),
        },
      ]
    }),
  }
}

function figuresOf(
  tasks: readonly ComparedTask[],
  arm: number,
  { k, modules, weights }: Pick<ComparisonInput, 'k' | 'weights'> & { readonly modules: readonly string[] },
): Omit<ArmFigures, 'name' | 'group'> {
  const rows = tasks.map(({ module, arms }) => {
    const { n, c } = countsOf(arms[arm]?.outcomes ?? [])
    return { module, n, c, rate: c / n, hat: passHatK(n, c, k).value }
  })
  const figures = (of: typeof rows): Figures => ({
    passRate: meanOverTasks(of.map(({ rate }) => rate)),
    passHat: meanOverTasks(of.flatMap(({ hat }) => hat ?? [])),
  })
  const filled = (filler: number) => (rows.length === 0 ? filler : meanOf(rows.map(({ hat }) => hat ?? filler)))
  const within = (name: string) => rows.filter(({ module }) => module === name)
  // Modules with a weight that have no task stay in, so that a headline says what it lacks.
  const weighted = [...new Set([...Object.keys(weights ?? {}), ...modules])].map(name => ({
    name,
    weight: new Map(Object.entries(weights ?? {})).get(name) ?? 0,
    tasks: within(name).map(({ hat }) => hat),
  }))
  return {
    counts: countsOf(tasks.flatMap(({ arms }) => arms[arm]?.outcomes ?? [])),
    ...figures(rows),
    passHatBounds: { low: filled(0), high: filled(1) },
    modules: modules.map(module => ({ module, ...figures(within(module)) })),
    headline: weights === undefined ? null : headlineOf(weighted),
  }
}
