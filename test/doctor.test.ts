/** `agent-bench doctor` against servers with one defect each, and against real ones. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../src/cli/main.ts'
import { type Examination, findExamination, PROBE_NAMES, quickExamination } from '../src/doctor/index.ts'
import { type ModelQuestion, planModel } from '../src/model/index.ts'
import { CASES, error } from './doctor-cases.ts'
import { type Defect, doctorScript, propsRoutes } from './doctor-server.ts'
import { startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'
import { startScriptedServer } from './scripted-server.ts'

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

  test.each<
    [string, (baseUrl: string) => [readonly string[], Readonly<Record<string, string>>, object | null], string]
  >([
    ['an option', baseUrl => [['--base-url', baseUrl], {}, null], 'correct --base-url.'],
    ['a variable', baseUrl => [[], { BENCH_BASE_URL: baseUrl }, null], 'correct BENCH_BASE_URL.'],
    ['the file', baseUrl => [[], {}, { baseUrl }], 'correct baseUrl in bench.config.ts.'],
    [
      'an entry of the file',
      baseUrl => [[], {}, { models: [{ model: 'qwen-4b', baseUrl }] }],
      'correct baseUrl of models[0] ("qwen-4b") in bench.config.ts.',
    ],
  ])('names what gave the address of a server that is gone: %s', async (_title, given, says) => {
    const server = await startScriptedServer([])
    await server[Symbol.asyncDispose]()
    const [args, env, config] = given(server.baseUrl)
    const file = join(directory, 'bench.config.ts')
    if (config !== null) await writeFile(file, `export default ${JSON.stringify(config)}\n`)
    try {
      const { stderr, status } = await doctor(args, env)
      expect(stderr).toContain(says)
      expect(status).toBe(2)
    } finally {
      await rm(file, { force: true })
    }
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
    expect(findExamination(results, plan), 'a file that is not a report counts as none').toBeNull()
  })
})

describe('the quick examination', () => {
  const never = new AbortController().signal

  test('asks a few questions and finds the commonest faults', async () => {
    await using server = await startScriptedServer(doctorScript(), { routes: propsRoutes() })
    const healthy = await quickExamination(await planFor(server.baseUrl), never)
    expect(healthy).toMatchObject({ kind: 'quick', verdict: 'ok' })
    expect(server.requests.length).toBeLessThanOrEqual(5)
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

  test('with a tiny context is broken, and one slot for two workers degrades it', async () => {
    await using server = await startLlamaServer({ contextTokens: 1_024 })
    const { report, status } = await examined(server.baseUrl, ['--workers', '2'])
    expect(warningsOf(report)).toEqual(expect.arrayContaining(['window broken', 'slots degraded']))
    expect(status).toBe(1)
  })
})
