import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { penceOf, type Workspace, workspace } from './fixture.ts'
import { after, graded, read, run, SYSTEM } from './grading.ts'

const said = after(run("grep -n '2026-0[123].*Travel' data/expenses.csv"), read('config/fx_rates.yaml'))
const inQuarter = ({ rows }: Workspace) => rows.filter(({ date }) => date >= '2026-01-01' && date < '2026-04-01')
const sum = (workspace: Workspace, rows: Workspace['rows'] = inQuarter(workspace)) =>
  rows.filter(({ category }) => category === 'Travel').reduce((pence, row) => pence + penceOf(row, workspace), 0) / 100
/** Amounts added up as if all were of one currency. */
const unconverted = (workspace: Workspace) =>
  inQuarter(workspace).reduce((total, { category, amount }) => total + (category === 'Travel' ? amount : 0), 0)

/** Aggregation: rows chosen by two columns, three currencies, one amount. */
export default defineTask({
  id: 'W02',
  title: 'Add up a quarter in one currency',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt:
    'What did we spend on Travel in the first quarter of 2026 (January to March), in the reporting currency? Give one amount with two decimals.',
  ...graded({
    targets: ['data/expenses.csv', 'config/fx_rates.yaml'],
    form: ({ answer }) => /\d/.test(answer),
    right: { total: run => claims(run.answer).number(sum(run.instance), { not: [unconverted(run.instance)] }) },
  }),
  reference: said(workspace => sum(workspace).toFixed(2)),
  honest: {
    'with thousands': said(
      workspace =>
        `We spent £${sum(workspace).toLocaleString('en-GB', { minimumFractionDigits: 2 })} on travel in Q1 2026.`,
    ),
    'in bold': said(workspace => `Total Travel spend: **${sum(workspace).toFixed(2)} GBP**`),
  },
  cheats: {
    unconverted: losing(
      'total',
      said(workspace => unconverted(workspace).toFixed(2)),
    ),
    'the whole year': losing(
      'total',
      said(workspace => sum(workspace, workspace.rows).toFixed(2)),
    ),
    'rounded to pounds': losing(
      'total',
      said(workspace => `about ${Math.round(sum(workspace)) + 1} GBP`),
    ),
    'several amounts': losing(
      'total',
      said(
        workspace =>
          `${sum(workspace).toFixed(2)} or ${unconverted(workspace).toFixed(2)} or ${(sum(workspace) + 10).toFixed(2)}`,
      ),
    ),
  },
})
