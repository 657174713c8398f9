/** Code of a task that does not come to an end: its trial is a fault, by name, and the run goes on. */
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'
import { smallTask } from './small-tasks.ts'

/** A small task with another check or flag. */
function changed(id: string, from: string, to: string): string {
  const source = smallTask({ id })
  if (!source.includes(from)) throw new Error(`no ${from} in the task`)
  return source.replace(from, to)
}

await describeWith(['docker'], 'code of a task that does not come to an end', () => {
  it('costs its own trials and nothing else, and the status says that there is no verdict', {
    timeout: 240_000,
  }, async () => {
    await using project = await createProject({
      'tasks/a.bench.ts': changed(
        'task_flag',
        "run.verified('greets') &&",
        "((): boolean => { while (run.finalText('out.txt')?.startsWith('Hello')); return true })() &&",
      ),
      // What follows a wait can only be ended by another thread.
      'tasks/b.bench.ts': changed(
        'task_verify',
        '=> check(',
        "=> new Promise(done => setTimeout(done, 5)).then(() => /^(?:\\w+ ?)+$/.test('word '.repeat(20) + '!') && check(",
      ).replace("the person')", "the person'))"),
      'tasks/c.bench.ts': smallTask({ id: 'task_fine' }),
    })
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '1' })
    const summaries = await project.summaries()
    const codesOf = (id: string) => {
      const trials = summaries.find(summary => summary.task_id === id)?.trials ?? []
      return trials.map(({ outcome, infra_attempts: faults }) => [outcome, ...new Set(faults.map(({ code }) => code))])
    }
    expect(codesOf('task_flag'), run.stdout + run.stderr).toEqual([['infra', 'flag_timeout']])
    expect(codesOf('task_verify')).toEqual([['infra', 'verify_timeout']])
    expect(codesOf('task_fine')).toEqual([['passed']])
    expect(run.status).not.toBe(0)
    expect(run.stdout + run.stderr).toMatch(/flag "greeted" had been asked for/)
    expect(run.stdout + run.stderr).toMatch(/the verify check "greets" ran for 10 s without an end/)
  })
})
