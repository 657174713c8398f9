/** A run that is ended from outside keeps what was finished, leaves nothing, and goes on where it was. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { containersOf, eventually, leftovers, markedWith, runIdsIn } from './leftovers.ts'
import { describeWith } from './needs.ts'
import { createProject, type Project, type Run } from './project.ts'
import { recordsIn } from './records.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const REFERENCE = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference' }
const SLOW = { 'tasks/slow.bench.ts': smallTask({ id: 'task_slow', sleeps: 0.25 }) }

let marks = 0

/** Starts a long run, waits for its first records, and kills the whole process group or its main process. Random kills: `kills.test.ts`. */
async function interrupt(
  project: Project,
  signal: NodeJS.Signals,
  target: 'group' | 'main',
): Promise<{ readonly run: Run; readonly tookMs: number; readonly left: Awaited<ReturnType<typeof leftovers>> }> {
  marks += 1
  const mark = `interrupt-${process.pid}-${marks}`
  const resultsDir = join(project.dir, 'results')
  const started = project.start([], { ...REFERENCE, BENCH_K: '60', ...markedWith(mark) })
  const main = started.process.pid
  if (main === undefined) throw new Error('Vitest did not start')
  expect(await eventually(() => recordsIn(resultsDir).length >= 2, 30_000)).toBe(true)
  const startedAt = performance.now()
  process.kill(target === 'group' ? -main : main, signal)
  const run = await started.ended
  const tookMs = performance.now() - startedAt
  return { run, tookMs, left: await leftovers({ resultsDir, mark }, Math.max(0, 2_000 - tookMs)) }
}

const NOTHING = { containers: [], processes: [] }

await describeWith(['docker'], 'a run that is told to end', () => {
  it.each([
    ['SIGINT', 'group', 130],
    ['SIGTERM', 'main', 143],
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
    const changed = smallTask({ id: 'task_one' }).replace('for Ada', 'for Ada Lovelace')
    await project.write({ 'tasks/one.bench.ts': changed })
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
