import { expect, it } from 'vitest'
import { createScriptedAgent } from '../agents/scripted-agent.ts'
import { InfraError, LOST_DURING_COMMAND as LOST } from '../errors.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { defineTask } from '../task/define-task.ts'
import { KnownResults } from './known-results.ts'
import type { TrialPlan } from './plan.ts'
import { TrialWorker } from './trial-worker.ts'

const task = await defineTask({
  id: 'runs',
  prompt: 'Run it.',
  allowedWrites: [],
  flags: { said: run => run.finalAnswer === 'done' },
}).resolve()

/** Sandboxes that are lost during the commands of these numbers, counted over all of them. */
function losing(lost: readonly number[], code: string) {
  let commands = 0
  const snapshot = { root: 'r', entries: new Map(), truncated: null }
  const delta = { root: 'r', changed: new Map(), deleted: [], contents: new Map(), truncated: null }
  const stream = { head: new Uint8Array(), tail: new Uint8Array(), totalBytes: 0 }
  const sandbox = {
    info: { driver: 'docker', id: '1', image: null, engine: null, limits: {} },
    reset: async () => ({ proof: {}, baseline: snapshot }),
    freeze: async () => snapshot,
    collect: async () => ({ files: new Map(), refused: [] }),
    exec: async () => {
      commands += 1
      if (lost.includes(commands)) throw new InfraError('the sandbox is lost', { code, remedy: '' })
      const reports = { testReports: [], stubReports: [] }
      return { exitCode: 0, stopped: null, durationMs: 1, stdout: stream, stderr: stream, ...reports, delta }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  return async () => sandbox as unknown as Sandbox
}

/** How three trials of one command each end, each on its own worker, and after how many attempts. */
async function threeTrials(open: () => Promise<Sandbox>): Promise<string> {
  const plan = { limits: {}, seed: 1, repair: 'off', fresh: false, runId: 'r', sandbox: {} } as unknown as TrialPlan
  const known = new KnownResults()
  const ends: string[] = []
  for (const index of [0, 1, 2]) {
    await using worker = new TrialWorker(plan, open, known)
    const end = await worker.run({
      task,
      index,
      agent: createScriptedAgent('reference'),
      play: async hands => hands.call('execute_command', { command: 'true' }).then(() => 'done'),
      signal: new AbortController().signal,
    })
    if (end.kind === 'skipped') throw new Error(end.reasons.join())
    ends.push(`${end.kind === 'judged' ? end.finding.outcome : end.kind} ${end.faults.length}`)
  }
  return ends.join(', ')
}

it.each([
  ['lost in a first command: repeated, as any fault', [1], LOST, 'passed 1, passed 0, passed 0'],
  ['lost twice in one trial: no third attempt', [1, 2], LOST, 'lost 2, passed 0, passed 0'],
  ['lost again in another trial: not repeated', [1, 3], LOST, 'passed 1, lost 1, passed 0'],
  ['two failing attempts, then a good one, in each trial', [1, 2, 4, 5, 7, 8], LOST, 'lost 2, passed 0, lost 1'],
  ['lost while no command ran: repeated each time', [1, 2, 4], 'sandbox_lost', 'passed 2, passed 1, passed 0'],
])('a sandbox %s', async (_what, lost, code, ends) => {
  expect(await threeTrials(losing(lost, code))).toBe(ends)
})
