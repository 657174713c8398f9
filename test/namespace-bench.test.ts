/** The whole product without an engine: Vitest, plugin, namespace sandbox, journal, reports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK } from './project.ts'

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const NO_ENGINE = { DOCKER_HOST: 'unix:///nonexistent/docker.sock', BENCH_AGENT: 'reference' }
/** A length of sleep that nobody else on this machine uses. */
const SECONDS = 600 + (process.pid % 1_000) / 1_000
const TASK = { 'tasks/demo/hello.bench.ts': HELLO_TASK }

/** Command line of a process, its words ended by NUL; empty when it is gone. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
}

/** Ids of the processes of this machine whose command line begins so. */
function processesOf(begin: string): readonly string[] {
  return readdirSync('/proc').filter(pid => /^\d+$/.test(pid) && commandOf(pid).startsWith(begin))
}

await describeWith(['namespaces'], 'the bench without an engine', () => {
  it('takes namespaces by itself, says so and why in one line, and records it', async () => {
    await using project = await createProject(TASK)
    const run = await project.run([], NO_ENGINE)
    const text = run.stderr + run.stdout
    expect(text).toMatch(/^sandbox +namespace: Linux .*Python 3.* \(no docker: no Docker engine answers at .*\)$/m)
    expect(run.status).toBe(0)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ verdict: 'pass', trials_run: 3, pass_hat_k: 1 })
    const trials = summary?.trials ?? []
    expect(new Set(trials.map(trial => trial.sandbox?.id)).size).toBe(1)
    for (const trial of trials) {
      expect(trial.sandbox).toMatchObject({ driver: 'namespace', limits: { control_group: false, network: false } })
      expect(trial.reset_proof).toMatchObject({ processes_left: 0, leftovers: 0 })
    }
  })

  it('does not turn to namespaces when an image was named', async () => {
    await using project = await createProject(TASK)
    const run = await project.run([], { ...NO_ENGINE, BENCH_IMAGE: 'some-image' })
    expect(run.status).toBe(2)
    expect(run.stderr + run.stdout).toMatch(/no Docker engine answers/)
  })

  it('says what to do, with exit status 2, where namespaces are refused as well', async () => {
    await using project = await createProject(TASK)
    // Inside a user namespace that allows no further ones.
    const script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    const words = ['--user', '--map-root-user', 'bash', '-c', script, 'bash', process.execPath, VITEST, 'run']
    const child = spawn('unshare', [...words, '--project', 'bench'], {
      cwd: project.dir,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, CI: '1', NO_COLOR: '1', ...NO_ENGINE },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const closed = once(child, 'close')
    const text = `${await textOf(child.stdout)}${await textOf(child.stderr)}`
    const [status] = await closed
    expect(text).toMatch(/no sandbox works here: docker: .*; namespace: the kernel refused/)
    expect(text).toMatch(/remedy: .*sysctl user\.max_user_namespaces/)
    expect(status).toBe(2)
    expect(await project.results()).toEqual(['journal'])
  })

  it('leaves no executor two seconds after the run was killed', async () => {
    const sleeps = `await sh('sleep ${SECONDS}')`
    const slow = HELLO_TASK.replace("await read('name.txt')", sleeps).replace('{ read, write }', '{ sh, write }')
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': slow })
    const before = processesOf('executor\0')
    const run = project.start([], { ...NO_ENGINE, BENCH_SANDBOX: 'namespace' })
    const pid = run.process.pid
    if (pid === undefined) throw new Error('Vitest did not start')
    const sleepers = () => processesOf(`sleep\0${SECONDS}\0`)
    await expect.poll(() => sleepers().length, { timeout: 30_000 }).toBe(1)
    const ours = processesOf('executor\0').filter(id => !before.includes(id))
    expect(ours.length).toBeGreaterThanOrEqual(1)
    process.kill(-pid, 'SIGKILL')
    await run.ended
    await expect.poll(() => ours.filter(id => commandOf(id) !== ''), { timeout: 2_000 }).toEqual([])
    expect(sleepers()).toEqual([])
  })
})
