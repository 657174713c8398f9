/** `agent-bench check` and `new` on a throw-away project: what is found, how it is said, how it ends. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CliContext } from '../src/cli/command.ts'
import { main } from '../src/cli/main.ts'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK, type Project } from './project.ts'

interface Result {
  readonly status: number
  readonly out: string
  readonly error: string
}

async function agentBench(
  project: Project,
  args: readonly string[],
  env: Record<string, string> = {},
  given: Partial<CliContext> = {},
): Promise<Result> {
  let out = ''
  let error = ''
  const status = await main(args, {
    directory: project.dir,
    // In CI every proof is made.
    env: { BENCH_SANDBOX: 'docker', CI: 'true', ...env },
    write: text => {
      out += text
    },
    writeError: text => {
      error += text
    },
    ...given,
  })
  return { status, out, error }
}

/** The hello task with another reference, cheats, hidden values… */
const helloWith = (fields: string, id = 'hello_v1') =>
  HELLO_TASK.replace('hello_v1', id).replace(/ {2}reference: [\s\S]*$/, `${fields}\n})\n`)

const REFERENCE = `reference: async ({ read, write }) => { await read('name.txt'); await write('out.txt', 'Ada') },`

/** A task that says something wrong of itself, and what is said about that. */
const WRONG: readonly (readonly [string, string, RegExp])[] = [
  [
    'a reference that does not pass',
    `reference: async ({ read }) => { await read('name.txt') },`,
    /reference: trial 1 of 2: flag greeted was lost/,
  ],
  [
    'a reference that leaves something else each time',
    `reference: async ({ read, sh }) => { await read('name.txt'); await sh('(echo Ada; cat /proc/sys/kernel/random/uuid) > out.txt') },`,
    /reference: trial 2 left other files than trial 1: out\.txt/,
  ],
  [
    'a step that nobody would miss',
    `reference: async ({ read, write, sh }) => { await read('name.txt'); await write('out.txt', 'Ada'); await sh('cat out.txt') },`,
    /reference without step 3 \(run cat out\.txt\): nothing is lost/,
  ],
  [
    'a step that is marked optional and is not',
    `reference: async ({ read, write, optional }) => { await optional('no reason', async () => void (await read('name.txt'))); await write('out.txt', 'Ada') },`,
    /without step 1 \(read name\.txt\): it is marked optional, but without it is lost: read/,
  ],
  [
    'a file that nobody would miss',
    `allowedWrites: ['out.txt', 'log.txt'], reference: async ({ read, sh }) => { await read('name.txt'); await sh('echo Ada | tee out.txt > log.txt') },`,
    /reference with log\.txt put back: nothing is lost/,
  ],
  [
    'a cheat that loses less than it says',
    `${REFERENCE} cheats: { c: { loses: ['read', 'greeted'], play: async ({ write }) => void (await write('out.txt', 'Ada')) } },`,
    /cheat "c": flag greeted was reached but must be lost/,
  ],
  [
    'an honest way that loses a flag',
    `${REFERENCE} honest: { h: async ({ write }) => void (await write('out.txt', 'Ada')) },`,
    /honest "h": flag read was lost but must be reached/,
  ],
  [
    'a play that throws',
    `${REFERENCE} honest: { h: async () => { throw new Error('my own mistake') } },`,
    /honest "h": .*my own mistake/,
  ],
  [
    'a hidden value in a file',
    `${REFERENCE} hidden: ['secret 77', 'LOVELACE  lives'],`,
    /hidden values: hidden\[1\] is in the file name\.txt/,
  ],
  [
    'a hidden value in the prompt',
    `${REFERENCE} hidden: ['name.txt  holds'], prompt: 'The file name.txt holds a name.',`,
    /hidden values: hidden\[0\] is in the prompt/,
  ],
  [
    'a hidden value in the system prompt',
    `${REFERENCE} hidden: ['harbour board'], system: 'You work for the harbour board.',`,
    /hidden values: hidden\[0\] is in the prompt/,
  ],
  [
    'a hidden value in the name of a file',
    `${REFERENCE} hidden: ['name.txt'],`,
    /hidden values: hidden\[0\] is in the name of the file name\.txt/,
  ],
  ['a hidden value in the environment', `${REFERENCE} hidden: ['/home/agent'],`, /hidden\[0\] is in the environment/],
  [
    'a cheat that says it tampers and changes nothing it may not',
    `${REFERENCE} cheats: { c: { loses: ['read'], tampers: true, play: async ({ write }) => void (await write('out.txt', 'Ada')) } },`,
    /cheat "c": it says tampers: true, but it left no change outside the allowed writes$/m,
  ],
  [
    'a check that gives nothing back',
    `${REFERENCE} verify: { greets: ({ text, check }) => { check(text('out.txt') === 'Ada', 'Ada') } },`,
    /reference: it could not be judged: the verify check "greets" gave nothing back .*\(remedy: .*"return" missing/,
  ],
  [
    'a check with its arguments swapped',
    `${REFERENCE} verify: { greets: ({ text, check }) => check('out.txt is Ada', text('out.txt') === 'Ada') },`,
    /reference: it could not be judged: verify\["greets"\]: check\("out.txt is Ada", true\) .*\(remedy: Swap the two/,
  ],
  ['no reference', '', /it has no reference/],
]

await describeWith(['docker'], 'agent-bench check', () => {
  it('says in one line what was proved, with exit status 0', async () => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': helloWith(REFERENCE) })
    const { status, out } = await agentBench(project, ['check'])
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
      /^ok {3}hello_v1 .* unchanged$/m.test((await agentBench(project, ['check', ...args], env)).out)
    await change('first')
    expect(await isUnchanged()).toBe(false)
    expect(await isUnchanged()).toBe(true)
    expect(await isUnchanged(['--no-cache'])).toBe(false)
    expect(await isUnchanged([], {})).toBe(false)
    expect(await isUnchanged(['--k', '2'])).toBe(false)
    await change('second')
    expect(await isUnchanged()).toBe(false)
  })

  it.each(WRONG)('finds %s', async (_name, fields, problem) => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': helloWith(fields) })
    const { status, out } = await agentBench(project, ['check', '--k', '2'])
    expect(out).toMatch(problem)
    expect(out).toMatch(/^FAIL hello_v1/)
    expect(status).toBe(1)
  })

  it('finds a hidden value in the directory of a skill, where a script that is stubbed is still whole', async () => {
    await using project = await createProject({})
    await agentBench(project, ['new', 'skill', 'skills/notice-board'])
    const folder = join(project.dir, 'skills/notice-board')
    const proof = await readFile(join(folder, 'bench_proof.ts'), 'utf8')
    const manifest = await readFile(join(folder, 'bench_manifest.json'), 'utf8')
    await project.write({
      'skills/notice-board/scripts/sign.sh': '#!/bin/bash\necho signed 7731\n',
      'skills/notice-board/bench_manifest.json': manifest.replace(
        '"required_reads"',
        '"stubs": { "scripts/sign.sh": { "stdout": "signed" } },\n  "required_reads"',
      ),
      'skills/notice-board/bench_proof.ts': proof.replace('reference:', "hidden: ['SIGNED 7731'],\n  reference:"),
    })
    const { status, out } = await agentBench(project, ['check'])
    expect(out).toMatch(/hidden values: hidden\[0\] is in the skill directory's file scripts\/sign\.sh/)
    expect(status).toBe(1)
  })

  it('shows in a terminal how many plays are done, on a line that it takes away again', async () => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': helloWith(REFERENCE) })
    const { error, out } = await agentBench(project, ['check'], {}, { isTerminal: true })
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

  it('shows no progress where stderr is not a terminal', async () => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': helloWith(REFERENCE) })
    const { error } = await agentBench(project, ['check'])
    expect(error).not.toMatch(/plays|\r/)
  })

  it('finds a file that the tools cannot show whole', async () => {
    const wide = helloWith(REFERENCE).replace('lives here', `lives here\\n' + 'x'.repeat(9000) + '`)
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': wide })
    const { status, out } = await agentBench(project, ['check'])
    expect(out).toMatch(/reading: name\.txt: line 2 is longer than 8,000 characters/)
    expect(status).toBe(1)
  })

  it('finds a task that doing nothing solves', async () => {
    const lazy = helloWith(REFERENCE).replace(
      "run.verified('greets') && run.firstChange('out.txt')",
      'run.callCount >= 0',
    )
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': lazy })
    const { status, out } = await agentBench(project, ['check'])
    expect(out).toMatch(/nop 0\.5/)
    expect(out).toMatch(/nop: flag greeted was reached but must be lost/)
    expect(status).toBe(1)
  })

  it('checks what the filter names, and gives one JSON object', async () => {
    await using project = await createProject({
      'tasks/demo/hello.bench.ts': helloWith(REFERENCE),
      'tasks/demo/other.bench.ts': helloWith('', 'other_v1'),
    })
    const { status, out } = await agentBench(project, ['check', 'hello', '--json', '--jobs', '1'])
    expect(JSON.parse(out)).toMatchObject({
      exit_status: 0,
      broken: [],
      tasks: [{ task_id: 'hello_v1', status: 'ok', reference: { passed: 3, trials: 3 }, nop_score: 0, steps: 2 }],
    })
    expect(status).toBe(0)
  })

  it('names a broken spec file with remedy and checks the others', async () => {
    await using project = await createProject({
      'tasks/demo/hello.bench.ts': helloWith(REFERENCE),
      'tasks/demo/wrong.bench.ts': HELLO_TASK.replace('allowedWrites', 'allowedWrite'),
      'tasks/demo/syntax.bench.ts': 'export default {',
    })
    const { status, out } = await agentBench(project, ['check'])
    expect(out).toMatch(/FAIL tasks\/demo\/wrong\.bench\.ts[\s\S]*Did you mean "allowedWrites"/)
    expect(out).toMatch(/FAIL tasks\/demo\/syntax\.bench\.ts[\s\S]*cannot be loaded/)
    // The compiler colours what it says.
    expect(out).not.toMatch(/\\x1b|\[3\dm/)
    expect(out).toMatch(/ok {3}hello_v1/)
    expect(status).toBe(1)
    const { out: json } = await agentBench(project, ['check', '--json'])
    expect(json).toMatch(/"message": "[^"]*syntax\.bench\.ts cannot be loaded/)
    expect(json).not.toContain('\\u001b')
  })

  it('refuses two tasks with one id, naming both files', async () => {
    await using project = await createProject({
      'tasks/demo/hello.bench.ts': helloWith(REFERENCE),
      'tasks/demo/again.bench.ts': helloWith(REFERENCE),
    })
    const { status, out, error } = await agentBench(project, ['check', 'hello_v1'])
    expect(error).toMatch(
      /two tasks have the id "hello_v1": tasks\/demo\/again\.bench\.ts and tasks\/demo\/hello\.bench\.ts\n {2}remedy: Give one/,
    )
    expect(out).toBe('')
    expect(status).toBe(2)
    // A file that is named by itself is one task.
    const { status: alone } = await agentBench(project, ['check', 'again.bench.ts'])
    expect(alone).toBe(0)
  })
})

await describeWith(['docker'], 'agent-bench check that proves nothing', () => {
  it('ends with 2 where there is no task, or none of that name', async () => {
    await using project = await createProject({})
    const nothing = await agentBench(project, ['check'])
    expect(nothing.error).toMatch(/there is no task here\n {2}remedy: .*agent-bench new task/)
    expect(nothing.status).toBe(2)
    await project.write({ 'tasks/demo/hello.bench.ts': HELLO_TASK })
    const unknown = await agentBench(project, ['check', 'helo'])
    expect(unknown.error).toMatch(/remedy: There are: hello_v1/)
    expect(unknown.status).toBe(2)
  })

  it('ends with 2 where there is no sandbox', async () => {
    await using project = await createProject({ 'tasks/demo/hello.bench.ts': HELLO_TASK })
    const { status, error } = await agentBench(project, ['check'], { BENCH_IMAGE: 'no-such-image:nowhere' })
    expect(error).toMatch(/no-such-image[\s\S]*remedy: /)
    expect(status).toBe(2)
  })

  it('skips a skill that has no manifest and so no verdict', async () => {
    await using project = await createProject({
      'skills/seen/SKILL.md': '---\nname: seen\ndescription: Is seen.\n---\n\n# A page of some words\n',
    })
    const { status, out } = await agentBench(project, ['check'])
    expect(out).toMatch(/skip skill_run_v1_seen {2}it has no manifest/)
    expect(status).toBe(2)
  })
})

await describeWith(['docker'], 'agent-bench new', () => {
  it('writes a task and a skill that prove themselves at once', async () => {
    await using project = await createProject({})
    const task = await agentBench(project, ['new', 'task', 'my_first_v1', '--suite', 'demo'])
    expect(task.out).toContain('next: npx agent-bench check my_first_v1')
    const skill = await agentBench(project, ['new', 'skill', 'skills/notice-board'])
    expect(skill.out).toContain('next: npx agent-bench check skill_run_v1_notice-board')
    const { status, out } = await agentBench(project, ['check'])
    expect(out).toMatch(/ok {3}my_first_v1 {2}reference 3\/3, nop 0, 2 cheats, 1 honest/)
    expect(out).toMatch(/ok {3}skill_run_v1_notice-board {2}reference 3\/3, nop 0, 1 cheat, 1 honest/)
    expect(status).toBe(0)
  })

  it('writes a task and a skill that the bench collects and runs', async () => {
    await using project = await createProject({})
    await agentBench(project, ['new', 'task', 'my_first_v1'])
    await agentBench(project, ['new', 'skill', 'skills/notice-board'])
    const run = await project.run([], { BENCH_SANDBOX: 'docker', BENCH_AGENT: 'reference', BENCH_K: '1' })
    expect(run.status).toBe(0)
    expect((await project.summaries()).map(({ task_id }) => task_id).sort()).toEqual([
      'my_first_v1',
      'skill_run_v1_notice-board',
    ])
  })

  it('names the variable for a skill that is not below skills/', async () => {
    await using project = await createProject({})
    const { out } = await agentBench(project, ['new', 'skill', 'my things/notice-board'])
    expect(out).toContain("next: BENCH_SKILL_DIR='my things/notice-board' npx agent-bench check")
    const checked = await agentBench(project, ['check'], { BENCH_SKILL_DIR: 'my things/notice-board' })
    expect(checked.status).toBe(0)
  })
})
