/** What a run says and does when configuration, disk, sandbox or a spec file is at fault. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportArtifacts } from '../src/results/artifacts.ts'
import { openJournal } from '../src/results/journal.ts'
import { sampleRecord } from '../src/results/sample-record.fixture.ts'
import { containersOf, eventually, runIdsIn } from './leftovers.ts'
import { describeWith } from './needs.ts'
import { createProject, type Run } from './project.ts'
import { recordsIn } from './records.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const REFERENCE = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference' }
const ONE_TASK = { 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) }
const textOf = (run: Run) => run.stdout + run.stderr

/** A memory file system of its own; only root may mount one. */
async function mountedFolder(options: string): Promise<{ readonly dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-bench-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir])
  return {
    dir,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', [dir])
      await rmdir(dir)
    },
  }
}
const isRoot = process.getuid?.() === 0

await describeWith(['docker'], 'a configuration that is wrong', () => {
  it.each<[string, string, Readonly<Record<string, string>>, RegExp, RegExp]>([
    [
      'a config file that does not parse',
      'export default {',
      {},
      /bench\.config\.ts cannot be loaded/,
      /: Correct bench/,
    ],
    ['an unknown variable', '', { BENCH_SEDE: '1' }, /BENCH_SEDE is not one of/, /Did you mean "BENCH_SEED"\?/],
    [
      'a results path that is a file',
      '',
      { BENCH_RESULTS_DIR: 'package.json' },
      /ENOTDIR/,
      /: A part of that path is a file/,
    ],
  ])('%s: status 2, message and remedy, no stack', async (_name, config, env, message, remedy) => {
    await using project = await createProject({
      ...ONE_TASK,
      ...(config === '' ? {} : { 'bench.config.ts': config }),
    })
    const run = await project.run([], { ...REFERENCE, ...env })
    expect(textOf(run)).toMatch(message)
    expect(textOf(run)).toMatch(remedy)
    expect(textOf(run)).not.toMatch(/node_modules|src\/runner/)
    expect(run.status).toBe(2)
    expect(await project.summaries()).toEqual([])
  })

  it('a spec file that throws when it is imported fails alone: the others run, status 2, said in the last lines', async () => {
    const thrower = "import 'agent-bench'\nthrow new Error('my own mistake')\n"
    await using project = await createProject({ ...ONE_TASK, 'tasks/broken.bench.ts': thrower })
    const run = await project.run([], REFERENCE)
    expect(run.status).toBe(2)
    expect(textOf(run)).toMatch(/my own mistake[\s\S]*broken\.bench\.ts:2/)
    expect(run.stdout).toMatch(/^broken {3}1 spec file/m)
    expect((await project.summaries()).map(summary => summary.verdict)).toEqual(['pass'])
  })
})

await describeWith(['docker'], 'a results folder that cannot be written', () => {
  it.skipIf(!isRoot)('read-only (as root): status 2 before the first trial', async () => {
    await using project = await createProject(ONE_TASK)
    await using disk = await mountedFolder('ro,size=1m')
    const run = await project.run([], { ...REFERENCE, BENCH_RESULTS_DIR: join(disk.dir, 'results') })
    expect(run.status).toBe(2)
    expect(textOf(run)).toMatch(/results cannot be written to .*EROFS/)
    expect(textOf(run)).toMatch(/remedy: .*read-only.*BENCH_RESULTS_DIR/)
  })

  it.skipIf(!isRoot)('full in mid-run (as root): the run stops with status 2, what fitted is kept', async () => {
    await using project = await createProject(ONE_TASK)
    await using disk = await mountedFolder('size=64k')
    const resultsDir = join(disk.dir, 'results')
    const run = await project.run([], { ...REFERENCE, BENCH_RESULTS_DIR: resultsDir, BENCH_K: '40' })
    expect(run.status).toBe(2)
    expect(run.stdout).toMatch(/^stopped .*results cannot be written to .*ENOSPC[\s\S]*remedy: Make room/m)
    const kept = recordsIn(resultsDir)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(40)
    expect(kept.every(record => record.outcome === 'passed')).toBe(true)
  })

  it('two runs at once in one folder keep their records apart', async () => {
    await using project = await createProject({ 'tasks/one.bench.ts': smallTask({ id: 'task_one', sleeps: 0.2 }) })
    const runs = await Promise.all([project.run([], REFERENCE), project.run([], REFERENCE)])
    expect(runs.map(run => run.status)).toEqual([0, 0])
    const summaries = await project.summaries()
    expect(summaries.map(({ trials_run, verdict }) => `${trials_run} ${verdict}`)).toEqual(['3 pass', '3 pass'])
    const records = recordsIn(join(project.dir, 'results'))
    expect(new Set(records.map(record => `${record.run_id} ${record.trial_index}`)).size).toBe(6)
    expect(runs.some(run => /Run \S+ wrote into the same results folder during this one/.test(run.stdout))).toBe(true)
  })

  it.skipIf(!isRoot)(
    'what a trial left and the disk has no room for is given up: the record fits (as root)',
    async () => {
      await using disk = await mountedFolder('size=64k')
      const files = new Map([10_000, 200_000].map(size => [`${size}.bin`, { bytes: Buffer.alloc(size), mode: 0o644 }]))
      const { written, refused } = exportArtifacts(join(disk.dir, 'artifacts/trial-1'), files)
      expect([written, refused.map(({ path }) => path)]).toEqual([[], ['10000.bin', '200000.bin']])
      using journal = openJournal(disk.dir, 'run', 'worker')
      journal.append(sampleRecord())
      expect(recordsIn(disk.dir)).toHaveLength(1)
    },
  )

  it('lines of a journal that cannot be used are told, and their trials run again', async () => {
    await using project = await createProject(ONE_TASK)
    await project.run([], REFERENCE)
    const dir = join(project.dir, 'results/journal')
    const [name = ''] = await readdir(dir)
    const [first = '', ...rest] = (await readFile(join(dir, name), 'utf8')).split('\n')
    await writeFile(join(dir, name), [first.replace('"passed":true', '"passed":false'), ...rest].join('\n'))
    const run = await project.run([], { ...REFERENCE, BENCH_RESUME: '1' })
    expect(run.stdout).toMatch(/^damaged {2}\S+:1: not a trial's record, left out: its result_hash does not match/m)
    expect(run.status).toBe(0)
    expect(await readdir(dir)).toHaveLength(2)
  })
})

await describeWith(['docker'], 'a sandbox that fails or fills up', () => {
  it('a full disk is what the model sees; the trial goes on and can pass', async () => {
    await using project = await createProject(ONE_TASK)
    const fill = 'head -c 2000000000 /dev/zero > big.bin; echo "status $?"; rm big.bin'
    const write = call('write_file', { path: 'out.txt', content: 'Hello Ada\n' })
    const script = conversation([call('execute_command', { command: fill }), write, say('Done.')])
    await using server = await startScriptedServer(script)
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl, BENCH_K: '1' })
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(/status 1.*No space left on device/)
    expect(run.status).toBe(0)
    const [summary] = await project.summaries()
    expect(summary?.trials[0]).toMatchObject({ outcome: 'passed', infra_attempts: [] })
  })

  it('a container that is removed in mid-trial costs an attempt: a new one, the trial again, and it passes', async () => {
    await using project = await createProject({ 'tasks/one.bench.ts': smallTask({ id: 'task_one', sleeps: 2 }) })
    const resultsDir = join(project.dir, 'results')
    const started = project.start([], { ...REFERENCE, BENCH_K: '1' })
    expect(await eventually(() => containersOf(runIdsIn(resultsDir)).length === 1, 30_000)).toBe(true)
    await new Promise(resolve => setTimeout(resolve, 1_000)) // the command of the trial runs
    execFileSync('docker', ['rm', '-f', ...containersOf(runIdsIn(resultsDir))], { stdio: 'ignore' })
    const run = await started.ended
    expect(run.status).toBe(0)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ verdict: 'pass' })
    expect(run.stdout).toMatch(/^ +1 attempt lost the sandbox[\s\S]*^lost +1 attempt lost the sandbox/m)
    expect(summary?.trials[0]?.infra_attempts).toMatchObject([{ code: 'sandbox_lost_during_command' }])
  })
})
