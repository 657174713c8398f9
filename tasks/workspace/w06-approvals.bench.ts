import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { penceOf, type Workspace, workspace } from './fixture.ts'
import { after, graded, read, run, SYSTEM } from './grading.ts'

const said = after(
  read('policy/travel.md'),
  read('config/fx_rates.yaml'),
  run("grep -n ',[4-9][0-9][0-9][.]\\|,[0-9][0-9][0-9][0-9][.]' data/expenses.csv"),
)
const above = (workspace: Workspace, pounds: number, convert = true) =>
  workspace.rows
    .filter(row => (convert ? penceOf(row, workspace) : row.amount * 100) >= pounds * 100)
    .map(({ id }) => id)
const needed = (workspace: Workspace) => above(workspace, workspace.approval)
const others = (workspace: Workspace) =>
  workspace.rows.map(({ id }) => id).filter(id => !needed(workspace).includes(id))

/** Several hops: the limit, the rates, the rows; one row is exactly at the limit. */
export default defineTask({
  id: 'W06',
  title: 'Apply a rule over two files',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt: 'Which expenses in data/expenses.csv need written approval by the rules in force? Give their ids.',
  ...graded({
    targets: ['policy/travel.md', 'config/fx_rates.yaml', 'data/expenses.csv'],
    form: ({ answer }) => /EXP-\d{4}/.test(answer),
    right: { ids: run => claims(run.answer).names(needed(run.instance), { not: others(run.instance) }) },
  }),
  reference: said(workspace => needed(workspace).join(', ')),
  honest: {
    'a row that only looks so': said(workspace => {
      const near =
        above(workspace, workspace.approval, false).find(id => !needed(workspace).includes(id)) ?? others(workspace)[0]
      return `${needed(workspace)
        .map(id => `* ${id}`)
        .join('\n')}\n\n${near} does not need it: converted it is below the limit.`
    }),
    'in another order': said(workspace => `Approval is needed for ${needed(workspace).toReversed().join(' and ')}.`),
  },
  cheats: {
    'not converted': losing(
      'ids',
      said(workspace => above(workspace, workspace.approval, false).join(', ')),
    ),
    'more than, not or more': losing(
      'ids',
      said(workspace => above(workspace, workspace.approval + 0.01).join(', ')),
    ),
    'the old limit': losing(
      'ids',
      said(workspace => above(workspace, workspace.oldApproval).join(', ')),
    ),
    'every id': losing(
      'ids',
      said(({ rows }) => rows.map(({ id }) => id).join(' ')),
    ),
  },
})
