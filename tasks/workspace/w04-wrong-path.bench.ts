import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { type Workspace, workspace } from './fixture.ts'
import { after, graded, read, run, SYSTEM } from './grading.ts'

const said = after(read('data/expense.csv'), run('wc -l data/expenses.csv'))
const count = ({ rows }: Workspace) => rows.length

/** Recovery: the path in the prompt is misspelt; the register lies beside it. */
export default defineTask({
  id: 'W04',
  title: 'Recover from a wrong path',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt: 'How many expenses are listed in data/expense.csv, without the header? Answer with the number.',
  ...graded({
    targets: ['data/expenses.csv'],
    form: ({ answer }) => /\d/.test(answer),
    right: {
      rows: ({ answer, instance }) => claims(answer).number(count(instance)),
      few_errors: run =>
        run.calls().length > 0 &&
        run.calls('read_file').filter(({ result }) => result.startsWith('error: no such')).length <= 3,
    },
  }),
  reference: async hands => {
    await hands.optional('the path as the prompt has it', () =>
      hands.call('read_file', { path: 'data/expense.csv' }).then(() => undefined),
    )
    return after(run('wc -l data/expenses.csv'))(({ rows }) => String(rows.length))(hands)
  },
  honest: {
    'the header named': said(
      workspace =>
        `${count(workspace)} expenses (the file data/expenses.csv has ${count(workspace) + 1} lines with its header).`,
    ),
    'in words around it': said(
      workspace => `There is no data/expense.csv; data/expenses.csv lists **${count(workspace)}** expenses.`,
    ),
  },
  cheats: {
    'the header counted': losing(
      'rows',
      said(workspace => String(count(workspace) + 1)),
    ),
    'a number inside an id': losing(
      'rows',
      said(workspace => `The last one is EXP-0${count(workspace)}.`),
    ),
    'given up': losing(
      ['formed', 'rows'],
      said(() => 'The file does not exist.'),
    ),
    'path after path': losing(
      'few_errors',
      after(
        ...['expense', 'expenditure', 'costs', 'spending'].map(name => read(`data/${name}.csv`)),
        run('wc -l data/expenses.csv'),
      )(workspace => String(count(workspace))),
    ),
  },
})
