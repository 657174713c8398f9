/** Code of a task that does not come to an end: its trial is a fault, by name, and the run goes on or ends in order. */
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'
import { smallTask } from './small-tasks.ts'

/** A small task with other source in one place. */
function changed(id: string, from: string, to: string): string {
  const source = smallTask({ id })
  if (!source.includes(from)) throw new Error(`no ${from} in the task`)
  return source.replace(from, to)
}

/** A small task whose check does something first. */
function checking(id: string, code: string): string {
  return changed(id, '({ text, check }) => check(', `async ({ text, check }) => { ${code}; return check(`).replace(
    "the person')",
    "the person') }",
  )
}

/** A small task whose flag does something first, in a real trial only: flags are tried out at collection, too. */
function flagging(id: string, code: string): string {
  return changed(
    id,
    "run.verified('greets') &&",
    `((): boolean => { if (run.finalText('out.txt')?.startsWith('Hello')) { ${code} } return true })() &&`,
  )
}

const CHAIN = 'const again = (): void => void Promise.resolve().then(again); again()'
const LATER = 'setTimeout(() => { for (;;); }, 5); await new Promise(done => setTimeout(done, 50))'
const SETTINGS = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '1' }

await describeWith(['docker'], 'code of a task that does not come to an end', () => {
  it('costs its own trials and nothing else, and the status says that there is no verdict', {
    timeout: 240_000,
  }, async () => {
    await using project = await createProject({
      'tasks/flag.bench.ts': flagging('task_flag', 'for (;;);'),
      // What follows a wait can only be ended by another thread.
      'tasks/verify.bench.ts': checking(
        'task_verify',
        "await new Promise(done => setTimeout(done, 5)); /^(?:\\w+ ?)+$/.test('word '.repeat(20) + '!')",
      ),
      'tasks/timer.bench.ts': checking('task_timer', LATER),
      // The check itself has ended, and keeps the rest from its turn.
      'tasks/chain.bench.ts': checking('task_chain', `${CHAIN}; await null`),
      'tasks/left.bench.ts': flagging('task_left', CHAIN),
      'tasks/fine.bench.ts': smallTask({ id: 'task_fine' }),
    })
    const run = await project.run([], { ...SETTINGS, BENCH_WORKERS: '3' })
    const output = run.stdout + run.stderr
    const summaries = await project.summaries()
    const codesOf = (id: string) => {
      const trials = summaries.find(summary => summary.task_id === id)?.trials ?? []
      return trials.map(({ outcome, infra_attempts: faults }) => [outcome, ...new Set(faults.map(({ code }) => code))])
    }
    expect(codesOf('task_flag'), output).toEqual([['infra', 'flag_timeout']])
    expect(codesOf('task_verify'), output).toEqual([['infra', 'verify_timeout']])
    expect(codesOf('task_timer'), output).toEqual([['infra', 'verify_timeout']])
    expect(codesOf('task_chain'), output).toEqual([['infra', 'verify_timeout']])
    expect(codesOf('task_left'), output).toEqual([['infra', 'flag_timeout']])
    expect(codesOf('task_fine'), output).toEqual([['passed']])
    expect(run.status, output).toBe(2)
    expect(output).toMatch(/flag "greeted" had been asked for/)
    expect(output).toMatch(/the verify check "greets" ran for 10 s without an end/)
    expect(await project.results()).not.toContainEqual(expect.stringContaining('.ended'))
  })

  it.each([
    [
      'waits for another program',
      `import { execSync } from 'node:child_process'\n${flagging('task_bad', "execSync('sleep 40')")}`,
      /flag "greeted" of task "task_bad" has run for 1[\d.]+ s and cannot be ended \(flag_timeout/,
    ],
    [
      // Node ends a process whose hooks find their stack of ids too long.
      'takes the worker with it when it is ended',
      `import { createHook } from 'node:async_hooks'\ncreateHook({ init: () => undefined }).enable()\n${checking('task_bad', LATER)}`,
      /the verify check "greets" of task "task_bad" ran for 10 s without an end \(verify_timeout\)/,
    ],
  ])(
    'that %s ends the run with its name, and what was recorded stays',
    {
      timeout: 120_000,
    },
    async (_what, bad, message) => {
      await using project = await createProject({ 'tasks/fine.bench.ts': smallTask({ id: 'task_fine' }) })
      // The file that ran last is run after one that is new.
      await project.write({ 'tasks/z/bad.bench.ts': bad })
      const run = await project.run(['--sequence.shuffle.files=false'], SETTINGS)
      const output = run.stdout + run.stderr
      expect(run.status, output).toBe(2)
      expect(run.stdout, output).toMatch(message)
      expect(run.stdout).toMatch(/stopped {2}.*\n\s+remedy: Look in it for/)
      // Never a verdict over what nobody saw to its end.
      expect((await project.summaries()).map(({ task_id }) => task_id).filter(id => id === 'task_bad')).toEqual([])
      expect(await project.results()).not.toContainEqual(expect.stringContaining('.ended'))
    },
  )
})
