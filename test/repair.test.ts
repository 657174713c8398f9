/** BENCH_REPAIR=report: the score stays strict, and beside it stands what it would have been with calls understood. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK, type Project } from './project.ts'
import { call, conversation, type Script, type ScriptedReply, say, startScriptedServer } from './scripted-server.ts'

/** A call of `read_file` as text, and malformed arguments of `write_file`; src/repair has a test for each way. */
const LEAK = say('<tool_call>\n{"name": "read_file", "arguments": {"path": "name.txt"}}\n</tool_call>')
const GRAMMAR = 'hermes <tool_call>'
const MALFORMED = '{"path": "out.txt", "content": "Hello\nAda",}'

const WRITE = call('write_file', { path: 'out.txt', content: 'Hello Ada\n' })
const FIRST_SEED = 42
const BASE = { BENCH_SANDBOX: 'docker', BENCH_K: '1', BENCH_REPAIR: 'report' }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Each trial has its own first reply, by its seed; then the greeting is written. */
const leaking =
  (...first: readonly ScriptedReply[]): Script =>
  body => {
    const seed = isObject(body) && typeof body.seed === 'number' ? body.seed : FIRST_SEED
    return conversation([first[seed - FIRST_SEED] ?? say('The script is empty.'), WRITE, say('done')])(body)
  }

const hello = () => createProject({ 'tasks/demo/hello.bench.ts': HELLO_TASK })

async function play(project: Project, script: Script, env: Readonly<Record<string, string>> = {}) {
  await using server = await startScriptedServer(script)
  const before = (await project.summaries()).length
  const run = await project.run([], { ...BASE, BENCH_BASE_URL: server.baseUrl, ...env })
  const summary = (await project.summaries())[before]
  const trials = summary?.trials ?? []
  return {
    status: run.status,
    out: run.stdout + run.stderr,
    summary,
    trials,
    repaired: trials.map(trial => trial.repaired),
    requests: server.requests.length,
  }
}

await describeWith(['docker'], 'the repaired score', () => {
  it('of a leaked call: strict fails and runs nothing, repaired passes, the one counts and both are told', async () => {
    await using project = await hello()
    const { status, out, summary, trials, repaired, requests } = await play(project, leaking(LEAK))
    expect(trials.map(trial => trial.failure_reason)).toEqual(['tool_markup_in_text'])
    expect(trials.flatMap(trial => trial.turn_logs)).toEqual([])
    const passed = { score: 1, passed: true, outcome: 'passed', failure_reason: null, reason: null }
    const repairs = [{ turn: 1, tool: 'read_file', grammar: GRAMMAR, repairs: [] }]
    expect(repaired).toEqual([{ status: 'played', ...passed, repairs }])
    // The strict trial's reply is heard again, so that the repaired one only asks for what comes after it.
    expect(requests).toBe(3)
    expect(status).toBe(1)
    expect(summary).toMatchObject({ verdict: 'fail', n: 1, passes: 0, pass_hat_k: 0, avg_score: 0 })
    expect(summary).toMatchObject({ invalid_tool_call_count: 0, repaired: { passes: 1, unknown: 0, n: 1 } })
    expect(out).toContain('strict 0/1, repaired 1/1, n=1')
  })

  it('of malformed arguments: they go back as an error in the strict trial, and are understood in the other', async () => {
    await using project = await hello()
    const script = conversation([call('read_file', { path: 'name.txt' }), call('write_file', MALFORMED), say('done')])
    const { trials, repaired, requests } = await play(project, body =>
      JSON.stringify(body).includes('arguments of write_file were not a JSON object')
        ? say('I give up.')
        : script(body),
    )
    expect(trials[0]?.failure_reason).toBe('flags_lost')
    expect(trials[0]?.turn_logs.map(log => log.invalid_kind)).toEqual([null, 'malformed_arguments'])
    expect(trials[0]?.final?.entries.map(([path]) => path)).not.toContain('out.txt')
    const repairs = ['line break in a string', 'trailing comma']
    expect(repaired).toMatchObject([
      { status: 'played', passed: true, repairs: [{ turn: 2, tool: 'write_file', grammar: null, repairs }] },
    ])
    expect(requests).toBe(4)
  })

  it('is the strict one where nothing had to be understood, and unknown where nothing can be', async () => {
    await using project = await hello()
    const script = leaking(call('read_file', { path: 'name.txt' }), say('No.'), say('<tool_call>\n</tool_call>'))
    const { out, repaired, requests } = await play(project, script, { BENCH_TRIALS: '3' })
    expect(repaired).toMatchObject([
      { status: 'same', passed: true, score: 1, repairs: [] },
      { status: 'same', passed: false, score: 0, failure_reason: 'flags_lost' },
      { status: 'unknown', passed: null, reason: expect.stringContaining('turn 1 cannot be read') },
    ])
    expect(requests).toBe(3 + 1 + 1)
    expect(out).toContain('strict 1/3, repaired 1/3, n=3 (1 not known)')
  })

  it('is not played without the variable; such a trial counts for a run with it, and stays without', async () => {
    await using project = await hello()
    await using server = await startScriptedServer(leaking(LEAK))
    const env = { ...BASE, BENCH_BASE_URL: server.baseUrl }
    const strict = await project.run([], { ...env, BENCH_REPAIR: 'off' })
    expect(strict.stdout + strict.stderr).not.toContain('repaired')
    const resumed = await project.run([], { ...env, BENCH_RESUME: '1' })
    expect([resumed.status, server.requests.length]).toEqual([1, 1])
    expect((await project.summaries()).map(({ repaired }) => repaired)).toEqual([null, null])
  })

  it('is recorded and replayed like any other trial, and unknown where the recording has no reply to it', async () => {
    await using project = await hello()
    const [whole, strict] = [join(project.dir, 'whole'), join(project.dir, 'strict')]
    const recorded = await play(project, leaking(LEAK), { BENCH_RECORD: whole })
    await play(project, leaking(LEAK), { BENCH_REPAIR: 'off', BENCH_RECORD: strict })
    await project.run([], { ...BASE, BENCH_REPLAY: whole })
    const replayed = await project.run([], { ...BASE, BENCH_REPLAY: strict })
    expect(replayed.status).toBe(1)
    const [, , again, lacking] = await project.summaries()
    expect(recorded.repaired[0]).toMatchObject({ status: 'played', passed: true })
    expect(again?.trials[0]?.repaired).toEqual(recorded.repaired[0])
    expect(lacking?.trials[0]).toMatchObject({
      failure_reason: 'tool_markup_in_text',
      infra_attempts: [],
      repaired: { status: 'unknown', passed: null, reason: expect.stringContaining('replay_missing') },
    })
  })

  it('is unknown, with the reason, when the server fails after the repair', async () => {
    await using project = await hello()
    const { trials } = await play(project, conversation([LEAK, { status: 401, body: {} }]))
    const reason = expect.stringContaining('server_unauthorised')
    expect(trials).toMatchObject([
      { outcome: 'failed', failure_reason: 'tool_markup_in_text', repaired: { status: 'unknown', reason } },
    ])
  })
})
