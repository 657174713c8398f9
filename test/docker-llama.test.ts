/** A real model server, a real sandbox, and everything between them. */
import { expect, it } from 'vitest'
import { startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'
import { createProject } from './project.ts'

const FIVE_STEPS = `import { defineTask } from 'agent-bench'
export default defineTask({
  id: 'five_steps_v1',
  prompt: 'Look around, step by step. [[steps5]]',
  setup: { 'notes.txt': 'a quiet afternoon by the river\\n' },
  allowedWrites: ['ls'],
  flags: { worked: run => run.callCount >= 5 || run.because(\`only \${run.callCount} calls were made\`) },
  reference: async ({ sh }) => {
    for (let i = 0; i < 5; i++) await sh('ls')
    return 'done'
  },
})
`

await describeWith(['docker', 'llama-server'], 'a real llama-server', () => {
  it('drives the tools agent through five turns; transcript, usage, timings and server identity are recorded', async () => {
    await using project = await createProject({ 'tasks/demo/five.bench.ts': FIVE_STEPS })
    await using server = await startLlamaServer({ model: 'steer', contextTokens: 8_192 })
    const run = await project.run([], {
      BENCH_SANDBOX: 'docker',
      BENCH_BASE_URL: server.baseUrl,
      BENCH_TEMPERATURE: '0',
      BENCH_K: '1',
    })
    expect(run.stdout + run.stderr).toContain('llama-server')
    const [summary] = await project.summaries()
    const trial = summary?.trials[0]
    expect(trial).toMatchObject({ agent: 'tools', outcome: 'passed' })
    expect(run.status).toBe(0)
    expect(trial?.turns.length).toBeGreaterThanOrEqual(6)
    for (const turn of trial?.turns ?? []) {
      expect(turn.stats?.prompt_tokens).toBeGreaterThan(0)
      expect(turn.stats?.completion_tokens).toBeGreaterThan(0)
      expect(turn.stats?.first_token_ms).toBeGreaterThan(0)
      expect(turn.stats?.elapsed_ms).toBeGreaterThan(0)
    }
    expect(trial?.turns.some(turn => (turn.stats?.decode_tokens_per_second ?? 0) > 0)).toBe(true)
    expect(trial?.turn_logs.length).toBeGreaterThanOrEqual(5)
    expect(trial?.turn_logs.every(log => log.delivered.length > 0)).toBe(true)
    expect(trial?.environment.server).toMatchObject({ kind: 'llama-server', context_tokens: 8_192 })
    expect(trial?.environment.server?.build).toBeTruthy()
    expect(trial?.environment.sampling).toMatchObject({ temperature: 0 })
  })
})
