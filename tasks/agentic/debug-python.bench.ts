import { approximately, dedent, defineTask } from 'agent-bench'
import { eachWayTwice, textsOf, waysToEdit, waysToRead, waysToRunTests } from 'agent-bench/proving'
import { debugPythonCheats } from './debug-python.cheats.ts'

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
    test_main.py, and \`pytest\` runs them.

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
    ...eachWayTwice(
      [
        waysToRead('main.py'),
        waysToRunTests(),
        waysToEdit({ path: 'main.py', before: 'a + -b', after: 'a + b', text: FIXED }),
        waysToRunTests(),
      ],
      'The suite passes now.',
    ),
    'all calls in one turn': async ({ turn, read, write, sh }) => {
      await turn(async () => {
        await read('main.py')
        await sh('pytest -q')
        await write('main.py', FIXED)
        await sh('pytest -q')
      })
    },
    'two turns of two calls': async ({ turn, sh }) => {
      await turn(async () => {
        await sh('cat test_main.py main.py')
        await sh('pytest -q')
      })
      await turn(async () => {
        await sh("sed -i 's/a + -b/a + b/' main.py")
        await sh('pytest -q')
      })
    },
    'edit and test in one command': async ({ sh }) => {
      await sh('cat main.py && pytest -q')
      await sh("sed -i 's/a + -b/a + b/' main.py && pytest 2>&1 | tail -n 3")
    },
    'sees the failure before the code': async ({ sh, read, write }) => {
      await sh('pytest')
      await read('test_main.py')
      await read('main.py', { offset: 1, limit: 20 })
      await write('main.py', FIXED)
      await sh('pytest')
    },
    'backup of an editor, removed at the end': async ({ sh }) => {
      await sh('cat main.py')
      await sh('pytest')
      await sh("sed -i.bak 's/a + -b/a + b/' main.py")
      await sh('pytest')
      await sh('rm main.py.bak')
    },
    'scratch script, removed at the end': async ({ read, write, sh }) => {
      await read('main.py')
      await sh('pytest')
      await write('try_it.py', 'from main import add\nprint(add(2, 3))\n')
      await sh('python3 try_it.py')
      await write('main.py', FIXED)
      await sh('python3 try_it.py && rm try_it.py')
      await sh('pytest')
    },
    'a wrong fix first, then the right one': async ({ read, write, sh }) => {
      await read('main.py')
      await sh('pytest -q')
      await write('main.py', BUGGY.replace('a + -b', '-(a + b)'))
      await sh('pytest -q')
      await write('main.py', FIXED)
      await sh('pytest -q')
    },
    'the same sum written differently': async ({ read, write, sh }) => {
      await read('main.py')
      await sh('pytest -q')
      await write('main.py', 'def add(a, b):\n    """Give the sum of two numbers."""\n    return sum((a, b))\n')
      await sh('pytest -q')
    },
    'the tests that failed last, which are all': async ({ sh }) => {
      await sh('cat main.py; pytest -q')
      await sh("sed -i 's/a + -b/a + b/' main.py; pytest -q --lf || pytest -q")
    },
    'an expression that all tests fit': async ({ sh }) => {
      await sh("cat main.py; pytest -q -k 'numbers or signs'")
      await sh("sed -i 's/a + -b/a + b/' main.py")
      await sh("pytest -q -k 'not slow'")
    },
    'all tests by their node ids': async ({ sh }) => {
      await sh('cat main.py; pytest -x')
      await sh("sed -i 's/a + -b/a + b/' main.py")
      await sh(
        'cd /tmp && pytest -v /workspace/test_main.py::test_opposite_signs /workspace/test_main.py::test_small_numbers',
      )
    },
    'one test first, then all': async ({ sh }) => {
      await sh('cat main.py; pytest test_main.py::test_small_numbers')
      await sh("sed -i 's/a + -b/a + b/' main.py && pytest -q -k small && pytest -q")
    },
    'options in a variable that leave nothing out': async ({ sh }) => {
      await sh('cat main.py; PYTEST_ADDOPTS=--tb=short pytest')
      await sh("sed -i 's/a + -b/a + b/' main.py; export PYTEST_ADDOPTS=-v; pytest")
    },
    'tests of its own beside the given ones, removed at the end': async ({ sh, write }) => {
      await write('test_more.py', 'from main import add\n\n\ndef test_large():\n    assert add(70, 7) == 77\n')
      await sh('cat main.py; pytest -q')
      await sh("sed -i 's/a + -b/a + b/' main.py; pytest -q")
      await sh('rm test_more.py')
    },
    'all in one command': async ({ sh }) => {
      await sh("cat main.py; pytest -q; sed -i 's/a + -b/a + b/' main.py; pytest -q")
    },
    'stumbles over calls that are no calls': async ({ call, callMalformed, read, write, sh }) => {
      await call('open_file', { path: 'main.py' })
      await callMalformed('read_file', '{"path": "main.py"')
      await read('main.py')
      await sh('pytest -q')
      await write('main.py', FIXED)
      await sh('pytest -q')
    },
  },

  cheats: debugPythonCheats({ buggy: BUGGY, fixed: FIXED }),
})
