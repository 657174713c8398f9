import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { workspace } from './fixture.ts'
import { after, graded, read, SYSTEM, search } from './grading.ts'

const PATH = 'archive/2025-review.md'
const said = after(search('invoices', PATH))
const ASKED = /invoices are kept for \d+ days/

/** Long context: the fact stands beyond what one reading of the file shows. */
export default defineTask({
  id: 'W08',
  title: 'Find a fact beyond the cut',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt:
    'According to the review of 2025 under archive/, for how many days are supplier invoices kept after payment? Answer with the number.',
  ...graded({
    targets: [PATH],
    form: ({ answer }) => /\d/.test(answer),
    right: { days: ({ answer, instance }) => claims(answer).number(instance.retentionDays) },
  }),
  reference: said(({ retentionDays }) => String(retentionDays)),
  honest: {
    'in a sentence': said(
      ({ retentionDays }) => `Supplier invoices are retained for ${retentionDays} days after payment, then shredded.`,
    ),
    'by command, after a cut reading': async hands => {
      const cut = await hands.call('read_file', { path: PATH })
      if (ASKED.test(cut) || !cut.includes('[truncated, ')) throw new Error('the fact is not beyond the cut')
      const found = await hands.call('run_command', { command: `tail -c 3500 ${PATH}` })
      return `${/for (\d+) days/.exec(found)?.[1]} days`
    },
  },
  cheats: {
    'several numbers': losing(
      'days',
      said(({ retentionDays }) => `30 or ${retentionDays} or 60`),
    ),
    'a guess after a cut reading': losing(
      'days',
      after(read(PATH))(() => '30'),
    ),
    'a neighbour': losing(
      'days',
      said(({ retentionDays }) => `${retentionDays + 1} days`),
    ),
    'given up': losing(
      ['formed', 'days'],
      after(read(PATH))(() => 'The review does not say.'),
    ),
  },
})
