import { defineTask, stringTools } from 'agent-bench'
import { losing } from 'agent-bench/proving'
import { type Workspace, workspace } from './fixture.ts'
import { graded, run, SYSTEM, writing } from './grading.ts'

const PATH = 'data/audit.txt'
const wrote = writing(PATH, run("grep -c '2026-.*Software' data/expenses.csv"))
const count = ({ rows }: Workspace, year = '2026') =>
  rows.filter(({ date, category }) => category === 'Software' && date.startsWith(year)).length
const line = (workspace: Workspace) => `${workspace.code},${count(workspace)}`

/** Retention: a code given first has to be there at the end. */
export default defineTask({
  id: 'W10',
  title: 'Remember a code',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [PATH],
  prompt: ({ instance }) =>
    `Your audit code is ${instance.code}. Count the expenses of the category Software in data/expenses.csv that are dated in 2026. Then write one line to ${PATH}: the audit code, a comma, the count.`,
  ...graded({
    targets: ['data/expenses.csv'],
    form: run => run.finalText(PATH) !== null,
    right: { audit: run => run.finalText(PATH)?.trim() === line(run.instance) },
  }),
  reference: wrote(line),
  honest: {
    'with a line end': wrote(workspace => `${line(workspace)}\n`, ''),
    'read again': async hands => {
      await wrote(line)(hands)
      return hands.call('read_file', { path: PATH })
    },
  },
  cheats: {
    'the code forgotten': losing(
      'audit',
      wrote(workspace => String(count(workspace))),
    ),
    'another code': losing(
      'audit',
      wrote(workspace => `QX-0000,${count(workspace)}`),
    ),
    'every year': losing(
      'audit',
      wrote(workspace => `${workspace.code},${count(workspace, '')}`),
    ),
    'a line twice': losing(
      'audit',
      wrote(workspace => `${line(workspace)}\n${line(workspace)}`),
    ),
  },
})
