import { defineTask, stringTools } from 'agent-bench'
import { losing } from 'agent-bench/proving'
import { type Workspace, workspace } from './fixture.ts'
import { graded, read, SYSTEM, writing } from './grading.ts'

const PATH = 'data/summary.csv'
const wrote = writing(PATH, read('data/headcount.csv'))
const HEADER = 'team,fte_total'

function totals({ staff }: Workspace): ReadonlyMap<string, number> {
  const tenths = new Map<string, number>()
  for (const { team, fte } of staff) tenths.set(team, (tenths.get(team) ?? 0) + Math.round(fte * 10))
  return new Map([...tenths].map(([team, sum]) => [team, sum / 10]))
}
const table = (workspace: Workspace, number = (fte: number) => fte.toFixed(1)) =>
  [HEADER, ...[...totals(workspace)].map(([team, fte]) => `${team},${number(fte)}`)].join('\n')

/** One line for each team and nothing else; the order is free, numbers may be written with more zeros. */
function isTable(text: string | null, workspace: Workspace): boolean {
  const [header, ...rows] = (text ?? '')
    .trim()
    .split(/\r?\n/)
    .map(line => line.split(',').map(cell => cell.trim().replaceAll('"', '')))
  const expected = totals(workspace)
  const teams = new Set(rows.map(([team]) => team))
  return (
    header?.join(',').toLowerCase() === HEADER &&
    rows.length === expected.size &&
    teams.size === expected.size &&
    rows.every(
      ([team = '', fte = '', ...more]) =>
        more.length === 0 && /^\d+(\.\d+)?$/.test(fte) && Number(fte) === expected.get(team),
    )
  )
}

/** Extraction: a table made from another one. */
export default defineTask({
  id: 'W03',
  title: 'Write a summary table',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [PATH],
  prompt: `Add up the full-time equivalents of each team in data/headcount.csv and write them to ${PATH}: a CSV file with the header ${HEADER} and one row for each team.`,
  ...graded({
    targets: ['data/headcount.csv'],
    form: run => (run.finalText(PATH) ?? '').split('\n').length > 1,
    right: { summary: run => isTable(run.finalText(PATH), run.instance) },
  }),
  reference: wrote(table),
  honest: {
    'another order, two decimals, a line end': wrote(workspace => {
      const [header, ...rows] = table(workspace, fte => fte.toFixed(2)).split('\n')
      return `${[header, ...rows.toReversed()].join('\r\n')}\r\n`
    }),
    'cells in quotes': wrote(workspace => table(workspace).replaceAll(/[^,\n]+/g, '"$&"')),
  },
  cheats: {
    'a column more': losing(
      'summary',
      wrote(workspace => table(workspace).replaceAll('\n', ',x\n')),
    ),
    'a total row': losing(
      'summary',
      wrote(
        workspace => `${table(workspace)}\nTotal,${[...totals(workspace).values()].reduce((a, b) => a + b).toFixed(1)}`,
      ),
    ),
    'a row twice': losing(
      'summary',
      wrote(workspace => `${table(workspace)}\n${table(workspace).split('\n').at(-1)}`),
    ),
    'heads counted': losing(
      'summary',
      wrote(workspace => table(workspace, () => '4')),
    ),
    'a note beside it': {
      loses: [],
      tampers: true,
      play: async hands => {
        await wrote(table)(hands)
        await hands.call('write_file', { path: 'notes/agent-log.md', content: 'Done.' })
      },
    },
  },
})
