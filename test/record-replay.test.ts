/** A run that is recorded, and the same run from the recording when its server is gone. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeWith } from './needs.ts'
import { createProject, HELLO_TASK } from './project.ts'
import { call, conversation, say, startScriptedServer } from './scripted-server.ts'

await describeWith(['docker'], 'a recorded run', () => {
  test('is repeated without a server, and a request that was not recorded is a fault', async () => {
    await using project = await createProject({ 'tasks/hello.bench.ts': HELLO_TASK })
    const script = conversation([
      call('read_file', { path: 'name.txt' }),
      call('write_file', { path: 'out.txt', content: 'Hello Ada\n' }),
      say('done'),
    ])
    const server = await startScriptedServer(script)
    const common = { BENCH_SANDBOX: 'docker', BENCH_K: '2' }
    const recorded = await project.run([], { ...common, BENCH_BASE_URL: server.baseUrl, BENCH_RECORD: 'exchanges' })
    expect(recorded.status, recorded.stdout + recorded.stderr).toBe(0)
    await server[Symbol.asyncDispose]()

    const replayed = await project.run([], { ...common, BENCH_REPLAY: 'exchanges', BENCH_RESULTS_DIR: 'again' })
    expect(replayed.status, replayed.stdout + replayed.stderr).toBe(0)
    expect(replayed.stdout + replayed.stderr).toContain(join(project.dir, 'exchanges'))

    const other = await project.run([], { ...common, BENCH_REPLAY: 'exchanges', BENCH_SEED: '1000' })
    expect(other.status, 'nothing could be judged').not.toBe(0)
    expect(other.stdout + other.stderr).toContain('has no reply to turn 1 with seed 1000')
  })
})
