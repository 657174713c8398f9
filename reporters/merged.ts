/** The matrix of runs that were made elsewhere and are merged (`vitest --merge-reports`), from what their reports say of each trial. Pure. */
import type { Outcome, Verdict } from '../src/score/outcome.ts'
import { createPainter, escapeForTerminal, layOut } from './terminal.ts'

/** One task under one model, as a merged report has it. */
export interface MergedTask {
  readonly task: string
  /** null in a run of one model, whose name such a report does not hold. */
  readonly model: string | null
  readonly observed: boolean
  readonly verdict: Verdict
  readonly trials: readonly {
    readonly outcome: Outcome
    readonly score: number | null
    readonly turns: number | null
  }[]
}

const WORDS = { pass: 'PASS', fail: 'FAIL', inconclusive: 'INCONCLUSIVE' } as const

/** Lines without line breaks. */
export function mergedLines(
  tasks: readonly MergedTask[],
  { width, color }: { readonly width: number; readonly color: boolean },
): readonly string[] {
  if (tasks.length === 0) return ['The merged reports hold no task.']
  const counted = ({ trials }: MergedTask) =>
    trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
  const mean = (values: readonly (number | null)[]) => {
    const known = values.filter(value => value !== null)
    return known.length === 0 ? '–' : (known.reduce((sum, value) => sum + value, 0) / known.length).toFixed(2)
  }
  const word = ({ verdict, observed }: MergedTask) =>
    observed ? 'observed' : verdict === null ? 'incomplete' : WORDS[verdict]
  const columns = [
    { title: 'verdict', cell: (one: MergedTask) => ({ text: word(one) }) },
    { title: 'task', cell: (one: MergedTask) => ({ text: escapeForTerminal(one.task) }) },
    { title: 'model', cell: (one: MergedTask) => ({ text: escapeForTerminal(one.model ?? '–') }) },
    {
      title: 'passes',
      cell: (one: MergedTask) => {
        const n = counted(one)
        return { text: `${n.filter(({ outcome }) => outcome === 'passed').length}/${n.length}` }
      },
    },
    { title: 'score', cell: (one: MergedTask) => ({ text: mean(counted(one).map(({ score }) => score)) }) },
    { title: 'turns', cell: (one: MergedTask) => ({ text: mean(counted(one).map(({ turns }) => turns)) }) },
  ]
  const { title, lines } = layOut(tasks, columns, { width, paint: createPainter(color) })
  const passing = tasks.filter(({ verdict }) => verdict === 'pass').length
  return [
    title,
    ...lines,
    '',
    `${passing} of ${tasks.length} ${tasks.length === 1 ? 'task passes' : 'tasks pass'} in the merged reports; what was lost and why is in the results folders of those runs`,
  ]
}
