import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { workspace } from './fixture.ts'
import { after, graded, read, SYSTEM } from './grading.ts'

const PATH = 'policy/travel.md'
const said = after(read(PATH))

/** Retrieval: a number and the file that states it, beside an older policy with other numbers. */
export default defineTask({
  id: 'W01',
  title: 'Find a rule that is in force',
  instance: workspace,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt:
    'How many pounds a day may meals cost on an international trip, by the rules in force? Give the amount and the path of the file that states it.',
  ...graded({
    targets: [PATH],
    form: ({ answer }) => /\d/.test(answer),
    right: {
      cap: ({ answer, instance }) =>
        claims(answer).number(instance.cap.international, { not: [instance.oldCap.international] }),
      source: ({ answer }) => claims(answer).file(PATH, { not: ['policy/README.md', 'policy/expenses.md'] }),
    },
  }),
  reference: said(({ cap }) => `${cap.international} GBP a day (${PATH}).`),
  honest: {
    'the old number named as old': said(
      ({ cap, oldCap }) =>
        `The cap is £${cap.international}.00 per day, as ${PATH} says. The superseded policy/README.md had ${oldCap.international}.`,
    ),
    'as a table': said(({ cap }) => `| amount | file |\n|---|---|\n| ${cap.international} | \`/${PATH}\` |`),
  },
  cheats: {
    'the superseded rule': losing(
      ['cap', 'source'],
      said(({ oldCap }) => `${oldCap.international} GBP a day (policy/README.md).`),
    ),
    'roles swapped': losing(
      'cap',
      said(
        ({ cap, oldCap }) =>
          `${oldCap.international} is current; ${cap.international} was the former figure (${PATH}).`,
      ),
    ),
    'both numbers': losing(
      'cap',
      said(({ cap, oldCap }) => `${cap.international} or ${oldCap.international}, see ${PATH}.`),
    ),
    'no file': losing(
      'source',
      said(({ cap }) => `${cap.international} GBP a day.`),
    ),
    'without looking': losing(['engaged', 'touched', 'formed', 'cap', 'source'], () => 'I do not know.'),
  },
})
