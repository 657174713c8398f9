/** What a run says and does when the model server is at fault: message, remedy, outcome, exit status. */
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'
import {
  type Completion,
  call,
  chunksOf,
  conversation,
  type Script,
  type ScriptedReply,
  type ScriptedServerOptions,
  say,
  startScriptedServer,
} from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const WRITE = call('write_file', { path: 'out.txt', content: 'Hello Ada\n' })
const GREETING = conversation([WRITE, say('Done.')])
/** Nothing but signs of life. */
const PINGS: Script = () => ({ ...say('late'), delayMs: 600_000, pingEveryMs: 100 })

/** A run over a server with this script, and what it left. */
async function ran(
  script: Script,
  env: Readonly<Record<string, string>> = {},
  options: ScriptedServerOptions = {},
  tasks: readonly string[] = ['one'],
) {
  const files = tasks.map(name => [`tasks/${name}.bench.ts`, smallTask({ id: `task_${name}` })])
  await using project = await createProject(Object.fromEntries(files))
  await using server = await startScriptedServer(script, options)
  const settings = { BENCH_SANDBOX: 'docker', BENCH_K: '1', BENCH_BASE_URL: server.baseUrl, ...env }
  const { status, stdout, stderr } = await project.run([], settings)
  const summaries = await project.summaries()
  const trials = summaries.flatMap(summary => summary.trials)
  return { status, stdout, text: stdout + stderr, summaries, trials, requests: server.requests }
}

await describeWith(['docker'], 'a server that was named and cannot be used', () => {
  const notFound: Script = () => ({ status: 404, body: { error: { message: 'File Not Found' } } })
  it.each<[string, Script, Readonly<Record<string, string>>, ScriptedServerOptions, RegExp, RegExp]>([
    ['closed port', [], { BENCH_BASE_URL: 'http://127.0.0.1:9/v1' }, {}, /127\.0\.0\.1:9/, /remedy: .*server/i],
    ['401', [], { BENCH_API_KEY: 'wrong' }, { apiKey: 'secret' }, /401/, /remedy: .*BENCH_API_KEY/],
    ['404 at the first trial', notFound, {}, {}, /404: File Not Found/, /remedy: .*BENCH_BASE_URL/],
  ])(
    '%s: status 2, a remedy, no other agent instead, nothing recorded',
    async (_title, script, env, options, ...says) => {
      const { status, text, summaries, requests } = await ran(script, env, options)
      for (const words of says) expect(text).toMatch(words)
      expect(text).not.toContain('NOT A MODEL RESULT')
      expect([status, summaries]).toEqual([2, []])
      expect(requests.length).toBeLessThanOrEqual(1)
    },
  )
})

await describeWith(['docker'], 'a server that fails during the run', () => {
  it('dying in mid-stream is infra after two repetitions, status 2, and says how to go on', async () => {
    const piece = { choices: [{ index: 0, delta: { content: 'I will' }, finish_reason: null }] }
    const { status, stdout, summaries, trials, requests } = await ran(() => ({ drop: true, after: [piece] }))
    expect([status, requests.length]).toEqual([2, 3])
    expect(summaries).toMatchObject([{ verdict: 'inconclusive', n: 0, excluded: { infra: 1 } }])
    expect(trials).toMatchObject([{ outcome: 'infra', failure_reason: 'stream_dropped' }])
    expect(trials[0]?.infra_attempts).toHaveLength(3)
    expect(stdout).toMatch(/stream_dropped[\s\S]*not the model's\s+failure/)
    expect(stdout).toMatch(/remedy: .*server/)
    expect(stdout).toContain('BENCH_RESUME=1')
  })

  it('breaking off once costs one attempt and nothing else', async () => {
    const { status, trials } = await ran((body, index) => (index === 0 ? { drop: true, after: [] } : GREETING(body)))
    expect(status).toBe(0)
    expect(trials[0]?.infra_attempts).toEqual([expect.objectContaining({ code: 'connection_lost' })])
  })

  it('failing for good stops the run after three trials, with one message', async () => {
    const failing: Script = (body, index) => (index < 2 ? GREETING(body) : { status: 500, body: 'out of memory' })
    const { status, stdout, trials } = await ran(failing, { BENCH_K: '3' }, {}, ['a', 'b', 'c', 'd'])
    expect(status).toBe(2)
    expect(trials.map(({ outcome }) => outcome)).toEqual(['passed', 'infra', 'infra', 'infra'])
    expect(stdout.match(/^stopped /gm)).toHaveLength(1)
    expect(stdout).toMatch(/^stopped {2}the model server failed in 3 trials in a row/m)
    expect(stdout).toMatch(/remedy: .*BENCH_RESUME=1/)
  })
})

await describeWith(['docker'], 'a trial whose time is over', () => {
  it('while the server had sent nothing is lost to the server', async () => {
    const { status, summaries, trials } = await ran(PINGS, { BENCH_TRIAL_TIMEOUT: '2' })
    expect(status).toBe(2)
    expect(summaries).toMatchObject([{ verdict: 'inconclusive', n: 0, excluded: { infra: 1 } }])
    expect(trials).toMatchObject([{ outcome: 'infra', failure_reason: 'server_silent' }])
  })

  it("after many turns of the model is the model's failure, although the server is waited for at that moment", async () => {
    const busy: ScriptedReply = call('execute_command', { command: 'sleep 0.9; date +%N' })
    const { status, trials } = await ran(conversation([busy, busy, { hang: true }]), { BENCH_TRIAL_TIMEOUT: '2' })
    expect(status).toBe(1)
    expect(trials).toMatchObject([{ outcome: 'failed', failure_reason: 'trial_timeout' }])
  })
})

await describeWith(['docker'], 'how a reply is asked for', () => {
  it('a deadline that is set holds, and the message names its variable', async () => {
    const { status, stdout, trials } = await ran(PINGS, { BENCH_FIRST_TOKEN_TIMEOUT: '0.5' })
    expect(status).toBe(2)
    expect(trials[0]?.failure_reason).toBe('first_token_timeout')
    expect(stdout).toMatch(/remedy: .*BENCH_FIRST_TOKEN_TIMEOUT/)
  })

  it('whole replies are asked for with BENCH_STREAM=0; then no time to the first token is known', async () => {
    const { status, trials, requests } = await ran(GREETING, { BENCH_STREAM: '0' })
    expect(status).toBe(0)
    expect(requests).toMatchObject([{ body: { stream: false } }, { body: { stream: false } }])
    const [trial] = trials
    expect(trial?.stats).toMatchObject({ prompt_tokens: 40, completion_tokens: 10, first_token_ms: null, requests: 2 })
    expect(trial?.turns.map(({ stats }) => stats?.first_token_ms)).toEqual([null, null])
  })

  it('another model that answers during the trials is recorded and said at the end, once', async () => {
    const as = (model: string, reply: Completion): ScriptedReply => ({ chunks: [...chunksOf(reply, model), '[DONE]'] })
    const script = conversation([as('one.gguf', WRITE), as('two.gguf', say('Done.'))])
    const { status, stdout, trials } = await ran(script, { BENCH_K: '2' })
    expect(status).toBe(0)
    const models_served = ['one.gguf', 'two.gguf']
    expect(trials).toMatchObject([{ models_served }, { models_served }])
    expect(stdout.match(/^.*different models answered: one\.gguf, two\.gguf\./gm)).toHaveLength(1)
  })
})
