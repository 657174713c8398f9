/** `agent-bench rescore` on results that were really recorded: in a throw-away project, and of every task of this house. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSummaries } from '../src/results/read-summaries.fixture.ts'
import { infraRecord, sampleRecord } from '../src/results/sample-record.fixture.ts'
import { writeSummary } from '../src/results/store.ts'
import { summarise } from '../src/results/summary.ts'
import { agentBench } from './agent-bench.ts'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK, type Project, readText } from './project.ts'

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

const rescore = (directory: string, ...args: readonly string[]) => agentBench(directory, ['rescore', ...args])

/** Every file below a folder with its content. */
async function contentOf(dir: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found[path] = await readFile(path, 'latin1')
  }
  return found
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

  /** The task with one text replaced, for as long as it is looked at. */
  async function withTask(from: string, to: string, look: () => Promise<void>): Promise<void> {
    expect(HELLO_TASK).toContain(from)
    await project.write({ [SPEC]: HELLO_TASK.replace(from, to) })
    try {
      await look()
    } finally {
      await project.write({ [SPEC]: HELLO_TASK })
    }
  }

  it('judges a file, a folder, a journal or a task as it was judged, and writes nothing', async () => {
    const before = await contentOf(join(project.dir, 'results'))
    const [journal = ''] = await readdir(join(project.dir, 'results/journal'))
    for (const path of [file, 'results', join('results/journal', journal), 'hello_v1']) {
      const result = await rescore(project.dir, path)
      expect(result.out).toMatch(/^hello_v1 {2}reference {2}2 of 2 trials judged again, nothing changed {2}\(.*\)\n$/)
      expect(result.status).toBe(0)
    }
    expect(await contentOf(join(project.dir, 'results'))).toEqual(before)
  })

  it('says what there is where a task or a model is not known', async () => {
    const unknown = await rescore(project.dir, 'helo_v1')
    expect(unknown.error).toContain('remedy: Name a task with results: hello_v1.')
    const ofModel = await rescore(project.dir, 'hello_v1', '--model', 'nope')
    expect(ofModel.error).toContain('remedy: Name a model with results of this task: reference.')
    const ofFile = await rescore(project.dir, file, '--model', 'reference')
    expect(ofFile.error).toContain('--model goes with the id of a task')
    expect([unknown.status, ofModel.status, ofFile.status]).toEqual([2, 2, 2])
  })

  it('shows a flag that asks something else today, with the reason', () =>
    withTask("run => run.sawContentOf('name.txt')", "run => run.sawContentOf('name.txt', { lines: 2 })", async () => {
      const { status, out } = await rescore(project.dir, file)
      expect(status).toBe(1)
      expect(out).toContain('2 of 2 trials judged again, 2 changed, passes 2/2 → 0/2, verdict pass → fail')
      expect(out).toContain(
        'flag read  all 2 trials  reached in turn 1 → lost: only 1 of 2 lines of name.txt were shown',
      )
      expect(out).toContain('outcome  all 2 trials  passed → failed (flags_lost)')
      expect(out).not.toContain('flag greeted')
    }))

  it('runs verify again: a check of today is made of the files that were left', () =>
    withTask("includes('Ada')", "includes('Ada Lovelace')", async () => {
      const { status, out } = await rescore(project.dir, file)
      expect(status).toBe(1)
      expect(out).toContain('check greets  all 2 trials  held → failed: not so: out.txt names the person')
      expect(out).toContain('flag greeted  all 2 trials  reached in turn 2 → lost')
    }))

  it('finds tamper by the writes allowed today, and verifies only what they let through', () =>
    withTask("allowedWrites: ['out.txt']", "allowedWrites: ['other.txt']", async () => {
      const spec = await readText(project, SPEC)
      await project.write({ [SPEC]: spec.replace(" && run.firstChange('out.txt')", '') })
      const { status, out } = await rescore(project.dir, file)
      expect(status).toBe(1)
      expect(out).toContain('tamper  all 2 trials  none → out.txt new')
      expect(out).toContain('check greets  all 2 trials  held → failed')
    }))

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

  it('refuses trials that answered another question, and starts no sandbox for nothing', () =>
    withTask('Read name.txt', 'Look at name.txt', async () => {
      const { status, out, error } = await rescore(project.dir, file)
      expect(out).toContain('not re-scored: all 2 trials: the trial answered another question: prompt changed since')
      expect([status, error]).toEqual([2, ''])
    }))

  it('refuses a record that was edited, one of another schema, and a path that is nothing', async () => {
    const text = await readFile(file, 'utf8')
    const edited = join(project.dir, 'result_edited.json')
    await writeFile(edited, text.replace('Hello Ada', 'Hello Bob'))
    const changed = await rescore(project.dir, edited)
    expect([changed.status, changed.error]).toEqual([2, expect.stringContaining('its result_hash does not match')])

    await writeFile(edited, text.replace(/"schema_version": \d+/, '"schema_version": 2'))
    const older = await rescore(project.dir, edited)
    expect([older.status, older.error]).toEqual([2, expect.stringContaining('schema_version is 2, not 3')])

    const none = await rescore(project.dir, 'nowhere.json')
    expect([none.status, none.error]).toEqual([2, expect.stringMatching(/there is no such file[\s\S]*result_\*\.json/)])
  })

  it('names a task that is gone, one that is broken, and trials with nothing to score', async () => {
    const other = join(project.dir, 'other')
    const of = (task: string) => ({ task_id: task, agent: 'tools', spec_file: SPEC })
    const records = [sampleRecord(of('gone_v1')), infraRecord(0, 'server_error', 'HTTP 500')]
    for (const one of summarise(records, { runId: 'r', k: 1, trials: 1 })) writeSummary(other, one)
    const gone = await rescore(project.dir, 'other', '--task', 'gone_v1')
    expect(gone.out).toContain('not re-scored: trial 1/1: there is no task gone_v1 here')
    expect(gone.status).toBe(2)

    await withTask('hello_v1', 'debug_python', async () => {
      const infra = await rescore(project.dir, 'other', '--task', 'debug_python')
      expect(infra.out).toContain('not re-scored: trial 1/1: its outcome is infra: there is nothing to score')
      expect(infra.status).toBe(2)
    })
    await withTask('flags: {', 'flogs: {', async () => {
      expect((await rescore(project.dir, file)).out).toMatch(
        /not re-scored: all 2 trials: .*hello\.bench\.ts gives no task/,
      )
    })
    expect((await rescore(project.dir, 'other', '--task', 'x')).error).toContain('holds no result of the task x')
  })

  it("a check of today that throws is the task's fault, and nothing is said about the trial", () =>
    withTask("check((text('out.txt')", "check(oops((text('out.txt')", async () => {
      const spec = await readText(project, SPEC)
      await project.write({ [SPEC]: spec.replace("includes('Ada'),", "includes('Ada')),") })
      const { status, out } = await rescore(project.dir, file)
      expect(out).toMatch(/not re-scored: all 2 trials: the verify check "greets" threw: oops is not defined/)
      expect(status).toBe(2)
    }))
})

await describeWith(['docker'], 'agent-bench rescore of the tasks of this house', () => {
  it('gives every flag, check and session check of their references again, to the word', async () => {
    const results = await mkdtemp(join(tmpdir(), 'agent-bench-rescore-'))
    try {
      const env = { ...process.env, VITEST: undefined, VITEST_POOL_ID: undefined, BENCH_RESULTS_DIR: results }
      const reference = { BENCH_AGENT: 'reference', BENCH_K: '1', BENCH_SANDBOX: 'docker' }
      const command = [join(REPOSITORY, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'bench']
      const run = promisify(execFile)(process.execPath, command, { cwd: REPOSITORY, env: { ...env, ...reference } })
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
