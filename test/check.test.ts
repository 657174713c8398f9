/** `agent-bench check` and `new` on a throw-away project: what is found, how it is said, how it ends. */
import { expect, it } from 'vitest'
import { agentBench } from './agent-bench.ts'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK, readText } from './project.ts'

/** The hello task with another reference, cheats, hidden values… */
const helloWith = (fields: string, id = 'hello_v1') =>
  HELLO_TASK.replace('hello_v1', id).replace(/ {2}reference: [\s\S]*$/, `${fields}\n})\n`)

const REFERENCE = `reference: async ({ read, write }) => { await read('name.txt'); await write('out.txt', 'Ada') },`

const HELLO = { 'tasks/demo/hello.bench.ts': helloWith(REFERENCE) }
const WRITES = `async ({ write }) => void (await write('out.txt', 'Ada'))`

/** Fields of a task that says something wrong of itself, and what is said about that. */
const WRONG: readonly (readonly [string, RegExp])[] = [
  ['', /it has no reference/],
  [`reference: async ({ read }) => { await read('name.txt') },`, /reference: trial 1 of 2: flag greeted was lost/],
  [
    REFERENCE.replace('},', `; await sh('cat /proc/sys/kernel/random/uuid >> out.txt') },`).replace(
      'read,',
      'read, sh,',
    ),
    /reference: trial 2 left other files than trial 1: out\.txt/,
  ],
  [
    REFERENCE.replace('},', `; await sh('cat out.txt') },`).replace('read,', 'read, sh,'),
    /reference without step 3 \(run cat out\.txt\): nothing is lost/,
  ],
  [
    `reference: async ({ read, write, optional }) => {
      await optional('no reason', async () => void (await read('name.txt')))
      await write('out.txt', 'Ada') },`,
    /without step 1 \(read name\.txt\): it is marked optional, but without it is lost: read/,
  ],
  [
    `allowedWrites: ['out.txt', 'log.txt'],
    reference: async ({ read, sh }) => { await read('name.txt'); await sh('echo Ada | tee out.txt > log.txt') },`,
    /reference with log\.txt put back: nothing is lost/,
  ],
  [
    `${REFERENCE} cheats: { c: { loses: ['read', 'greeted'], play: ${WRITES} } },`,
    /cheat "c": flag greeted was reached but must be lost/,
  ],
  [
    `${REFERENCE} cheats: { c: { loses: ['read'], tampers: true, play: ${WRITES} } },`,
    /cheat "c": it says tampers: true, but it left no change outside the allowed writes$/m,
  ],
  [`${REFERENCE} honest: { h: ${WRITES} },`, /honest "h": flag read was lost but must be reached/],
  [`${REFERENCE} honest: { h: async () => { throw new Error('my own mistake') } },`, /honest "h": .*my own mistake/],
  [`${REFERENCE} hidden: ['secret 77', 'LOVELACE  lives'],`, /hidden values: hidden\[1\] is in the file name\.txt/],
  [`${REFERENCE} hidden: ['/home/agent'],`, /hidden\[0\] is in the environment/],
  [
    `${REFERENCE} verify: { greets: ({ text, check }) => { check(text('out.txt') === 'Ada', 'Ada') } },`,
    /reference: it could not be judged: the verify check "greets" gave nothing back .*\(remedy: .*"return" missing/,
  ],
]

await describeWith(['docker'], 'agent-bench check', () => {
  it('says in one line what was proved, with exit status 0', async () => {
    await using project = await createProject(HELLO)
    const { status, out, error } = await agentBench(project.dir, ['check'])
    expect(error).not.toMatch(/plays|\r/)
    expect(out).toMatch(
      /^ok {3}hello_v1 {2}reference 3\/3, nop 0, 0 cheats, 0 honest, 2 steps, answer not judged {2}[\d.]+ s\n1 ok, 0 failed/,
    )
    expect(status).toBe(0)
  })

  it('makes a proof once, until the task changes, and always in CI or with --no-cache', async () => {
    const file = 'tasks/demo/hello.bench.ts'
    await using project = await createProject({})
    // Projects of tests share one cache: this task is no other's.
    const change = (comment: string) =>
      project.write({ [file]: `${helloWith(REFERENCE)}// ${comment} of ${project.dir}` })
    const isUnchanged = async (args: readonly string[] = [], env: Record<string, string> = { CI: '' }) =>
      /^ok {3}hello_v1 .* unchanged$/m.test((await agentBench(project.dir, ['check', ...args], { env })).out)
    await change('first')
    expect(await isUnchanged()).toBe(false)
    expect(await isUnchanged()).toBe(true)
    expect(await isUnchanged(['--no-cache'])).toBe(false)
    expect(await isUnchanged([], {})).toBe(false)
    expect(await isUnchanged(['--k', '2'])).toBe(false)
    await change('second')
    expect(await isUnchanged()).toBe(false)
  })

  it.each(WRONG.map(([fields, problem]) => [problem, fields] as const))('finds %s', async (problem, fields) => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': helloWith(fields) })
    const { status, out } = await agentBench(project.dir, ['check', '--k', '2'])
    expect(out).toMatch(problem)
    expect(out).toMatch(/^FAIL hello_v1/)
    expect(status).toBe(1)
  })

  it('finds a hidden value in the directory of a skill, where a script that is stubbed is still whole', async () => {
    await using project = await createProject({})
    await agentBench(project.dir, ['new', 'skill', 'skills/notice-board'])
    const proof = await readText(project, 'skills/notice-board/bench_proof.ts')
    const manifest = await readText(project, 'skills/notice-board/bench_manifest.json')
    await project.write({
      'skills/notice-board/scripts/sign.sh': '#!/bin/bash\necho signed 7731\n',
      'skills/notice-board/bench_manifest.json': manifest.replace('{', '{ "stubs": { "scripts/sign.sh": {} },'),
      'skills/notice-board/bench_proof.ts': proof.replace('reference:', "hidden: ['SIGNED 7731'],\n  reference:"),
    })
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/hidden values: hidden\[0\] is in the skill directory's file scripts\/sign\.sh/)
    expect(status).toBe(1)
  })

  it('shows in a terminal how many plays are done, on a line that it takes away again', async () => {
    await using project = await createProject(HELLO)
    const { error, out } = await agentBench(project.dir, ['check'], { isTerminal: true })
    const lines = error.split('\r\u001b[2K')
    const shown = lines.flatMap(line => {
      const [, done, all] = /^hello_v1 {2}(\d+) of (\d+) plays$/.exec(line) ?? []
      return done === undefined ? [] : [[done, all]]
    })
    expect(shown.map(([done]) => Number(done))).toEqual(shown.map((_, index) => index + 1))
    // Three of the reference, one of nop, one to read, two without a step, one without its file, one without an answer.
    expect(shown.at(-1)).toEqual(['9', '9'])
    expect(lines.at(-1)).toBe('')
    expect(out).not.toContain('plays')
  })

  it('finds a file that the tools cannot show whole', async () => {
    const wide = helloWith(REFERENCE).replace('lives here', `lives here\\n' + 'x'.repeat(9000) + '`)
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': wide })
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/reading: name\.txt: line 2 is longer than 8,000 characters/)
    expect(status).toBe(1)
  })

  it('finds a task that doing nothing solves', async () => {
    const lazy = helloWith(REFERENCE).replace("&& run.firstChange('out.txt')", '|| run.callCount >= 0')
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': lazy })
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/nop 0\.5/)
    expect(out).toMatch(/nop: flag greeted was reached but must be lost/)
    expect(status).toBe(1)
  })

  it('checks what the filter names, and gives one JSON object', async () => {
    await using project = await createProject({
      ...HELLO,
      'tasks/demo/other.bench.ts': helloWith('', 'other_v1'),
    })
    const { status, out } = await agentBench(project.dir, ['check', 'hello', '--json', '--jobs', '1'])
    expect(JSON.parse(out)).toMatchObject({
      exit_status: 0,
      broken: [],
      tasks: [{ task_id: 'hello_v1', status: 'ok', reference: { passed: 3, trials: 3 }, nop_score: 0, steps: 2 }],
    })
    expect(status).toBe(0)
  })

  it('names a broken spec file with remedy and checks the others', async () => {
    await using project = await createProject({
      ...HELLO,
      'tasks/demo/wrong.bench.ts': HELLO_TASK.replace('allowedWrites', 'allowedWrite'),
      'tasks/demo/syntax.bench.ts': 'export default {',
    })
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/FAIL tasks\/demo\/wrong\.bench\.ts[\s\S]*Did you mean "allowedWrites"/)
    expect(out).toMatch(/FAIL tasks\/demo\/syntax\.bench\.ts[\s\S]*cannot be loaded/)
    // The compiler colours what it says.
    expect(out).not.toMatch(/\\x1b|\[3\dm/)
    expect(out).toMatch(/ok {3}hello_v1/)
    expect(status).toBe(1)
    const { out: json } = await agentBench(project.dir, ['check', '--json'])
    expect(json).toMatch(/"message": "[^"]*syntax\.bench\.ts cannot be loaded/)
    expect(json).not.toContain('\\u001b')
  })

  it('refuses two tasks with one id, naming both files', async () => {
    await using project = await createProject({
      ...HELLO,
      'tasks/demo/again.bench.ts': helloWith(REFERENCE),
    })
    const { status, out, error } = await agentBench(project.dir, ['check', 'hello_v1'])
    expect(error).toMatch(
      /two tasks have the id "hello_v1": tasks\/demo\/again\.bench\.ts and tasks\/demo\/hello\.bench\.ts\n {2}remedy: Give one/,
    )
    expect(out).toBe('')
    expect(status).toBe(2)
    // A file that is named by itself is one task.
    const { status: alone } = await agentBench(project.dir, ['check', 'again.bench.ts'])
    expect(alone).toBe(0)
  })
})

await describeWith(['docker'], 'agent-bench check that proves nothing', () => {
  it('ends with 2 where there is no task, or none of that name', async () => {
    await using project = await createProject({})
    const nothing = await agentBench(project.dir, ['check'])
    expect(nothing.error).toMatch(/there is no task here\n {2}remedy: .*agent-bench new task/)
    expect(nothing.status).toBe(2)
    await project.write({ 'tasks/demo/hello.bench.ts': HELLO_TASK })
    const unknown = await agentBench(project.dir, ['check', 'helo'])
    expect(unknown.error).toMatch(/remedy: There are: hello_v1/)
    expect(unknown.status).toBe(2)
  })

  it('ends with 2 where there is no sandbox', async () => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': HELLO_TASK })
    const { status, error } = await agentBench(project.dir, ['check'], {
      env: { BENCH_IMAGE: 'no-such-image:nowhere' },
    })
    expect(error).toMatch(/no-such-image[\s\S]*remedy: /)
    expect(status).toBe(2)
  })

  it('skips a skill that has no manifest and so no verdict', async () => {
    await using project = await createProject({
      'skills/seen/SKILL.md': '---\nname: seen\ndescription: Is seen.\n---\n\n# A page of some words\n',
    })
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/skip skill_run_v1_seen {2}it has no manifest/)
    expect(status).toBe(2)
  })
})

await describeWith(['docker'], 'agent-bench new', () => {
  it('writes a task and a skill that prove themselves at once, and that the bench runs', async () => {
    await using project = await createProject({})
    const task = await agentBench(project.dir, ['new', 'task', 'my_first_v1', '--suite', 'demo'])
    expect(task.out).toContain('next: npx agent-bench check my_first_v1')
    const skill = await agentBench(project.dir, ['new', 'skill', 'skills/notice-board'])
    expect(skill.out).toContain('next: npx agent-bench check skill_run_v1_notice-board')
    const { status, out } = await agentBench(project.dir, ['check'])
    expect(out).toMatch(/ok {3}my_first_v1 {2}reference 3\/3, nop 0, 2 cheats, 1 honest/)
    expect(out).toMatch(/ok {3}skill_run_v1_notice-board {2}reference 3\/3, nop 0, 1 cheat, 1 honest/)
    expect(status).toBe(0)
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '1' })
    expect(run.status).toBe(0)
    const tasks = (await project.summaries()).map(({ task_id }) => task_id).sort()
    expect(tasks).toEqual(['my_first_v1', 'skill_run_v1_notice-board'])
  })

  it('names the variable for a skill that is not below skills/', async () => {
    await using project = await createProject({})
    const { out } = await agentBench(project.dir, ['new', 'skill', 'my things/notice-board'])
    expect(out).toContain("next: BENCH_SKILL_DIR='my things/notice-board' npx agent-bench check")
    const checked = await agentBench(project.dir, ['check'], { env: { BENCH_SKILL_DIR: 'my things/notice-board' } })
    expect(checked.status).toBe(0)
  })
})
