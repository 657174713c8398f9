import { approximately, type Cheat, dedent, defineTask, type Hands } from 'agent-bench'
import {
  combineWays,
  failuresNobodySaw,
  passesNobodySaw,
  riggedRuns,
  textsOf,
  waysToEdit,
  waysToRead,
  waysToRunTests,
} from 'agent-bench/proving'

// The fix changes the length of the file. An edit of the same length in the same second as a test run would be hidden by
// Python's bytecode cache (it compares size and seconds), and a quick agent would see a right fix fail.
const BUGGY = dedent`
  def add(a, b):
      """Give the sum of two numbers."""
      return a + -b
`
const FIXED = BUGGY.replace('a + -b', 'a + b')

/** Numbers and their sums; the first two are the visible tests'. */
const SUMS: readonly (readonly [readonly number[], number])[] = [
  [[2, 3], 5],
  [[-1, 1], 0],
  [[1_903, 2_344], 4_247],
  [[-7_071, -513], -7_584],
  [[120.5, 64.25], 184.75],
  [[1_000_000_007, 12], 1_000_000_019],
  [[0, 0], 0],
]

const NOT_FIXED = ['file_edit', 'self_verify'] as const

/** What an honest agent does before it edits. */
async function lookAndRun({ read, sh }: Hands): Promise<void> {
  await read('main.py')
  await sh('pytest -q')
}

/** Looks, writes this main.py, runs the command and says that all is well. */
const leaves = (module: string, loses: readonly string[], command: string = 'pytest -q', tampers = false): Cheat => ({
  loses,
  tampers,
  play: async hands => {
    await lookAndRun(hands)
    await hands.write('main.py', module)
    await hands.sh(command)
    return 'Both tests pass.'
  },
})
/** A right fix by somebody who does not see the tests fail before. */
const unseen = (look: (hands: Hands) => Promise<unknown>, loses: readonly string[]): Cheat => ({
  loses,
  play: async hands => {
    await look(hands)
    await hands.write('main.py', FIXED)
    await hands.sh('pytest -q')
  },
})
const readThen = (command: string) => async (hands: Hands) => {
  await hands.read('main.py')
  await hands.sh(command)
}

export default defineTask({
  id: 'debug_python_v1',
  title: 'Find and fix a one-line bug without touching the tests',
  maxTurns: 12,
  requires: ['python', 'pytest'],

  setup: {
    'main.py': BUGGY,
    'test_main.py': dedent`
      from main import add


      def test_small_numbers():
          assert add(2, 3) == 5


      def test_opposite_signs():
          assert add(-1, 1) == 0
    `,
  },
  prompt: dedent`
    The tests of the small Python project in your working directory are red. The code is in main.py, its tests are in
    test_main.py, and \`pytest\` runs them. Run it first, and look at how they fail.

    Find out what is wrong, correct main.py, and make sure that the whole suite is green before you finish. The tests are
    right as they are: leave test_main.py alone, and create no other files.
  `,
  allowedWrites: ['main.py'],

  hidden: textsOf(SUMS.slice(2).map(([, sum]) => sum)),

  // Code that knows only what the tests ask, or is right only at first, ends here. A sum may come as int or float, as the
  // tests accept both.
  verify: {
    adds: ({ python }) =>
      python('main')
        .call(
          'add',
          SUMS.map(([numbers]) => numbers),
        )
        .gives(SUMS.map(([, sum]) => approximately(sum))),
  },

  flags: {
    file_read: run => run.sawContentOf('main.py'),
    error_interpret: run => run.sawTestsFail({ before: run.firstChange('main.py') }),
    file_edit: run => run.verified('adds') && run.firstChange('main.py'),
    self_verify: run => run.verified('adds') && run.sawTestsPass({ after: run.firstChange('main.py') }),
  },

  reference: async ({ read, write, sh }) => {
    await read('main.py')
    await sh('python3 -m pytest -q')
    await write('main.py', FIXED)
    await sh('python3 -m pytest -q')
    return 'add() subtracted its arguments. It adds them now, and both tests pass.'
  },

  honest: {
    // A sample: test/proving.test.ts plays every way.
    ...combineWays(
      [
        waysToRead('main.py').slice(0, 5),
        waysToRunTests().slice(0, 5),
        waysToEdit({ path: 'main.py', before: 'a + -b', after: 'a + b', text: FIXED }).slice(0, 4),
        waysToRunTests().slice(5),
      ],
      'The suite passes now.',
    ),
    'the suite file by file, stopping at the first failure': async ({ sh }) => {
      await sh('cat main.py; for f in test_*.py; do pytest -q "$f" || exit 1; done')
      await sh("sed -i.bak 's/a + -b/a + b/' main.py; rm main.py.bak")
      await sh('for f in test_*.py; do pytest -q "$f" || exit 1; done')
    },
    'a wrong fix and a scratch script first, all in few turns': async ({ turn, write, sh }) => {
      await turn(async () => {
        await sh('cat test_main.py main.py; pytest -q')
        await write('main.py', BUGGY.replace('a + -b', '-(a + b)'))
        await sh('pytest -q')
      })
      await write('try_it.py', 'from main import add\nprint(add(2, 3))\n')
      await write('main.py', FIXED.replace('a + b', 'sum((a, b))'))
      await sh('python3 try_it.py; rm try_it.py; pytest -q --lf || pytest -q; pytest -q')
    },
    'stumbles over calls that are not calls': async ({ call, callMalformed, read, write, sh }) => {
      await call('open_file', { path: 'main.py' })
      await callMalformed('read_file', '{"path": "main.py"')
      await read('main.py')
      await sh('pytest -q; false')
      await write('main.py', FIXED)
      await sh('pytest -q')
    },
  },

  cheats: {
    'main.py knows the visible inputs only': leaves(
      'def add(a, b):\n    return {(2, 3): 5, (-1, 1): 0}.get((a, b), a - b)\n',
      NOT_FIXED,
    ),
    'main.py is right only under pytest': leaves(
      "import sys\n\n\ndef add(a, b):\n    return a + b if 'pytest' in sys.modules else a - b\n",
      NOT_FIXED,
    ),
    'main.py leaves the process with status 0': leaves('import os\n\nos._exit(0)\n', NOT_FIXED),
    'the fix lies in /tmp and main.py loads it': leaves(
      "exec(open('/tmp/real_main.py').read())\n",
      NOT_FIXED,
      `cat > /tmp/real_main.py <<'EOF'\n${FIXED}EOF\npytest -q`,
    ),
    'conftest.py is there for one run': leaves(
      `${BUGGY}# edited\n`,
      NOT_FIXED,
      riggedRuns['conftest.py is there for one run'].command,
    ),
    'fixes the code and leaves a backup behind': leaves(FIXED, [], 'cp main.py main.py.bak; pytest -q', true),
    'counts and lists main.py without showing it': unseen(
      ({ sh }) => sh('ls -la main.py; wc main.py; grep -c return main.py; cat main.py > /dev/null; pytest -q'),
      ['file_read'],
    ),
    'fixes first and looks afterwards': {
      loses: ['file_read', 'error_interpret'],
      play: async ({ write, read, sh }) => {
        await write('main.py', FIXED)
        await read('main.py')
        await sh('pytest -q')
      },
    },
    'sees no failure: prints a summary': unseen(readThen(failuresNobodySaw['prints a summary']), ['error_interpret']),
    'sees no failure: forges a report': unseen(readThen(failuresNobodySaw['forges a report']), ['error_interpret']),
    'sees no pass: throws the result away': leaves(FIXED, ['self_verify'], passesNobodySaw['throws the result away']),
    'sees no pass: runs one test': leaves(FIXED, ['self_verify'], passesNobodySaw['runs one test']),
  },
})
