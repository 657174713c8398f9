/** A real model server, a real sandbox, and everything between them. */

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from './leftovers.ts'
import { slotsOf, startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'
import { recordsIn } from './records.ts'

const STEPS = (id: string, prompt: string) => `import { defineTask } from 'agent-bench'
export default defineTask({
  id: '${id}',
  prompt: '${prompt}',
  setup: { 'notes.txt': 'a quiet afternoon by the river\\n' },
  allowedWrites: ['ls'],
  flags: { worked: run => run.callCount >= 5 || run.because(\`only \${run.callCount} calls were made\`) },
  reference: async ({ sh }) => {
    for (let i = 0; i < 5; i++) await sh('ls')
    return 'done'
  },
})
`
const DOCKER = { BENCH_SANDBOX: 'docker', BENCH_TEMPERATURE: '0' }
const FIVE_STEPS = STEPS('five_steps_v1', 'Look around, step by step. [[steps5]]')

await describeWith(['docker', 'llama-server'], 'a real llama-server', () => {
  it('drives the tools agent through five turns; transcript, usage, timings and server identity are recorded', async () => {
    await using project = await createProject({ 'tasks/demo/five.bench.ts': FIVE_STEPS })
    await using server = await startLlamaServer({ model: 'steer', contextTokens: 8_192 })
    const run = await project.run([], {
      ...DOCKER,
      BENCH_BASE_URL: server.baseUrl,
      BENCH_K: '1',
      BENCH_EXAMINE: '1',
    })
    expect(run.stdout).toMatch(/^server {3}quick examination: readiness, tool_call, window ok/m)
    expect(run.stdout + run.stderr).toContain('llama-server')
    const [summary] = await project.summaries()
    const trial = summary?.trials[0]
    expect(trial).toMatchObject({ agent: 'tools', outcome: 'passed' })
    expect(run.status).toBe(0)
    expect(trial?.turns.length).toBeGreaterThanOrEqual(6)
    const measured = ['prompt_tokens', 'completion_tokens', 'first_token_ms', 'elapsed_ms'] as const
    for (const turn of trial?.turns ?? [])
      for (const figure of measured) expect(turn.stats?.[figure], figure).toBeGreaterThan(0)
    expect(trial?.turns.some(turn => (turn.stats?.decode_tokens_per_second ?? 0) > 0)).toBe(true)
    expect(trial?.turn_logs.length).toBeGreaterThanOrEqual(5)
    expect(trial?.turn_logs.every(log => log.delivered.length > 0)).toBe(true)
    expect(trial?.environment.server).toMatchObject({ kind: 'llama-server', context_tokens: 8_192 })
    expect(trial?.environment.server?.build).toBeTruthy()
    expect(trial?.environment.sampling).toMatchObject({ temperature: 0 })
    expect(trial?.environment.server_examination).toMatch(/^[0-9a-f]{64}$/)
    expect(trial?.environment.replayed).toBe(false)
    expect(trial?.models_served).toEqual([expect.stringContaining('steer')])
    const turns = trial?.turns.map(turn => turn.stats?.completion_tokens ?? Number.NaN) ?? []
    expect(trial?.stats).toMatchObject({
      completion_tokens: turns.reduce((sum, tokens) => sum + tokens, 0),
      prompt_tokens: expect.any(Number),
      first_token_ms: trial?.turns[0]?.stats?.first_token_ms,
      decode_tokens_per_second: expect.any(Number),
      prompt_tokens_per_second: expect.any(Number),
      requests: turns.length,
    })
  })

  it('with two slots serves two workers at once, and each trial is judged by itself', async () => {
    await using project = await createProject({
      'tasks/demo/a.bench.ts': STEPS('steps_a_v1', 'Look around, step by step. [[steps5]]'),
      'tasks/demo/b.bench.ts': STEPS('steps_b_v1', 'Look around again, step by step. [[steps5]]'),
    })
    await using server = await startLlamaServer({ contextTokens: 16_384, flags: ['--parallel', '2'] })
    const running = project.start([], {
      ...DOCKER,
      BENCH_BASE_URL: server.baseUrl,
      BENCH_K: '4',
      BENCH_WORKERS: '2',
    })
    let most = 0
    while (running.process.exitCode === null) {
      most = Math.max(most, (await slotsOf(server)).filter(slot => slot.is_processing).length)
    }
    const run = await running.ended
    expect(run.status, run.stdout + run.stderr).toBe(0)
    expect(most, 'slots that worked at the same time').toBe(2)
    const summaries = await project.summaries()
    const outline = summaries.map(({ task_id, n, verdict }) => `${task_id} ${n} ${verdict}`)
    expect(outline.sort()).toEqual(['steps_a_v1 4 pass', 'steps_b_v1 4 pass'])
    const [a, b] = summaries.map(({ trials }) => ({
      from: Math.min(...trials.map(trial => Date.parse(trial.started_at))),
      to: Math.max(...trials.map(trial => Date.parse(trial.started_at) + trial.total_elapsed_sec * 1_000)),
    }))
    expect(a !== undefined && b !== undefined && a.from < b.to && b.from < a.to, 'their times overlap').toBe(true)
    expect(summaries[0]?.environment.server).toMatchObject({ slots: 2, context_tokens: 8_192 })
  })

  it('that is killed half-way costs the trials from then on, not those before: status 2, and they are not counted', async () => {
    await using project = await createProject({
      'tasks/demo/steps.bench.ts': STEPS('steps_v1', 'Look around, and do not stop. [[forever]]'),
    })
    await using server = await startLlamaServer()
    const running = project.start([], {
      ...DOCKER,
      BENCH_BASE_URL: server.baseUrl,
      BENCH_K: '2',
    })
    expect(await eventually(() => recordsIn(join(project.dir, 'results')).length > 0, 60_000)).toBe(true)
    process.kill(server.pid, 'SIGKILL')
    const run = await running.ended
    expect(run.status, run.stdout + run.stderr).toBe(2)
    const [summary] = await project.summaries()
    expect(summary).toMatchObject({ n: 1, excluded: { infra: 1 }, pass_hat_k: null })
    expect(summary?.trials[0]?.outcome).not.toBe('infra')
    expect(summary?.trials[1]).toMatchObject({
      outcome: 'infra',
      failure_reason: expect.stringMatching(/^(?:stream_dropped|connection_(?:lost|refused))$/),
    })
    expect(run.stdout).toContain('BENCH_RESUME=1')
  })
})
