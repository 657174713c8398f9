/**
 * Two or more arms (models, settings, versions of a skill) on the same tasks: what each reached, what differs, and what may
 * be said of it. From data to one object, without reading or rendering anything.
 */
import { meanOf, meanOverTasks, type TaskMean } from './averages.ts'
import { type Claims, claimsOf } from './claims.ts'
import { type AdjustedEffect, adjusted, effectOf, type Needed, neededFor, pairedTask } from './effect.ts'
import { type Grouped, groupsOf } from './groups.ts'
import { type Headline, headlineOf, letterOf, weightProblems } from './headline.ts'
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

/** What one arm reached; intervals are "on tasks like these". */
export interface ArmFigures {
  readonly name: string
  readonly counts: Counts
  readonly passRate: TaskMean
  /** Mean pass^k over the tasks with n ≥ k, and with the others counted as 0 and as 1. */
  readonly passHat: TaskMean
  readonly passHatBounds: Interval
  readonly modules: readonly { readonly module: string; readonly passRate: TaskMean; readonly passHat: TaskMean }[]
  readonly headline: (Headline & { readonly letter: string | null }) | null
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
  /** `interval` is Newcombe's, 95 %, for showing: one task is never a finding. */
  readonly tasks: readonly {
    readonly id: string
    readonly module: string
    readonly a: Counts
    readonly b: Counts
    readonly difference: number
    readonly interval: Interval | null
  }[]
  /**
   * a/b, of two arms only. A time limit cuts what it stops, so a ratio of times leans to 1 where many trials ran into one.
   */
  readonly cost: { readonly seconds: Ratio | null; readonly turns: Ratio | null; readonly tokens: Ratio | null } | null
  readonly needed: Needed | null
}

export interface Comparison {
  readonly k: number
  readonly tasks: readonly { readonly id: string; readonly module: string; readonly arms: readonly Counts[] }[]
  /** The best mean pass rate first: an order to show them in, inside a group nothing is claimed. */
  readonly arms: readonly ArmFigures[]
  /** Every pair, in the order of the arms given. */
  readonly pairs: readonly PairComparison[]
  /** What is wrong with the weights. */
  readonly weightProblems: readonly string[]
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
      return { a, b, nameA, nameB, paired, effect: effectOf(paired) }
    }),
  )
  const overall = adjusted(pairs.map(({ effect }) => effect))
  const figures = arms.map((name, arm) => figuresOf(tasks, arm, { name, k, modules, weights }))
  const rate = (arm: number) => figures[arm]?.passRate.value ?? -1
  const order = arms.map((_, arm) => arm).sort((a, b) => rate(b) - rate(a) || a - b)
  const separable = pairs.flatMap(({ a, b, effect }, at) => {
    const [better, worse] = (effect.difference ?? 0) > 0 ? [a, b] : [b, a]
    return overall[at]?.isSeparable === true ? [[order.indexOf(better), order.indexOf(worse)] as const] : []
  })
  const groups = groupsOf(arms.length, separable)
  const weighted = weightedModules(modules, weights)
  return {
    k,
    tasks: tasks.map(({ id, module, arms: of }) => ({
      id,
      module,
      arms: of.map(({ outcomes }) => countsOf(outcomes)),
    })),
    arms: order.flatMap((arm, at) => {
      const [one, group] = [figures[arm], groups[at]]
      return one === undefined || group === undefined ? [] : [{ ...one, group }]
    }),
    pairs: pairs.flatMap(({ a, b, nameA, nameB, paired }, at): readonly PairComparison[] => {
      const effect = overall[at]
      if (effect === undefined) return []
      const ofModules = adjusted(modules.map(module => effectOf(paired.filter(task => task.module === module))))
      const cost = (of: 'seconds' | 'turns' | 'tokens') =>
        ratioOf(
          tasks.map(task => task.arms[a]?.[of] ?? null),
          tasks.map(task => task.arms[b]?.[of] ?? null),
        )
      const needed = neededFor(paired, effect, pairs.length)
      return [
        {
          a: nameA,
          b: nameB,
          overall: effect,
          modules: ofModules.map((one, place) => ({ module: modules[place] ?? '', effect: one })),
          tasks: paired.map(({ n: _n, ...task }) => ({
            ...task,
            interval: differenceInterval(task.a, task.b, wilson).value,
          })),
          cost: arms.length > 2 ? null : { seconds: cost('seconds'), turns: cost('turns'), tokens: cost('tokens') },
          needed,
          ...claimsOf({ a: nameA, b: nameB, overall: effect, needed, comparisons: pairs.length, differing }),
        },
      ]
    }),
    weightProblems:
      weights === undefined
        ? []
        : weightProblems(
            weighted.map(({ name, weight }) => ({
              name,
              weight,
              tasks: tasks.filter(({ module }) => module === name).length,
            })),
          ),
  }
}

/** Modules with a weight that have no task stay in, so that a headline says what it lacks. */
function weightedModules(modules: readonly string[], weights: Weights = {}) {
  const names = [...new Set([...Object.keys(weights), ...modules])]
  return names.map(name => ({ name, weight: Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 0 }))
}

function figuresOf(
  tasks: readonly ComparedTask[],
  arm: number,
  plan: {
    readonly name: string
    readonly k: number
    readonly modules: readonly string[]
    readonly weights: Weights | undefined
  },
): Omit<ArmFigures, 'group'> {
  const rows = tasks.map(({ module, arms }) => {
    const { n, c } = countsOf(arms[arm]?.outcomes ?? [])
    return { module, n, c, rate: c / n, hat: passHatK(n, c, plan.k).value }
  })
  const figures = (of: typeof rows) => ({
    passRate: meanOverTasks(of.map(({ rate }) => rate)),
    passHat: meanOverTasks(of.flatMap(({ hat }) => hat ?? [])),
  })
  const filled = (filler: number) => (rows.length === 0 ? filler : meanOf(rows.map(({ hat }) => hat ?? filler)))
  const within = (name: string) => rows.filter(({ module }) => module === name)
  const headline =
    plan.weights === undefined
      ? null
      : headlineOf(
          weightedModules(plan.modules, plan.weights).map(({ name, weight }) => ({
            name,
            weight,
            tasks: within(name).map(({ hat }) => hat),
          })),
        )
  const letter = headline?.value.value == null ? null : letterOf(headline.value.value)
  return {
    name: plan.name,
    counts: { n: rows.reduce((sum, { n }) => sum + n, 0), c: rows.reduce((sum, { c }) => sum + c, 0) },
    ...figures(rows),
    passHatBounds: { low: filled(0), high: filled(1) },
    modules: plan.modules.map(module => ({ module, ...figures(within(module)) })),
    headline: headline && { ...headline, letter },
  }
}
