import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { repository } from './fixture.ts'
import { after, graded, read, SYSTEM, search } from './grading.ts'

const PATH = 'docs/operations.md'
const said = after(search('runbook', 'docs'))

/** Long context: the reference stands beyond what one reading of the handbook shows. */
export default defineTask({
  id: 'T08',
  title: 'Find a reference beyond the cut',
  instance: repository,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt: 'Which runbook is to be followed when an export fails? Answer with its reference.',
  ...graded({
    targets: [PATH],
    form: ({ answer }) => /[A-Z]{2,4}-\d{3,5}/.test(answer),
    right: {
      reference: ({ answer, instance }) => claims(answer).names([instance.reference], { not: /[A-Z]{2,4}-\d{3,5}/g }),
    },
  }),
  reference: said(({ reference }) => reference),
  honest: {
    'in a sentence': said(({ reference }) => `Follow runbook ${reference}, as ${PATH} says.`),
    'by command, after a cut reading': async ({ call, instance }) => {
      const cut = await call('read_file', { path: PATH })
      if (cut.includes(instance.reference) || !cut.includes('[truncated, '))
        throw new Error('the reference is not beyond the cut')
      const found = await call('run_command', { command: `grep -o 'OPS-[0-9]*' ${PATH}` })
      return `**${/OPS-\d+/.exec(found)?.[0]}**`
    },
  },
  cheats: {
    'another reference': losing(
      'reference',
      said(() => 'OPS-0001'),
    ),
    'two of them': losing(
      'reference',
      said(({ reference }) => `${reference} or OPS-0001`),
    ),
    'a guess after a cut reading': losing(
      'reference',
      after(read(PATH))(() => 'OPS-0042'),
    ),
    'given up': losing(
      ['formed', 'reference'],
      after(read(PATH))(() => 'The handbook does not say.'),
    ),
  },
})
