/** Watch mode, in a terminal and without one, and the UI. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually, leftovers, markedWith } from './leftovers.ts'
import { describeWith } from './needs.ts'
import { createProject, type Project } from './project.ts'
import { recordsIn } from './records.ts'
import { smallTask } from './small-tasks.ts'

const REFERENCE = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '1' }
const TWO_TASKS = {
  'tasks/one.bench.ts': smallTask({ id: 'task_one' }),
  'tasks/two.bench.ts': smallTask({ id: 'task_two' }),
}

const idsOf = async (project: Project) => (await project.summaries()).map(summary => summary.task_id)

/** Starts Vitest in watch mode and waits for the results of two tasks; ended whatever the test says of it. */
async function watching(project: Project, env: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const started = project.start(['watch', '--project', 'bench', ...options], env)
  const end = async () => {
    started.process.kill('SIGTERM')
    await started.ended
  }
  const isReady = await eventually(async () => (await idsOf(project)).length === 2, 90_000)
  if (!isReady) await end()
  expect(isReady).toBe(true)
  return { ...started, [Symbol.asyncDispose]: end }
}

/** Types into Vitest in a terminal of `script`: `keys` once `when` holds. Gives its output and exit status. */
async function inTerminal(
  project: Project,
  env: Readonly<Record<string, string>>,
  keys: string,
  when: () => boolean,
): Promise<{ readonly output: string; readonly status: number | null; readonly tookMs: number }> {
  const command = `${process.execPath} ${join(project.dir, 'node_modules/vitest/vitest.mjs')} --project bench`
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: project.dir,
    env: { PATH, HOME, TERM: 'xterm', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  try {
    expect(await eventually(when, 30_000), output).toBe(true)
    const startedAt = performance.now()
    child.stdin.write(keys)
    expect(await eventually(() => child.exitCode !== null, 10_000), output).toBe(true)
    const tookMs = performance.now() - startedAt
    return { output, status: await ended, tookMs }
  } finally {
    child.kill('SIGTERM')
  }
}

await describeWith(['docker'], 'watch mode', () => {
  it('runs an edited task again, and only that one', async () => {
    await using project = await createProject(TWO_TASKS)
    await using _vitest = await watching(project, REFERENCE)
    await project.write({ 'tasks/one.bench.ts': smallTask({ id: 'task_one', fails: true }) })
    expect(await eventually(async () => (await idsOf(project)).length > 2, 60_000)).toBe(true)
    const summaries = await project.summaries()
    expect(summaries.map(summary => summary.task_id).toSorted()).toEqual(['task_one', 'task_one', 'task_two'])
    expect(summaries.at(-1)).toMatchObject({ task_id: 'task_one', verdict: 'fail' })
  })

  it('runs a skill again when a file of it is edited, and only that one', async () => {
    const manifest = (id: string) => JSON.stringify({ id, goal: 'Read the page.', required_reads: ['skill/SKILL.md'] })
    const page = '---\nname: NAME\ndescription: a page to be read\n---\nTurn the lantern twice.\n'
    await using project = await createProject({
      'skills/lamp/SKILL.md': page.replace('NAME', 'lamp'),
      'skills/lamp/bench_manifest.json': manifest('skill_lamp'),
      'skills/bell/SKILL.md': page.replace('NAME', 'bell'),
      'skills/bell/bench_manifest.json': manifest('skill_bell'),
    })
    await using _vitest = await watching(project, { ...REFERENCE, BENCH_AGENT: 'nop' })
    await project.write({ 'skills/lamp/SKILL.md': `${page.replace('NAME', 'lamp')}Then wait.\n` })
    expect(await eventually(async () => (await idsOf(project)).length > 2, 60_000)).toBe(true)
    expect((await idsOf(project)).toSorted()).toEqual(['skill_bell', 'skill_lamp', 'skill_lamp'])
  })

  it('Ctrl-C in a terminal stops within 2 s, keeps what was finished, prints the matrix, leaves nothing', async () => {
    await using project = await createProject({ 'tasks/slow.bench.ts': smallTask({ id: 'task_slow', sleeps: 0.5 }) })
    const resultsDir = join(project.dir, 'results')
    const mark = `watch-${process.pid}`
    const env = { ...REFERENCE, BENCH_K: '40', ...markedWith(mark) }
    const hasTwo = () => recordsIn(resultsDir).length >= 2
    const { output, status, tookMs } = await inTerminal(project, env, '\x03', hasTwo)
    expect(tookMs).toBeLessThan(2_000)
    expect(status).toBe(1)
    expect(output).toContain('incomplete')
    expect(output).toContain('cut off  before the end')
    const [summary] = await project.summaries()
    expect(summary?.trials_run).toBe(recordsIn(resultsDir).length)
    expect(await leftovers({ resultsDir, mark }, 2_000)).toEqual({ containers: [], processes: [] })
  })

  it('--ui serves its page over the trials of the run, and ends when it is told to', async () => {
    await using project = await createProject(TWO_TASKS)
    const port = 51_300 + (process.pid % 500)
    const options = ['--ui', '--open=false', `--api.port=${port}`, '--api.strictPort']
    await using vitest = await watching(project, REFERENCE, options)
    const page = await fetch(`http://localhost:${port}/__vitest__/`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Vitest')
    vitest.process.kill('SIGINT')
    const run = await vitest.ended
    expect(run.status).toBe(130)
    expect(run.stdout).toContain('2 of 2 tasks pass')
  })
})
