/** Every task proves itself in a real sandbox: reference, doing nothing, every honest variant, every cheat. */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../src/agents/index.ts'
import { loadTask } from '../src/runner/collect.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import type { Task } from '../src/spec/task.ts'
import type { TrialPlan } from '../src/trial/plan.ts'
import { disagreement, type Proof, proofsOf } from '../src/trial/proof.ts'
import { TrialWorker } from '../src/trial/trial-worker.ts'
import { describeWith } from './needs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DRIVERS = ['docker'] as const
const K = 3

const specFiles = ['tasks', 'skills'].flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.bench.ts') || basename(file) === 'bench_manifest.json')
    .map(file => join(ROOT, folder, file)),
)
const tasks: Task[] = []
for (const file of specFiles) tasks.push(await loadTask(file, ROOT, path => import(path)))

for (const driver of DRIVERS) {
  await describeWith([driver], `proofs on ${driver}`, () => {
    let worker: TrialWorker

    beforeAll(async () => {
      const sandbox = await prepareSandbox(driver, { image: null, runId: 'proof', onProgress: () => undefined })
      const plan: TrialPlan = {
        runId: 'proof',
        root: ROOT,
        resultsDir: join(ROOT, 'results'),
        agent: 'reference',
        modelLabel: 'reference',
        model: null,
        sandbox,
        k: K,
        trials: K,
        seed: 42,
        limits: { maxTurns: null, commandTimeoutMs: null, trialTimeoutMs: null },
        earlyStop: false,
        fresh: false,
        harness: { version: 'test', nodeVersion: '', vitestVersion: '', platform: '' },
        recorded: [],
      }
      worker = new TrialWorker(plan, openSandbox)
    })
    afterAll(() => worker[Symbol.asyncDispose]())

    async function prove(task: Task, proof: Proof): Promise<void> {
      const end = await worker.run({
        task,
        index: 0,
        agent: createAgent('reference', { model: null }),
        play: proof.play,
        signal: AbortSignal.timeout(100_000),
      })
      if (end.kind !== 'judged') throw new Error(`${proof.name} was not judged: ${JSON.stringify(end)}`)
      expect(disagreement(proof, end.finding)).toBe(null)
    }

    describe.each(tasks.map(task => [task.id, task] as const))('%s', (_id, task) => {
      it('has a reference, cheats and honest variants', () => {
        expect(task.reference).not.toBe(null)
        expect(task.cheats.size).toBeGreaterThanOrEqual(5)
        expect(task.honest.size).toBeGreaterThanOrEqual(12)
      })

      it.each(proofsOf(task).map(proof => [`${proof.kind}: ${proof.name}`, proof] as const))(
        '%s',
        async (_name, proof) => {
          for (let trial = 0; trial < (proof.kind === 'reference' || proof.kind === 'nop' ? K : 1); trial++) {
            await prove(task, proof)
          }
        },
      )
    })
  })
}
