/** Several models are served and none is named: who sits at a terminal is asked, everybody else gets the list and status 2. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, type Project } from './project.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const ONE_TASK = { 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) }
const GREETING = conversation([call('write_file', { path: 'out.txt', content: 'Hello Ada\n' }), say('Done.')])
const TWO_MODELS = { models: [{ id: 'first' }, { id: 'second' }] }
/** Such a terminal has no size of its own. */
const VITEST = 'stty columns 100 rows 30; node node_modules/vitest/vitest.mjs'
const ARROW_DOWN = '\u001b[B'

/** Runs a command on a terminal (script, of util-linux, makes one) and presses keys once a text was seen. */
async function onTerminal(
  project: Project,
  command: string,
  env: Readonly<Record<string, string>>,
  typed: readonly { readonly after: string; readonly keys: string }[],
): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: project.dir,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TERM: 'xterm', BENCH_EXAMINE: '0', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  const waiting = [...typed]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += stripVTControlCharacters(text)
    while (waiting[0] !== undefined && output.includes(waiting[0].after)) child.stdin.write(waiting.shift()?.keys ?? '')
  })
  const [status] = await once(child, 'close')
  return { status: typeof status === 'number' ? status : null, output }
}

await describeWith(['docker'], 'two models are served and none is named', () => {
  it('a person at a terminal chooses with the arrow keys', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(GREETING, TWO_MODELS)
    const env = { BENCH_SANDBOX: 'docker', BENCH_K: '1', BENCH_BASE_URL: server.baseUrl }
    const { status, output } = await onTerminal(project, `${VITEST} run --project bench`, env, [
      { after: 'Which model', keys: ARROW_DOWN },
      { after: '● second', keys: '\r' },
    ])
    expect(status, output).toBe(0)
    expect((await project.summaries()).map(({ model }) => model)).toEqual(['second'])
  })

  it('Escape leaves with status 2 and the variable to set, and nothing is recorded', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(GREETING, TWO_MODELS)
    const env = { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl }
    const { status, output } = await onTerminal(project, `${VITEST} run --project bench`, env, [
      { after: 'Which model', keys: '\u001b' },
    ])
    expect(status, output).toBe(2)
    expect(output).toContain('BENCH_MODEL=first')
    expect(await project.summaries()).toEqual([])
  })

  it('in watch mode Enter chooses, and afterwards the keys are Vitest’s again', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(GREETING, TWO_MODELS)
    const env = { BENCH_SANDBOX: 'docker', BENCH_K: '1', BENCH_BASE_URL: server.baseUrl }
    const { output } = await onTerminal(project, `${VITEST} --project bench`, env, [
      { after: 'Which model', keys: '\r' },
      { after: 'Waiting for file changes', keys: 'q' },
    ])
    expect(
      (await project.summaries()).map(({ model, n }) => [model, n]),
      output,
    ).toEqual([['first', 1]])
  })

  it('without a terminal the run ends with the list and status 2', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(GREETING, TWO_MODELS)
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl })
    expect(run.status).toBe(2)
    expect(run.stdout + run.stderr).toMatch(/2 models could be meant:\s+first .*\s+second .*[\s\S]*BENCH_MODEL=first/)
    expect(server.requests).toHaveLength(0)
  })
})
