/** A run that is ended from outside keeps what was finished, leaves nothing, and goes on where it was. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { containersOf, eventually, leftovers, markedWith, processesWith, runIdsIn } from './leftovers.ts'
import { describeWith } from './needs.ts'
import { createProject, type Project, type Run } from './project.ts'
import { recordsIn } from './records.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const REFERENCE = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference' }
const SLOW = { 'tasks/slow.bench.ts': smallTask({ id: 'task_slow', sleeps: 0.25 }) }

let marks = 0

/** Starts a long run, waits for its first records, and kills: the whole process group, one process of it, or a worker. */
async function interrupt(
  project: Project,
  signal: NodeJS.Signals,
  target: 'group' | 'main' | 'worker',
): Promise<{ readonly run: Run; readonly tookMs: number; readonly left: Awaited<ReturnType<typeof leftovers>> }> {
  marks += 1
  const mark = `interrupt-${process.pid}-${marks}`
  const resultsDir = join(project.dir, 'results')
  const started = project.start([], { ...REFERENCE, BENCH_K: '60', ...markedWith(mark) })
  const main = started.process.pid
  if (main === undefined) throw new Error('Vitest did not start')
  expect(await eventually(() => recordsIn(resultsDir).length >= 2, 30_000)).toBe(true)
  const [worker] = processesWith(mark).filter(pid => pid !== main)
  if (worker === undefined) throw new Error('there is no worker')
  const startedAt = performance.now()
  process.kill(target === 'group' ? -main : target === 'main' ? main : worker, signal)
  const run = await started.ended
  const tookMs = performance.now() - startedAt
  return { run, tookMs, left: await leftovers({ resultsDir, mark }, Math.max(0, 2_000 - tookMs)) }
}

const NOTHING = { containers: [], processes: [] }

await describeWith(['docker'], 'a run that is told to end', () => {
  it.each([
    ['SIGINT', 'group', 130],
    ['SIGINT', 'main', 130],
    ['SIGTERM', 'group', 143],
    ['SIGTERM', 'main', 143],
    ['SIGHUP', 'group', 129],
    ['SIGHUP', 'main', 129],
  ] as const)(
    'by %s to the %s stops within 2 s with status %i, reports every finished trial, leaves nothing',
    async (signal, target, status) => {
      await using project = await createProject(SLOW)
      const { run, tookMs, left } = await interrupt(project, signal, target)
      expect(tookMs).toBeLessThan(2_000)
      expect(run.status).toBe(status)
      expect(left).toEqual(NOTHING)
      expect(run.stdout).toMatch(/incomplete \(\d+ of 60\) +task_slow/)
      expect(run.stdout).toMatch(/^cut off .* are kept$/m)
      expect(run.stdout).toContain('BENCH_RESUME=1')
      const [summary] = await project.summaries()
      const records = recordsIn(join(project.dir, 'results'))
      expect(summary?.trials.length).toBeGreaterThanOrEqual(2)
      // A trial may reach the disk between the report and the end of its worker.
      expect(records.length - (summary?.trials_run ?? 0)).toBeLessThanOrEqual(1)
      expect(records.map(record => record.trial_index)).toEqual(records.map((_, index) => index))
    },
  )
})

await describeWith(['docker'], 'a run that is killed', () => {
  it.each(['group', 'main'] as const)('(SIGKILL to the %s) leaves nothing 2 s later', async target => {
    await using project = await createProject(SLOW)
    const { run, left } = await interrupt(project, 'SIGKILL', target)
    expect(run.signal).toBe('SIGKILL')
    expect(left).toEqual(NOTHING)
    expect(recordsIn(join(project.dir, 'results')).length).toBeGreaterThanOrEqual(2)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    '(%s to the main process) in the middle of a long command leaves nothing 2 s later',
    async signal => {
      await using project = await createProject({ 'tasks/long.bench.ts': smallTask({ id: 'task_long', sleeps: 30 }) })
      const mark = `long-${process.pid}-${signal}`
      const resultsDir = join(project.dir, 'results')
      const started = project.start([], { ...REFERENCE, BENCH_K: '1', ...markedWith(mark) })
      expect(await eventually(() => containersOf(runIdsIn(resultsDir)).length === 1, 30_000)).toBe(true)
      await sleep(1_500) // the command runs, and the worker has nothing to tell the main process
      started.process.kill(signal)
      await started.ended
      expect(await leftovers({ resultsDir, mark }, 2_000)).toEqual(NOTHING)
    },
  )

  it('(SIGKILL to the worker) ends with what was finished, never with status 0, and leaves nothing', async () => {
    await using project = await createProject(SLOW)
    const { run, left } = await interrupt(project, 'SIGKILL', 'worker')
    expect(run.status).not.toBe(0)
    expect(left).toEqual(NOTHING)
    expect(run.stdout).toMatch(/incomplete \(\d+ of 60\) +task_slow/)
  })

  it('goes on with BENCH_RESUME=1: only what is missing, each trial with its own seed', async () => {
    await using project = await createProject({ 'tasks/slow.bench.ts': smallTask({ id: 'task_slow', sleeps: 0.3 }) })
    const resultsDir = join(project.dir, 'results')
    const env = { ...REFERENCE, BENCH_K: '6' }
    const started = project.start([], env)
    expect(await eventually(() => recordsIn(resultsDir).length >= 2, 30_000)).toBe(true)
    process.kill(-(started.process.pid ?? 0), 'SIGKILL')
    await started.ended
    const before = recordsIn(resultsDir)
    const run = await project.run([], { ...env, BENCH_RESUME: '1' })
    expect(run.status).toBe(0)
    const after = recordsIn(resultsDir)
    expect(after).toHaveLength(6)
    expect(after.map(record => [record.trial_index, record.seed])).toEqual(
      [42, 43, 44, 45, 46, 47].map((s, i) => [i, s]),
    )
    expect(after.slice(0, before.length)).toEqual(before)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ trials_run: 6, verdict: 'pass', pass_hat_k: 1 })
  })
})

await describeWith(['docker'], 'BENCH_RESUME=1', () => {
  it('runs again what differs in task, seed or limits, and nothing that does not', async () => {
    await using project = await createProject({ 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) })
    const resultsDir = join(project.dir, 'results')
    const env = { ...REFERENCE, BENCH_K: '2', BENCH_RESUME: '1' }
    const countAfter = async (over: Readonly<Record<string, string>>) => {
      await project.run([], { ...env, ...over })
      return recordsIn(resultsDir).length
    }
    expect(await countAfter({})).toBe(2)
    expect(await countAfter({})).toBe(2)
    expect(await countAfter({ BENCH_SEED: '43' })).toBe(4) // trial 1 of 43 was trial 2 of 42: another number is another trial
    expect(await countAfter({ BENCH_MAX_TURNS: '3' })).toBe(6)
    expect(await countAfter({ BENCH_K: '3' })).toBe(7)
    await project.write({
      'tasks/one.bench.ts': smallTask({ id: 'task_one' }).replace('for Ada', 'for Ada Lovelace'),
    })
    expect(await countAfter({})).toBe(9)
  })

  it('runs again what another model or server is asked', async () => {
    await using project = await createProject({ 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) })
    const resultsDir = join(project.dir, 'results')
    const script = conversation([call('write_file', { path: 'out.txt', content: 'Hello Ada\n' }), say('Done.')])
    await using server = await startScriptedServer(script, { models: [{ id: 'first' }, { id: 'second' }] })
    const env = { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl, BENCH_K: '2', BENCH_RESUME: '1' }
    const counts: number[] = []
    for (const model of ['first', 'first', 'second']) {
      const run = await project.run([], { ...env, BENCH_MODEL: model })
      expect(run.status).toBe(0)
      counts.push(recordsIn(resultsDir).length)
    }
    expect(counts).toEqual([2, 2, 4])
  })
})
