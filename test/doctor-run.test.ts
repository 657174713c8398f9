/** The examination at the start of a run, against servers with one defect each. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALARM, examine, examineForRun, keepExamination, serverDigest } from '../src/doctor/index.ts'
import {
  cuttingAt,
  type Defect,
  type DoctorServerOptions,
  error,
  hidingTools,
  leaking,
  planFor,
  promptTokensOf,
  refusingResults,
  refusingTools,
  saying,
  startDoctorServer,
} from './doctor-server.ts'
import { type LlamaServerOptions, startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'

let directory = ''
let folders = 0
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-bench-doctor-run-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const never = new AbortController().signal
const freshResults = (): string => join(directory, `results-${++folders}`)

/** A server, its plan, and an examination of it for a run, all in one folder of results. */
async function runsOn(change?: Defect, options: DoctorServerOptions = {}) {
  const server = await startDoctorServer(change, options)
  const plan = await planFor(server.baseUrl)
  const resultsDir = freshResults()
  const run = (over: object = {}, signal = never) => examineForRun({ ...plan, ...over }, { resultsDir, signal })
  const inServers = (name: string): string => join(resultsDir, 'servers', name)
  const lock = inServers(`${serverDigest(plan)}.lock`)
  return { server, plan, resultsDir, run, inServers, lock, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function examined(change?: Defect, options?: DoctorServerOptions) {
  await using made = await runsOn(change, options)
  return await made.run()
}

describe('a server that can be measured', () => {
  test('is asked five short questions, and not again within a day, unless it has changed', async () => {
    await using made = await runsOn()
    const { server, plan, resultsDir, run } = made
    const first = await run()
    expect(first.problem).toBeNull()
    expect(first.lines).toEqual([
      expect.stringMatching(/^server {3}quick examination: readiness, tool_call, window ok .*agent-bench doctor/),
    ])
    expect(first.digest).toMatch(/^[0-9a-f]{64}$/)
    expect((await run()).digest).toBe(first.digest)
    expect(server.requests).toHaveLength(5)
    keepExamination(resultsDir, plan, await examine(plan, { signal: never }))
    const count = server.requests.length
    expect((await run()).lines[0]).toMatch(/^server {3}examined at .* by the doctor: \d+ of/)
    expect(server.requests).toHaveLength(count)
    await run({ server: { ...plan.server, build: 'another' } })
    expect(server.requests.length).toBeGreaterThan(count)
  })

  test.each([
    ['is old', { examinedAt: '2001-01-01T00:00:00.000Z' }],
    ['is of the future', { examinedAt: '2999-01-01T00:00:00.000Z' }],
    ['found something broken, which may be mended', { verdict: 'broken' }],
    ['could find out nothing', { verdict: 'unclear' }],
  ])('is asked again when the stored examination %s', async (_title, change) => {
    await using made = await runsOn()
    const { digest } = await made.run()
    const [name = ''] = await readdir(made.inServers(''))
    const stored = JSON.parse(await readFile(made.inServers(name), 'utf8'))
    await writeFile(made.inServers(name), JSON.stringify({ ...stored, ...change }))
    const again = await made.run()
    expect(made.server.requests).toHaveLength(10)
    expect(again.problem).toBeNull()
    expect(again.digest).not.toBe(digest)
  })

  test('is not examined when the model is replayed', async () => {
    await using made = await runsOn()
    const replayed = await made.run({ recording: { mode: 'replay', dir: '/x' } })
    expect(replayed).toEqual({ digest: null, lines: [], problem: null })
    expect(made.server.requests).toEqual([])
  })

  test('is examined again after calls did not arrive: that may be mended without a trace', async () => {
    await using made = await runsOn(saying(''))
    const { lines } = await made.run()
    expect(lines.filter(line => line.startsWith(ALARM))).toHaveLength(1)
    const asked = made.server.requests.length
    await made.run()
    expect(made.server.requests).toHaveLength(2 * asked)
  })

  const refusedAtFirst: Defect = (reply, _body, index) => (index < 3 ? error(502, 'Bad Gateway') : reply)
  const loading: Defect = () => error(503, 'Loading model')
  const slowWhenFull: Defect = (reply, body) => ({ ...reply, delayMs: promptTokensOf(body) > 1_000 ? 60_000 : 0 })
  const ofAtLeast16: Defect = (reply, body) =>
    typeof body.max_tokens === 'number' && body.max_tokens < 16
      ? error(400, "Invalid 'max_tokens': integer below minimum value. Expected a value >= 16")
      : reply
  const ALL_OK = /^server.*readiness, tool_call, window ok/
  const MAY_RUN: Readonly<Record<string, readonly [Defect | undefined, DoctorServerOptions, readonly RegExp[]]>> = {
    'is too slow to be examined: said, with the doctor offered': [
      reply => ({ ...reply, delayMs: 60_000 }),
      {},
      [/^server {3}not examined: not done within 5 s .*agent-bench doctor/],
    ],
    'reads too slowly to fill its window: then what it says of its window counts': [slowWhenFull, {}, [ALL_OK]],
    'writes calls as text, which may as well be the model': [
      leaking,
      {},
      [
        /^server/,
        /^WARNING.*tool_markup_in_text\) are about the server, not about the model, until it is fixed: .*--jinja/,
        /^warning {2}tool_call: a call arrives as text.*\| fix: /,
      ],
    ],
    'has a model that sees the tools and answers with text, which is not a warning': [
      saying('I would read it.'),
      {},
      [/tool_call unclear/, /^note {5}tool_call: the tools reach the model, which answers with text/],
    ],
    'has a small window, which tasks judge for themselves': [
      undefined,
      { windowTokens: 1_024 },
      [/readiness, tool_call ok/, /^warning {2}window: .*1,024 tokens/],
    ],
    'refuses output limits as small as those of probes': [ofAtLeast16, {}, [ALL_OK]],
    'answers with errors at first, behind a proxy': [refusedAtFirst, {}, [ALL_OK]],
    'is loading: trials wait for it': [loading, {}, [/^server/, /^warning {2}readiness: .*Loading model/]],
  }
  test.each(Object.entries(MAY_RUN))('may run although it %s', async (_title, [change, options, says]) => {
    const { problem, lines } = await examined(change, options)
    expect(problem).toBeNull()
    expect(lines).toEqual(says.map(line => expect.stringMatching(line)))
  })
})

describe('several workers at once', () => {
  test('examine a server once, and all refer to the one report', async () => {
    await using made = await runsOn()
    const all = await Promise.all([1, 2, 3].map(() => made.run()))
    expect(made.server.requests).toHaveLength(5)
    expect(new Set(all.map(({ digest }) => digest)).size).toBe(1)
    expect(await readdir(made.inServers(''))).toEqual([`${serverDigest(made.plan)}.json`])
  })

  test.each([
    ['wait for the one that holds the lock', process.pid, 0, true],
    ['do not wait for a lock of a process that died', 2 ** 30, 0, false],
    ['do not wait for a lock older than any examination', process.pid, 31_000, false],
  ])('%s', async (_title, pid, ageMs, waits) => {
    await using made = await runsOn()
    await mkdir(made.inServers(''), { recursive: true })
    await writeFile(made.lock, `${pid} other`)
    const writtenAt = new Date(Date.now() - ageMs)
    await utimes(made.lock, writtenAt, writtenAt)
    const examining = made.run()
    const isWaiting = (await Promise.race([examining, sleep(2_000, 'waiting')])) === 'waiting'
    if (isWaiting) await rm(made.lock)
    expect(isWaiting).toBe(waits)
    expect((await examining).digest).not.toBeNull()
    expect((await readdir(made.inServers(''))).filter(name => name.endsWith('.lock'))).toEqual([])
  })
})

describe.each([
  ['waits for another worker', true],
  ['waits for its server', false],
])('an examination that %s', (_title, isLocked) => {
  test('ends with the signal', async () => {
    await using made = await runsOn(() => ({ hang: true }))
    await mkdir(made.inServers(''), { recursive: true })
    if (isLocked) await writeFile(made.lock, `${process.pid} other`)
    const reason = new Error('stopped')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 100)
    await expect(made.run({}, controller.signal)).rejects.toBe(reason)
    expect(made.server.requests).toHaveLength(isLocked ? 0 : 1)
  })
})

const FATAL: Readonly<Record<string, readonly [Defect, code: string, message: RegExp, DoctorServerOptions?]>> = {
  'answers 500 to everything': [() => error(500, 'out of memory'), 'server_error', /500: out of memory/],
  'refuses the key': [() => error(401, 'Invalid API Key'), 'server_unauthorised', /401/],
  'refuses tools': [refusingTools, 'tools_unsupported', /--jinja/],
  'refuses the result of a call': [refusingResults, 'template_error', /the result of a call is refused/],
  'leaves the tools out of the prompt': [hidingTools, 'tools_unsupported', /the tools do not reach the model/],
  'cuts a long prompt in silence': [
    cuttingAt(2_051),
    'prompt_cut',
    /is cut to 2,051 without an error/,
    { cutsSilently: true },
  ],
  'cuts a prompt of 5,000 words in silence, with a template longer than the gauge': [
    cuttingAt(4_096, 120),
    'prompt_cut',
    /is cut to 4,096 without an error/,
    { cutsSilently: true },
  ],
}

test.each(Object.entries(FATAL))('a server that %s stops the run', async (_title, [change, code, message, options]) => {
  const { problem } = await examined(change, options)
  expect(problem).toMatchObject({ name: 'ConfigError', code, message: expect.stringMatching(message) })
  expect(problem?.remedy).toMatch(/\w.*agent-bench doctor/)
})

test('a folder that cannot be written to costs the report, not the run', async () => {
  await using server = await startDoctorServer()
  const resultsDir = join(directory, 'a-file')
  await writeFile(resultsDir, '')
  const run = await examineForRun(await planFor(server.baseUrl), { resultsDir, signal: never })
  expect(run).toMatchObject({ problem: null, digest: null })
  expect(run.lines.at(-1)).toMatch(/^warning {2}the examination was not kept: /)
})

await describeWith(['llama-server'], 'a real llama-server', () => {
  const examinedWith = async (options: LlamaServerOptions) => {
    await using server = await startLlamaServer({ contextTokens: 16_384, ...options })
    return await examineForRun(await planFor(server.baseUrl), { resultsDir: freshResults(), signal: never })
  }

  test('that is slow may run, and is not called broken', async () => {
    const { problem, lines } = await examinedWith({ model: 'slow', flags: ['--load-mode', 'none'] })
    expect(problem).toBeNull()
    expect(lines).toEqual([expect.stringMatching(/^server {3}/)])
  })

  const STRICT =
    "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
  test.each([
    ['without a template engine', () => ['--no-jinja'], 'tools_unsupported', '--jinja'],
    [
      'with a template that refuses the results of calls',
      (file: string) => ['--jinja', '--chat-template-file', file],
      'template_error',
      '--chat-template-file',
    ],
  ])('%s stops the run', async (_title, flags, code, remedy) => {
    const file = join(directory, 'strict.jinja')
    await writeFile(file, STRICT)
    const { problem } = await examinedWith({ flags: flags(file) })
    expect(problem).toMatchObject({ code, remedy: expect.stringContaining(remedy) })
  })
})
