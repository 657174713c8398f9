/** Tasks against models, for a matrix of several models: which model passes what, at one look. Pure. */
import { rowName } from '../src/results/row-name.ts'
import type { Summary } from '../src/results/summary.ts'
import { modelNames } from './standings.ts'
import { type Cell, type Column, escapeForTerminal, layOut, type Painter } from './terminal.ts'

interface Row {
  readonly task: string
  readonly byModel: ReadonlyMap<string, Summary>
}

/** Lines of the grid; none for a single model. Models stand in the order of their first summary. */
export function modelGridLines(
  summaries: readonly Summary[],
  room: { readonly width: number; readonly paint: Painter },
): readonly string[] {
  const models = modelNames(summaries.map(summary => summary.model))
  if (models.size < 2) return []
  const rows = new Map<string, Map<string, Summary>>()
  for (const summary of summaries) {
    const row = rows.get(rowName(summary)) ?? new Map<string, Summary>()
    rows.set(rowName(summary), row.set(summary.model, summary))
  }
  const columns: readonly Column<Row>[] = [
    { title: 'task', cell: ({ task }) => ({ text: escapeForTerminal(task) }) },
    ...[...models].map(
      ([model, name]): Column<Row> => ({
        title: escapeForTerminal(name),
        cell: ({ byModel }) => cellOf(byModel.get(model)),
      }),
    ),
  ]
  const { title, lines } = layOut(
    [...rows].map(([task, byModel]) => ({ task, byModel })),
    columns,
    room,
  )
  return [title, ...lines]
}

/** `PASS 3/3`, `FAIL 1/3`, `open 0/3`: verdict and passes of the trials that count. */
function cellOf(summary: Summary | undefined): Cell {
  if (summary === undefined) return { text: '–', style: 'dim' }
  const passes = `${summary.passes}/${summary.n}`
  if (summary.observed) return { text: 'observed', style: 'dim' }
  if (summary.verdict === 'pass') return { text: `PASS ${passes}`, style: 'green' }
  if (summary.verdict === 'fail') return { text: `FAIL ${passes}`, style: 'red' }
  return { text: `open ${passes}`, style: 'yellow' }
}
