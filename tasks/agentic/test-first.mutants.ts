/**
 * Do tests test? They are run against the agent's own code, and against that code made wrong in one case at a time: a suite
 * that holds the cases passes the former and fails every one of the latter. So it does not matter how the tests are
 * written, and a literal in a comment, an assertion that always holds or an error that is swallowed gain nothing.
 *
 * All runs are made in one evaluation, each in a child of its own that is told nothing but its main.py. That is altered in
 * the right run too, to the right text, and what it is altered to is encrypted: so all of them look alike. The order of wrong
 * and right ones is drawn anew each time and known to the host alone, which compares what the runs came to. The runs are the
 * model's code, so what they came to is corroborated: but to forge it a test would have to find out which code is right,
 * and that is what a test is for.
 */
import { randomInt } from 'node:crypto'
import type { CheckResult, VerifyTools } from 'agent-bench'
import { RUNS } from './test-first.runs.ts'
import { CODE, isTestOf, TESTS } from './test-first.ts'

export type Case = readonly [input: number, text: string]

/** What main.py gives for one input instead of the right text, and the files that are run on it; none stands for the whole suite. */
export interface Alteration {
  readonly change: readonly [input: number, right: string, instead: string]
  readonly files: readonly string[]
}

/**
 * For each case the text that it gives wrongly: in turn one that begins with the right one, and one that is right elsewhere.
 * Neither looks unlike a right one.
 */
const wrongOf = (cases: readonly Case[]): readonly Alteration['change'][] =>
  cases.map(([input, text], index) => [
    input,
    text,
    index % 2 === 0 ? `${text}${text.at(-1)}` : (cases[index - 1]?.[1] ?? ''),
  ])

/** Does every test pass on the right code, and the test file fail on code that is wrong in any one of the cases? */
export async function testsCatch(
  { python, text, files }: VerifyTools,
  functionName: string,
  cases: readonly Case[],
): Promise<CheckResult> {
  if (!isTestOf(text(TESTS) ?? '', { functionName, cases }))
    return { ok: false, reason: `${TESTS} has no test of ${functionName} by the cases that were asked for` }
  if (text(CODE) === null) return { ok: false, reason: `there is no ${CODE}` }
  const right = cases[randomInt(cases.length)]
  const isAlone = !files.some(path => path !== TESTS && path !== CODE && path.endsWith('.py'))
  // Everything that can be seen from inside is the same in all runs of the test file, its arguments too.
  const wrong = wrongOf(cases).map((change): Alteration => ({ change, files: isAlone ? [] : [TESTS] }))
  const rights = (isAlone ? [[]] : [[], [TESTS]]).flatMap((files): Alteration[] =>
    right === undefined ? [] : [{ change: [right[0], right[1], right[1]], files }],
  )
  const run = (alterations: readonly Alteration[]) =>
    python('builtins')
      .call('eval', [
        [`[exec(source, space), space["outcomes"](alterations)][1]`, spaceOf(functionName, { alterations })],
      ])
      .gives([alterations.map(one => (wrong.includes(one) ? 'fails' : 'passes'))])
  const alterations = shuffled([...rights, ...wrong])
  let result = await run(alterations)
  if (!result.ok && isOutOfTime(result)) {
    // A busy machine must not cost the agent anything: each run once more, with all of the time for itself.
    for (const alteration of alterations) {
      result = await run([alteration])
      if (!result.ok) break
    }
  }
  const { ok, reason } = result
  const runs = `${TESTS} on the right code and on ${wrong.length} wrong ones`
  return { ok, reason: ok ? `${runs}: tells them apart` : `${runs}: does not tell them apart (${reason})` }
}

/**
 * Does the test file fail for want of main.py where there is none? Whatever stands in for the missing code, however it is
 * written, lets a test pass or fail in another way.
 */
export async function testsNeedCode({ python, text }: VerifyTools, functionName: string): Promise<CheckResult> {
  if (text(TESTS) === null) return { ok: false, reason: `there is no ${TESTS}` }
  const { ok, reason } = await python('builtins')
    .call('eval', [['[exec(source, space), space["without_code"]()][1]', spaceOf(functionName, {})]])
    .gives(['misses the code'])
  return {
    ok,
    reason: ok
      ? `${TESTS} fails for want of ${CODE} where there is none`
      : `${TESTS} does not simply fail for want of ${CODE} where there is none, as if something stood in for it (${reason})`,
  }
}

const spaceOf = (functionName: string, more: Readonly<Record<string, unknown>>) => ({
  source: RUNS,
  space: { CODE, TESTS, NAME: functionName },
  ...more,
})

/** Results tell it in words only. */
const isOutOfTime = ({ reason }: CheckResult): boolean => /did not end in time/.test(reason)

function shuffled<T>(items: readonly T[]): readonly T[] {
  const left = [...items]
  return items.flatMap(() => left.splice(randomInt(left.length), 1))
}
