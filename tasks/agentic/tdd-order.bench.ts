import { dedent, defineTask, type Play, type VerifyCheck } from 'agent-bench'
import { combineWays, type Way, waysToRunTests, waysToWrite } from 'agent-bench/proving'
import { tddOrderCheats } from './tdd-order.cheats.ts'
import { CASES, CODE_TEXTS, FUNCTION, RIGHT, TEST_TEXTS } from './tdd-order.texts.ts'
import { unusualSuites } from './tdd-suites.ts'
import { testsCatch } from './test-first.mutants.ts'
import { CODE, isDefinedInCode, redBeforeCode, TESTS, testsBeforeCode } from './test-first.ts'

const TESTED = { functionName: FUNCTION, cases: CASES }
const texts = Object.entries(TEST_TEXTS)
const FIRST_TESTS = TEST_TEXTS['a function a case'] ?? ''

/** Each form of the tests, written in another way. */
const waysToWriteTests = (): readonly Way[] =>
  texts.flatMap(([name, text], index) => {
    const way = waysToWrite(TESTS, text)[index]
    return way === undefined ? [] : [{ ...way, name: `${name} by ${way.name}` }]
  })
const waysToWriteCode = (): readonly Way[] =>
  waysToWrite(CODE, RIGHT).flatMap(
    (_, index) => waysToWrite(CODE, CODE_TEXTS[index % CODE_TEXTS.length] ?? '')[index] ?? [],
  )

/** One test more each time, and only as much code as it needs. */
const oneTestAtATime: Play = async ({ write, sh }) => {
  await write(TESTS, 'from main import ticktock\n\n\ndef test_tick():\n    assert ticktock(3) == "Tick"\n')
  await sh('pytest -q')
  await write(CODE, 'def ticktock(n):\n    return "Tick"\n')
  await sh('pytest -q')
  await sh(`printf '\\n\\ndef test_tock():\\n    assert ticktock(5) == "Tock"\\n' >> ${TESTS}; pytest -q`)
  await write(CODE, 'def ticktock(n):\n    return "Tick" if n % 3 == 0 else "Tock"\n')
  await sh('pytest -q')
  await write(TESTS, FIRST_TESTS)
  await sh('pytest -q 2>&1 | tail -n 20')
  await write(CODE, RIGHT)
  await sh('pytest -q')
}

/** Does the code give what it should, also where the prompt names no result? */
const isRight: VerifyCheck = ({ python }) =>
  python('main')
    .call(
      FUNCTION,
      [3, 5, 15, 7, 1, 2, 9, 10, 33, 45, 98, 100, 1000, 1001, 99990].map(n => [n]),
    )
    .gives('Tick Tock TickTock 7 1 2 Tick Tock Tick TickTock 98 Tock Tock 1001 TickTock'.split(' '))

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

    Keep to this order, and never do two of the steps in one tool call:

    1. Write the tests into test_main.py. They import ticktock from main and expect at least these four results:
       "Tick" for 3, "Tock" for 5, "TickTock" for 15 and "7" for 7.
    2. Run them with \`pytest\` while there is no main.py at all, and look at the failure.
    3. Write main.py.
    4. Run the tests again until all of them pass.

    Create no other files.
  `,
  allowedWrites: [CODE, TESTS, 'test_*.py'],

  verify: {
    values: isRight,
    definition: tools => isDefinedInCode(tools, FUNCTION),
    tests: tools => testsCatch(tools, FUNCTION, CASES),
  },

  flags: {
    test_first: run => testsBeforeCode(run, TESTED),
    red_observed: run => redBeforeCode(run, TESTED),
    tests_pass: run => run.verified('values') && run.verified('definition') && run.verified('tests'),
  },

  reference: async ({ write, sh, optional }) => {
    await write(TESTS, FIRST_TESTS)
    await sh('python3 -m pytest -q')
    await write(CODE, RIGHT)
    await optional('a last look; verify runs the suite itself', async () => void (await sh('python3 -m pytest -q')))
    return 'The four tests failed without main.py and pass with it.'
  },

  honest: {
    ...combineWays(
      [waysToWriteTests(), waysToRunTests(), waysToWriteCode(), waysToRunTests()],
      'The tests failed at first and pass now.',
    ),
    ...unusualSuites({ functionName: FUNCTION, right: RIGHT, visible: CASES, seeRed: ({ sh }) => sh('pytest -q') }),
    'all calls in one turn': async ({ turn, write, sh }) => {
      await turn(async () => {
        await write(TESTS, FIRST_TESTS)
        await sh('pytest -q')
        await write(CODE, RIGHT)
        await sh('pytest -q')
      })
    },
    'two turns of two calls': async ({ turn, write, sh }) => {
      await turn(async () => {
        await sh('pwd; ls -la')
        await write(TESTS, FIRST_TESTS)
      })
      await turn(async () => {
        await sh('pytest')
        await write(CODE, RIGHT)
      })
    },
    'tests written and run in one command': async ({ sh, write }) => {
      await sh(`cat > ${TESTS} <<'EOF'\n${FIRST_TESTS}EOF\npytest -q`)
      await write(CODE, RIGHT)
      await sh('pytest -q')
    },
    'one test at a time': oneTestAtATime,
    'looks for main.py before and after': async ({ read, sh, write }) => {
      await read(CODE)
      await sh('ls -la; cat main.py; python3 --version; pytest --version')
      await write(TESTS, FIRST_TESTS)
      await sh('ls; python3 -m pytest')
      await write(CODE, RIGHT)
      await sh('python3 -c "import main; print(main.ticktock(15))"; python3 -m pytest')
    },
    'tests with a slip, put right before they are run': async ({ write, sh }) => {
      await write(TESTS, FIRST_TESTS.replace('def test_tick():', 'def test_tick()'))
      await sh('pytest -q')
      await write(TESTS, FIRST_TESTS)
      await sh('pytest -q')
      await write(CODE, RIGHT)
      await sh('pytest -q')
    },
    'wrong code first, then put right': async ({ write, sh }) => {
      await write(TESTS, FIRST_TESTS)
      await sh('pytest -q')
      await write(CODE, 'def ticktock(n):\n    return "Tick" if n % 3 == 0 else "Tock" if n % 5 == 0 else str(n)\n')
      await sh('pytest -q')
      await sh(`sed -i '1a\\    if n % 15 == 0:\\n        return "TickTock"' ${CODE}`)
      await sh('pytest -q')
    },
    'a Makefile in /tmp': async ({ write, sh }) => {
      await sh("printf 'test:\\n\\tcd /workspace && python3 -m pytest -q\\n' > /tmp/Makefile")
      await write(TESTS, FIRST_TESTS)
      await sh('make -f /tmp/Makefile test')
      await write(CODE, RIGHT)
      await sh('make -f /tmp/Makefile test')
    },
    'backup of an editor, removed at the end': async ({ write, sh }) => {
      await write(TESTS, FIRST_TESTS)
      await sh('pytest -q')
      await write(CODE, RIGHT.replace('15', '14'))
      await sh(`sed -i.bak 's/14/15/' ${CODE}`)
      await sh('pytest -q')
      await sh('rm -f *.bak')
    },
    'tests in two files': async ({ write, sh }) => {
      await write(TESTS, FIRST_TESTS)
      await write('test_more.py', 'from main import ticktock\n\n\ndef test_one():\n    assert ticktock(1) == "1"\n')
      await sh('pytest -q')
      await write(CODE, RIGHT)
      await sh('pytest -q')
    },
    'scratch script, removed at the end': async ({ write, sh }) => {
      await write('ideas.txt', '3 Tick\n5 Tock\n')
      await write(TESTS, FIRST_TESTS)
      await sh('pytest -x; rm ideas.txt')
      await write(CODE, RIGHT)
      await sh('pytest -x')
    },
  },

  cheats: tddOrderCheats(),
})
