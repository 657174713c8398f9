/** What a run says and does when the model server is at fault: message, remedy, outcome, exit status. */
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, type Run } from './project.ts'
import {
  type Completion,
  call,
  chunksOf,
  conversation,
  type ScriptedReply,
  say,
  startScriptedServer,
} from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const ONE_TASK = { 'tasks/one.bench.ts': smallTask({ id: 'task_one' }) }
const GREETING = [call('write_file', { path: 'out.txt', content: 'Hello Ada\n' }), say('Done.')]
const DOCKER = { BENCH_SANDBOX: 'docker' }

const textOf = (run: Run) => run.stdout + run.stderr
const notFound = (message: string): ScriptedReply => ({ status: 404, body: { error: { message } } })

/** A run that could not be made: status 2, a remedy, no other agent instead, nothing recorded. */
async function expectRefusal(env: Readonly<Record<string, string>>, message: RegExp, remedy: RegExp): Promise<void> {
  await using project = await createProject(ONE_TASK)
  const run = await project.run([], { ...DOCKER, BENCH_K: '1', ...env })
  expect(textOf(run)).toMatch(message)
  expect(textOf(run)).toMatch(remedy)
  expect(textOf(run)).not.toContain('NOT A MODEL RESULT')
  expect(run.status).toBe(2)
  expect(await project.summaries()).toEqual([])
}

await describeWith(['docker'], 'a server that was named and cannot be used', () => {
  it('closed port', async () => {
    await expectRefusal({ BENCH_BASE_URL: 'http://127.0.0.1:9/v1' }, /127\.0\.0\.1:9/, /remedy: .*server/i)
  })

  it('401', async () => {
    await using server = await startScriptedServer(conversation(GREETING), { apiKey: 'secret' })
    await expectRefusal({ BENCH_BASE_URL: server.baseUrl, BENCH_API_KEY: 'wrong' }, /401/, /remedy: .*BENCH_API_KEY/)
  })

  it('404 to completions stops the run at the first trial', async () => {
    await using server = await startScriptedServer(() => notFound('File Not Found'))
    await expectRefusal({ BENCH_BASE_URL: server.baseUrl }, /404: File Not Found/, /remedy: .*BENCH_BASE_URL/)
    expect(server.requests).toHaveLength(1)
  })
})

await describeWith(['docker'], 'a server that fails during the run', () => {
  it('dying in mid-stream is infra after two repetitions, status 2, and says how to go on', async () => {
    await using project = await createProject(ONE_TASK)
    const piece = { choices: [{ index: 0, delta: { content: 'I will' }, finish_reason: null }] }
    await using server = await startScriptedServer(() => ({ drop: true, after: [piece] }))
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl, BENCH_K: '1' })
    expect(run.status).toBe(2)
    expect(server.requests).toHaveLength(3)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ verdict: 'inconclusive', n: 0, excluded: { infra: 1 } })
    expect(summary?.trials[0]).toMatchObject({ outcome: 'infra', failure_reason: 'stream_dropped' })
    expect(summary?.trials[0]?.infra_attempts).toHaveLength(3)
    expect(run.stdout).toMatch(/stream_dropped[\s\S]*not the model's\s+failure/)
    expect(run.stdout).toMatch(/remedy: .*server/)
    expect(run.stdout).toContain('BENCH_RESUME=1')
  })

  it('breaking off once costs one attempt and nothing else', async () => {
    await using project = await createProject(ONE_TASK)
    const script = conversation(GREETING)
    const server = await startScriptedServer((body, index) =>
      index === 0 ? { drop: true, after: [] } : typeof script === 'function' ? script(body, index) : say(''),
    )
    await using _server = server
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl, BENCH_K: '1' })
    expect(run.status).toBe(0)
    const [summary] = await project.summaries()
    expect(summary?.trials[0]?.infra_attempts).toEqual([expect.objectContaining({ code: 'connection_lost' })])
  })

  it('gone for good stops the run after three trials, with one message', async () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map(name => [`tasks/${name}.bench.ts`, smallTask({ id: `task_${name}` })]),
    )
    await using project = await createProject(files)
    const server = await startScriptedServer(body => {
      const turn = conversation(GREETING)
      if (server.requests.length >= 3) setImmediate(() => server[Symbol.asyncDispose]())
      return typeof turn === 'function' ? turn(body, 0) : say('')
    })
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl })
    expect(run.status).toBe(2)
    const trials = (await project.summaries()).flatMap(summary => summary.trials)
    expect(trials.filter(trial => trial.outcome === 'infra')).toHaveLength(3)
    expect(run.stdout.match(/^stopped /gm)).toHaveLength(1)
    expect(run.stdout).toMatch(/^stopped {2}the model server failed in 3 trials in a row/m)
    expect(run.stdout).toMatch(/remedy: .*BENCH_RESUME=1/)
  })
})

await describeWith(['docker'], 'a trial whose time is over', () => {
  const SHORT = { ...DOCKER, BENCH_K: '1', BENCH_TRIAL_TIMEOUT: '2' }

  it('while the server had sent nothing is lost to the server', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(() => ({ ...say('late'), delayMs: 600_000, pingEveryMs: 100 }))
    const run = await project.run([], { ...SHORT, BENCH_BASE_URL: server.baseUrl })
    expect(run.status, textOf(run)).toBe(2)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ verdict: 'inconclusive', n: 0, excluded: { infra: 1 } })
    expect(summary?.trials[0]).toMatchObject({ outcome: 'infra', failure_reason: 'server_silent' })
  })

  it("after many turns of the model is the model's failure, although the server is waited for at that moment", async () => {
    await using project = await createProject(ONE_TASK)
    const busy: ScriptedReply = call('execute_command', { command: 'sleep 0.9; date +%N' })
    await using server = await startScriptedServer(conversation([busy, busy, { hang: true }]))
    const run = await project.run([], { ...SHORT, BENCH_BASE_URL: server.baseUrl })
    expect(run.status, textOf(run)).toBe(1)
    const [summary] = await project.summaries()
    expect(summary?.trials[0]).toMatchObject({ outcome: 'failed', failure_reason: 'trial_timeout' })
  })
})

await describeWith(['docker'], 'how a reply is asked for', () => {
  it('a deadline that is set holds, and the message names its variable', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(() => ({ ...say('late'), delayMs: 600_000, pingEveryMs: 100 }))
    const env = { BENCH_BASE_URL: server.baseUrl, BENCH_K: '1', BENCH_FIRST_TOKEN_TIMEOUT: '0.5' }
    const run = await project.run([], { ...DOCKER, ...env })
    expect(run.status).toBe(2)
    expect((await project.summaries())[0]?.trials[0]?.failure_reason).toBe('first_token_timeout')
    expect(run.stdout).toMatch(/remedy: .*BENCH_FIRST_TOKEN_TIMEOUT/)
  })

  it('whole replies are asked for with BENCH_STREAM=0; then no time to the first token is known', async () => {
    await using project = await createProject(ONE_TASK)
    await using server = await startScriptedServer(conversation(GREETING))
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl, BENCH_K: '1', BENCH_STREAM: '0' })
    expect(run.status, textOf(run)).toBe(0)
    expect(server.requests.map(({ body }) => body)).toEqual([
      expect.objectContaining({ stream: false }),
      expect.objectContaining({ stream: false }),
    ])
    const [trial] = (await project.summaries())[0]?.trials ?? []
    expect(trial?.stats).toMatchObject({ prompt_tokens: 40, completion_tokens: 10, first_token_ms: null, requests: 2 })
    expect(trial?.turns.map(({ stats }) => stats?.first_token_ms)).toEqual([null, null])
  })

  it('another model that answers during the trials is recorded and said at the end, once', async () => {
    await using project = await createProject(ONE_TASK)
    const as = (model: string, reply: Completion): ScriptedReply => ({ chunks: [...chunksOf(reply, model), '[DONE]'] })
    const [write, done] = GREETING
    if (write === undefined || done === undefined) throw new Error('two turns')
    await using server = await startScriptedServer(conversation([as('one.gguf', write), as('two.gguf', done)]))
    const run = await project.run([], { ...DOCKER, BENCH_BASE_URL: server.baseUrl, BENCH_K: '2' })
    expect(run.status, textOf(run)).toBe(0)
    const [summary] = await project.summaries()
    expect(summary?.trials.map(({ models_served }) => models_served)).toEqual([
      ['one.gguf', 'two.gguf'],
      ['one.gguf', 'two.gguf'],
    ])
    expect(run.stdout.match(/^.*different models answered: one\.gguf, two\.gguf\./gm)).toHaveLength(1)
  })
})
