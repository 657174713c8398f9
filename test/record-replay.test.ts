/** A run that is recorded, and the same run from the recording when its server is gone. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSummaries } from '../src/results/read-summaries.fixture.ts'
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
    expect(replayed.stdout).toMatch(/^REPLAYED: scripted answered from a recording/m)
    expect(replayed.stdout).toContain('· replayed')
    expect(replayed.stdout, 'there is no server that could be examined').not.toMatch(/^server /m)
    expect(replayed.stdout).not.toContain('tiers over all results')
    expect(recorded.stdout).not.toContain('REPLAYED')

    const summaries = await project.summaries()
    expect(summaries.map(({ environment }) => environment.replayed)).toEqual([false])
    const again = readSummaries(join(project.dir, 'again')).summaries.map(({ summary }) => summary)
    expect(again.flatMap(({ trials }) => trials.map(({ environment }) => environment.replayed))).toEqual([true, true])

    const other = await project.run([], {
      ...common,
      BENCH_REPLAY: 'exchanges',
      BENCH_SEED: '1000',
      BENCH_RESULTS_DIR: 'other',
    })
    expect(other.status, 'nothing could be judged').not.toBe(0)
    expect(other.stdout + other.stderr).toContain('has no reply to turn 1 with seed 1000')
    expect(other.stdout).toMatch(/^next .*record again with BENCH_RECORD/m)
    expect(other.stdout).not.toContain('BENCH_RESUME')
    const lost = readSummaries(join(project.dir, 'other')).summaries.flatMap(({ summary }) => summary.trials)
    expect(
      lost.map(trial => trial.infra_attempts.map(({ code }) => code)),
      'what is not there is not looked for again',
    ).toEqual([['replay_missing'], ['replay_missing']])
  })
})
