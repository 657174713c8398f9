/** The whole product on a real engine: Vitest, plugin, sandbox, journal, reports. */
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK } from './project.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'

const HELLO = { 'tasks/demo/hello.bench.ts': HELLO_TASK }
const REFERENCE = { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference' }

await describeWith(['docker'], 'the bench on docker', () => {
  it('passes its reference k times in one container, proves every reset, and says it is not a model result', async () => {
    await using project = await createProject(HELLO)
    const run = await project.run([], REFERENCE)
    expect(run.stderr + run.stdout).toContain('sandbox  docker')
    expect(run.status).toBe(0)
    expect(run.stdout.trimEnd().split('\n').at(-1)).toContain('NOT A MODEL RESULT')
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ task_id: 'hello_v1', model: 'reference', agent: 'reference' })
    expect(summary).toMatchObject({ k: 3, trials_run: 3, pass_all_k: true, pass_hat_k: 1, verdict: 'pass' })
    const trials = summary?.trials ?? []
    expect(new Set(trials.map(trial => trial.sandbox?.id)).size).toBe(1)
    for (const trial of trials) {
      expect(trial.reset_proof).toMatchObject({ processes_left: 0, leftovers: 0 })
      expect(trial.reset_proof?.root).toBe(trial.reset_proof?.expected_root)
      expect(trial.artifacts).toEqual(['out.txt'])
    }
    expect(trials.map(trial => trial.seed)).toEqual([42, 43, 44])
  })

  it('scores doing nothing 0, with exit status 1, the lost flags under the task, and their line in the spec file', async () => {
    await using project = await createProject(HELLO)
    const run = await project.run([], { ...REFERENCE, BENCH_AGENT: 'nop' })
    expect(run.status).toBe(1)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ avg_score: 0, verdict: 'fail', pass_hat_k: 0 })
    expect(Object.values(summary?.skills ?? {}).every(skill => skill.reached === 0)).toBe(true)
    expect(run.stdout).toMatch(/✗ read +all 3 trials +name\.txt was never shown/)
    const text = run.stdout + run.stderr
    expect(text.match(/name\.txt was never shown/g)).toHaveLength(1)
    expect(text).toMatch(/FlagsFailedError: 2 of 2 flags lost[\s\S]*tasks\/demo\/hello\.bench\.ts:9:/)
    expect(text).toContain("read: run => run.sawContentOf('name.txt')")
  })
})

await describeWith(['docker'], 'a run that cannot be made or goes wrong', () => {
  const DOCKER = { BENCH_SANDBOX: 'docker' }
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['no engine', { ...REFERENCE, DOCKER_HOST: 'unix:///nonexistent/docker.sock' }, /remedy: .*(docker|engine)/i],
    ['no such image', { ...REFERENCE, BENCH_IMAGE: 'no-such-image:nowhere' }, /no-such-image/],
    [
      'no server where one was named',
      { ...DOCKER, BENCH_BASE_URL: 'http://127.0.0.1:9/v1' },
      /^(?!.*reference).*remedy:/s,
    ],
  ])('%s: says what to do and falls back to nothing, with exit status 2', async (_what, env, said) => {
    await using project = await createProject(HELLO)
    const run = await project.run([], env)
    expect(run.status).toBe(2)
    expect(run.stdout + run.stderr).toMatch(said)
    expect(await project.results()).toEqual(['journal'])
  })

  it('reports a mistake in a spec at collection, with file, field and remedy', async () => {
    const wrong = HELLO_TASK.replace('allowedWrites:', 'allowedWrite:')
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': wrong, 'skills/gone/notes.txt': '' })
    await symlink('nowhere', join(project.dir, 'skills/gone/SKILL.md'))
    const run = await project.run([], REFERENCE)
    expect(run.status).toBe(2)
    const text = run.stdout + run.stderr
    expect(text).toMatch(/gone\/SKILL\.md: it is a link that leads nowhere\n +remedy: Replace/)
    expect(text).toMatch(/exit 2 {3}nothing was judged/)
    expect(text).toMatch(/tasks\/demo\/hello\.bench\.ts: allowedWrite[\s\S]*Did you mean .?allowedWrites/i)
  })

  it('books a flag that throws as a fault: inconclusive, exit status 2, the model is not blamed', async () => {
    const oops = "run => { if (run.finalAnswer === 'done') throw new Error('my own mistake')"
    const throwing = HELLO_TASK.replace("run => run.sawContentOf('name.txt')", `${oops}; return run.callCount > 0 }`)
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': throwing })
    const run = await project.run([], { ...REFERENCE, BENCH_K: '1' })
    expect(run.stdout + run.stderr).toContain('my own mistake')
    expect(run.status).toBe(2)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ verdict: 'inconclusive', n: 0, pass_hat_k: null, excluded: { infra: 1 } })
  })
})

await describeWith(['docker'], 'a window that is too small', () => {
  it('leaves the task out, with the reason, and not the others', async () => {
    const needy = HELLO_TASK.replace("id: 'hello_v1',", "id: 'hello_v1',\n  contextTokens: 32_768,")
    const modest = HELLO_TASK.replace("id: 'hello_v1',", "id: 'hello_v2',")
    await using project = await createProject({
      'tasks/demo/hello.bench.ts': needy,
      'tasks/demo/other.bench.ts': modest,
    })
    const props = { total_slots: 1, model_path: '/m.gguf', default_generation_settings: { n_ctx: 4_096, params: {} } }
    await using server = await startScriptedServer(() => say('No.'), { routes: { '/props': props } })
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl, BENCH_K: '1' })
    const reason = /skipped +1 trial: .*hello_v1 needs 32,768 tokens of context.* 4,096.*-c 32768/
    expect(run.stdout + run.stderr).toMatch(reason)
    expect(run.status).toBe(1)
    expect((await project.summaries()).map(({ task_id }) => task_id)).toEqual(['hello_v2'])
  })
})

await describeWith(['docker'], 'collecting', () => {
  it('finds two tasks with one id also where the id only shows when a file is loaded', async () => {
    const workedOut = HELLO_TASK.replace("id: 'hello_v1'", "id: ['hello', 'v1'].join('_')")
    await using project = await createProject({
      'tasks/demo/hello.bench.ts': workedOut,
      'tasks/demo/again.bench.ts': workedOut,
    })
    const run = await project.run([], REFERENCE)
    expect(run.status).toBe(2)
    expect(run.stdout + run.stderr).toMatch(/two tasks have the id "hello_v1"/)
  })

  it('ends with status 2 and the reason when all there is was skipped', async () => {
    await using project = await createProject({
      'skills/plain/SKILL.md': '---\nname: plain\ndescription: Writes a line.\n---\nWrite one line to out.txt.\n',
    })
    const run = await project.run([], REFERENCE)
    expect(run.status).toBe(2)
    expect(run.stdout).toMatch(/^skipped {2}3 trials: unproven: a skill without a manifest is only observed/m)
    expect(run.stdout).toMatch(/^exit 2 {3}nothing was judged/m)
  })

  it('gives a skill without a manifest no verdict, and says that it is observed', async () => {
    await using project = await createProject({
      'skills/plain/SKILL.md':
        '---\nname: plain\ndescription: Says how to greet.\n---\nWrite a friendly greeting to hello.txt.\n',
      'skills/plain/scripts/greet.sh': 'echo Hello\n',
      'skills/plain/scripts/other.sh': 'echo other\n',
    })
    const command = 'bash skill/scripts/greet.sh > hello.txt'
    await using server = await startScriptedServer(conversation([call('execute_command', { command }), say('Done.')]))
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_BASE_URL: server.baseUrl, BENCH_K: '1' })
    expect(run.stdout).toMatch(/observed[\s\S]*read:skill\/SKILL.md reached in 0 of 1 trial/)
    expect(run.stdout).toMatch(/ran:scripts\/greet.sh reached in 1 of 1 trial[\s\S]*other.sh reached in 0 of 1 trial/)
    expect(run.stdout).toMatch(/changed: hello.txt in 1 of 1/)
    expect(run.stdout).toMatch(/npx agent-bench new skill skills\/plain adds a manifest and a proof/)
    expect(run.status).toBe(0)
    expect(await project.summaries()).toMatchObject([{ observed: true, verdict: null, n: 1 }])
  })
})
