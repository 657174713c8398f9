import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { repository } from './fixture.ts'
import { after, graded, read, SYSTEM, search } from './grading.ts'

const PATH = 'src/orchard/reports/balances.py'
const said = after(search('def .*balance'), read(PATH))

/** Recovery: the module lies in another folder than the prompt says. */
export default defineTask({
  id: 'T04',
  title: 'Recover from a wrong path',
  instance: repository,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt: 'Which function in src/orchard/balances.py gives the balance after each amount? Answer with its name.',
  ...graded({
    targets: [PATH],
    form: ({ answer }) => /balance/i.test(answer),
    right: {
      function: ({ answer }) => claims(answer).names(['running_balance'], { not: ['trial_balance', 'balance'] }),
      few_errors: run =>
        run.touched(PATH) &&
        run.calls('read_file').filter(({ result }) => result.startsWith('error: no such')).length <= 3,
    },
  }),
  reference: after(read(PATH))(() => 'running_balance'),
  honest: {
    'the path corrected': said(() => `\`running_balance\` (the module is ${PATH}).`),
    'after two errors': after(
      read('src/orchard/balances.py'),
      read('orchard/balances.py'),
      read(PATH),
    )(() => 'It is running_balance(amounts).'),
  },
  cheats: {
    'another function': losing(
      'function',
      said(() => 'trial_balance'),
    ),
    'a guess by the name': losing(
      'function',
      said(() => 'balance_after'),
    ),
    'given up': losing(
      ['formed', 'function'],
      said(() => 'That module does not exist.'),
    ),
    'path after path': losing(
      'few_errors',
      after(...['a', 'b', 'c', 'd'].map(name => read(`src/${name}/balances.py`)), read(PATH))(() => 'running_balance'),
    ),
  },
})
