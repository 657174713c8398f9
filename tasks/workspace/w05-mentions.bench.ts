import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { type Workspace, workspace } from './fixture.ts'
import { after, graded, SYSTEM } from './grading.ts'

const said = after(['search_files', { pattern: 'deliver', path: 'notes' }])
const nameOf = (path: string) => path.slice('notes/'.length)
const mentioning = ({ notes, vendor }: Workspace) =>
  Object.keys(notes)
    .filter(path => notes[path]?.includes(vendor))
    .map(nameOf)
    .sort()
const others = (workspace: Workspace) =>
  Object.keys(workspace.notes)
    .map(nameOf)
    .filter(name => !mentioning(workspace).includes(name))
/** Minutes about a company with a similar name. */
const similar = ({ notes }: Workspace) =>
  nameOf(Object.keys(notes).find(path => notes[path]?.includes('Analytics')) ?? '')

/** Search: three of eight minutes name a vendor, one names another of a similar name. */
export default defineTask({
  id: 'W05',
  title: 'Find all mentions',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt: ({ instance }) => `Which files under notes/ mention the vendor ${instance.vendor}? List their names.`,
  ...graded({
    targets: [],
    form: ({ answer }) => /\.md\b/.test(answer),
    right: { files: run => claims(run.answer).names(mentioning(run.instance), { not: others(run.instance) }) },
  }),
  reference: said(workspace => mentioning(workspace).join('\n')),
  honest: {
    'a near miss named as one': said(
      workspace =>
        `${mentioning(workspace)
          .map(name => `- notes/${name}`)
          .join('\n')}\n\nnotes/${similar(workspace)} is not among them: it is about another company.`,
    ),
    'in a sentence': said(workspace => `They are ${mentioning(workspace).join(', ')}.`),
  },
  cheats: {
    'the near miss too': losing(
      'files',
      said(workspace => [...mentioning(workspace), similar(workspace)].join('\n')),
    ),
    'one left out': losing(
      'files',
      said(workspace => mentioning(workspace).slice(1).join(', ')),
    ),
    'all minutes': losing(
      'files',
      said(({ notes }) => Object.keys(notes).join('\n')),
    ),
    'the number only': losing(
      ['formed', 'files'],
      said(() => 'Three files.'),
    ),
  },
})
