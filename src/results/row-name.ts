import type { Summary } from './summary-schema.ts'

/**
 * What tables call a task: its id, with the mode where it has a choice, and with the instance where that is not the usual
 * one. Results of other names are never pooled.
 */
export function rowName({ task_id, mode, instance }: Pick<Summary, 'task_id' | 'mode' | 'instance'>): string {
  const form = [...(mode === undefined ? [] : [mode]), ...((instance ?? 0) === 0 ? [] : [`instance ${instance}`])]
  return form.length === 0 ? task_id : `${task_id} (${form.join(', ')})`
}
