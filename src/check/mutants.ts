/** Small faults put into the reference by `agent-bench check`: a task that does not notice one does not measure that part. */
import { isCachePath } from '../evidence/tamper.ts'
import type { Play, Task } from '../task/task.ts'
import { toolsOf } from '../trial/offer.ts'
import type { TrialFinding } from '../trial/run-trial.ts'
import { textOfBytes } from './leaks.ts'
import type { Step } from './steps.ts'

export interface Mutant {
  /** What was done, for people: `reference with out.txt put back`. */
  readonly about: string
  readonly play: Play
}

/**
 * The reference with each file that it changed put back, at the end, to what the setup has. Left out are files that only
 * calls marked optional changed, and those whose content in the setup is not text.
 * @param finding The reference's own trial.
 * @param steps The calls of that trial, in their order.
 */
export function filesPutBack(task: Task, reference: Play, finding: TrialFinding, steps: readonly Step[]): Mutant[] {
  const { baseline, final, calls } = finding.log
  const names = toolsOf(task).definitions.map(({ name }) => name)
  const shell = names.find(name => name === 'execute_command' || name === 'run_command')
  if (shell === undefined) return []
  const needed = new Set(
    calls.flatMap(({ delta }, index) =>
      delta === null || steps[index]?.group !== null ? [] : [...delta.changed.keys(), ...delta.deleted],
    ),
  )
  return [...new Set([...baseline.entries.keys(), ...final.entries.keys()])]
    .filter(path => needed.has(path) && !isCachePath(path))
    .filter(path => JSON.stringify(baseline.entries.get(path)) !== JSON.stringify(final.entries.get(path)))
    .filter(path => [baseline, final].every(({ entries }) => (entries.get(path)?.type ?? 'file') === 'file'))
    .flatMap(path => {
      const setup = task.setup.get(path)
      const text = setup === undefined ? null : textOfBytes(setup.bytes)
      if (setup !== undefined && !Buffer.from(text ?? '').equals(setup.bytes)) return []
      const play: Play = async hands => {
        const answer = await reference(hands)
        const remove = `rm -f -- '${path.replaceAll("'", "'\\''")}'`
        await (text === null ? hands.call(shell, { command: remove }) : hands.write(path, text))
        return answer
      }
      return [{ about: `reference with ${path} put back`, play }]
    })
}

/** The reference that says nothing in the end. */
export const answerEmptied =
  (reference: Play): Play =>
  async hands => {
    await reference(hands)
    return ''
  }
