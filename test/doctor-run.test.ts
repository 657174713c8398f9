/** The examination at the start of a run, against servers with one defect each. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALARM, examine, examineForRun, keepExamination, serverDigest } from '../src/doctor/index.ts'
import { planModel } from '../src/model/index.ts'
import { error } from './doctor-cases.ts'
import { counting, type Defect, doctorScript, promptTokensOf, propsRoutes } from './doctor-server.ts'
import { type LlamaServerOptions, startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'
import { type ScriptedServerOptions, startScriptedServer } from './scripted-server.ts'

let directory = ''
let folders = 0
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-bench-doctor-run-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const never = new AbortController().signal
const freshResults = (): string => join(directory, `results-${++folders}`)

async function planFor(baseUrl: string) {
  const planned = await planModel({
    model: null,
    baseUrl,
    apiKey: null,
    sampling: { temperature: null, topP: null, maxTokens: 1_024, extraBody: null },
    idleTimeoutMs: 60_000,
  })
  if (planned === null) throw new Error('no plan')
  return planned.plan
}

/** Examines a server with this defect for a run. */
async function examined(
  change?: Defect,
  options: { readonly script?: Parameters<typeof doctorScript>[1]; readonly server?: ScriptedServerOptions } = {},
) {
  await using server = await startScriptedServer(doctorScript(change, options.script), {
    routes: propsRoutes(),
    ...options.server,
  })
  const result = await examineForRun(await planFor(server.baseUrl), { resultsDir: freshResults(), signal: never })
  return { ...result, requests: server.requests.length }
}

const hasTools: (body: Parameters<Defect>[1]) => boolean = body => Array.isArray(body.tools)

describe('a server that can be measured', () => {
  test('is asked five short questions, and nothing is warned of', async () => {
    const { lines, problem, digest, requests } = await examined()
    expect(problem).toBeNull()
    expect(requests).toBe(5)
    expect(lines).toEqual([
      expect.stringMatching(/^server {3}quick examination: readiness, tool_call, window ok .*agent-bench doctor/),
    ])
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
  })

  test('is not asked again within a day, whatever kind of examination is stored, unless it has changed', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const options = { resultsDir: freshResults(), signal: never }
    const first = await examineForRun(plan, options)
    const asked = server.requests.length
    const second = await examineForRun(plan, options)
    expect(server.requests).toHaveLength(asked)
    expect(second.digest).toBe(first.digest)
    keepExamination(options.resultsDir, plan, await examine(plan, { signal: never }))
    const count = server.requests.length
    expect((await examineForRun(plan, options)).lines[0]).toMatch(/^server {3}examined at .* by the doctor: \d+ of/)
    expect(server.requests).toHaveLength(count)
    const changed = { ...plan, server: { ...plan.server, build: 'another' } }
    await examineForRun(changed, options)
    expect(server.requests.length).toBeGreaterThan(count)
  })

  test.each([
    ['is old', { examinedAt: '2001-01-01T00:00:00.000Z' }],
    ['is of the future', { examinedAt: '2999-01-01T00:00:00.000Z' }],
    ['found something broken, which may be mended', { verdict: 'broken' as const }],
    ['could find out nothing', { verdict: 'unclear' as const }],
  ])('is asked again when the stored examination %s', async (_title, change) => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const resultsDir = freshResults()
    const { digest } = await examineForRun(plan, { resultsDir, signal: never })
    const [file] = await readdir(join(resultsDir, 'servers'))
    const stored = await import(join(resultsDir, 'servers', file ?? ''), { with: { type: 'json' } })
    await writeFile(join(resultsDir, 'servers', file ?? ''), JSON.stringify({ ...stored.default, ...change }))
    const count = server.requests.length
    const again = await examineForRun(plan, { resultsDir, signal: never })
    expect(server.requests).toHaveLength(2 * count)
    expect(again.problem).toBeNull()
    expect(again.digest).not.toBe(digest)
  })

  test('is not examined when the model is replayed', async () => {
    const plan = await planFor((await startScriptedServer(doctorScript(), { routes: propsRoutes() })).baseUrl)
    const resultsDir = freshResults()
    const replayed = { ...plan, baseUrl: 'http://127.0.0.1:9/v1', recording: { mode: 'replay' as const, dir: '/x' } }
    expect(await examineForRun(replayed, { resultsDir, signal: never })).toEqual({
      digest: null,
      lines: [],
      problem: null,
    })
  })

  test('may run although it is too slow to be examined: said, with the doctor offered', async () => {
    const { lines, problem } = await examined(reply => ({ ...reply, delayMs: 60_000 }))
    expect(problem).toBeNull()
    expect(lines).toEqual([expect.stringMatching(/^server {3}not examined: not done within 5 s .*agent-bench doctor/)])
  })

  test('may run although a prompt that fills the window is read too slowly: then what it says of its window counts', async () => {
    const { lines, problem } = await examined((reply, body) => ({
      ...reply,
      ...(promptTokensOf(body) > 1_000 ? { delayMs: 60_000 } : {}),
    }))
    expect(problem).toBeNull()
    expect(lines).toEqual([expect.stringMatching(/readiness, tool_call, window ok/)])
  })

  test('is warned of where it may as well be the model that fails', async () => {
    const { lines, problem } = await examined((reply, body) =>
      hasTools(body) ? { text: '<tool_call>{"name":"read_file","arguments":{}}</tool_call>' } : reply,
    )
    expect(problem).toBeNull()
    expect(lines.join('\n')).toMatch(/^warning {2}tool_call: a call arrives as text.*\| fix: /m)
    expect(lines.filter(line => line.startsWith(ALARM))).toEqual([
      expect.stringMatching(
        /tool_markup_in_text\) are about the server, not about the model, until it is fixed: .*--jinja/,
      ),
    ])
  })

  test('is examined again after calls did not arrive: that may be mended without a trace', async () => {
    await using server = await startScriptedServer(
      doctorScript(({ calls, ...reply }) => (calls === undefined ? reply : { ...reply, text: '' })),
      { routes: propsRoutes() },
    )
    const plan = await planFor(server.baseUrl)
    const options = { resultsDir: freshResults(), signal: never }
    const { lines } = await examineForRun(plan, options)
    expect(lines.filter(line => line.startsWith(ALARM))).toHaveLength(1)
    const asked = server.requests.length
    await examineForRun(plan, options)
    expect(server.requests).toHaveLength(2 * asked)
  })

  test('is said to have a model that answers with text although it sees the tools; that is not a warning', async () => {
    const { lines, problem } = await examined(({ calls, ...reply }) =>
      calls === undefined ? reply : { ...reply, text: 'I would read it.' },
    )
    expect(problem).toBeNull()
    expect(lines).toEqual([
      expect.stringMatching(/tool_call unclear/),
      expect.stringMatching(/^note {5}tool_call: the tools reach the model, which answers with text/),
    ])
  })

  test('is warned of a small window, which tasks judge for themselves', async () => {
    const { lines, problem } = await examined(undefined, {
      script: { windowTokens: 1_024 },
      server: { routes: propsRoutes(1_024) },
    })
    expect(problem).toBeNull()
    expect(lines.join('\n')).toMatch(/^warning {2}window: .*1,024 tokens: hardly a task fits/m)
  })

  test('and refuses output limits below sixteen tokens is asked for more', async () => {
    const { lines, problem } = await examined((reply, body) =>
      typeof body.max_tokens === 'number' && body.max_tokens < 16
        ? error(400, "Invalid 'max_tokens': integer below minimum value. Expected a value >= 16")
        : reply,
    )
    expect(problem).toBeNull()
    expect(lines).toEqual([expect.stringMatching(/readiness, tool_call, window ok/)])
  })

  test('and comes up behind a proxy that answers with errors at first is waited for', async () => {
    const { problem } = await examined((reply, _body, index) => (index < 3 ? error(502, 'Bad Gateway') : reply))
    expect(problem).toBeNull()
  })

  test('may run while it is loading: trials wait for it', async () => {
    const loading = { status: 503, body: { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } } }
    const { problem, lines } = await examined(() => loading)
    expect(problem).toBeNull()
    expect(lines.join('\n')).toMatch(/^warning {2}readiness: .*Loading model/m)
  })
})

describe('several workers at once', () => {
  const DEAD_PID = 2 ** 30

  async function examinedWithLock(owner: string, ageMs: number) {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const resultsDir = freshResults()
    const lock = join(resultsDir, 'servers', `${serverDigest(plan)}.lock`)
    await mkdir(join(resultsDir, 'servers'), { recursive: true })
    await writeFile(lock, owner)
    const writtenAt = new Date(Date.now() - ageMs)
    await utimes(lock, writtenAt, writtenAt)
    return {
      plan,
      resultsDir,
      lock,
      ...(await settledWithin(examineForRun(plan, { resultsDir, signal: never }), lock)),
    }
  }

  /** The examination, which is let go on by removing the lock when it has waited for a while. */
  async function settledWithin(examining: ReturnType<typeof examineForRun>, lock: string) {
    const isWaiting = (await Promise.race([examining, sleep(2_000, 'waiting')])) === 'waiting'
    if (isWaiting) await rm(lock)
    return { isWaiting, examined: await examining }
  }

  test('examine a server once, and all refer to the one report', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const options = { resultsDir: freshResults(), signal: never }
    const all = await Promise.all([1, 2, 3].map(() => examineForRun(plan, options)))
    expect(server.requests).toHaveLength(5)
    expect(new Set(all.map(({ digest }) => digest)).size).toBe(1)
    expect(await readdir(join(options.resultsDir, 'servers'))).toEqual([`${serverDigest(plan)}.json`])
  })

  test('wait for the one that holds the lock', async () => {
    const { isWaiting, examined: one } = await examinedWithLock(`${process.pid} other`, 0)
    expect(isWaiting).toBe(true)
    expect(one.lines).toEqual([expect.stringMatching(/window ok/)])
  })

  test.each([
    ['of a process that died', `${DEAD_PID} other`, 0],
    ['older than any examination', `${process.pid} other`, 31_000],
  ])('do not wait for a lock %s', async (_title, owner, ageMs) => {
    const { isWaiting, examined: one, resultsDir } = await examinedWithLock(owner, ageMs)
    expect(isWaiting).toBe(false)
    expect(one.digest).not.toBeNull()
    expect((await readdir(join(resultsDir, 'servers'))).filter(name => name.endsWith('.lock'))).toEqual([])
  })

  test('stop waiting with the signal', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const resultsDir = freshResults()
    await mkdir(join(resultsDir, 'servers'), { recursive: true })
    await writeFile(join(resultsDir, 'servers', `${serverDigest(plan)}.lock`), `${process.pid} other`)
    const reason = new Error('stopped')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 100)
    await expect(examineForRun(plan, { resultsDir, signal: controller.signal })).rejects.toBe(reason)
    expect(server.requests).toEqual([])
  })
})

describe('a server whose results would be about the server', () => {
  test.each<[string, Defect, string, RegExp, Parameters<typeof doctorScript>[1]?]>([
    ['answers 500 to everything', () => error(500, 'out of memory'), 'server_error', /500: out of memory/],
    ['refuses the key', () => error(401, 'Invalid API Key'), 'server_unauthorised', /401/],
    [
      'refuses tools',
      (reply, body) => (hasTools(body) ? error(500, 'tools param requires --jinja flag') : reply),
      'tools_unsupported',
      /--jinja/,
    ],
    [
      'refuses the result of a call',
      (reply, body) =>
        JSON.stringify(body.messages).includes('"role":"tool"')
          ? error(500, 'Jinja Exception: conversation roles must alternate')
          : reply,
      'template_error',
      /the result of a call is refused/,
    ],
    [
      'leaves the tools out of the prompt',
      (reply, body) => ({
        ...counting(reply, promptTokensOf(body, { withTools: false })),
        calls: [],
        text: 'I cannot.',
      }),
      'tools_unsupported',
      /the tools do not reach the model/,
    ],
    [
      'cuts a long prompt in silence',
      (reply, body) => counting(reply, Math.min(2_051, promptTokensOf(body))),
      'prompt_cut',
      /is cut to 2,051 without an error/,
      { cutsSilently: true },
    ],
    [
      'cuts a prompt of 5,000 words in silence, with a template longer than the gauge',
      (reply, body) => counting(reply, Math.min(4_096, 120 + promptTokensOf(body))),
      'prompt_cut',
      /is cut to 4,096 without an error/,
      { cutsSilently: true },
    ],
  ])('that %s stops the run, with the remedy', async (_title, change, code, message, script) => {
    const { problem } = await examined(change, script === undefined ? {} : { script })
    expect(problem).toMatchObject({ name: 'ConfigError', code, message: expect.stringMatching(message) })
    expect(problem?.remedy).toMatch(/\w.*agent-bench doctor/)
  })
})

test('the examination ends with the signal', async () => {
  await using server = await startScriptedServer(() => ({ hang: true }), { routes: propsRoutes() })
  const plan = await planFor(server.baseUrl)
  const reason = new Error('stopped')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 100)
  await expect(examineForRun(plan, { resultsDir: freshResults(), signal: controller.signal })).rejects.toBe(reason)
})

test('a folder that cannot be written to costs the report, not the run', async () => {
  await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
  const file = join(directory, 'a-file')
  await writeFile(file, '')
  const { problem, digest, lines } = await examineForRun(await planFor(server.baseUrl), {
    resultsDir: file,
    signal: never,
  })
  expect(problem).toBeNull()
  expect(digest).toBeNull()
  expect(lines.at(-1)).toMatch(/^warning {2}the examination was not kept: /)
})

await describeWith(['llama-server'], 'a real llama-server', () => {
  const template = async (name: string, text: string): Promise<readonly string[]> => {
    const file = join(directory, name)
    await writeFile(file, text)
    return ['--jinja', '--chat-template-file', file]
  }
  const examinedWith = async (options: LlamaServerOptions) => {
    await using server = await startLlamaServer({ contextTokens: 16_384, ...options })
    return await examineForRun(await planFor(server.baseUrl), { resultsDir: freshResults(), signal: never })
  }

  test('that is healthy may run', async () => {
    const { problem, lines } = await examinedWith({})
    expect(problem).toBeNull()
    expect(lines).toEqual([expect.stringMatching(/readiness, tool_call, window ok/)])
  })

  test('that is slow may run, and is not called broken', async () => {
    const { problem, lines } = await examinedWith({ model: 'slow', flags: ['--load-mode', 'none'] })
    expect(problem).toBeNull()
    expect(lines).toEqual([expect.stringMatching(/^server {3}/)])
  })

  test('without a template engine stops the run: it refuses tools', async () => {
    const { problem } = await examinedWith({ flags: ['--no-jinja'] })
    expect(problem).toMatchObject({ code: 'tools_unsupported', remedy: expect.stringContaining('--jinja') })
  })

  test('with a template that refuses the results of calls stops the run', async () => {
    const strict =
      "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
    const { problem } = await examinedWith({ flags: await template('strict.jinja', strict) })
    expect(problem).toMatchObject({ code: 'template_error', remedy: expect.stringContaining('--chat-template-file') })
  })
})
