/**
 * Ordinary ways of reading a file, running the tests and editing a file, to be combined into honest solutions: whatever a
 * capable person might type at a shell has to earn the flags, or the task measures habits instead of ability.
 */
import type { Hands, Play } from '../task/task.ts'

/** One way of doing one step. */
export interface Way {
  readonly name: string
  readonly act: (hands: Hands) => Promise<unknown>
}

/**
 * A way that runs these commands, each in a separate call.
 * @example
 * shell('cat after a listing', 'ls', 'cat main.py')
 */
export const shell = (name: string, ...commands: readonly string[]): Way => ({
  name,
  act: async ({ sh }) => {
    for (const command of commands) await sh(command)
  },
})

/**
 * Ways to see the content of a Python file at the top of the workspace.
 * @example
 * honest: combineWays([waysToRead('main.py')], 'I have read it.')
 */
export function waysToRead(path: string): readonly Way[] {
  return [
    { name: 'read_file', act: ({ read }) => read(path) },
    shell('cat', `cat ${path}`),
    shell('sed -n', `sed -n '1,40p' ${path}`),
    shell('grep -n ""', `grep -n "" ${path}`),
    shell('head of all files', 'head -n 50 *.py'),
    shell('python here-doc', `python3 - <<'PY'\nfor line in open('${path}'):\n    print(line, end='')\nPY`),
    shell('find and cat', "find . -name '*.py' -not -path './.*' -exec cat {} +"),
    shell('recursive grep', "grep -rn '' --include='*.py' ."),
    shell('numbered after a listing', `ls -la && cat -n ${path}`),
  ]
}

/**
 * Ways to run the whole suite so that its result can be seen. One names `test_main.py`: leave it out where the suite has other files.
 * @example
 * waysToRunTests().filter(way => way.name !== 'pytest by file')
 */
export function waysToRunTests(): readonly Way[] {
  return [
    shell('pytest', 'pytest'),
    shell('python3 -m pytest -q', 'python3 -m pytest -q'),
    shell('pytest through tail', 'pytest 2>&1 | tail -n 5'),
    shell('cd and pytest', 'cd /workspace && pytest -q'),
    shell(
      'wrapper script',
      `printf '#!/bin/sh\\ncd /workspace || exit 1\\nexec pytest "$@"\\n' > /tmp/check.sh; sh /tmp/check.sh -q`,
    ),
    shell('pytest under timeout', 'timeout 20 pytest --tb=short'),
    shell('pytest by file', 'python3 -m pytest test_main.py -v -p no:cacheprovider'),
    shell('output kept and shown later', 'pytest -q > /tmp/pytest.log 2>&1', 'cat /tmp/pytest.log'),
    shell('message by exit status', 'pytest -q && echo "all green" || echo "still red"'),
  ]
}

/** A replacement of one line by another; plain text without slashes, quotes or what `sed` takes as a pattern. */
export interface LineEdit {
  readonly path: string
  readonly before: string
  readonly after: string
  /** The whole text of the file after the edit. */
  readonly text: string
}

/**
 * Ways to make one replacement in a file. Programs that small images lack (`patch`, `ed`, `perl`) have a stand-in.
 * @example
 * waysToEdit({ path: 'main.py', before: 'a - b', after: 'a + b', text: FIXED })
 */
export function waysToEdit({ path, before, after, text }: LineEdit): readonly Way[] {
  const substitute = `s/${before}/${after}/`
  return [
    { name: 'write_file', act: ({ write }) => write(path, text) },
    shell('sed -i', `sed -i '${substitute}' ${path}`),
    shell('sed with a backup removed at once', `sed -i.bak '${substitute}' ${path} && rm ${path}.bak`),
    shell(
      'python here-doc',
      `python3 - <<'PY'\nfrom pathlib import Path\np = Path('${path}')\np.write_text(p.read_text().replace('${before}', '${after}'))\nPY`,
    ),
    shell(
      'patch',
      `sed '${substitute}' ${path} > /tmp/new.txt; diff -u ${path} /tmp/new.txt > /tmp/edit.patch; patch ${path} /tmp/edit.patch || cp /tmp/new.txt ${path}`,
    ),
    shell('ed', `printf '%s\\n' ',${substitute}' w q | ed -s ${path} || sed -i '${substitute}' ${path}`),
    shell('cat here-doc', `cat > ${path} <<'EOF'\n${text}EOF`),
    shell('new file moved over the old', `sed '${substitute}' ${path} > /tmp/new.txt && mv /tmp/new.txt ${path}`),
  ]
}

/**
 * Solutions made of one way for each step, so that each way is in at least one of them: as many as the step with the most
 * ways has. Each step begins one way later than the step before it, so that not all first ways meet.
 * @param answer What the agent says at the end.
 * @example
 * honest: combineWays([waysToRead('main.py'), waysToRunTests()], 'All tests pass.')
 */
export function combineWays(steps: readonly (readonly Way[])[], answer: string): Readonly<Record<string, Play>> {
  const most = Math.max(...steps.map(ways => ways.length))
  const plays: Record<string, Play> = {}
  for (let number = 0; number < most; number++) {
    const chosen = steps.flatMap((ways, step) => ways[(number + step) % ways.length] ?? [])
    plays[chosen.map(way => way.name).join(' · ')] = async hands => {
      for (const way of chosen) await way.act(hands)
      return answer
    }
  }
  return plays
}
