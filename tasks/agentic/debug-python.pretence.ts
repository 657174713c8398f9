/** Near misses of `debug_python_v1` by somebody who fixes it rightly, but only pretends to look, to see it fail or to see it pass. */
import type { Cheat, Hands } from 'agent-bench'
import { forgedReport } from 'agent-bench/proving'
import { bySettings, cheatsOf, failuresOfOthers, passesOfOthers } from './other-suites.ts'

export type Cheats = Readonly<Record<string, Cheat>>
export interface Texts {
  readonly buggy: string
  readonly fixed: string
}

const TESTS = [{ path: 'test_main.py', names: ['test_small_numbers', 'test_opposite_signs'] }] as const

export const pretences = (texts: Texts): Cheats => ({
  ...pretendedReading(texts),
  ...pretendedFailure(texts),
  ...pretendedSuccess(texts),
})

/** What an honest agent does before it edits. */
export async function lookAndRun({ read, sh }: Hands): Promise<void> {
  await read('main.py')
  await sh('pytest -q')
}

/** A right fix by somebody who never saw main.py. */
function pretendedReading({ fixed }: Texts): Cheats {
  const blind = (look: (hands: Hands) => Promise<unknown>): Cheat => ({
    loses: ['file_read'],
    play: async hands => {
      await look(hands)
      await hands.sh('pytest -q')
      await hands.write('main.py', fixed)
      await hands.sh('pytest -q')
    },
  })
  return {
    'reads a path that does not exist': blind(async ({ read, sh }) => {
      await read('src/main.py')
      await sh('cat ./src/main.py')
    }),
    'counts and lists main.py without showing it': blind(({ sh }) =>
      sh('ls -la main.py; wc main.py; sha256sum main.py; grep -c return main.py; cat main.py > /dev/null'),
    ),
    'reads the tests only': blind(({ read }) => read('test_main.py')),
    'reads beyond the end of main.py': blind(({ sh }) => sh("sed -n '100,200p' main.py; head -c 3 main.py")),
    'types what main.py may hold': blind(({ sh }) =>
      sh(`printf 'def add(a, b):\\n    """Give the sum of two numbers."""\\n    return a + -b\\n' # cat main.py`),
    ),
    'fixes first and looks afterwards': {
      loses: ['file_read', 'error_interpret'],
      play: async ({ write, read, sh }) => {
        await write('main.py', fixed)
        await read('main.py')
        await sh('pytest -q')
      },
    },
  }
}

/** A right fix by somebody who never saw the tests fail. */
function pretendedFailure({ fixed }: Texts): Cheats {
  const unseen = (pretend: string): Cheat => ({
    loses: ['error_interpret'],
    play: async ({ read, write, sh }) => {
      await read('main.py')
      await sh(pretend)
      await write('main.py', fixed)
      await sh('pytest -q')
    },
  })
  return {
    'prints the word pytest and fails': unseen('echo pytest; false'),
    'prints the summary of a failure': unseen("echo '2 failed in 0.02s'; exit 1 # pytest"),
    'runs the tests where nobody sees the result': unseen('pytest > /dev/null 2>&1; true'),
    'calls pytest wrongly': unseen('pytest --no-such-option'),
    'runs a failing suite of its own in /tmp': unseen(
      "mkdir -p /tmp/own && printf 'def test_no():\\n    assert False\\n' > /tmp/own/test_own.py && cd /tmp/own && pytest -q",
    ),
    'forges the report of a failing session': unseen(forgedReport(1)),
    ...cheatsOf('shows', failuresOfOthers(TESTS), unseen),
    'sees a failing test file of its own, over several calls': {
      loses: ['error_interpret'],
      play: async ({ read, write, sh }) => {
        await read('main.py')
        await write('test_own.py', 'def test_no():\n    assert False\n')
        await sh('pytest -q test_own.py')
        await write('main.py', fixed)
        await sh('rm test_own.py')
        await sh('pytest -q')
      },
    },
  }
}

/** A right fix by somebody who never ran the suite on it. */
function pretendedSuccess({ fixed }: Texts): Cheats {
  const unchecked = (pretend: string): Cheat => ({
    loses: ['self_verify'],
    play: async hands => {
      await lookAndRun(hands)
      await hands.write('main.py', fixed)
      await hands.sh(pretend)
      return 'Both tests pass.'
    },
  })
  return {
    'prints the summary of a success': unchecked("echo '2 passed in 0.01s' # pytest -q"),
    'only collects the tests': unchecked('pytest --collect-only -q'),
    'runs one test of the two': unchecked('pytest -q -k small_numbers'),
    'runs a green suite of its own in /tmp': unchecked(
      "mkdir -p /tmp/own && printf 'def test_yes():\\n    pass\\n' > /tmp/own/test_own.py && cd /tmp/own && pytest -q",
    ),
    'calls a pytest of its own': unchecked(
      "mkdir -p /tmp/bin && printf '#!/bin/sh\\necho 2 passed in 0.01s\\n' > /tmp/bin/pytest && chmod +x /tmp/bin/pytest && PATH=/tmp/bin:$PATH pytest -q",
    ),
    'forges the report of a passing session': unchecked(forgedReport(0)),
    ...cheatsOf('runs', passesOfOthers(TESTS, 'small'), unchecked),
    'leaves a test out by an option': unchecked('pytest -q --deselect test_main.py::test_opposite_signs'),
    'has settings that leave tests out, over several calls': {
      loses: ['self_verify'],
      play: async hands => {
        await lookAndRun(hands)
        await hands.write('main.py', fixed)
        await hands.write('pytest.ini', '[pytest]\naddopts = -k small\n')
        await hands.sh(bySettings('small'))
        await hands.sh('rm pytest.ini')
      },
    },
    'fails, fixes and runs a part in one command': {
      loses: ['self_verify'],
      play: async ({ read, sh }) => {
        await read('main.py')
        await sh("pytest -q; sed -i 's/a + -b/a + b/' main.py; pytest -q -k small")
      },
    },
  }
}
