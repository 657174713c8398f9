/** Text of a model, a file and a server in everything that a run prints, stock reporters included. */
import { expect, it } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, readText } from './project.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'
import { smallTask } from './small-tasks.ts'

const FILE = 'a\u001b[2Jb\n::error::x'
const MODEL = 'm\u001b]8;;x\u0007\r\u202e\n::error::y'
const REPORTERS = ['default', 'verbose', 'github-actions', 'junit'].flatMap(name => [`--reporter=${name}`])

await describeWith(['namespaces'], 'text from outside', () => {
  it('controls neither terminal nor log, and begins no line', async () => {
    await using project = await createProject({
      'tasks/a.bench.ts': smallTask({ id: 'task_a' }),
      'tasks/b.bench.ts': smallTask({ id: 'task_b' }).replace('a greeting', 'another greeting'),
    })
    const left = conversation([
      call('execute_command', { command: `echo x > $'${JSON.stringify(FILE).slice(1, -1)}'` }),
      say(FILE),
    ])
    const failing = { status: 500, body: { error: { message: `broken ${FILE}` } } }
    await using server = await startScriptedServer(
      body => (JSON.stringify(body).includes('another') ? failing : left(body)),
      { model: MODEL },
    )
    const run = await project.run([...REPORTERS, '--outputFile.junit=junit.xml'], {
      BENCH_SANDBOX: 'namespace',
      BENCH_K: '1',
      BENCH_BASE_URL: server.baseUrl,
      GITHUB_ACTIONS: 'true',
    })
    const [task] = (await project.summaries()).filter(({ task_id }) => task_id === 'task_a')
    expect(task?.trials[0]?.tamper.map(({ path }) => path)).toEqual([FILE])
    expect(task?.model).toBe(MODEL)
    const text = run.stdout + run.stderr + (await readText(project, 'junit.xml'))
    expect(text).toContain('broken a\\x1b[2Jb ::error::x')
    expect(text).toMatch(/^model {4}m\\x1b\]8;;x\\x07\\r\\u\{202e\}\\n::error::y on/m)
    expect(text.match(/[^\P{Cc}\n]|\p{Bidi_C}|^\s*::error::/gmu)).toBeNull()
  })
})
