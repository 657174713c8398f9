/** The examination of a model's server before the first trial of a run. */
import { expect, it } from 'vitest'
import { type Body, doctorScript, propsRoutes, questionOf } from './doctor-server.ts'
import { describeWith } from './needs.ts'
import { createProject, type Project, type Run } from './project.ts'
import { call, conversation, type Script, type ScriptedReply, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const ONE_TASK = { 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) }
const ENV = { BENCH_SANDBOX: 'docker', BENCH_K: '1', BENCH_EXAMINE: '' }
const MODELS = { models: [{ id: 'first' }, { id: 'second' }] }

const textOf = (run: Run) => run.stdout + run.stderr
const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null
const isTrial = (body: unknown) => isObject(body) && questionOf(body).includes('greeting for Ada')
const GREETING = conversation([call('write_file', { path: 'out.txt', content: 'Hello Ada\n' }), say('Done.')])

/** Solves the task in trials; answers the examination with another script. */
function server(examination: (body: unknown, index: number) => ScriptedReply): Script {
  return (body, index) => {
    if (!isTrial(body)) return examination(body, index)
    return typeof GREETING === 'function' ? GREETING(body, index) : say('')
  }
}

const run = (project: Project, env: Readonly<Record<string, string>>) => project.run([], { ...ENV, ...env })

await describeWith(['docker'], 'the examination before the first trial', () => {
  it('finds nothing to warn of on a healthy server, and results name its report; the next run does not repeat it', async () => {
    await using project = await createProject(ONE_TASK)
    await using healthy = await startScriptedServer(server(doctorScript()), { routes: propsRoutes() })
    const first = await run(project, { BENCH_BASE_URL: healthy.baseUrl })
    expect(first.status, textOf(first)).toBe(0)
    expect(first.stdout).toMatch(/^server {3}quick examination: readiness, tool_call, window ok .*agent-bench doctor/m)
    expect(first.stdout).not.toMatch(/^warning/m)
    const asked = healthy.requests.filter(({ body }) => !isTrial(body)).length
    expect(asked).toBeGreaterThanOrEqual(3)
    const second = await run(project, { BENCH_BASE_URL: healthy.baseUrl })
    expect(second.stdout).toMatch(/^server {3}examined at/m)
    expect(healthy.requests.filter(({ body }) => !isTrial(body))).toHaveLength(asked)
    const digests = (await project.summaries()).map(({ environment }) => environment.server_examination)
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(digests[1]).toBe(digests[0])
  })

  it('ends a run over a server that hides the tools from the model, with status 2 and nothing recorded', async () => {
    await using project = await createProject(ONE_TASK)
    const refusing = (body: unknown, index: number): ScriptedReply =>
      isObject(body) && Array.isArray(body.tools)
        ? { status: 400, body: { error: { message: 'tools param requires --jinja flag' } } }
        : doctorScript()(body, index)
    await using broken = await startScriptedServer(server(refusing), { routes: propsRoutes() })
    const ended = await run(project, { BENCH_BASE_URL: broken.baseUrl, BENCH_K: '3' })
    expect(ended.status).toBe(2)
    expect(textOf(ended)).toMatch(/--jinja/)
    expect(textOf(ended)).toMatch(/remedy: .*agent-bench doctor/)
    expect(broken.requests.some(({ body }) => isTrial(body))).toBe(false)
    expect(await project.summaries()).toEqual([])
  })

  it('says at the start and again at the end that calls arrive as text, and the trials are recorded as failed', async () => {
    await using project = await createProject(ONE_TASK)
    const leaked = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
    const leaking = (body: unknown, index: number): ScriptedReply =>
      isObject(body) && Array.isArray(body.tools) ? say(leaked) : doctorScript()(body, index)
    await using without = await startScriptedServer(leaking, { routes: propsRoutes() })
    const ended = await run(project, { BENCH_BASE_URL: without.baseUrl })
    expect(ended.status, textOf(ended)).toBe(1)
    const lines = ended.stdout.split('\n')
    const alarms = lines.flatMap((line, at) =>
      /^WARNING {2}calls .* about the server.*--jinja/.test(line) ? [at] : [],
    )
    expect(alarms).toHaveLength(2)
    const matrixAt = lines.findIndex(line => line.includes('task_one') && line.includes('0/1'))
    expect(alarms[1], textOf(ended)).toBeGreaterThan(matrixAt)
    expect((await project.summaries())[0]?.excluded.infra).toBe(0)
  })

  it('is left out with BENCH_EXAMINE=0, which is said', async () => {
    await using project = await createProject(ONE_TASK)
    await using healthy = await startScriptedServer(server(doctorScript()), { routes: propsRoutes() })
    const ended = await run(project, { BENCH_BASE_URL: healthy.baseUrl, BENCH_EXAMINE: '0' })
    expect(ended.status, textOf(ended)).toBe(0)
    expect(ended.stdout).toMatch(/^server {3}not examined; .*agent-bench doctor/m)
    expect(healthy.requests.every(({ body }) => isTrial(body))).toBe(true)
    expect((await project.summaries())[0]?.environment.server_examination).toBeNull()
  })

  it('of several models comes right before the trials of each, so that each is loaded once', async () => {
    await using project = await createProject(ONE_TASK)
    await using healthy = await startScriptedServer(server(doctorScript()), { ...MODELS })
    const ended = await run(project, { BENCH_BASE_URL: healthy.baseUrl, BENCH_MODEL: 'first,second' })
    expect(ended.status, textOf(ended)).toBe(0)
    const order = healthy.requests.map(({ body }) => (isObject(body) ? body.model : null))
    const changes = order.filter((model, at) => at > 0 && model !== order[at - 1])
    expect(changes).toEqual(['second'])
    expect(ended.stdout.match(/^server .*· bench \((first|second)\)$/gm)).toHaveLength(2)
  })
})
