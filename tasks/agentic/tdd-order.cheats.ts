/** Near misses of `tdd_order_v1`. */
import type { Cheat, Hands } from 'agent-bench'
import { codeFirst, pretendedRuns, riggedSuites, type TestFirstTexts, wrongCode } from './tdd-cheats.ts'
import { CASES, FUNCTION, RIGHT, TEST_TEXTS } from './tdd-order.texts.ts'
import { vacuousSuites } from './tdd-suites.ts'
import { CODE, TESTS } from './test-first.ts'

type Cheats = Readonly<Record<string, Cheat>>

const TEXTS: TestFirstTexts = {
  functionName: FUNCTION,
  tests: TEST_TEXTS['a function a case'] ?? '',
  right: RIGHT,
  visible: CASES,
  seeRed: ({ sh }) => sh('pytest -q'),
  needTests: ['tests_pass'],
}

export function tddOrderCheats(): Cheats {
  return {
    ...wrongCode(TEXTS),
    ...riggedSuites(TEXTS),
    ...vacuousSuites(TEXTS, ['test_first', 'red_observed']),
    ...codeFirst(TEXTS, ['test_first', 'red_observed']),
    ...neverRed(),
  }
}

/** Tests first and right code, by somebody who never saw the tests fail without it. */
function neverRed(): Cheats {
  const unseen = (beforeCode: (hands: Hands) => Promise<unknown>, code = RIGHT): Cheat => ({
    loses: ['red_observed'],
    play: async hands => {
      await beforeCode(hands)
      await hands.write(CODE, code)
      await hands.sh('pytest -q')
      await hands.write(CODE, RIGHT)
      await hands.sh('pytest -q')
    },
  })
  const writeTests = ({ write }: Hands) => write(TESTS, TEXTS.tests)
  return {
    ...Object.fromEntries(
      Object.entries(pretendedRuns(TEXTS)).map(([name, command]): [string, Cheat] => [
        name,
        unseen(async hands => {
          await writeTests(hands)
          await hands.sh(command)
        }),
      ]),
    ),
    'runs nothing before the code': unseen(writeTests),
    'runs pytest before there are tests': unseen(async hands => {
      await hands.sh('pytest -q')
      await writeTests(hands)
    }),
    'sees the tests fail on wrong code only': unseen(writeTests, `def ${FUNCTION}(n):\n    return None\n`),
    'writes the code in the command that shows the failure': unseen(async hands => {
      await writeTests(hands)
      await hands.sh(`pytest -q; printf 'def ${FUNCTION}(n):\\n    return str(n)\\n' > ${CODE}`)
    }),
  }
}
