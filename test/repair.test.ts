/** BENCH_REPAIR=report: the score stays strict, and beside it stands what it would have been with calls understood. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RecordedRepair, TrialRecord } from '../src/results/record-schema.ts'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK, type Project } from './project.ts'
import { call, conversation, type Script, type ScriptedReply, say, startScriptedServer } from './scripted-server.ts'

/** The same call, `read_file` of name.txt, as text in grammars of several forms; src/repair has a test for each. */
const LEAKS: readonly (readonly [string, string])[] = [
  ['hermes <tool_call>', '<tool_call>\n{"name": "read_file", "arguments": {"path": "name.txt"}}\n</tool_call>'],
  ['lfm2 <|tool_call_start|>', '<|tool_call_start|>[read_file(path="name.txt")]<|tool_call_end|>'],
  [
    'deepseek <｜DSML｜invoke name=…>',
    '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="path" string="true">name.txt</｜DSML｜parameter></｜DSML｜invoke>',
  ],
  ['gemma <|tool_call>call:…', '<|tool_call>call:read_file{path:<|"|>name.txt<|"|>}<tool_call|>'],
  ['phi functools[…]', 'functools[{"name": "read_file", "arguments": {"path": "name.txt"}}]'],
  ['llama bare JSON {"name": …, "parameters": …}', '{"name": "read_file", "parameters": {"path": "name.txt"}}'],
]

const WRITE = call('write_file', { path: 'out.txt', content: 'Hello Ada\n' })
const FIRST_SEED = 42

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const seedOf = (body: unknown) => (isObject(body) && typeof body.seed === 'number' ? body.seed : FIRST_SEED)

/** What the last message of a conversation says. */
function lastText(body: unknown): string {
  const messages = isObject(body) && Array.isArray(body.messages) ? body.messages : []
  const last: unknown = messages.at(-1)
  return isObject(last) ? String(last.content) : ''
}

/** Each trial has its own first reply, by its seed; then the greeting is written. */
const leaking = (first: readonly ScriptedReply[]): Script => {
  return (body, index) => {
    const reply = first[seedOf(body) - FIRST_SEED] ?? say('The script is empty.')
    const script = conversation([reply, WRITE, say('done')])
    return typeof script === 'function' ? script(body, index) : say('never')
  }
}

const hello = () => createProject({ 'tasks/demo/hello.bench.ts': HELLO_TASK })

interface Played {
  readonly status: number | null
  readonly out: string
  readonly trials: readonly TrialRecord[]
  readonly repaired: readonly (RecordedRepair | null)[]
  /** Requests of a completion. */
  readonly requests: number
}

async function play(project: Project, script: Script, env: Readonly<Record<string, string>> = {}): Promise<Played> {
  await using server = await startScriptedServer(script)
  const before = (await project.summaries()).length
  const run = await project.run([], {
    BENCH_SANDBOX: 'docker',
    BENCH_BASE_URL: server.baseUrl,
    BENCH_K: '1',
    BENCH_REPAIR: 'report',
    ...env,
  })
  const summary = (await project.summaries())[before]
  const trials = summary?.trials ?? []
  return {
    status: run.status,
    out: run.stdout + run.stderr,
    trials,
    repaired: trials.map(trial => trial.repaired),
    requests: server.requests.length,
  }
}

await describeWith(['docker'], 'the repaired score', () => {
  it('of calls leaked in each grammar: strict fails and runs nothing, repaired passes', async () => {
    await using project = await hello()
    const n = LEAKS.length
    const { status, out, trials, repaired, requests } = await play(
      project,
      leaking(LEAKS.map(([, text]) => say(text))),
      { BENCH_TRIALS: String(n) },
    )
    expect(trials.map(trial => trial.failure_reason)).toEqual(LEAKS.map(() => 'tool_markup_in_text'))
    expect(trials.flatMap(trial => trial.turn_logs)).toEqual([])
    expect(repaired).toEqual(
      LEAKS.map(([grammar]) => ({
        status: 'played',
        score: 1,
        passed: true,
        outcome: 'passed',
        failure_reason: null,
        reason: null,
        repairs: [{ turn: 1, tool: 'read_file', grammar, repairs: [] }],
      })),
    )
    // The strict trial's reply is heard again, so that the repaired one only asks for what comes after it.
    expect(requests).toBe(n * 3)
    // The verdict, the numbers and the exit status are the strict trial's.
    expect(status).toBe(1)
    expect((await project.summaries())[0]).toMatchObject({
      verdict: 'fail',
      n,
      passes: 0,
      pass_hat_k: 0,
      avg_score: 0,
      invalid_tool_call_count: 0,
      repaired: { passes: n, unknown: 0, n },
    })
    expect(out).toContain(`strict 0/${n}, repaired ${n}/${n}, n=${n}`)
  })

  it('of malformed arguments: they go back as an error in the strict trial, and are understood in the other', async () => {
    const MALFORMED: readonly (readonly [string, readonly string[]])[] = [
      ['{"path": "out.txt", "content": "Hello Ada",}', ['trailing comma']],
      ["{'path': 'out.txt', 'content': 'Hello Ada'}", ['single quotes']],
      ['{"path": "out.txt", "content": "Hello\nAda"}', ['line break in a string']],
      ['{"path": "out.txt", "content": "Hello Ada"', ['missing closing bracket']],
      [JSON.stringify(JSON.stringify({ path: 'out.txt', content: 'Hello Ada' })), ['JSON in a string']],
    ]
    await using project = await hello()
    const { trials, repaired, requests } = await play(
      project,
      (body, index) => {
        if (/arguments of write_file were not a JSON object/.test(lastText(body))) return say('I give up.')
        const args = MALFORMED[seedOf(body) - FIRST_SEED]?.[0] ?? '{}'
        const script = conversation([call('read_file', { path: 'name.txt' }), call('write_file', args), say('done')])
        return typeof script === 'function' ? script(body, index) : say('never')
      },
      { BENCH_TRIALS: String(MALFORMED.length) },
    )
    for (const trial of trials) {
      expect(trial.failure_reason).toBe('flags_lost')
      expect(trial.turn_logs.map(log => log.invalid_kind)).toEqual([null, 'malformed_arguments'])
      expect(trial.final?.entries.map(([path]) => path)).not.toContain('out.txt')
    }
    expect(repaired).toEqual(
      MALFORMED.map(([, repairs]) =>
        expect.objectContaining({
          status: 'played',
          passed: true,
          repairs: [{ turn: 2, tool: 'write_file', grammar: null, repairs }],
        }),
      ),
    )
    expect(requests).toBe(MALFORMED.length * 4)
  })

  it('is the strict one where nothing had to be understood, and unknown where nothing can be', async () => {
    await using project = await hello()
    const first = [call('read_file', { path: 'name.txt' }), say('No.'), say('<tool_call>\n</tool_call>')]
    const { out, repaired, requests } = await play(project, leaking(first), { BENCH_TRIALS: '3' })
    expect(repaired).toEqual([
      expect.objectContaining({ status: 'same', passed: true, score: 1, repairs: [] }),
      expect.objectContaining({ status: 'same', passed: false, score: 0, failure_reason: 'flags_lost' }),
      expect.objectContaining({
        status: 'unknown',
        passed: null,
        reason: expect.stringContaining('turn 1 cannot be read'),
      }),
    ])
    expect(requests).toBe(3 + 1 + 1)
    expect(out).toContain('strict 1/3, repaired 1/3, n=3 (1 not known)')
  })

  it('is not played without the variable; such a trial counts for a run with it, and stays without', async () => {
    await using project = await hello()
    await using server = await startScriptedServer(leaking([say(LEAKS[0]?.[1] ?? '')]))
    const run = (env: Readonly<Record<string, string>>) =>
      project.run([], { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl, BENCH_K: '1', ...env })
    const strict = await run({})
    expect(server.requests.length).toBe(1)
    expect(strict.stdout + strict.stderr).not.toContain('repaired')

    const resumed = await run({ BENCH_REPAIR: 'report', BENCH_RESUME: '1' })
    expect([resumed.status, server.requests.length]).toEqual([1, 1])
    const summaries = await project.summaries()
    expect(summaries.map(({ repaired }) => repaired)).toEqual(summaries.map(() => null))
  })

  it('is recorded and replayed like any other trial', async () => {
    await using project = await hello()
    const recording = join(project.dir, 'recording')
    const script = leaking([say(LEAKS[0]?.[1] ?? '')])
    const recorded = await play(project, script, { BENCH_RECORD: recording })
    await project.run([], { BENCH_SANDBOX: 'docker', BENCH_K: '1', BENCH_REPAIR: 'report', BENCH_REPLAY: recording })
    const [, replayed] = await project.summaries()
    expect(recorded.repaired[0]).toMatchObject({ status: 'played', passed: true })
    expect(replayed?.trials[0]?.repaired).toEqual(recorded.repaired[0])
  })

  it('is unknown, with the reason, when a replay or a server has no reply to what comes after the repair', async () => {
    await using project = await hello()
    const recording = join(project.dir, 'recording')
    const script = leaking([say(LEAKS[0]?.[1] ?? '')])
    await play(project, script, { BENCH_REPAIR: 'off', BENCH_RECORD: recording })
    const replayed = await project.run([], {
      BENCH_SANDBOX: 'docker',
      BENCH_K: '1',
      BENCH_REPAIR: 'report',
      BENCH_REPLAY: recording,
    })
    expect(replayed.status).toBe(1)
    const [, summary] = await project.summaries()
    expect(summary?.trials[0]).toMatchObject({
      outcome: 'failed',
      failure_reason: 'tool_markup_in_text',
      infra_attempts: [],
      repaired: { status: 'unknown', passed: null, reason: expect.stringContaining('replay_missing') },
    })

    const broken = await play(project, conversation([say(LEAKS[0]?.[1] ?? ''), { status: 401, body: {} }]))
    expect(broken.trials[0]).toMatchObject({ outcome: 'failed', failure_reason: 'tool_markup_in_text' })
    expect(broken.repaired[0]).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('server_unauthorised'),
    })
  })
})
