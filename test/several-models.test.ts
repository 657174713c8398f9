/** Several models in one run: one after the other, each on its server, one matrix at the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { propsRoutes } from './doctor-server.ts'
import { eventually } from './leftovers.ts'
import { describeWith } from './needs.ts'
import { createProject, type Run, readText } from './project.ts'
import { call, conversation, type Script, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const TASKS = Object.fromEntries(['a', 'b'].map(name => [`tasks/${name}.bench.ts`, smallTask({ id: `task_${name}` })]))
const ROOT_CONFIG = `import { agentBench } from '${new URL('../src/runner/plugin.ts', import.meta.url).pathname}'
export default { plugins: [agentBench()], test: { } }
`
const DOCKER = { BENCH_SANDBOX: 'docker', BENCH_K: '2' }

const modelOf = (body: unknown) => (body as { readonly model?: unknown }).model
const textOf = (run: Run) => run.stdout + run.stderr

/** The good model greets Ada, the poor one greets nobody. */
const byModel: Script = body => {
  const greeting = modelOf(body) === 'poor' ? 'Hello you\n' : 'Hello Ada\n'
  return conversation([call('write_file', { path: 'out.txt', content: greeting }), say('Done.')])(body)
}

const MODELS = { models: [{ id: 'good' }, { id: 'poor' }, { id: 'other' }] }

await describeWith(['docker'], 'BENCH_MODEL=a,b', () => {
  it('runs all tasks of one model, then all of the next, and shows one matrix', async () => {
    await using project = await createProject(TASKS)
    await using server = await startScriptedServer(byModel, MODELS)
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl, BENCH_MODEL: 'good,poor' })
    expect(run.status, textOf(run)).toBe(1)
    const asked = server.requests.map(({ body }) => modelOf(body))
    expect(new Set(asked.slice(0, 8))).toEqual(new Set(['good']))
    expect(new Set(asked.slice(8))).toEqual(new Set(['poor']))
    expect(asked).toHaveLength(16)
    const summaries = await project.summaries()
    const outline = summaries.map(({ task_id, model, verdict, n }) => `${task_id} ${model} ${verdict} ${n}`).sort()
    const each = (task: string) => [`${task} good pass 2`, `${task} poor fail 2`]
    expect(outline).toEqual([...each('task_a'), ...each('task_b')])
    expect(new Set(summaries.map(({ run_id }) => run_id)).size).toBe(1)
    expect(run.stdout.match(/^results: 4 files/gm)).toHaveLength(1)
    expect(run.stdout).toMatch(/^model {4}good on/m)
    expect(run.stdout).toMatch(/^model {4}poor on/m)
  })

  it('is refused when a server that ignores names would answer both with one model', async () => {
    await using project = await createProject(TASKS)
    await using server = await startScriptedServer(byModel, { models: [{ id: 'only' }], routes: propsRoutes() })
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl, BENCH_MODEL: 'good,poor' })
    expect(run.status).toBe(2)
    expect(textOf(run)).toMatch(/"good" and "poor" are one model: .* answers both with only\s+remedy: /)
    expect(server.requests).toHaveLength(0)
  })

  it('goes on with the next model when the server of one is gone', async () => {
    await using project = await createProject(TASKS)
    await using gone = await startScriptedServer(() => ({ drop: true }))
    await using server = await startScriptedServer(byModel, MODELS)
    await project.write({
      'bench.config.ts': `export default { models: [
        { model: 'good', label: 'on the dead server', baseUrl: '${gone.baseUrl}' },
        { model: 'good', label: 'on the live server', baseUrl: '${server.baseUrl}' },
      ] }`,
    })
    const run = await project.run([], DOCKER)
    expect(run.status, textOf(run)).toBe(2)
    expect(run.stdout).toMatch(/^stopped {2}bench \(on the dead server\): the model server failed in 3 trials/m)
    const passed = (await project.summaries()).filter(({ verdict }) => verdict === 'pass')
    const names = passed.map(({ task_id, model }) => `${task_id} ${model}`)
    expect(names).toEqual(['task_a on the live server', 'task_b on the live server'])
  })

  it('resumes each model by itself', async () => {
    await using project = await createProject(TASKS)
    await using server = await startScriptedServer(byModel, MODELS)
    const env = { ...DOCKER, BENCH_BASE_URL: server.baseUrl }
    await project.run([], { ...env, BENCH_MODEL: 'good' })
    const before = server.requests.length
    const run = await project.run([], { ...env, BENCH_MODEL: 'good,other', BENCH_RESUME: '1' })
    expect(run.status, textOf(run)).toBe(0)
    expect(new Set(server.requests.slice(before).map(({ body }) => modelOf(body)))).toEqual(new Set(['other']))
  })
})

await describeWith(['docker'], 'BENCH_MODEL=a,b with other options', () => {
  const env = { ...DOCKER, BENCH_K: '1', BENCH_MODEL: 'good,other' }

  it.each([
    ['two workers', {}, { BENCH_WORKERS: '2' }, []],
    ['the plugin in the root of the config', { 'vitest.config.ts': ROOT_CONFIG }, {}, ['run', '--root', '.']],
  ] as const)('%s', async (_what, files, over, args) => {
    await using project = await createProject({ ...TASKS, ...files })
    await using server = await startScriptedServer(byModel, MODELS)
    const run = await project.run([...args], { ...env, ...over, BENCH_BASE_URL: server.baseUrl })
    expect(run.status, textOf(run)).toBe(0)
    const order = server.requests.map(({ body }) => modelOf(body))
    expect(order.filter((model, at) => at > 0 && model !== order[at - 1])).toEqual(['other'])
    expect(await project.summaries()).toHaveLength(4)
  })

  it('stock reporters tell the models apart', async () => {
    await using project = await createProject({ 'tasks/a.bench.ts': smallTask({ id: 'task_a' }) })
    await using server = await startScriptedServer(byModel, MODELS)
    const files = ['--outputFile.json=report.json', '--outputFile.junit=report.xml']
    await project.run(['--reporter=json', '--reporter=junit', ...files], { ...env, BENCH_BASE_URL: server.baseUrl })
    const names = ['task_a [good] trial 1/1', 'task_a [other] trial 1/1']
    const report = await readText(project, 'report.json')
    for (const name of names) expect(report).toContain(`"fullName":"${name}"`)
    expect(report).toContain('"model":"other"')
    const junit = await readText(project, 'report.xml')
    for (const name of names) expect(junit).toContain(name.replace('] ', '] &gt; '))
  })

  it('an edited task runs again with every model', async () => {
    await using project = await createProject(TASKS)
    await using server = await startScriptedServer(byModel, MODELS)
    const started = project.start(['watch', '--project', 'bench'], { ...env, BENCH_BASE_URL: server.baseUrl })
    const until = (count: number) => eventually(async () => (await project.summaries()).length >= count, 30_000)
    try {
      await until(4)
      await sleep(500)
      await project.write({ 'tasks/a.bench.ts': `${smallTask({ id: 'task_a' })}\n` })
      await until(6)
    } finally {
      started.process.kill('SIGINT')
      await started.ended
    }
    const again = (await project.summaries()).slice(4).map(({ task_id, model }) => `${task_id} ${model}`)
    expect(again.sort()).toEqual(['task_a good', 'task_a other'])
  })
})

await describeWith(['docker'], 'models of bench.config.ts', () => {
  it('sends what belongs to each model to its server, and keeps label and quantisation', async () => {
    await using project = await createProject({ 'tasks/a.bench.ts': smallTask({ id: 'task_a' }) })
    await using one = await startScriptedServer(byModel, { ...MODELS, apiKey: 'key-of-one' })
    await using two = await startScriptedServer(byModel, MODELS)
    await project.write({
      'bench.config.ts': `export default { k: 1, models: [
        { model: 'good', label: 'good thinking', baseUrl: '${one.baseUrl}', apiKey: 'key-of-one', size: '8B',
          quantisation: 'Q4_K_M', extraBody: { chat_template_kwargs: { enable_thinking: true } } },
        { model: 'good', baseUrl: '${two.baseUrl}' },
      ] }`,
    })
    const run = await project.run([], { BENCH_SANDBOX: 'docker' })
    expect(run.status, textOf(run)).toBe(0)
    expect(one.requests[0]?.body).toMatchObject({ model: 'good', chat_template_kwargs: { enable_thinking: true } })
    expect(two.requests[0]?.body).not.toHaveProperty('chat_template_kwargs')
    expect(two.requests[0]?.headers.authorization ?? '').not.toContain('key-of-one')
    const [thinking, plain] = (await project.summaries()).toSorted((a, b) => (a.model > b.model ? -1 : 1))
    expect(thinking).toMatchObject({
      model: 'good thinking',
      environment: { model_labels: { size: '8B', quantisation: 'Q4_K_M' }, served_name: 'good' },
    })
    expect(plain).toMatchObject({ model: 'good', environment: { model_labels: { size: null, quantisation: null } } })
  })

  it('a name that is none of them runs, and is said to be none', async () => {
    await using project = await createProject({
      'tasks/a.bench.ts': smallTask({ id: 'task_a' }),
      'bench.config.ts': "export default { k: 1, models: ['poor'] }",
    })
    await using server = await startScriptedServer(byModel, MODELS)
    const env = { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl }
    const run = await project.run([], { ...env, BENCH_MODEL: 'good' })
    expect(run.status, textOf(run)).toBe(0)
    expect(run.stdout).toMatch(/^warning {2}good is none of the models in bench\.config\.ts/m)
    expect((await project.run([], { ...env, BENCH_MODEL: 'poor' })).stdout).not.toMatch(/^warning/m)
  })
})
