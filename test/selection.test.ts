/** Which tasks a run collects: default suites, BENCH_SUITE, BENCH_PROFILE, and names on the command line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentBench } from './agent-bench.ts'
import { createProject, type Project } from './project.ts'
import { smallTask } from './small-tasks.ts'

const suite = (fields: string) =>
  `import { defineSuite } from 'agent-bench'\nexport default defineSuite({ title: 'Named only', byDefault: false, ${fields} })\n`

let project: Project
beforeAll(async () => {
  project = await createProject({
    'tasks/mine/one.bench.ts': smallTask({ id: 'task_one' }),
    'tasks/named/suite.ts': suite(
      "modules: { a: ['task_two'], b: ['task_three'] }, profiles: { fast: ['task_three'] }",
    ),
    'tasks/named/two.bench.ts': smallTask({ id: 'task_two' }),
    'tasks/named/three.bench.ts': smallTask({ id: 'task_three' }),
  })
})
afterAll(() => project[Symbol.asyncDispose]())

async function listed(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, status } = await project.run(['list', '--filesOnly', '--project', 'bench', ...args], env)
  const files = [...stdout.matchAll(/\[bench\] .*?([\w-]+)\.bench\.ts/g)].map(([, name]) => name).sort()
  return { files, stderr, status }
}

describe('the tasks that are run', () => {
  it.each<[string, string[], Record<string, string>, string[]]>([
    ['without a choice: suites that need not be named', [], {}, ['one']],
    ['the id of a task', ['task_two'], {}, ['two']],
    ['a part of a path', ['tasks/named'], {}, ['three', 'two']],
    ['a suite', [], { BENCH_SUITE: 'named' }, ['three', 'two']],
    ['two suites', [], { BENCH_SUITE: 'named,mine' }, ['one', 'three', 'two']],
    ['a part of a suite', [], { BENCH_SUITE: 'named', BENCH_PROFILE: 'fast' }, ['three']],
    ['a part of one suite beside another', [], { BENCH_SUITE: 'named,mine', BENCH_PROFILE: 'fast' }, ['one', 'three']],
    ['a task of the package', ['doc_trap_v1'], {}, ['doc-trap']],
    ['a task of the package beside an own one', ['doc_trap_v1', 'task_two'], {}, ['doc-trap', 'two']],
  ])('%s', async (_what, args, env, files) => {
    expect((await listed(args, env)).files).toEqual(files)
  })

  it('a suite of the package by its name, and all of everything', async () => {
    expect((await listed(['agentic'])).files).toHaveLength(8)
    expect((await listed([], { BENCH_SUITE: 'all' })).files).toEqual(expect.arrayContaining(['one', 'two', 'doc-trap']))
  })

  it('a part that no suite has is refused, and so is a suite that does not fit its folder', async () => {
    const unknown = await listed([], { BENCH_SUITE: 'named', BENCH_PROFILE: 'fsat' })
    expect(unknown.stderr).toMatch(/no suite of this run has such a part[\s\S]*Did you mean "fast"\?/)
    expect(unknown.status).toBe(2)
    await using other = await createProject({
      'tasks/named/suite.ts': suite("modules: { a: ['task_two', 'task_tow'] }"),
      'tasks/named/two.bench.ts': smallTask({ id: 'task_two' }),
      'tasks/open/suite.ts': suite("modules: { a: ['task_four'] }"),
      'tasks/open/three.bench.ts': smallTask({ id: 'task_three' }),
    })
    const none = await other.run(['list', '--project', 'bench'])
    expect(none.stderr).toMatch(/every suite here runs only when it is named[\s\S]*BENCH_SUITE=named/)
    const run = await other.run(['list', '--project', 'bench', 'task_three'])
    expect(run.stdout + run.stderr).toContain('tasks/open/suite.ts: modules: "task_three" is in no module')
    const check = await agentBench(other.dir, ['check', 'named'])
    expect(check.out).toContain('modules.a: "task_tow" is no task of this folder')
    expect(check.status).toBe(1)
  })
})
