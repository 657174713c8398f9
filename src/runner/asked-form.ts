/** Whether the tasks of a run have the mode and the instance that it asks for. */
import { ConfigError } from '../errors.ts'
import { sourceTexts } from '../task/fingerprint.ts'
import type { TaskMeta } from './meta.ts'
import type { Settings } from './settings.ts'

type Asked = Pick<Settings, 'mode' | 'instance'>

/**
 * Before any file is loaded: refuses what none of them can have, because neither it nor what it imports speaks of it.
 * @throws ConfigError code `mode_absent` or `instance_absent`
 */
export function refuseUnknownForm(files: readonly string[], { mode, instance }: Asked): void {
  const isSaid = (word: RegExp) => files.some(file => sourceTexts([file]).some(text => word.test(text)))
  if (mode !== null && !isSaid(/\bmodes\b/)) {
    throw new ConfigError(`BENCH_MODE is "${mode}", and no task of this run has a choice of modes`, {
      code: 'mode_absent',
      remedy: 'Leave BENCH_MODE out, or choose tasks with `modes`.',
    })
  }
  if (instance !== 0 && !isSaid(/\binstance\b/)) {
    throw new ConfigError(`BENCH_INSTANCE is ${instance}, and no task of this run has instances`, {
      code: 'instance_absent',
      remedy: 'Leave BENCH_INSTANCE out, or choose tasks with an `instance`.',
    })
  }
}

/** After the run: sentences about the tasks that were run in another form than was asked for, since they have only that. */
export function otherForms(tasks: readonly TaskMeta[], { mode, instance }: Asked): readonly string[] {
  const named = (which: readonly TaskMeta[]) => [...new Set(which.map(({ task }) => task))].sort().join(', ')
  const inOwnMode = mode === null ? [] : tasks.filter(task => task.mode !== mode)
  const without = instance === 0 ? [] : tasks.filter(task => task.instance === undefined)
  return [
    ...(inOwnMode.length === 0 ? [] : [`Without the mode ${mode}, and run as usual: ${named(inOwnMode)}.`]),
    ...(without.length === 0 ? [] : [`Without instances, and run as usual: ${named(without)}.`]),
  ]
}
