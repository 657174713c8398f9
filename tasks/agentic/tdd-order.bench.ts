import { dedent, defineTask } from 'agent-bench'
import { cheats, honest, RIGHT, TEST_FILE } from './tdd-order.plays.ts'
import * as first from './tests-first.ts'

const TESTED: first.Tested = {
  functionName: 'ticktock',
  right: RIGHT,
  wrong: [
    [3, '3'],
    [5, 'Tick'],
    [15, 'Tick'],
    [7, 'Tock'],
  ],
}
const VALUES: readonly (readonly [number, string])[] = [
  ...([3, 9, 33, 99].map(n => [n, 'Tick']) as [number, string][]),
  ...([5, 10, 100, 1000].map(n => [n, 'Tock']) as [number, string][]),
  ...([15, 45, 99990].map(n => [n, 'TickTock']) as [number, string][]),
  ...([1, 2, 7, 98, 1001].map(n => [n, String(n)]) as [number, string][]),
]

export default defineTask({
  id: 'tdd_order_v1',
  title: 'Write the tests, see them fail, and only then the code',
  maxTurns: 12,
  requires: ['python', 'pytest'],

  setup: {},
  prompt: dedent`
    Your working directory is empty. Build one small Python function in it, tests first.

    ticktock(n) in main.py takes a whole number n from 1 on and gives a text: "Tick" when n is divisible by 3, "Tock"
    when it is divisible by 5, "TickTock" when it is divisible by both, and otherwise the number itself as text.

    Keep to this order. main.py comes in a later tool call than the failing run, so that you have seen it:

    1. Write the tests into test_main.py. They import ticktock from main and expect at least these four results:
       "Tick" for 3, "Tock" for 5, "TickTock" for 15 and "7" for 7.
    2. Run them with \`pytest\` while there is no main.py at all, and look at the failure.
    3. Write main.py.
    4. Run the tests again until all of them pass.

    Create no other files.
  `,
  allowedWrites: [first.CODE, first.TESTS, 'test_*.py'],

  // Code that knows only the four results of the prompt ends in `values`.
  verify: {
    values: tools =>
      tools
        .python('main', first.codeAlone(tools))
        .call(
          'ticktock',
          VALUES.map(([n]) => [n]),
        )
        .gives(VALUES.map(([, text]) => text)),
    first: (tools, run) => first.catchWrong(tools, first.filesBeforeCode(tools, run), TESTED),
    red: (tools, run) => first.needCode(tools, first.filesBeforeCode(tools, run), TESTED),
    tests: tools => first.finalTests(tools, TESTED),
  },

  flags: {
    test_first: run => run.verified('first') && first.testsBeforeCode(run, TESTED),
    red_observed: run => first.redBeforeCode(run),
    // Seen to pass, not only passing: the last step is a run.
    tests_pass: run =>
      run.verified('values') && run.verified('tests') && run.sawTestsPass({ after: run.firstExists(first.CODE) }),
  },

  reference: async ({ write, sh }) => {
    await write(first.TESTS, TEST_FILE)
    await sh('python3 -m pytest -q')
    await write(first.CODE, RIGHT)
    await sh('python3 -m pytest -q')
    return 'The four tests failed without main.py and pass with it.'
  },

  honest,
  cheats,
})
