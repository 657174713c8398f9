/** What differs between two arms on the same tasks: the difference, its intervals, its p-value, and what would decide. */
import { clip, meanOf, tInterval, varianceOf } from './averages.ts'
import { holm, neededToShow, signFlip, tango, winsNeeded } from './paired.ts'
import {
  type Counts,
  clopperPearson,
  countsOf,
  differenceInterval,
  type Interval,
  type Measured,
  measured,
  notMeasured,
} from './statistics.ts'

/** One task of two arms, with as many trials of each: unequal numbers would make a difference lean to one side. */
export interface PairedTask {
  readonly id: string
  readonly module: string
  readonly n: number
  readonly a: Counts
  readonly b: Counts
  /** Pass rate of the first arm − that of the second. */
  readonly difference: number
}

/** The first trials of both arms, as many as the one with fewer has. */
export function pairedTask(
  task: { readonly id: string; readonly module: string },
  a: readonly boolean[],
  b: readonly boolean[],
): PairedTask {
  const n = Math.min(a.length, b.length)
  const [one, other] = [countsOf(a.slice(0, n)), countsOf(b.slice(0, n))]
  return { id: task.id, module: task.module, n, a: one, b: other, difference: (one.c - other.c) / n }
}

/** First arm − second arm. */
export interface Effect {
  readonly tasks: number
  /** Trials of each arm, over all tasks. */
  readonly trials: number
  /** Tasks that the first arm passed more often, less often. */
  readonly wins: number
  readonly losses: number
  /** Mean over tasks of the difference of the pass rates; null without a task. */
  readonly difference: number | null
  /** 95 %, on tasks like these: Tango's for one trial a task, else Student's over tasks. It describes; p decides. */
  readonly likeThese: Measured<Interval>
  /** 95 %, on these very tasks: trials pooled. Undefined where tasks have different numbers of trials. */
  readonly onThese: Measured<Interval>
  /** Exact sign-flip test over tasks, two-sided. */
  readonly p: number
}

/** An effect beside others: `adjusted` is Holm's p over all of them. */
export type AdjustedEffect = Effect & { readonly adjusted: number; readonly isSeparable: boolean }

export function effectOf(tasks: readonly PairedTask[]): Effect {
  const differences = tasks.map(({ difference }) => difference)
  const [wins, losses] = [differences.filter(d => d > 0).length, differences.filter(d => d < 0).length]
  const trials = tasks.reduce((sum, { n }) => sum + n, 0)
  const pool = (arm: 'a' | 'b'): Counts => ({ n: trials, c: tasks.reduce((sum, task) => sum + task[arm].c, 0) })
  const student = tInterval(differences)
  const overTasks = student.value === null ? student : measured(clip(student.value, -1, 1))
  // Pooled trials weigh tasks by their trials, which gives the mean over tasks only where all have as many.
  const isEven = tasks.every(({ n }) => n === tasks[0]?.n)
  return {
    tasks: tasks.length,
    trials,
    wins,
    losses,
    difference: tasks.length === 0 ? null : meanOf(differences),
    likeThese: tasks.every(({ n }) => n === 1) ? tango(wins, losses, tasks.length) : overTasks,
    onThese: isEven ? differenceInterval(pool('a'), pool('b'), clopperPearson) : notMeasured('unequal_trials'),
    p: signFlip(asIntegers(tasks)),
  }
}

/** Differences times their common denominator, for the exact test; as they are where that is no safe number. */
function asIntegers(tasks: readonly PairedTask[]): readonly number[] {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y))
  const common = tasks.reduce((all, { n }) => (all / divisor(all, n)) * n, 1)
  return tasks.map(({ a, b, n, difference }) =>
    Number.isSafeInteger(common) ? (a.c - b.c) * (common / n) : difference,
  )
}

/** Effects that stand beside each other, with Holm's correction over all of them. */
export function adjusted(effects: readonly Effect[]): readonly AdjustedEffect[] {
  const pValues = holm(effects.map(({ p }) => p))
  return effects.map((effect, at) => {
    const p = pValues[at] ?? 1
    return { ...effect, adjusted: p, isSeparable: p < 0.05 }
  })
}

/** What would show a difference of the observed size, at 80 % power. */
export interface Needed {
  /** Tasks in all, at as many trials a task. */
  readonly tasks: number
  /** Trials per task and arm, for a statement on these very tasks; null where trials of a task do not differ. */
  readonly trialsPerTask: number | null
  /** Tasks won that a sign test alone would need, with as many lost as now. */
  readonly wins: number
}

/** null where there is nothing to show, or it is shown. @param comparisons among which it stands */
export function neededFor(tasks: readonly PairedTask[], effect: AdjustedEffect, comparisons: number): Needed | null {
  const { difference, isSeparable, losses, wins } = effect
  if (difference === null || difference === 0 || isSeparable || tasks.length < 2) return null
  const spread = ({ n, c }: Counts) => (n < 2 ? 0 : (c * (n - c)) / (n * (n - 1)))
  const within = meanOf(tasks.map(({ a, b }) => spread(a) + spread(b)))
  // The test over tasks wants enough tasks that differ, whatever the mean is.
  const untilEnoughDiffer = Math.ceil((tasks.length * winsNeeded(0, comparisons)) / (wins + losses))
  const byMean = neededToShow(varianceOf(tasks.map(one => one.difference)), difference)
  return {
    tasks: Math.max(tasks.length + 1, untilEnoughDiffer, byMean),
    trialsPerTask: within === 0 ? null : neededToShow(within / tasks.length, difference),
    wins: winsNeeded(Math.min(wins, losses), comparisons),
  }
}
