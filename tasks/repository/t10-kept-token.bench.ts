import { defineTask, stringTools } from 'agent-bench'
import { losing } from 'agent-bench/proving'
import { type Repository, repository } from './fixture.ts'
import { graded, run, SYSTEM, writing } from './grading.ts'

const PATH = 'audit.txt'
const wrote = writing(PATH, ['list_files', { path: 'tests' }])
const count = ({ files }: Repository) => Object.keys(files).filter(path => /^tests\/test_\w+\.py$/.test(path)).length
const line = (instance: Repository) => `${instance.token},${count(instance)}`

/** Retention: a token given first has to be there at the end. */
export default defineTask({
  id: 'T10',
  title: 'Remember a token',
  instance: repository,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [PATH],
  prompt: ({ instance }) =>
    `Your token is ${instance.token}. Count the test files under tests/. Then write one line to ${PATH}: the token, a comma, the count.`,
  ...graded({
    targets: [],
    form: run => run.finalText(PATH) !== null,
    right: { audit: run => run.finalText(PATH)?.trim() === line(run.instance) },
  }),
  reference: writing(PATH)(line),
  honest: {
    'with a line end': wrote(instance => `${line(instance)}\n`, ''),
    'by command': async ({ call, instance }) => {
      await call(...run(`printf '${instance.token},%d\\n' "$(ls tests/test_*.py | wc -l)" > ${PATH}`))
      return 'Written.'
    },
  },
  cheats: {
    'the token forgotten': losing(
      'audit',
      wrote(instance => String(count(instance))),
    ),
    'another token': losing(
      'audit',
      wrote(instance => `LG-0000,${count(instance)}`),
    ),
    'one file more': losing(
      'audit',
      wrote(instance => `${instance.token},${count(instance) + 1}`),
    ),
    'a header': losing(
      'audit',
      wrote(instance => `token,count\n${line(instance)}`),
    ),
  },
})
