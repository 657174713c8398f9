/** Tasks that need no sandbox: they run with Node alone, and their results stand beside those of tasks that need one. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentBench } from './agent-bench.ts'
import { createProject } from './project.ts'
import { recordsIn } from './records.ts'
import { smallTask } from './small-tasks.ts'

const answers = (id: string, fields: string) => `import { defineTask } from 'agent-bench'
export default defineTask({
  id: '${id}',
  tools: [],
  ${fields}
})
`
const SUM = answers(
  'sum_v1',
  `instance: ({ seed, random }) => ({ a: seed, b: random.integer(10, 99) }),
  prompt: ({ instance: { a, b } }) => \`What is \${a} + \${b}? Answer with the number.\`,
  flags: { right: run => run.finalAnswer === String(run.instance.a + run.instance.b) },
  reference: ({ instance: { a, b } }) => String(a + b),`,
)
const HELLO = answers(
  'hello_v1',
  `prompt: 'Say hello.', flags: { said: run => /hello/i.test(run.finalAnswer) }, reference: () => 'Hello!',`,
)
/** There is no engine, whatever the machine has. */
const NO_ENGINE = { BENCH_AGENT: 'reference', BENCH_SANDBOX: 'docker', DOCKER_HOST: 'unix:///nowhere/docker.sock' }

it('a run of such tasks prepares no sandbox; instances are kept apart, also on resuming', async () => {
  await using project = await createProject({ 'tasks/a/sum.bench.ts': SUM, 'tasks/a/hello.bench.ts': HELLO })
  const first = await project.run([], NO_ENGINE)
  expect(first.status, first.stdout + first.stderr).toBe(0)
  expect(first.stdout).not.toMatch(/^sandbox/m)
  const resumed = await project.run([], { ...NO_ENGINE, BENCH_RESUME: '1', BENCH_INSTANCE: '3' })
  expect(resumed.status).toBe(0)
  expect(resumed.stdout).toMatch(/^PASS +sum_v1 \(instance 3\)/m)
  expect(resumed.stdout).toContain('Without instances, and run as usual: hello_v1.')
  const records = recordsIn(join(project.dir, 'results'))
  const instances = records.map(({ task_id, instance }) => `${task_id} ${instance ?? '-'}`)
  expect(instances.sort()).toEqual([
    ...Array(3).fill('hello_v1 -'),
    ...Array(3).fill('sum_v1 0'),
    ...Array(3).fill('sum_v1 3'),
  ])
  expect(records[0]).toMatchObject({ sandbox: null, identity_parts: { driver: null, image_digest: null } })
  const again = await agentBench(project.dir, ['rescore', 'results'], { env: NO_ENGINE })
  expect(again.out.match(/3 of 3 trials judged again, nothing changed/g)).toHaveLength(4)
  expect(again.error).toBe('')
  const check = await agentBench(project.dir, ['check'], { env: NO_ENGINE })
  expect(check.out).toMatch(/^ok {3}sum_v1 .*, 2 other instances/m)
  expect(check.out).toMatch(/^2 ok, 0 failed/m)
  expect(check.error).not.toMatch(/^sandbox/m)
})

it('a task that needs a sandbox is skipped with the reason where there is none, and the others run', async () => {
  await using project = await createProject({
    'tasks/a/one.bench.ts': smallTask({ id: 'task_one' }),
    'tasks/a/sum.bench.ts': SUM,
  })
  const run = await project.run([], NO_ENGINE)
  expect(run.stdout).toMatch(/^skipped {2}3 trials: .*no Docker engine answers.*remedy: /m)
  expect((await project.summaries()).map(({ task_id, verdict }) => `${task_id} ${verdict}`)).toEqual(['sum_v1 pass'])
  const alone = await project.run(['task_one'], NO_ENGINE)
  expect(alone.status).toBe(2)
  expect(alone.stdout).toMatch(/^skipped {2}3 trials: .*no Docker engine answers[\s\S]*^exit 2 {3}nothing was judged/m)
})

it('a mode or an instance that no task has is refused before anything runs', async () => {
  await using project = await createProject({ 'tasks/a/hello.bench.ts': HELLO })
  for (const [asked, message] of [
    [{ BENCH_MODE: 'agent' }, /no task of this run has a choice of modes/],
    [{ BENCH_INSTANCE: '2' }, /no task of this run has instances/],
  ] as const) {
    const run = await project.run([], { ...NO_ENGINE, ...asked })
    expect(run.stdout + run.stderr).toMatch(message)
    expect(run.status).toBe(2)
  }
  expect(await project.results()).toEqual([])
})
