/** `agent-bench rescore` on results that were really recorded: in a throw-away project, and of every task of this house. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { main } from '../src/cli/main.ts'
import { readSummaries } from '../src/results/read-summaries.fixture.ts'
import { infraRecord, sampleRecord } from '../src/results/sample-record.fixture.ts'
import { writeSummary } from '../src/results/store.ts'
import { summarise } from '../src/results/summary.ts'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK, type Project } from './project.ts'

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

async function rescore(directory: string, ...args: readonly string[]) {
  const [out, error]: [string[], string[]] = [[], []]
  const status = await main(['rescore', ...args], {
    directory,
    env: { BENCH_SANDBOX: 'docker' },
    write: text => void out.push(text),
    writeError: text => void error.push(text),
  })
  return { status, out: out.join(''), error: error.join('') }
}

/** Every file below a folder with the hash of its content. */
async function contentOf(dir: string): Promise<Readonly<Record<string, string>>> {
  const entries = (await readdir(dir, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  const paths = entries.map(entry => join(entry.parentPath, entry.name))
  const hash = async (path: string) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  return Object.fromEntries(await Promise.all(paths.map(async path => [path, await hash(path)] as const)))
}

const SPEC = 'tasks/demo/hello.bench.ts'

await describeWith(['docker'], 'agent-bench rescore', () => {
  let project: Project
  let file: string

  beforeAll(async () => {
    project = await createProject({ [SPEC]: HELLO_TASK })
    await project.run([], { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '2' })
    const [stored] = readSummaries(join(project.dir, 'results')).summaries
    if (stored === undefined) throw new Error('the bench left no result')
    file = stored.file
  })
  afterAll(() => project[Symbol.asyncDispose]())

  /** Re-scores the results with another task of today; each pair is a text of the task and what stands in its place. */
  async function withTask(pairs: readonly (readonly [from: string, to: string])[], ...args: readonly string[]) {
    for (const [from] of pairs) expect(HELLO_TASK).toContain(from)
    await project.write({ [SPEC]: pairs.reduce((task, [from, to]) => task.replace(from, to), HELLO_TASK) })
    try {
      return await rescore(project.dir, ...args)
    } finally {
      await project.write({ [SPEC]: HELLO_TASK })
    }
  }

  it.each([
    ['a result file', () => file],
    ['the results of a task by its id', () => 'hello_v1'],
    ['a folder', () => 'results'],
    ['a journal', async () => join('results/journal', (await readdir(join(project.dir, 'results/journal')))[0] ?? '')],
  ])('judges %s as it was judged, and writes nothing', async (_, path) => {
    const before = await contentOf(join(project.dir, 'results'))
    const result = await rescore(project.dir, await path())
    expect(result.out).toMatch(/^hello_v1 {2}reference {2}2 of 2 trials judged again, nothing changed {2}\(.*\)\n$/)
    expect(result.status).toBe(0)
    expect(await contentOf(join(project.dir, 'results'))).toEqual(before)
  })

  it.each<[string, readonly string[], string]>([
    ['a task that has none', ['helo_v1'], 'remedy: Name a task with results: hello_v1.'],
    [
      'a model that has none',
      ['hello_v1', '--model', 'nope'],
      'remedy: Name a model with results of this task: reference.',
    ],
    ['a model for a path', ['results', '--model', 'reference'], '--model goes with the id of a task'],
    ['a task that a path does not hold', ['results', '--task', 'x'], 'holds no result of the task x'],
    ['no file', ['nowhere.json'], 'there is no such file'],
  ])('says what there is for %s', async (_title, args, says) => {
    const { status, error } = await rescore(project.dir, ...args)
    expect(error).toContain(says)
    expect(status).toBe(2)
  })

  const OUTCOME = 'outcome  all 2 trials  passed → failed'
  const READ = "run => run.sawContentOf('name.txt')"
  const ALLOWED = "allowedWrites: ['out.txt']"
  it.each<[string, readonly (readonly [string, string])[], number, boolean, readonly string[], string]>([
    [
      'a flag asks something else',
      [[READ, "run => run.sawContentOf('name.txt', { lines: 2 })"]],
      1,
      false,
      [
        '2 of 2 trials judged again, 2 changed, passes 2/2 → 0/2, verdict pass → fail',
        'flag read  all 2 trials  reached in turn 1 → lost: only 1 of 2 lines of name.txt were shown',
        `${OUTCOME} (flags_lost)`,
      ],
      'flag greeted',
    ],
    [
      'a check asks something else of the files that were left',
      [["includes('Ada')", "includes('Ada Lovelace')"]],
      1,
      false,
      [
        'check greets  all 2 trials  held → failed: not so: out.txt names the person',
        'flag greeted  all 2 trials  reached in turn 2 → lost',
      ],
      'flag read',
    ],
    [
      'other writes are allowed, and verify sees only them',
      [
        [ALLOWED, "allowedWrites: ['other.txt']"],
        [" && run.firstChange('out.txt')", ''],
      ],
      1,
      false,
      ['tamper  all 2 trials  none → out.txt new', 'check greets  all 2 trials  held → failed'],
      'flag read',
    ],
    [
      'the question is another',
      [['Read name.txt', 'Look at name.txt']],
      2,
      true,
      ['not re-scored: all 2 trials: the trial answered another question: prompt changed since'],
      'outcome',
    ],
    ['the spec file is broken', [['flags: {', 'flogs: {']], 2, true, ['hello.bench.ts gives no task'], 'outcome'],
    [
      'a check throws',
      [["(text('out.txt') ?? '').includes('Ada'),", "oops((text('out.txt') ?? '').includes('Ada')),"]],
      2,
      false,
      ['not re-scored: all 2 trials: the verify check "greets" threw: oops is not defined'],
      'outcome',
    ],
  ])('judges by the task of today: %s', async (_title, pairs, status, isRefused, says, saysNot) => {
    const result = await withTask(pairs, file)
    for (const text of says) expect(result.out).toContain(text)
    expect(result.out).not.toContain(saysNot)
    expect(result.status).toBe(status)
    expect(result.error === '', 'no sandbox is started for nothing').toBe(isRefused)
  })

  it('takes a file that was not allowed then from the log of its trial', async () => {
    const stray = (allowed: string, file: string) =>
      HELLO_TASK.replace('hello_v1', 'stray_v1')
        .replace("['out.txt']", allowed)
        .replace("text('out.txt')", `text('${file}')`)
        .replace("'Hello Ada\\n')", "'Hello Ada\\n')\n    await write('notes.txt', 'I greeted Ada\\n')")
    const path = 'tasks/demo/stray.bench.ts'
    await using other = await createProject({ [path]: stray("['out.txt']", 'out.txt') })
    await other.run([], { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '1' })
    expect((await other.summaries())[0]).toMatchObject({ tamper_detected_count: 1, verdict: 'fail' })
    await other.write({ [path]: stray("['out.txt', 'notes.txt']", 'notes.txt') })
    const { status, out } = await rescore(other.dir, 'results')
    expect(out).toContain('tamper  trial 1/1  notes.txt new → none')
    expect(out).toContain('outcome  trial 1/1  failed (tamper) → passed')
    expect(out).not.toContain('check greets')
    expect(status).toBe(1)
  })

  it.each([
    ['was edited', 'Hello Ada', 'Hello Bob', 'its result_hash does not match'],
    ['is of another schema', /"schema_version": \d+/, '"schema_version": 2', 'schema_version is 2, not 3'],
  ])('refuses a record that %s', async (_title, from, to, says) => {
    const edited = join(project.dir, 'result_edited.json')
    await writeFile(edited, (await readFile(file, 'utf8')).replace(from, to))
    const { status, error } = await rescore(project.dir, edited)
    expect([status, error]).toEqual([2, expect.stringContaining(says)])
  })

  it('names a task that is gone, and trials with nothing to score', async () => {
    const of = (task: string) => ({ task_id: task, agent: 'tools', spec_file: SPEC })
    const records = [sampleRecord(of('gone_v1')), infraRecord(0, 'server_error', 'HTTP 500')]
    const summaries = summarise(records, { runId: 'r', k: 1, trials: 1 })
    for (const one of summaries) writeSummary(join(project.dir, 'other'), one)
    const gone = await rescore(project.dir, 'other', '--task', 'gone_v1')
    expect(gone.out).toContain('not re-scored: trial 1/1: there is no task gone_v1 here')
    const infra = await withTask([['hello_v1', 'debug_python']], 'other', '--task', 'debug_python')
    expect(infra.out).toContain('not re-scored: trial 1/1: its outcome is infra: there is nothing to score')
    expect([gone.status, infra.status]).toEqual([2, 2])
  })
})

await describeWith(['docker'], 'agent-bench rescore of the tasks of this house', () => {
  it('gives every flag, check and session check of their references again, to the word', async () => {
    const results = await mkdtemp(join(tmpdir(), 'agent-bench-rescore-'))
    try {
      const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
      const settings = { BENCH_AGENT: 'reference', BENCH_K: '1', BENCH_SANDBOX: 'docker', BENCH_RESULTS_DIR: results }
      const env = { ...process.env, ...settings, VITEST: undefined, VITEST_POOL_ID: undefined }
      const run = promisify(execFile)(process.execPath, [vitest, 'run', '--project', 'bench'], { cwd: REPOSITORY, env })
      await run.catch((error: unknown) => {
        // A reference that loses something is another test's matter: here it must be lost again.
        if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error
      })
      const { status, out } = await rescore(REPOSITORY, results, '--json')
      const report = JSON.parse(out) as { results: { task_id: string; trials: Record<string, unknown>[] }[] }
      const recorded = readSummaries(results).summaries.map(({ summary }) => summary)
      expect(recorded.length).toBeGreaterThanOrEqual(12)
      const seen = new Map(report.results.map(result => [result.task_id, result.trials]))
      for (const { task_id: task, trials } of recorded) {
        expect(seen.get(task), task).toEqual(
          trials.map(trial =>
            expect.objectContaining({
              status: 'same',
              score: trial.score,
              outcome: trial.outcome,
              skill_results: trial.skill_results.map(({ elapsed_sec: _, ...flag }) => flag),
              verified: trial.verified,
              session_checks: trial.session_checks,
              tamper: trial.tamper,
            }),
          ),
        )
      }
      // Tasks whose flags rest on test sessions are among them, or the checks of sessions would not be looked at.
      expect(recorded.some(({ trials }) => trials.some(trial => trial.session_checks.length > 0))).toBe(true)
      expect(status).toBe(0)
    } finally {
      await rm(results, { recursive: true })
    }
  }, 600_000)
})
