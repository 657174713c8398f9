import type { Block } from '../../../reporters/blocks.ts'
import { type Arm, trialsOf } from '../../results/matching.ts'
import { rowName } from '../../results/row-name.ts'
import { type Item, itemOf } from '../../score/items.ts'
import { countsOf } from '../../score/statistics.ts'
import type { AddCommand, CliContext } from '../command.ts'
import { type FormatOptions, withFormat, writeBlocks } from './compare.ts'

interface ItemsOptions extends FormatOptions {
  readonly resultsDir?: string
}

type TaskItem = Item & { readonly task: string }

/** `agent-bench items [task …]`: which tasks tell models apart, by everything recorded. */
export const addItems: AddCommand = (program, context) => {
  withFormat(program.command('items'))
    .description('says how hard and how steady tasks are, and whether they tell models apart, by recorded results')
    .argument('[tasks...]', 'parts of the ids of tasks, such as a new one to screen (default: all)')
    .option('--results-dir <folder>', 'where the results are (default: BENCH_RESULTS_DIR, else results)')
    .action((tasks: readonly string[], options: ItemsOptions) => showItems(tasks, options, context))
}

async function showItems(wanted: readonly string[], options: ItemsOptions, context: CliContext): Promise<void> {
  const { armsFrom } = await import('./arms.ts')
  const { arms } = await armsFrom([], options, context)
  const items = itemsOf(arms).filter(({ task }) => wanted.length === 0 || wanted.some(part => task.includes(part)))
  if (items.length === 0) context.setStatus(2)
  writeBlocks(items, itemBlocks(items), options, context)
}

/** Of each task the version that most models have. */
function itemsOf(arms: readonly Arm[]): readonly TaskItem[] {
  const heads = arms.flatMap(arm => arm.heads).filter(head => !head.observed)
  const tasks = [...new Set(heads.map(rowName))].sort()
  const versions = tasks.map(task => {
    const all = heads.filter(head => rowName(head) === task).map(head => head.task_fingerprint)
    const having = (version: string) => all.filter(one => one === version).length
    return all.toSorted((a, b) => having(b) - having(a))[0]
  })
  const matrix = arms.map(arm =>
    tasks.map((task, at) => {
      const head = arm.heads.find(one => rowName(one) === task && one.task_fingerprint === versions[at])
      return head === undefined ? null : countsOf(trialsOf(head).outcomes)
    }),
  )
  return tasks.map((task, at) => ({ task, ...itemOf(matrix, at) }))
}

function itemBlocks(items: readonly TaskItem[]): readonly Block[] {
  const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2).replace('-', '−'))
  const rows = items.map(({ task, models, trials, difficulty, discrimination, weight, thirds, flaky, saturated }) => {
    const r = weight === 'hidden' ? null : discrimination.value
    const remark = saturated ?? (r !== null && r < 0 ? 'weaker models do better: review it' : '')
    const counts = [String(models), [...new Set(trials)].join('–'), figure(difficulty)]
    return [task, ...counts, figure(r), figure(thirds), `${flaky} of ${models}`, remark]
  })
  const head = ['task', 'models', 'trials', 'difficulty', 'r with the rest', 'best − last third', 'flaky', 'remark']
  const note = 'r is not shown below 10 models and only indicative below 30. Nothing here removes a task by itself.'
  return [{ head, rows }, ...(items.every(({ weight }) => weight === 'usable') ? [] : [{ text: note }])]
}
