/** Vitest's own options on the bench; the rows of docs/vitest.md, one test each. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findSpecFiles, loadSpecFiles } from '../src/cli/spec-files.ts'
import type { Summary } from '../src/results/summary-schema.ts'
import { describeWith } from './needs.ts'
import { createProject, type Project, type Run, readText } from './project.ts'
import { smallTask } from './small-tasks.ts'

const REFERENCE = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference' }
const FILES = {
  'tasks/a/one.bench.ts': smallTask({ id: 'task_one' }),
  'tasks/a/two.bench.ts': smallTask({ id: 'task_two' }),
  'tasks/b/bad.bench.ts': smallTask({ id: 'task_bad', fails: true }),
}

let project: Project
let before: ReadonlySet<string>
beforeAll(async () => {
  project = await createProject(FILES)
})
afterAll(() => project[Symbol.asyncDispose]())
beforeEach(async () => {
  before = new Set((await project.summaries()).map(summary => summary.result_hash))
})

/** Summaries that the runs of this test wrote. */
async function written(): Promise<readonly Summary[]> {
  return (await project.summaries()).filter(summary => !before.has(summary.result_hash))
}

const outline = (summary: Summary | undefined) =>
  summary === undefined ? null : [summary.task_id, summary.trials_run, summary.verdict, summary.pass_hat_k]

/** Whether trials ran one after another. */
function areApart(summary: Summary | undefined): boolean {
  const spans = (summary?.trials ?? []).map(({ started_at, total_elapsed_sec }) => {
    const start = Date.parse(started_at)
    return { start, end: start + Math.floor(total_elapsed_sec * 1_000) }
  })
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  return inOrder.every((span, index) => span.start >= (inOrder[index - 1]?.end ?? 0) - 2)
}
const byTask = (summaries: readonly Summary[]) => summaries.map(outline).toSorted()

await describeWith(['docker'], "Vitest's options on the bench", () => {
  it.each([[['tasks/a/one']], [['-t', 'task_one']], [['task_one']], [['tasks/a/one.bench.ts:5']]])(
    '%s runs one task, whole',
    async args => {
      const run = await project.run(args, { ...REFERENCE, BENCH_K: '2' })
      expect(run.status).toBe(0)
      expect((await written()).map(outline)).toEqual([['task_one', 2, 'pass', 1]])
    },
  )

  it('-t with one trial gives no verdict, keeps the seed of that trial, and ends with status 2', async () => {
    const run = await project.run(['tasks/a/one', '-t', 'trial 2/'], REFERENCE)
    expect(run.status).toBe(2)
    expect(run.stdout).toMatch(/^exit 2 .*task_one/m)
    const summaries = await written()
    expect(summaries.map(outline)).toEqual([['task_one', 1, null, null]])
    expect(summaries[0]?.trials.map(trial => [trial.trial_index, trial.seed])).toEqual([[1, 43]])
  })

  it.each([
    [['task_one', 'task_two_v1'], /no task is called "task_two_v1"[\s\S]*Did you mean "task_two"\?/],
    [['tasks/a/none.bench.ts:3'], /"tasks\/a\/none\.bench\.ts:3"[\s\S]*remedy/],
  ])('%j, one of which fits nothing: status 2, and the ids that are near', async (args, said) => {
    const run = await project.run(args, REFERENCE)
    expect(run.stderr).toMatch(said)
    expect(run.status).toBe(2)
    expect(await written()).toEqual([])
  })

  it('include replaces ours, exclude and benchmarks of Vitest are left alone, also by check', async () => {
    const benchmark = "import { bench } from 'vitest'\nbench('sort', () => { [3, 1].sort() }, { time: 5 })\n"
    await using other = await createProject({
      'tasks/one.bench.mts': smallTask({ id: 'task_one' }),
      'tasks/two.bench.js': smallTask({ id: 'task_two' }),
      'tasks/sort.bench.ts': benchmark,
      'old/three.bench.ts': smallTask({ id: 'task_three' }),
      'evals/four.task.ts': smallTask({ id: 'task_four' }),
    })
    const config = await readText(other, 'vitest.config.ts')
    const listed = async (test: string) => {
      await other.write({ 'vitest.config.ts': config.replace("name: 'bench'", `name: 'bench', ${test}`) })
      const run = await other.run(['list', '--filesOnly'])
      const { loaded } = await loadSpecFiles(await findSpecFiles(other.dir), other.dir)
      const files = [...run.stdout.matchAll(/\[bench\] (\S+)/g)].map(([, file]) => file)
      expect(loaded.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
      return files.toSorted()
    }
    const ours = ['tasks/one.bench.mts', 'tasks/two.bench.js']
    expect(await listed("exclude: ['old/**', '**/node_modules/**']")).toEqual(ours)
    expect(await listed("include: ['evals/*.task.ts']")).toEqual(['evals/four.task.ts'])
    expect(await listed("include: ['none/*.ts']")).toEqual([])
    await other.write({ 'vitest.config.ts': config })
    const run = await other.run(['bench', '--run'])
    expect(run.stdout).toMatch(/sort\.bench\.ts/)
    expect(run.status).toBe(0)
  })

  it('--changed and related select a skill by any text of it, with a commented manifest in the tree', async () => {
    await using other = await createProject({
      'tasks/one.bench.ts': smallTask({ id: 'task_one' }),
      'skills/note/SKILL.md': '---\nname: note\ndescription: Writes a note. Use it for notes.\n---\nWrite it.\n',
      'skills/note/scripts/sign.py': 'print("signed")\n',
      'skills/note/bench_manifest.json':
        '{ // read by people\n  "goal": "Write a.txt", "expected_artifacts": ["a.txt"] }\n',
      '.gitignore': 'node_modules\nresults\n',
    })
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', other.dir, ...words])
    for (const words of ['init -q', 'add -A', 'commit -q -m all']) git(...words.split(' '))
    const ran = (run: Run) => [...run.stdout.matchAll(/\|bench\| (\S+)/g)].map(([, file]) => file)
    const related = ['related', '--run', '--project', 'bench', 'skills/note/scripts/sign.py']
    expect(ran(await other.run(related, REFERENCE))).toEqual(['skills/note/bench_manifest.json'])
    await other.write({ 'skills/note/SKILL.md': '---\nname: note\ndescription: Writes notes.\n---\nWrite it.\n' })
    expect(ran(await other.run(['--changed'], REFERENCE))).toEqual(['skills/note/bench_manifest.json'])
  })

  it('--bail ends the run after a trial that did not pass; the task fails, its pass^k stays open', async () => {
    const run = await project.run(['tasks/b', '--bail=1'], REFERENCE)
    expect(run.status).toBe(1)
    expect((await written()).map(outline)).toEqual([['task_bad', 1, 'fail', null]])
    expect(run.stdout).not.toContain('cut off')
  })

  it('--shard deals out whole tasks; --merge-reports shows all, asks neither server nor engine, and ends as they did', async () => {
    const env = { ...REFERENCE, BENCH_K: '2' }
    const shard = async (index: number) => {
      const args = [`--shard=${index}/2`, '--reporter=blob', `--outputFile=blobs/${index}.json`]
      return (await project.run(args, env)).status
    }
    expect([await shard(1), await shard(2)].toSorted()).toEqual([0, 1])
    expect(byTask(await written())).toEqual([
      ['task_bad', 2, 'fail', 0],
      ['task_one', 2, 'pass', 1],
      ['task_two', 2, 'pass', 1],
    ])
    const nothing = { DOCKER_HOST: 'tcp://127.0.0.1:9', BENCH_BASE_URL: 'http://127.0.0.1:9/v1' }
    const run = await project.run(['--merge-reports=blobs'], { ...nothing, BENCH_SANDBOX: 'docker' })
    expect(run.stdout).toMatch(/^FAIL {5}task_bad +– +0\/2/m)
    expect(run.stdout).toMatch(/^PASS {5}task_one +– +2\/2 +1.00/m)
    expect(run.stdout).toMatch(/^2 of 3 tasks pass in the merged reports/m)
    expect(run.status).toBe(1)
  })

  it.each([
    ['json', /^\{[\s\S]*"bench":\{[\s\S]*"outcome":"failed"[\s\S]*"greeted":"lost"[\s\S]*\}$/],
    ['junit', /^<\?xml[\s\S]*<property name="bench:flag"[\s\S]*<\/testsuites>$/],
    ['tap', /^TAP version(?![\s\S]*sandbox {2})/],
  ])('--reporter=%s has standard output to itself, with what became of the flags', async (reporter, output) => {
    const run = await project.run(['tasks/b', `--reporter=${reporter}`], { ...REFERENCE, BENCH_K: '1' })
    expect(run.status).toBe(1)
    expect(run.stdout.trim()).toMatch(output)
    expect(run.stderr).toContain('0 of 1 task passes')
  })

  it('--reporter=verbose and github-actions name trial, lost flag and line of the spec', async () => {
    const args = ['tasks/b', '--reporter=verbose', '--reporter=github-actions']
    const run = await project.run(args, { ...REFERENCE, BENCH_K: '1' })
    expect(run.stdout).toMatch(/× .*task_bad > trial 1\/1/)
    expect(run.stdout).toMatch(/^::error file=.*bad\.bench\.ts,.*line=8,.*1 of 1 flags lost/m)
    expect(run.stdout).toContain('0 of 1 task passes')
  })

  it('neither retries, nor time limits, nor concurrency, nor order of the command line touch a trial', async () => {
    await using slow = await createProject({
      'tasks/slow.bench.ts': smallTask({ id: 'task_slow', sleeps: 0.3 }),
      'tasks/bad.bench.ts': smallTask({ id: 'task_bad', fails: true }),
    })
    const options = ['--retry=2', '--testTimeout=100', '--sequence.concurrent', '--sequence.shuffle.tests']
    const run = await slow.run([...options, '--isolate', '--pool=threads'], REFERENCE)
    expect(run.status).toBe(1)
    const summaries = await slow.summaries()
    const good = summaries.find(({ task_id }) => task_id === 'task_slow')
    expect(byTask(summaries)).toEqual([
      ['task_bad', 3, 'fail', 0],
      ['task_slow', 3, 'pass', 1],
    ])
    expect(areApart(good)).toBe(true)
    expect(good?.trials.map(trial => trial.seed)).toEqual([42, 43, 44])
    expect(new Set(good?.trials.map(trial => trial.sandbox?.id)).size).toBe(1)
  })

  it('VITEST_MAX_WORKERS does not put two trials beside each other; BENCH_WORKERS does, each with its own sandbox', async () => {
    const one = await project.run(['tasks/a'], { ...REFERENCE, VITEST_MAX_WORKERS: '2' })
    expect(one.status).toBe(0)
    const sandboxesOf = (summaries: readonly Summary[]) =>
      new Set(summaries.flatMap(summary => summary.trials.map(trial => trial.sandbox?.id)))
    const sequential = await written()
    expect(sequential).toHaveLength(2)
    expect(sandboxesOf(sequential).size).toBe(1)
    await project.write({ 'tasks/a/three.bench.ts': smallTask({ id: 'task_three' }) })
    const two = await project.run(['tasks/a'], { ...REFERENCE, BENCH_WORKERS: '2' })
    await rm(join(project.dir, 'tasks/a/three.bench.ts'))
    expect(two.status).toBe(0)
    const known = new Set(sequential.map(summary => summary.result_hash))
    const parallel = (await written()).filter(summary => !known.has(summary.result_hash))
    expect(parallel).toHaveLength(3)
    expect(sandboxesOf(parallel).size).toBe(2)
  })

  it('BENCH_WORKERS spreads the trials of one task, stops it early, and resumes it', async () => {
    const two = { ...REFERENCE, BENCH_WORKERS: '2', BENCH_K: '4' }
    expect((await project.run(['task_one'], two)).status).toBe(0)
    const [good] = await written()
    expect([outline(good), good?.trials.map(({ seed }) => seed)]).toEqual([
      ['task_one', 4, 'pass', 1],
      [42, 43, 44, 45],
    ])
    expect(new Set(good?.trials.map(({ sandbox }) => sandbox?.id)).size).toBe(2)
    const options = { ...two, BENCH_EARLY_STOP: '1' }
    await project.run(['task_bad'], options)
    const again = await project.run(['task_bad'], { ...options, BENCH_RESUME: '1' })
    const [bad, resumed, ...others] = (await written()).filter(({ task_id }) => task_id === 'task_bad')
    for (const summary of [bad, resumed]) {
      expect(summary).toMatchObject({ trials_run: 2, early_stopped: true })
    }
    expect([again.status, others, resumed?.trials]).toEqual([1, [], bad?.trials])
  })

  it('several projects run in one command, and a failed unit test is not hidden by a task that is not judged', async () => {
    const config = (await readText(project, 'vitest.config.ts')).replace(
      'projects: [',
      "projects: [{ test: { name: 'unit', include: ['unit/*.test.ts'], sequence: { groupOrder: 2 } } }, ",
    )
    const unit = "import { expect, it } from 'vitest'\nit('adds', () => expect(1 + 1).toBe(3))\n"
    await using both = await createProject({
      'vitest.config.ts': config,
      'unit/sum.test.ts': unit,
      'tasks/one.bench.ts': FILES['tasks/a/one.bench.ts'],
    })
    const run = await both.run(['run', '-t', 'trial 1/|adds'], REFERENCE)
    expect(run.stdout).toMatch(/1 failed \| 1 passed/)
    expect((await both.summaries()).map(outline)).toEqual([['task_one', 1, null, null]])
    expect(run.status).toBe(1)
  })

  it('list names every trial and starts nothing', async () => {
    await using fresh = await createProject(FILES)
    const run = await fresh.run(['list', '--project', 'bench'], { ...REFERENCE, BENCH_K: '2' })
    expect(run.status).toBe(0)
    expect(run.stdout.trim().split('\n')).toHaveLength(6)
    expect(run.stdout).toContain('task_one > trial 2/2')
    expect(existsSync(join(fresh.dir, 'results'))).toBe(false)
  })

  it('bench is refused with the command that was meant', async () => {
    const run = await project.run(['bench', '--project', 'bench'], REFERENCE)
    expect(run.status).toBe(2)
    expect(run.stderr).toMatch(/agent-bench cannot run: `vitest bench` measures .*\n +remedy: Run `npx vitest run --p/)
    expect(run.stderr).not.toMatch(/\[agent-bench|\{\n/)
  })
})
