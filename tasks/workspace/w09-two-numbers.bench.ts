import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { type Workspace, workspace } from './fixture.ts'
import { after, graded, read, SYSTEM } from './grading.ts'

const PATH = 'data/headcount.csv'
const said = after(read(PATH), read('config/settings.yaml'))
const total = ({ staff }: Workspace) => staff.reduce((tenths, { fte }) => tenths + Math.round(fte * 10), 0) / 10
const minutesOf = ({ notes }: Workspace) => Object.keys(notes).find(path => notes[path]?.includes('not verified')) ?? ''

/** Conflict: minutes quote a number that nobody checked; the settings name the register. */
export default defineTask({
  id: 'W09',
  title: 'Decide between two sources',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt:
    'How many full-time equivalents do we have in all, and which file is authoritative for that? Give the number and the path.',
  ...graded({
    targets: [PATH, 'config/settings.yaml'],
    form: ({ answer }) => /\d/.test(answer),
    right: {
      total: ({ answer, instance }) => claims(answer).number(total(instance), { not: [instance.staleFte] }),
      source: ({ answer, instance }) => claims(answer).file(PATH, { not: [minutesOf(instance)] }),
    },
  }),
  reference: said(workspace => `${total(workspace).toFixed(1)}, ${PATH}`),
  honest: {
    'the other number refused': said(
      workspace =>
        `${total(workspace).toFixed(1)} FTE, by ${PATH}. The ${workspace.staleFte} in ${minutesOf(workspace)} was never verified and does not count.`,
    ),
    'two lines': said(workspace => `Total: ${total(workspace).toFixed(2)}\nAuthoritative file: \`${PATH}\``),
  },
  cheats: {
    'the number of the minutes': losing(
      ['total', 'source'],
      said(workspace => `${workspace.staleFte}, ${minutesOf(workspace)}`),
    ),
    'both numbers': losing(
      'total',
      said(workspace => `${total(workspace).toFixed(1)} or ${workspace.staleFte}; ${PATH}`),
    ),
    'no file': losing(
      'source',
      said(workspace => total(workspace).toFixed(1)),
    ),
    'heads counted': losing(
      'total',
      said(({ staff }) => `${staff.length}, ${PATH}`),
    ),
  },
})
