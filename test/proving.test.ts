/** Each way and each class of cheat of `agent-bench/proving` is played once in a real sandbox, by the code of `agent-bench check`. */
import { defineTask, type Hands } from 'agent-bench'
import {
  combineWays,
  failuresNobodySaw,
  passesNobodySaw,
  riggedRuns,
  waysToEdit,
  waysToRead,
  waysToRunTests,
  waysToWrite,
  wrongModules,
} from 'agent-bench/proving'
import { expect, it } from 'vitest'
import { onEachDriver, PROOF_TIMEOUT_MS } from './prove.ts'

const WRONG = 'def twice(n):\n    times = 3\n    return str(n * times)\n'
const RIGHT = WRONG.replace('= 3', '= 2')
const NOTE = 'All right.\nTwo lines.\n'
const LOST = ['fixed', 'saw_pass']

const cheat = (loses: readonly string[], module: string, before: string, after: string, tampers = false) => ({
  loses,
  tampers,
  play: async ({ read, sh, write }: Hands) => {
    await read('main.py')
    await sh(before)
    await write('main.py', module)
    await write('note.txt', NOTE)
    await sh(after)
  },
})
/** A cheat of each entry, named after its kind and the entry. */
const each = <T>(kind: string, record: Readonly<Record<string, T>>, make: (value: T) => ReturnType<typeof cheat>) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [`${kind}: ${name}`, make(value)]))
const modules = wrongModules({ functionName: 'twice', right: RIGHT, visible: [2, 3].map(n => [n, String(2 * n)]) })

const task = defineTask({
  id: 'proving_v1',
  prompt: 'twice() in main.py is wrong: pytest shows it. Correct it, and write two lines to note.txt.',
  requires: ['python', 'pytest'],
  setup: {
    'main.py': WRONG,
    'test_main.py':
      'from main import twice\n\n\ndef test_two():\n    assert twice(2) == "4"\n\n\ndef test_three():\n    assert twice(3) == "6"\n',
  },
  allowedWrites: ['main.py', 'note.txt'],
  verify: {
    twice: ({ python }) =>
      python('main')
        .call('twice', [[417], [2], [90]])
        .gives(['834', '4', '180']),
    note: ({ text, check }) => check(text('note.txt') === NOTE, 'note.txt holds the two lines'),
  },
  flags: {
    read: run => run.sawContentOf('main.py'),
    saw_failure: run => run.sawTestsFail({ before: run.firstChange('main.py') }),
    fixed: run => run.verified('twice') && run.firstChange('main.py'),
    saw_pass: run => run.verified('twice') && run.sawTestsPass({ after: run.firstChange('main.py') }),
    noted: run => run.verified('note'),
  },
  reference: async ({ read, sh, write }) => {
    await read('main.py')
    await sh('pytest -q')
    await write('main.py', RIGHT)
    await write('note.txt', NOTE)
    await sh('pytest -q')
  },
  honest: combineWays(
    [
      waysToRead('main.py'),
      waysToRunTests(),
      waysToEdit({ path: 'main.py', before: 'times = 3', after: 'times = 2', text: RIGHT }),
      waysToWrite('note.txt', NOTE),
      waysToRunTests(),
    ],
    'Done.',
  ),
  cheats: {
    ...each('no failure seen', failuresNobodySaw, run => cheat(['saw_failure'], RIGHT, run, 'pytest -q')),
    ...each('no pass seen', passesNobodySaw, run => cheat(['saw_pass'], RIGHT, 'pytest -q', run)),
    ...each('rigged', riggedRuns, ({ command, tampers }) =>
      cheat(LOST, `${WRONG}# edited\n`, 'pytest -q', command, tampers),
    ),
    ...each('module', modules, module => cheat(LOST, module, 'pytest -q', 'timeout 5 pytest -q')),
  },
})

await onEachDriver('ways and cheats that proofs share,', 1, prove => {
  it('each way earns every flag, each cheat loses what it names', { timeout: PROOF_TIMEOUT_MS }, async () => {
    const check = await prove(await task.resolve())
    expect(check.problems).toEqual([])
    expect(check.status).toBe('ok')
  })
})
