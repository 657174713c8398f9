/**
 * Kills runs at random moments, resumes them, and looks after each kill what is left on the machine and on disk.
 * `npm run test:kills` does it 200 times and writes docs/kills.md; test/kills.test.ts does fewer.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, leftovers, markedWith, processesWith } from './leftovers.ts'
import { createProject, type Project, type Started } from './project.ts'
import { recordsIn } from './records.ts'
import { smallTask } from './small-tasks.ts'

const K = 20
const TASKS = ['task_one', 'task_two']
const FILES = Object.fromEntries(TASKS.map(id => [`tasks/${id}.bench.ts`, smallTask({ id, sleeps: 0.08 })]))
const ENVIRONMENT = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: String(K), BENCH_RESUME: '1' }
/** Half of the kills wait for a new record, and then at most so long. Milliseconds; a trial takes about 100. */
const LONGEST_WAIT_MS = 800
/** What the product promises. Milliseconds. */
const GONE_WITHIN_MS = 2_000
const END_DEADLINE_MS = 20_000
/** Vitest waits a minute for a worker that died before it said that it has started. */
const END_WITHOUT_WORKER_MS = 80_000

const KINDS = [
  { name: 'SIGKILL to the group', signal: 'SIGKILL', target: 'group' },
  { name: 'SIGKILL to the main process', signal: 'SIGKILL', target: 'main' },
  { name: 'SIGKILL to the worker', signal: 'SIGKILL', target: 'worker' },
  { name: 'SIGINT to the group', signal: 'SIGINT', target: 'group' },
  { name: 'SIGTERM to the main process', signal: 'SIGTERM', target: 'main' },
  { name: 'SIGHUP to the main process', signal: 'SIGHUP', target: 'main' },
] as const

type Kind = (typeof KINDS)[number]

export interface Kill {
  readonly number: number
  readonly kind: string
  /** Milliseconds after the start of the run. */
  readonly afterMs: number
  readonly phase: 'before the first record' | 'between records' | 'the run had ended'
  /** Records on disk afterwards. */
  readonly records: number
}

export interface KillReport {
  readonly seed: number
  readonly kills: readonly Kill[]
  /** Times that all trials were recorded, and a new results folder was begun; the last one included. */
  readonly completions: number
  /** What should not be; one sentence each. Empty = all well. */
  readonly problems: readonly string[]
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function send(kind: Kind, started: Started, mark: string): void {
  const main = started.process.pid
  if (main === undefined || started.process.exitCode !== null) return
  const workers = processesWith(mark).filter(pid => pid !== main)
  const pid = kind.target === 'group' ? -main : kind.target === 'worker' ? (workers[0] ?? main) : main
  try {
    process.kill(pid, kind.signal)
  } catch (error) {
    // It ended by itself just now.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** What is wrong with the records on disk: lost ones, doubled ones, wrong seeds. */
function problemsOfRecords(resultsDir: string, before: ReadonlySet<string>): readonly string[] {
  const records = recordsIn(resultsDir)
  const problems: string[] = []
  const hashes = new Set(records.map(record => record.result_hash))
  for (const hash of before) if (!hashes.has(hash)) problems.push(`the record ${hash} is lost`)
  const judged = records.filter(record => record.outcome === 'passed' || record.outcome === 'failed')
  const keys = judged.map(record => `${record.task_id} trial ${record.trial_index}`)
  for (const key of new Set(keys.filter((one, index) => keys.indexOf(one) !== index)))
    problems.push(`${key} is doubled`)
  for (const { task_id, trial_index, seed, outcome } of records) {
    if (seed !== 42 + trial_index) problems.push(`${task_id} trial ${trial_index} has the seed ${seed}`)
    if (outcome === 'failed') problems.push(`${task_id} trial ${trial_index} failed: a kill was booked as the agent's`)
  }
  return problems
}

/** Lets a run resume to its end, and checks that every trial is there once. */
async function complete(project: Project): Promise<readonly string[]> {
  const run = await project.run([], ENVIRONMENT)
  const passed = recordsIn(join(project.dir, 'results')).filter(({ outcome }) => outcome === 'passed')
  const counts = TASKS.map(id => passed.filter(({ task_id }) => task_id === id).length)
  return [
    ...(run.status === 0 ? [] : [`the resumed run ended with status ${run.status}: ${run.stdout.slice(-500)}`]),
    ...(counts.every(count => count === K) ? [] : [`passed trials per task: ${counts.join(', ')}, not ${K}`]),
  ]
}

/** Milliseconds that a run needs here and now to its first record; the load of the machine decides it. */
async function timeToFirstRecord(): Promise<number> {
  await using project = await createProject(FILES)
  const startedAt = performance.now()
  const started = project.start([], ENVIRONMENT)
  await eventually(() => recordsIn(join(project.dir, 'results')).length > 0, END_DEADLINE_MS)
  const tookMs = performance.now() - startedAt
  started.process.kill('SIGTERM')
  await started.ended
  return tookMs
}

/**
 * Kills runs `count` times, one after another.
 * @param seed Of the moments and kinds of the kills.
 */
export async function killRounds(count: number, seed: number, log: (line: string) => void): Promise<KillReport> {
  const random = randomNumbers(seed)
  const startMs = await timeToFirstRecord()
  const kills: Kill[] = []
  const problems: string[] = []
  let completions = 0
  let project = await createProject(FILES)
  try {
    for (let number = 1; number <= count; number++) {
      const resultsDir = join(project.dir, 'results')
      const before = new Set(recordsIn(resultsDir).map(record => record.result_hash))
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? KINDS[0]
      const isWhileStarting = random() < 0.5
      const waitMs = random() * (isWhileStarting ? startMs : LONGEST_WAIT_MS)
      const mark = `kill-${process.pid}-${number}`
      const started = project.start([], { ...ENVIRONMENT, ...markedWith(mark) })
      const startedAt = performance.now()
      const isRecordedOrOver = () => started.process.exitCode !== null || recordsIn(resultsDir).length > before.size
      if (!isWhileStarting) await eventually(isRecordedOrOver, END_DEADLINE_MS)
      await sleep(waitMs)
      const afterMs = Math.round(performance.now() - startedAt)
      const hadEnded = started.process.exitCode !== null
      send(kind, started, mark)
      const deadline = sleep(kind.target === 'worker' ? END_WITHOUT_WORKER_MS : END_DEADLINE_MS).then(() => null)
      if ((await Promise.race([started.ended, deadline])) === null) problems.push(`kill ${number}: the run did not end`)
      const left = await leftovers({ resultsDir, mark }, GONE_WITHIN_MS)
      const found = [
        ...left.containers.map(id => `container ${id} is left`),
        ...left.processes.map(pid => `process ${pid} is left`),
        ...problemsOfRecords(resultsDir, before),
      ]
      problems.push(...found.map(problem => `kill ${number} (${kind.name}, ${afterMs} ms): ${problem}`))
      const records = recordsIn(resultsDir).length
      const moment = records > before.size ? 'between records' : 'before the first record'
      const phase = hadEnded ? 'the run had ended' : moment
      kills.push({ number, kind: kind.name, afterMs, phase, records })
      const counts = `${records} records, ${problems.length} problems`
      log(`${number}/${count} ${kind.name} after ${afterMs} ms, ${phase}: ${counts}`)
      if (records >= K * TASKS.length || number === count) {
        const afterwards = [...(await complete(project)), ...problemsOfRecords(resultsDir, before)]
        problems.push(...afterwards.map(problem => `after kill ${number}: ${problem}`))
        completions += 1
        await project[Symbol.asyncDispose]()
        project = await createProject(FILES)
      }
    }
  } finally {
    await project[Symbol.asyncDispose]()
  }
  return { seed, kills, completions, problems }
}

/** The table of a long series, for docs/kills.md. */
function page(report: KillReport): string {
  const count = (matches: (kill: Kill) => boolean) => report.kills.filter(matches).length
  const phases = [...new Set(report.kills.map(kill => kill.phase))].toSorted()
  const rows = KINDS.map(({ name }) => {
    const counts = phases.map(phase => count(kill => kill.kind === name && kill.phase === phase))
    return `| ${name} | ${counts.join(' | ')} |`
  })
  return `# ${report.kills.length} kills

Written by \`npm run test:kills\` (seed ${report.seed}). Two tasks of ${K} trials run on the docker sandbox with BENCH_RESUME=1; each run is
killed at a random moment, one half while it starts, the other after it has recorded a trial.
Within ${GONE_WITHIN_MS / 1_000} s after its end no container and no process of it may be left (Vitest itself waits up to a minute for a worker
that is killed while it starts); no record may be lost, doubled, or carry another seed; whenever all trials are recorded, a last run must find every task complete.

${report.kills.length} kills, ${report.completions} series resumed to their end, **${report.problems.length} problems**.
${report.problems.map(problem => `- ${problem}\n`).join('')}
| kind | ${phases.join(' | ')} |
|---|${phases.map(() => '---|').join('')}
${rows.join('\n')}
`
}

/** `kill-rounds.ts [number of kills] [file for the table] [seed]` */
export async function main([count = '200', file = 'docs/kills.md', seed = '1']: readonly string[]): Promise<void> {
  const report = await killRounds(Number(count), Number(seed), line => process.stdout.write(`${line}\n`))
  writeFileSync(file, page(report))
  for (const problem of report.problems) process.stdout.write(`${problem}\n`)
  process.exitCode = report.problems.length === 0 ? 0 : 1
}
