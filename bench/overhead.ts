/**
 * `npm run bench:overhead`: what the harness costs, as ratios to floors measured side by side. Needs a Docker engine.
 * Measures, prints, and ends with status 1 when a budget is missed; nothing here is part of the tests.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Agent } from '../src/agents/agent.ts'
import { createAgent } from '../src/agents/index.ts'
import { planOfCheck } from '../src/check/check-task.ts'
import { openJournal } from '../src/results/journal.ts'
import { runsByDefault } from '../src/runner/suites.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import type { PreparedSandbox, Sandbox } from '../src/sandbox/sandbox.ts'
import type { FileContent } from '../src/sandbox/snapshot.ts'
import { defineTask } from '../src/task/define-task.ts'
import { WORKSPACE_TOOLS } from '../src/tools/workspace.ts'
import { KnownResults } from '../src/trial/known-results.ts'
import { recordOf } from '../src/trial/record.ts'
import { runTrial } from '../src/trial/run-trial.ts'
import { TrialWorker } from '../src/trial/trial-worker.ts'
import { startScriptedServer } from '../test/scripted-server.ts'
import { type BudgetRow, interleaved, median, printRows, show } from './measure.ts'

const N = 60
const never = new AbortController().signal

const file = (text: string): FileContent => ({ bytes: Buffer.from(text), mode: 0o644 })
const twentyFiles = new Map(Array.from({ length: 20 }, (_, i) => [`file-${i}.txt`, file(`${i}`.repeat(4_096))]))

async function localSpawn(): Promise<void> {
  await once(spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] }), 'close')
}

async function toolCalls(sandbox: Sandbox): Promise<BudgetRow[]> {
  await sandbox.reset(twentyFiles, { room: 'agent' })
  const samples = await interleaved(N, {
    'local spawn': localSpawn,
    'tool call': () => sandbox.exec('true', { timeoutMs: 10_000, snapshot: false }),
    'tool call with snapshot': () => sandbox.exec('true', { timeoutMs: 10_000, snapshot: true }),
  })
  for (const sample of samples.values()) console.log(show(sample))
  const ms = (name: string) => median(samples.get(name)?.milliseconds ?? [])
  const plain = ms('tool call') / ms('local spawn')
  const observed = ms('tool call with snapshot') / ms('local spawn')
  return [
    {
      what: 'tool call without snapshot',
      measured: `${plain.toFixed(2)} × a local spawn`,
      budget: '1.5 ×',
      isMet: plain <= 1.5,
    },
    {
      what: 'tool call with snapshot',
      measured: `${observed.toFixed(2)} × a local spawn`,
      budget: '2 ×',
      isMet: observed <= 2,
    },
  ]
}

async function resets(sandbox: Sandbox, prepared: PreparedSandbox): Promise<BudgetRow[]> {
  const samples = await interleaved(15, {
    reset: () => sandbox.reset(twentyFiles, { room: 'agent' }),
    'new container': async () => {
      await using fresh = await openSandbox(prepared, { runId: 'overhead' })
      await fresh.reset(twentyFiles, { room: 'agent' })
    },
  })
  for (const sample of samples.values()) console.log(show(sample))
  const reset = median(samples.get('reset')?.milliseconds ?? [])
  const ratio = median(samples.get('new container')?.milliseconds ?? []) / reset
  return [
    { what: 'reset, 20 files', measured: `${reset.toFixed(1)} ms`, budget: '10 ms', isMet: reset <= 10 },
    {
      what: 'reset against a new container',
      measured: `${ratio.toFixed(0)} × cheaper`,
      budget: '20 ×',
      isMet: ratio >= 20,
    },
  ]
}

/** Ten `true` calls, then an answer: an agent over a model that takes no time. */
const tenCalls: Agent = {
  name: 'ten-calls',
  async run(session) {
    for (let turn = 1; turn <= 10; turn++) {
      await session.toolbox.call(
        'execute_command',
        { valid: true, value: { command: 'true' } },
        { turn, signal: session.signal },
      )
      session.emit({ turn, text: '', reasoning: null, finishReason: 'tool_calls', stats: null })
    }
    return { reason: 'answered', finalText: 'done', detail: null, servedModel: null }
  },
}

async function wholeTrial(sandbox: Sandbox): Promise<BudgetRow[]> {
  const task = await defineTask({
    id: 'overhead',
    prompt: 'Add.',
    setup: { 'main.py': 'def add(a, b):\n    return a + b\n' },
    allowedWrites: ['main.py'],
    verify: {
      adds: ({ python }) =>
        python('main')
          .call('add', [[1, 2]])
          .gives([3]),
    },
    flags: { adds: run => run.verified('adds') },
  }).resolve()
  const trial = () =>
    runTrial(task, {
      agent: tenCalls,
      play: null,
      limits: { maxTurns: 20, commandTimeoutMs: 10_000, trialTimeoutMs: 60_000 },
      seed: 1,
      tools: WORKSPACE_TOOLS,
      sandbox,
      known: new KnownResults().of(task),
      signal: never,
    })
  const samples = await interleaved(30, { 'trial of ten calls, verify included': trial })
  const sample = [...samples.values()][0]
  if (sample === undefined) return []
  console.log(show(sample))
  const seconds = median(sample.milliseconds) / 1_000
  return [{ what: 'trial of ten calls', measured: `${seconds.toFixed(3)} s`, budget: '0.2 s', isMet: seconds <= 0.2 }]
}

/** A task that needs no sandbox, answered at once, with its record on disk. */
async function trialWithoutSandbox(): Promise<BudgetRow[]> {
  const task = await defineTask({
    id: 'overhead_answer',
    tools: [],
    prompt: 'What is 6 times 7?',
    flags: { right: run => run.finalAnswer === '42' },
    reference: () => '42',
  }).resolve()
  const plan = { ...planOfCheck('overhead'), modelLabel: 'overhead' }
  const worker = new TrialWorker(plan, () => Promise.reject(new Error('a sandbox was opened')))
  using journal = openJournal(await mkdtemp(join(tmpdir(), 'overhead-')), 'overhead', 'worker')
  const agent = createAgent('reference', { model: null })
  const trial = async () => {
    const end = await worker.run({ task, index: 0, agent, play: task.reference, signal: never })
    if (end.kind === 'skipped') throw new Error('the trial was skipped')
    const context = { task, index: 0, plan, specFile: 'x', examination: null, artifacts: { dir: null, paths: [] } }
    journal.append(recordOf(end, context))
  }
  const [sample] = [...(await interleaved(N, { 'trial without a sandbox': trial })).values()]
  if (sample === undefined) return []
  console.log(show(sample))
  const ms = median(sample.milliseconds)
  return [{ what: 'trial without a sandbox', measured: `${ms.toFixed(2)} ms`, budget: '5 ms', isMet: ms <= 5 }]
}

/** The Python agent-bench took 30.1 s for its twelve tasks with k = 3 and a model that only answers text. */
const PYTHON_SECONDS_PER_TASK = 30.1 / 12

async function textOnlyBench(): Promise<BudgetRow[]> {
  await using server = await startScriptedServer(() => ({ text: 'I would rather not.' }))
  const root = new URL('..', import.meta.url).pathname
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'bench'], {
    cwd: root,
    stdio: 'ignore',
    env: {
      ...process.env,
      BENCH_BASE_URL: server.baseUrl,
      BENCH_MODEL: 'scripted',
      BENCH_RESULTS_DIR: await mkdtemp(join(tmpdir(), 'overhead-')),
    },
  })
  await once(child, 'close')
  const seconds = (performance.now() - startedAt) / 1_000
  const tasks = countTasks(root)
  const budget = (tasks * PYTHON_SECONDS_PER_TASK) / 5
  console.log(`whole bench, text-only model, k=3, ${tasks} tasks: ${seconds.toFixed(2)} s (n=1)`)
  return [
    {
      what: `whole bench with a text-only model, ${tasks} tasks`,
      measured: `${seconds.toFixed(2)} s`,
      budget: `${budget.toFixed(2)} s, 1/5 of the Python agent-bench`,
      isMet: seconds <= budget,
    },
  ]
}

function countTasks(root: string): number {
  const isTask = (file: string) => file.endsWith('.bench.ts') || file.endsWith('bench_manifest.json')
  return ['tasks', 'skills']
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => join(root, folder, file)),
    )
    .filter(file => isTask(file) && runsByDefault(file)).length
}

/**
 * 1,000 files, 22 MB, as a snapshot of a whole workspace, against one pass of SHA-256 over the same files: each opened, read
 * and hashed once, from memory (/dev/shm) as in the sandbox.
 */
async function bigSnapshot(sandbox: Sandbox): Promise<BudgetRow[]> {
  const files = new Map(
    Array.from({ length: 1_000 }, (_, i) => {
      const bytes = Buffer.alloc(2_000 + ((i * 7_919) % 40_000), `${i} `)
      return [`d${i % 20}/file-${i}.txt`, { bytes, mode: 0o644 }] as const
    }),
  )
  const megabytes = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6
  await sandbox.reset(files, { room: 'agent' })
  const dir = await mkdtemp('/dev/shm/overhead-')
  for (const [path, { bytes }] of files) {
    mkdirSync(join(dir, dirname(path)), { recursive: true })
    writeFileSync(join(dir, path), bytes)
  }
  const samples = await interleaved(15, {
    'one SHA-256 pass': async () => {
      for (const path of files.keys())
        createHash('sha256')
          .update(readFileSync(join(dir, path)))
          .digest()
    },
    'snapshot of 1,000 files': () => sandbox.freeze(),
  })
  rmSync(dir, { recursive: true })
  for (const sample of samples.values()) console.log(show(sample))
  const ms = (name: string) => median(samples.get(name)?.milliseconds ?? [])
  const ratio = ms('snapshot of 1,000 files') / ms('one SHA-256 pass')
  return [
    {
      what: `snapshot of 1,000 files, ${megabytes.toFixed(0)} MB`,
      measured: `${ratio.toFixed(2)} × one SHA-256 pass`,
      budget: '1.5 ×',
      isMet: ratio <= 1.5,
    },
  ]
}

export async function main(): Promise<void> {
  const prepared = await prepareSandbox('docker', { image: null, runId: 'overhead', onProgress: console.log })
  const rows: BudgetRow[] = []
  {
    await using sandbox = await openSandbox(prepared, { runId: 'overhead' })
    rows.push(...(await toolCalls(sandbox)))
    rows.push(...(await resets(sandbox, prepared)))
    rows.push(...(await wholeTrial(sandbox)))
    rows.push(...(await bigSnapshot(sandbox)))
  }
  rows.push(...(await trialWithoutSandbox()))
  rows.push(...(await textOnlyBench()))
  printRows(rows)
  if (rows.some(row => !row.isMet)) process.exitCode = 1
}
