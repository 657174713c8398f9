/** `agent-bench doctor` against servers with one defect each, and against real ones. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../src/cli/main.ts'
import { type Examination, findExamination, PROBES, type Verdict } from '../src/doctor/index.ts'
import {
  counting,
  cuttingAt,
  type Defect,
  type DoctorServerOptions,
  error,
  hidingTools,
  leaking,
  messagesOf,
  planFor,
  promptTokensOf,
  questionOf,
  refusingResults,
  refusingTools,
  startDoctorServer,
  whereItCalls,
} from './doctor-server.ts'
import { startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'
import { startScriptedServer } from './scripted-server.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-bench-doctor-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const write = (text: string) => void stdout.push(text)
  const status = await main(['doctor', ...args], { directory, env, write, writeError: text => void stderr.push(text) })
  return { status, stdout: stdout.join(''), stderr: stderr.join('') }
}

async function examined(baseUrl: string, args: readonly string[] = []) {
  const { status, stdout } = await doctor(['--base-url', baseUrl, '--json', ...args])
  const report: Examination = JSON.parse(stdout)
  const warnings = report.findings.flatMap(({ probe, verdict }) =>
    verdict === 'degraded' || verdict === 'broken' ? [`${probe} ${verdict}`] : [],
  )
  return { status, report, warnings: warnings.toSorted() }
}

const PROBE_NAMES = Object.keys(PROBES)

type Warning = `${keyof typeof PROBES} ${Verdict}`
interface Circumstances extends DoctorServerOptions {
  readonly args?: readonly string[]
  /** Other probes that notice the same defect. */
  readonly also?: readonly Warning[]
}
type Case = readonly [warning: Warning, says: RegExp, change?: Defect | undefined, more?: Circumstances]

const isAbout = (body: Parameters<Defect>[1], words: string): boolean => questionOf(body).includes(words)
const DIFFERENT_CALLS: readonly Warning[] = ['several_calls broken', 'nested_arguments broken', 'long_arguments broken']
let isGivenUp = false

const CASES: Readonly<Record<string, Case>> = {
  'answers 500 to everything': ['readiness broken', /boom/, () => error(500, 'boom')],
  'serves another model': [
    'model degraded',
    /BENCH_MODEL=llama-70b/,
    undefined,
    { model: 'llama-70b', models: [{ id: 'qwen-4b' }] },
  ],
  'reports no usage': ['usage degraded', /token counts/, ({ timings: _, ...reply }) => ({ ...reply, usage: null })],
  'counts only new tokens of a prompt': [
    'usage degraded',
    /prompt_tokens/,
    reply => counting(reply, 30),
    { also: ['tool_result broken'] },
  ],
  'cuts prompts to 4,096 tokens in silence': ['window broken', /cut to 4,096.*num_ctx/, cuttingAt(4_096)],
  'has a tiny window': ['window broken', /1,024 tokens/, undefined, { windowTokens: 1_024 }],
  'has a small window': ['window degraded', /4,096 tokens.*overflow/, undefined, { windowTokens: 4_096 }],
  'answers prompts too long': ['overflow degraded', /in silence/, cuttingAt(16_384), { cutsSilently: true }],
  'writes calls as text': [
    'tool_call broken',
    /--jinja/,
    leaking,
    { also: [...DIFFERENT_CALLS, 'tool_choice degraded'] },
  ],
  'leaves the tools out of the prompt': [
    'tool_call broken',
    /do not reach the model/,
    hidingTools,
    { also: ['tool_choice degraded'] },
  ],
  'cannot use tools': [
    'tool_call broken',
    /--jinja/,
    refusingTools,
    { also: [...DIFFERENT_CALLS, 'replay broken', 'tool_result broken', 'tool_choice degraded'] },
  ],
  'mixes the pieces of several calls': [
    'several_calls broken',
    /run together/,
    whereItCalls(reply =>
      reply.calls.length < 2
        ? reply
        : { ...reply, calls: [{ name: 'read_file', args: '{"path":"alpha.txt"}{"path":"beta.txt"}' }] },
    ),
  ],
  'reads UTF-8 as Latin-1': [
    'nested_arguments broken',
    /Zo/,
    whereItCalls(reply => ({
      ...reply,
      calls: reply.calls.map(({ args, ...call }) => ({
        ...call,
        args: typeof args === 'string' ? Buffer.from(args, 'utf8').toString('latin1') : args,
      })),
    })),
  ],
  'cuts long arguments': [
    'long_arguments broken',
    /after 256 characters/,
    whereItCalls(reply => ({
      ...reply,
      calls: reply.calls.map(({ args, ...call }) => ({
        ...call,
        args: call.name === 'write_file' ? JSON.stringify(args).slice(0, 256) : args,
      })),
    })),
  ],
  'refuses reasoning in the history': [
    'replay broken',
    /reasoning/,
    (reply, body) =>
      messagesOf(body, 'assistant').some(message => 'reasoning_content' in message)
        ? error(400, 'unexpected field reasoning_content')
        : reply,
  ],
  'refuses results of calls': [
    'replay broken',
    /template/,
    refusingResults,
    { also: ['tool_call broken', 'tool_result broken'] },
  ],
  'drops results of calls': [
    'tool_result broken',
    /do not reach the model/,
    (reply, body) => counting(reply, promptTokensOf(body, { withResults: false })),
  ],
  'ignores tool_choice': [
    'tool_choice degraded',
    /"none"/,
    (reply, body) => (body.tool_choice === 'none' ? { calls: [{ name: 'read_file', args: { path: 'a' } }] } : reply),
  ],
  'leaves reasoning in the text': [
    'reasoning degraded',
    /--reasoning-format/,
    reply => (reply.calls || reply.finishReason ? reply : { ...reply, text: `<think>hm</think>${reply.text}` }),
  ],
  'ends streams without an end': [
    'stop_reason broken',
    /proxy/,
    (reply, body) =>
      isAbout(body, 'word yes') ? { chunks: [{ choices: [{ index: 0, delta: { content: 'yes' } }] }] } : reply,
  ],
  'says "stop" where the limit cut': [
    'length_stop degraded',
    /finish_reason "stop"/,
    reply => ({ ...reply, ...(reply.finishReason === 'length' ? { finishReason: 'stop' } : {}) }),
  ],
  'does not keep the output limit': [
    'length_stop degraded',
    /not kept/,
    (reply, body) =>
      body.max_tokens === 2
        ? { text: 'one two three four five six', usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 } }
        : reply,
  ],
  'goes on with requests that were given up': [
    'abort degraded',
    /given up/,
    (reply, body) => {
      const wasGivenUp = isGivenUp
      isGivenUp = isAbout(body, 'Count from 1 to 1000')
      return wasGivenUp ? { ...reply, delayMs: 2_500 } : reply
    },
  ],
  'answers differently each time': [
    'determinism degraded',
    /3 different answers/,
    (reply, body, index) => (isAbout(body, 'about the sea') ? { ...reply, text: `Sea number ${index}.` } : reply),
  ],
  'has one slot for two workers': ['slots degraded', /--parallel 2/, undefined, { slots: 1, args: ['--workers', '2'] }],
  'is slow': [
    'speed degraded',
    /34 minutes.*BENCH_TRIAL_TIMEOUT/,
    reply => ({ ...reply, timings: { predicted_per_second: 3, prompt_per_second: 40 } }),
  ],
}

describe('a server with one defect', () => {
  test('a healthy one is warned of nothing, and every probe is sure', async () => {
    await using server = await startDoctorServer()
    const { report, status } = await examined(server.baseUrl, ['--workers', '2'])
    expect(report.findings.map(({ probe, verdict }) => [probe, verdict])).toEqual(PROBE_NAMES.map(name => [name, 'ok']))
    expect(status).toBe(0)
  })

  test.each(Object.entries(CASES))('%s', async (_defect, [warning, says, change, more = {}]) => {
    const { args, also = [], ...options } = more
    await using server = await startDoctorServer(change, options)
    const { report, status, warnings } = await examined(server.baseUrl, args)
    const finding = report.findings.find(({ probe, verdict }) => `${probe} ${verdict}` === warning)
    expect(`${finding?.found} ${finding?.effect} ${finding?.remedy}`).toMatch(says)
    expect(warnings).toEqual([warning, ...also].toSorted())
    expect(status).toBe(report.verdict === 'broken' ? 1 : 0)
    for (const { effect, remedy, verdict } of report.findings) {
      if (verdict === 'degraded') expect(effect).not.toBeNull()
      if (verdict === 'broken') expect(remedy).not.toBeNull()
    }
  })

  test('every probe has a defect that it finds', () => {
    expect(new Set(Object.values(CASES).map(([warning]) => warning.split(' ')[0]))).toEqual(new Set(PROBE_NAMES))
  })
})

describe('the command', () => {
  test('prints one line for each probe and where the report is, and nothing of a server reaches the terminal raw', async () => {
    await using server = await startDoctorServer(() => error(500, 'bo\u001b[31mom\r\nfake line'))
    const { stdout, status } = await doctor(['--base-url', server.baseUrl])
    expect(stdout.trim().split('\n')).toHaveLength(PROBE_NAMES.length + 2)
    expect(stdout).toMatch(/^broken {4}readiness .*boom fake line \| fix: /m)
    expect(stdout).not.toContain('\u001b')
    expect(status).toBe(1)
  })

  const OTHER = 'http://127.0.0.1:1/v1'
  const entry = (baseUrl: string) => ({ models: [{ model: 'qwen-4b', baseUrl }] })
  test.each<[string, (baseUrl: string) => [readonly string[], string | null, object | null], string]>([
    ['an option, over a variable', url => [['--base-url', url], OTHER, null], '--base-url.'],
    ['a variable, over the file', url => [[], url, { baseUrl: OTHER }], 'BENCH_BASE_URL.'],
    ['the file', url => [[], null, { baseUrl: url }], 'baseUrl in bench.config.ts.'],
    ['an entry of it', url => [[], null, entry(url)], 'baseUrl of models[0] ("qwen-4b") in bench.config.ts.'],
  ])('ends with 2, the remedy, and what gave the address of a server that is gone: %s', async (_title, given, name) => {
    const server = await startScriptedServer([])
    await server[Symbol.asyncDispose]()
    const [args, variable, config] = given(server.baseUrl)
    const file = join(directory, 'bench.config.ts')
    await writeFile(file, `export default ${JSON.stringify(config ?? {})}\n`)
    const { stdout, stderr, status } = await doctor(args, variable === null ? {} : { BENCH_BASE_URL: variable })
    await rm(file)
    expect(stderr).toMatch(/no server accepts connections.*\n.*[\s\S]*remedy: Start the model server/)
    expect(stderr).toContain(server.baseUrl)
    expect(stderr).toContain(`correct ${name}`)
    expect([stdout, status]).toEqual(['', 2])
  })

  test('names what gave a key that is refused', async () => {
    await using server = await startScriptedServer([], { apiKey: 'right' })
    const { stderr } = await doctor(['--base-url', server.baseUrl, '--api-key', 'wrong'])
    expect(stderr).toMatch(/remedy: Set --api-key to a key/)
  })

  test.each([
    [['--workers', 'many'], /^.*--workers \(BENCH_WORKERS\) is "many".*[\s\S]*remedy: Set --workers \(BENCH_WORKERS\)/],
    [['--base-url', 'localhost'], /--base-url \(BENCH_BASE_URL\) is "localhost"/],
    [['--timeout', 'soon'], /--timeout/],
    [['--no-such-option'], /unknown option/],
  ])('ends with 2 for %j', async (args, says) => {
    const { stderr, status } = await doctor(args)
    expect(status).toBe(2)
    expect(stderr).toMatch(says)
  })
})

test('the report is found again for the same server, not for a changed one; a quick one does not replace it', async () => {
  await using server = await startDoctorServer()
  const results = join(directory, 'kept')
  const args = ['--base-url', server.baseUrl, '--results-dir', results]
  await doctor(args)
  const plan = await planFor(server.baseUrl)
  const found = findExamination(results, plan)
  expect(found?.examination).toMatchObject({ kind: 'full', verdict: 'ok' })
  await doctor([...args, '--quick'])
  expect(findExamination(results, plan)?.digest).toBe(found?.digest)
  const changed = { ...plan, server: { ...plan.server, chatTemplateSha256: 'f'.repeat(64) } }
  expect(findExamination(results, changed)).toBeNull()
  const [file = ''] = await readdir(join(results, 'servers'))
  await writeFile(join(results, 'servers', file), '{"verdict": "ok"}')
  expect(findExamination(results, plan), 'a file that is not a report counts as none').toBeNull()
})

await describeWith(['llama-server'], 'a real llama-server', () => {
  test('that is healthy is warned of nothing', async () => {
    await using server = await startLlamaServer({ contextTokens: 32_768, flags: ['--parallel', '2'] })
    const { status, warnings } = await examined(server.baseUrl, ['--workers', '2'])
    expect([warnings, status]).toEqual([[], 0])
  })

  test('with a template that has no place for tools and their results is broken', async () => {
    const template = join(directory, 'no-tools.jinja')
    await writeFile(
      template,
      "{% for m in messages %}{% if m.role in ['system', 'user', 'assistant'] %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}<|im_start|>assistant\n",
    )
    const flags = ['--jinja', '--chat-template-file', template]
    await using server = await startLlamaServer({ contextTokens: 16_384, flags })
    const { status, warnings } = await examined(server.baseUrl)
    expect(warnings).toContain('tool_result broken')
    expect(status).toBe(1)
  })
})
