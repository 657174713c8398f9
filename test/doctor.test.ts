/** `agent-bench doctor` against servers with one defect each, and against real ones. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../src/cli/main.ts'
import {
  type Examination,
  findExamination,
  PROBE_NAMES,
  type ProbeName,
  quickExamination,
  type Verdict,
} from '../src/model/doctor/index.ts'
import { type ModelQuestion, planModel } from '../src/model/index.ts'
import {
  counting,
  type Defect,
  doctorScript,
  messagesOf,
  promptTokensOf,
  propsRoutes,
  questionOf,
  WINDOW,
} from './doctor-server.ts'
import { startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'
import { type ScriptedServerOptions, startScriptedServer } from './scripted-server.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-bench-doctor-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

interface Visit {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Visit> {
  let stdout = ''
  let stderr = ''
  const status = await main(['doctor', ...args], {
    directory,
    env,
    write: text => {
      stdout += text
    },
    writeError: text => {
      stderr += text
    },
  })
  return { status, stdout, stderr }
}

async function examined(baseUrl: string, args: readonly string[] = []): Promise<Visit & { report: Examination }> {
  const visit = await doctor(['--base-url', baseUrl, '--json', ...args])
  const report: Examination = JSON.parse(visit.stdout)
  return { ...visit, report }
}

/** Findings that a user is warned of: `probe verdict`. */
const warningsOf = (report: Examination): readonly string[] =>
  report.findings
    .filter(({ verdict }) => verdict === 'degraded' || verdict === 'broken')
    .map(({ probe, verdict }) => `${probe} ${verdict}`)

interface Case {
  readonly defect: string
  readonly probe: ProbeName
  readonly verdict: Verdict
  readonly change?: Defect
  readonly script?: Parameters<typeof doctorScript>[1]
  readonly server?: ScriptedServerOptions
  readonly args?: readonly string[]
  /** Other probes that notice the same defect. */
  readonly also?: readonly string[]
  readonly says: RegExp
}

const error = (status: number, message: string) => ({ status, body: { error: { message, type: 'server_error' } } })
const isAbout = (body: Parameters<Defect>[1], words: string): boolean => questionOf(body).includes(words)
let isGivenUp = false

const CASES: readonly Case[] = [
  {
    defect: 'answers 500 to everything',
    probe: 'readiness',
    verdict: 'broken',
    change: () => error(500, 'boom'),
    says: /boom/,
  },
  {
    defect: 'serves another model',
    probe: 'model',
    verdict: 'degraded',
    server: { model: 'llama-70b', models: [{ id: 'qwen-4b' }] },
    says: /BENCH_MODEL=llama-70b/,
  },
  {
    defect: 'reports no usage',
    probe: 'usage',
    verdict: 'degraded',
    change: ({ timings: _, ...reply }) => ({ ...reply, usage: null }),
    says: /token counts/,
  },
  {
    defect: 'counts only new tokens of a prompt',
    probe: 'usage',
    verdict: 'degraded',
    change: reply => counting(reply, 30),
    also: ['tool_result broken'],
    says: /prompt_tokens/,
  },
  {
    defect: 'cuts prompts to 4,096 tokens in silence',
    probe: 'window',
    verdict: 'broken',
    change: (reply, body) => counting(reply, Math.min(4_096, promptTokensOf(body))),
    says: /cut to 4,096.*num_ctx/,
  },
  {
    defect: 'has a tiny window',
    probe: 'window',
    verdict: 'broken',
    script: { windowTokens: 1_024 },
    server: { routes: propsRoutes(1_024) },
    says: /1,024 tokens/,
  },
  {
    defect: 'has a small window',
    probe: 'window',
    verdict: 'degraded',
    script: { windowTokens: 4_096 },
    server: { routes: propsRoutes(4_096) },
    says: /4,096 tokens.*overflow/,
  },
  {
    defect: 'answers prompts that are too long',
    probe: 'overflow',
    verdict: 'degraded',
    script: { cutsSilently: true },
    change: (reply, body) => counting(reply, Math.min(WINDOW, promptTokensOf(body))),
    says: /in silence/,
  },
  {
    defect: 'writes calls as text',
    probe: 'tool_call',
    verdict: 'broken',
    change: ({ calls, ...reply }) =>
      calls === undefined ? reply : { ...reply, text: '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>' },
    also: ['several_calls broken', 'nested_arguments broken', 'long_arguments broken', 'tool_choice degraded'],
    says: /--jinja/,
  },
  {
    defect: 'leaves the tools out of the prompt',
    probe: 'tool_call',
    verdict: 'broken',
    change: ({ calls, ...reply }, body) =>
      counting(
        calls === undefined ? reply : { ...reply, text: 'I will read it.' },
        promptTokensOf(body, { withTools: false }),
      ),
    also: ['tool_choice degraded'],
    says: /do not reach the model/,
  },
  {
    defect: 'cannot use tools',
    probe: 'tool_call',
    verdict: 'broken',
    change: (reply, body) => (body.tools === undefined ? reply : error(500, 'tools param requires --jinja flag')),
    also: [
      'several_calls broken',
      'nested_arguments broken',
      'long_arguments broken',
      'replay broken',
      'tool_result broken',
      'tool_choice degraded',
    ],
    says: /--jinja/,
  },
  {
    defect: 'mixes the pieces of several calls',
    probe: 'several_calls',
    verdict: 'broken',
    change: ({ calls, ...reply }) =>
      calls === undefined || calls.length < 2
        ? { ...reply, ...(calls === undefined ? {} : { calls }) }
        : { ...reply, calls: [{ name: 'read_file', args: '{"path":"alpha.txt"}{"path":"beta.txt"}' }] },
    says: /run together/,
  },
  {
    defect: 'repeats a call',
    probe: 'several_calls',
    verdict: 'degraded',
    change: ({ calls, ...reply }) =>
      calls === undefined || calls.length < 2
        ? { ...reply, ...(calls === undefined ? {} : { calls }) }
        : { ...reply, calls: calls.map((call, index) => ({ ...call, args: { path: 'alpha.txt' }, id: `x${index}` })) },
    says: /same call/,
  },
  {
    defect: 'reads UTF-8 as Latin-1',
    probe: 'nested_arguments',
    verdict: 'broken',
    change: ({ calls, ...reply }) => ({
      ...reply,
      ...(calls === undefined
        ? {}
        : {
            calls: calls.map(call => ({
              ...call,
              args: typeof call.args === 'string' ? Buffer.from(call.args, 'utf8').toString('latin1') : call.args,
            })),
          }),
    }),
    says: /Zo/,
  },
  {
    defect: 'sends objects inside of arguments as text',
    probe: 'nested_arguments',
    verdict: 'degraded',
    change: ({ calls, ...reply }) => ({
      ...reply,
      ...(calls === undefined
        ? {}
        : {
            calls: calls.map(call =>
              call.name === 'save_person' ? { ...call, args: { person: '{"name":"x"}', note: 'y' } } : call,
            ),
          }),
    }),
    says: /as text/,
  },
  {
    defect: 'cuts long arguments',
    probe: 'long_arguments',
    verdict: 'broken',
    change: ({ calls, ...reply }) => ({
      ...reply,
      ...(calls === undefined
        ? {}
        : { calls: calls.map(call => ({ ...call, args: JSON.stringify(call.args).slice(0, 256) })) }),
      ...(calls?.[0]?.name === 'write_file' ? {} : { ...(calls === undefined ? {} : { calls }) }),
    }),
    says: /after 256 characters/,
  },
  {
    defect: 'refuses reasoning in the history',
    probe: 'replay',
    verdict: 'broken',
    change: (reply, body) =>
      messagesOf(body, 'assistant').some(message => 'reasoning_content' in message)
        ? error(400, 'unexpected field reasoning_content')
        : reply,
    says: /reasoning/,
  },
  {
    defect: 'refuses results of calls',
    probe: 'replay',
    verdict: 'broken',
    change: (reply, body) =>
      messagesOf(body, 'tool').length > 0 ? error(500, 'Jinja Exception: conversation roles must alternate') : reply,
    also: ['tool_call broken', 'tool_result broken'],
    says: /template/,
  },
  {
    defect: 'drops results of calls',
    probe: 'tool_result',
    verdict: 'broken',
    change: (reply, body) => counting(reply, promptTokensOf(body, { withResults: false })),
    says: /do not reach the model/,
  },
  {
    defect: 'ignores tool_choice',
    probe: 'tool_choice',
    verdict: 'degraded',
    change: (reply, body) =>
      body.tool_choice === 'none' ? { calls: [{ name: 'read_file', args: { path: 'a' } }] } : reply,
    says: /"none"/,
  },
  {
    defect: 'leaves reasoning in the text',
    probe: 'reasoning',
    verdict: 'degraded',
    change: reply =>
      reply.text === undefined || reply.finishReason === 'length'
        ? reply
        : { ...reply, text: `<think>hm</think>${reply.text}` },
    says: /--reasoning-format/,
  },
  {
    defect: 'ends streams without an end',
    probe: 'stop_reason',
    verdict: 'broken',
    change: (reply, body) =>
      isAbout(body, 'word yes') ? { chunks: [{ choices: [{ index: 0, delta: { content: 'yes' } }] }] } : reply,
    says: /proxy/,
  },
  {
    defect: 'says "stop" where the limit cut',
    probe: 'length_stop',
    verdict: 'degraded',
    change: reply => ({ ...reply, ...(reply.finishReason === 'length' ? { finishReason: 'stop' } : {}) }),
    says: /finish_reason "stop"/,
  },
  {
    defect: 'does not keep the output limit',
    probe: 'length_stop',
    verdict: 'degraded',
    change: (reply, body) =>
      body.max_tokens === 2
        ? { text: 'one two three four five six', usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 } }
        : reply,
    says: /not kept/,
  },
  {
    defect: 'goes on with requests that were given up',
    probe: 'abort',
    verdict: 'degraded',
    change: (reply, body) => {
      if (isAbout(body, 'Count from 1 to 1000')) isGivenUp = true
      else if (isGivenUp) {
        isGivenUp = false
        return { ...reply, delayMs: 2_500 }
      }
      return reply
    },
    says: /given up/,
  },
  {
    defect: 'answers differently each time',
    probe: 'determinism',
    verdict: 'degraded',
    change: (reply, _body, index) =>
      isAbout(_body, 'about the sea') ? { ...reply, text: `Sea number ${index}.` } : reply,
    says: /3 different answers/,
  },
  {
    defect: 'has one slot for two workers',
    probe: 'slots',
    verdict: 'degraded',
    server: { routes: propsRoutes(WINDOW, 1) },
    args: ['--workers', '2'],
    says: /--parallel 2/,
  },
  {
    defect: 'is slow',
    probe: 'speed',
    verdict: 'degraded',
    change: reply => ({ ...reply, timings: { predicted_per_second: 3, prompt_per_second: 40 } }),
    says: /34 minutes.*BENCH_TRIAL_TIMEOUT/,
  },
]

describe('a server with one defect', () => {
  test('a healthy one is warned of nothing, and every probe is sure', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const { report, status } = await examined(server.baseUrl, ['--workers', '2'])
    expect(report.findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
    expect(report.findings.map(({ probe }) => probe)).toEqual(PROBE_NAMES)
    expect(status).toBe(0)
  })

  test.each(CASES)(
    '$defect: $probe is $verdict',
    async ({ change, script, server: options, args, probe, verdict, also, says }) => {
      await using server = await startScriptedServer(doctorScript(change, script), {
        routes: propsRoutes(),
        ...options,
      })
      const { report, status } = await examined(server.baseUrl, args)
      const finding = report.findings.find(candidate => candidate.probe === probe)
      expect(finding).toMatchObject({ probe, verdict })
      expect(`${finding?.found} ${finding?.effect} ${finding?.remedy}`).toMatch(says)
      expect(warningsOf(report).toSorted()).toEqual([`${probe} ${verdict}`, ...(also ?? [])].toSorted())
      expect(status).toBe(report.verdict === 'broken' ? 1 : 0)
      for (const { effect, remedy, verdict: found } of report.findings) {
        if (found === 'degraded') expect(effect).not.toBeNull()
        if (found === 'broken') expect(remedy).not.toBeNull()
      }
    },
  )

  test('every probe has a defect that it finds', () => {
    expect(PROBE_NAMES.filter(probe => !CASES.some(candidate => candidate.probe === probe))).toEqual([])
  })
})

describe('the command', () => {
  test('prints one line for each probe and where the report is, and nothing of a server reaches the terminal raw', async () => {
    const change: Defect = () => error(500, 'bo\u001b[31mom\r\nfake line')
    await using server = await startScriptedServer(doctorScript(change), { routes: propsRoutes() })
    const { stdout, status } = await doctor(['--base-url', server.baseUrl])
    expect(stdout.trim().split('\n')).toHaveLength(PROBE_NAMES.length + 2)
    expect(stdout).toMatch(/^broken {4}readiness .*boom fake line \| fix: /m)
    expect(stdout).not.toContain('\u001b')
    expect(status).toBe(1)
  })

  test('ends with 2 and the remedy when there is nothing to examine', async () => {
    const server = await startScriptedServer([])
    await server[Symbol.asyncDispose]()
    const { stderr, stdout, status } = await doctor(['--base-url', server.baseUrl])
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/no server accepts connections.*\n.*[\s\S]*remedy: Start the model server/)
  })

  test.each([
    [['--workers', 'many'], /BENCH_WORKERS/],
    [['--timeout', 'soon'], /--timeout/],
    [['--no-such-option'], /unknown option/],
  ])('ends with 2 for %j', async (args, says) => {
    const { stderr, status } = await doctor(args)
    expect(status).toBe(2)
    expect(stderr).toMatch(says)
  })

  test('reads variables and bench.config.ts, options first', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    await using other = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    await writeFile(join(directory, 'bench.config.ts'), `export default { baseUrl: '${server.baseUrl}' }\n`)
    try {
      const fromFile = await doctor(['--quick'])
      expect(fromFile.stdout).toContain(server.baseUrl)
      const fromVariable = await doctor(['--quick'], { BENCH_BASE_URL: other.baseUrl })
      expect(fromVariable.stdout).toContain(other.baseUrl)
    } finally {
      await rm(join(directory, 'bench.config.ts'))
    }
  })
})

const questionFor = (baseUrl: string): ModelQuestion => ({
  model: null,
  baseUrl,
  apiKey: null,
  sampling: { temperature: null, topP: null, maxTokens: 1_024, extraBody: null },
  idleTimeoutMs: 60_000,
})

async function planFor(baseUrl: string) {
  const planned = await planModel(questionFor(baseUrl))
  if (planned === null) throw new Error('no plan')
  return planned.plan
}

describe('the report', () => {
  test('is found again by a later run of the same server, not of a changed one; a quick one does not replace it', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const results = join(directory, 'kept')
    await doctor(['--base-url', server.baseUrl, '--results-dir', results])
    const plan = await planFor(server.baseUrl)
    const found = findExamination(results, plan)
    expect(found?.examination).toMatchObject({ kind: 'full', verdict: 'ok' })
    expect(found?.digest).toMatch(/^[0-9a-f]{64}$/)
    await doctor(['--base-url', server.baseUrl, '--results-dir', results, '--quick'])
    expect(findExamination(results, plan)?.digest).toBe(found?.digest)
    const changed = { ...plan, server: { ...plan.server, chatTemplateSha256: 'f'.repeat(64) } }
    expect(findExamination(results, changed)).toBeNull()
    const [file] = await readdir(join(results, 'servers'))
    await writeFile(join(results, 'servers', file ?? ''), '{"verdict": "ok"}')
    expect(findExamination(results, plan), 'a file that is no report counts as none').toBeNull()
  })
})

describe('the quick examination', () => {
  const never = new AbortController().signal

  test('asks a few questions and finds the commonest faults', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const healthy = await quickExamination(await planFor(server.baseUrl), never)
    expect(healthy).toMatchObject({ kind: 'quick', verdict: 'ok' })
    expect(server.requests.length).toBeLessThanOrEqual(4)
  })

  test('is over in ten seconds when the server hangs, and says so', async () => {
    await using server = await startScriptedServer(() => ({ hang: true }), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const startedAt = performance.now()
    const { verdict, findings } = await quickExamination(plan, never)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(verdict).toBe('unclear')
    expect(findings[0]?.found).toMatch(/not done within/)
  })

  test('ends with the signal', async () => {
    await using server = await startScriptedServer(() => ({ hang: true }), { routes: propsRoutes() })
    const plan = await planFor(server.baseUrl)
    const reason = new Error('stopped')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 100)
    await expect(quickExamination(plan, controller.signal)).rejects.toBe(reason)
  })
})

await describeWith(['llama-server'], 'a real llama-server', () => {
  test('that is healthy is warned of nothing, in full and in quick form', async () => {
    await using server = await startLlamaServer({ contextTokens: 32_768, flags: ['--parallel', '2'] })
    const { report, status } = await examined(server.baseUrl, ['--workers', '2'])
    expect(warningsOf(report)).toEqual([])
    expect(status).toBe(0)
    const quick = await quickExamination(await planFor(server.baseUrl), new AbortController().signal)
    expect(quick.findings.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok'])
    expect(quick.elapsedMs).toBeLessThan(10_000)
  })

  test('with a template that has no place for tools and their results is broken', async () => {
    const template = join(directory, 'no-tools.jinja')
    await writeFile(
      template,
      "{% for m in messages %}{% if m.role in ['system', 'user', 'assistant'] %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}<|im_start|>assistant\n",
    )
    await using server = await startLlamaServer({
      contextTokens: 16_384,
      flags: ['--jinja', '--chat-template-file', template],
    })
    const { report, status } = await examined(server.baseUrl)
    expect(warningsOf(report)).toContain('tool_result broken')
    expect(status).toBe(1)
  })

  test('with a template that refuses results of calls is broken', async () => {
    const template = join(directory, 'strict.jinja')
    await writeFile(
      template,
      "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n",
    )
    await using server = await startLlamaServer({
      contextTokens: 16_384,
      flags: ['--jinja', '--chat-template-file', template],
    })
    const { report, status } = await examined(server.baseUrl)
    expect(warningsOf(report)).toContain('replay broken')
    expect(status).toBe(1)
  })

  test('with a tiny context is broken, and one slot for two workers degrades it', async () => {
    await using server = await startLlamaServer({ contextTokens: 1_024 })
    const { report, status } = await examined(server.baseUrl, ['--workers', '2'])
    expect(warningsOf(report)).toEqual(expect.arrayContaining(['window broken', 'slots degraded']))
    expect(status).toBe(1)
  })

  // How fast the slow model is depends on the machine; whether speed is called degraded is for the scripted defects.
  test('that is slow is degraded by its speed at most', async () => {
    await using server = await startLlamaServer({
      model: 'slow',
      contextTokens: 16_384,
      flags: ['--load-mode', 'none'],
    })
    const { report, status } = await examined(server.baseUrl, ['--timeout', '45'])
    expect(warningsOf(report).filter(warning => warning !== 'speed degraded')).toEqual([])
    expect(status).toBe(0)
  })
})
