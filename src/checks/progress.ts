/** Progress through a task in four steps, for suites that grade it beside pass and fail. */
import type { Reached, Run } from '../task/run.ts'

export interface ProgressSpec<Instance> {
  /** Files that the answer rests on; each must be named by a valid call or shown. */
  readonly targets: readonly string[]
  /** Whether what was answered or left has the right form, such as a number where one is asked for. */
  readonly form: (run: Run<string, undefined, Instance>) => boolean
  /** What makes it right, by flag. */
  readonly right: Readonly<Record<string, (run: Run<string, undefined, Instance>) => Reached>>
}

/**
 * The fields `flags`, `points` and `passes` of a task whose progress runs from 0 to 4: a valid call, every target touched,
 * the right form, the right result. Only the last decides a pass; its point is shared by its flags.
 *
 * @example
 * defineTask({ …, ...progress({ targets: ['rules.md'], form: run => /\d/.test(run.answer), right: { cap: run => … } }) })
 */
export function progress<Instance = undefined>({ targets, form, right }: ProgressSpec<Instance>) {
  type Asked = Run<string, undefined, Instance>
  const names = Object.keys(right)
  const isEngaged = (run: Asked) => run.calls().some(({ valid }) => valid)
  return {
    flags: {
      engaged: isEngaged,
      touched: (run: Asked) => isEngaged(run) && targets.every(path => run.touched(path)),
      formed: (run: Asked) => isEngaged(run) && form(run),
      ...right,
    },
    points: Object.fromEntries(names.map(name => [name, 1 / names.length])),
    passes: names,
  }
}
