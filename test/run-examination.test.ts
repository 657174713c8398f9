/** The examination of a model's server before the first trial of a run. */
import { expect, it } from 'vitest'
import { type Defect, doctorScript, leaking, propsRoutes, questionOf, refusingTools } from './doctor-server.ts'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'
import { call, conversation, type ScriptedServerOptions, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const isTrial = ({ body }: { readonly body: unknown }) =>
  isObject(body) && questionOf(body).includes('greeting for Ada')
const GREETING = conversation([call('write_file', { path: 'out.txt', content: 'Hello Ada\n' }), say('Done.')])

/** A project and a server that solves its task in trials, and answers the examination with this defect. */
async function startBoth(defect?: Defect, options: ScriptedServerOptions = { routes: propsRoutes() }) {
  const project = await createProject({ 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) })
  const examination = doctorScript(defect)
  const server = await startScriptedServer(
    (body, index) => (isTrial({ body }) && defect !== leaking ? GREETING(body) : examination(body, index)),
    options,
  )
  return {
    project,
    server,
    run: (env: Readonly<Record<string, string>> = {}) =>
      project.run([], {
        BENCH_SANDBOX: 'docker',
        BENCH_K: '1',
        BENCH_EXAMINE: '',
        BENCH_BASE_URL: server.baseUrl,
        ...env,
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

await describeWith(['docker'], 'the examination before the first trial', () => {
  it('finds nothing to warn of on a healthy server, and results name its report; the next run does not repeat it', async () => {
    await using both = await startBoth()
    const first = await both.run()
    expect(first.status, first.stdout + first.stderr).toBe(0)
    expect(first.stdout).toMatch(/^server {3}quick examination: readiness, tool_call, window ok .*agent-bench doctor/m)
    expect(first.stdout).not.toMatch(/^warning/m)
    const second = await both.run()
    expect(second.stdout).toMatch(/^server {3}examined at/m)
    expect(both.server.requests.filter(request => !isTrial(request))).toHaveLength(5)
    const digests = (await both.project.summaries()).map(({ environment }) => environment.server_examination)
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(digests[1]).toBe(digests[0])
  })

  it('ends a run over a server that hides the tools from the model, with status 2 and nothing recorded', async () => {
    await using both = await startBoth(refusingTools)
    const ended = await both.run({ BENCH_K: '3' })
    expect(ended.status).toBe(2)
    expect(ended.stdout + ended.stderr).toMatch(/--jinja[\s\S]*remedy: .*agent-bench doctor/)
    expect(both.server.requests.some(isTrial)).toBe(false)
    expect(await both.project.summaries()).toEqual([])
  })

  it('says at the start and again at the end that calls arrive as text, and the trials are recorded as failed', async () => {
    await using both = await startBoth(leaking)
    const ended = await both.run()
    expect(ended.status, ended.stdout + ended.stderr).toBe(1)
    expect(ended.stdout).toMatch(
      /^WARNING {2}calls .* about the server.*--jinja[\s\S]*task_one.*0\/1[\s\S]*^WARNING {2}calls .* about the server/m,
    )
    expect((await both.project.summaries())[0]?.excluded.infra).toBe(0)
  })

  it('is left out with BENCH_EXAMINE=0, which is said', async () => {
    await using both = await startBoth()
    const ended = await both.run({ BENCH_EXAMINE: '0' })
    expect(ended.status).toBe(0)
    expect(ended.stdout).toMatch(/^server {3}not examined; .*agent-bench doctor/m)
    expect(both.server.requests.every(isTrial)).toBe(true)
    expect((await both.project.summaries())[0]?.environment.server_examination).toBeNull()
  })

  it('of several models comes right before the trials of each, so that each is loaded once', async () => {
    await using both = await startBoth(undefined, { models: [{ id: 'first' }, { id: 'second' }] })
    const ended = await both.run({ BENCH_MODEL: 'first,second' })
    expect(ended.status, ended.stdout + ended.stderr).toBe(0)
    const order = both.server.requests.map(({ body }) => (isObject(body) ? body.model : null))
    expect(order.filter((model, at) => at > 0 && model !== order[at - 1])).toEqual(['second'])
    expect(ended.stdout.match(/^server .*· bench \((first|second)\)$/gm)).toHaveLength(2)
  })
})
