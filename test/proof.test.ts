/** Every task of the house proves itself in a real sandbox, by the code of `agent-bench check`. */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadTask } from '../src/runner/collect.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import type { Task } from '../src/spec/task.ts'
import { checkTask, planOfCheck } from '../src/trial/check-task.ts'
import { KnownResults } from '../src/trial/known-results.ts'
import { TrialWorker } from '../src/trial/trial-worker.ts'
import { describeWith } from './needs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DRIVERS = ['docker'] as const
const K = 3
const SANDBOXES = 2

const specFiles = ['tasks', 'skills'].flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.bench.ts') || basename(file) === 'bench_manifest.json')
    .map(file => join(ROOT, folder, file)),
)
const tasks: Task[] = []
for (const file of specFiles) tasks.push(await loadTask(file, ROOT, path => import(path)))

for (const driver of DRIVERS) {
  await describeWith([driver], `proofs on ${driver}`, () => {
    let workers: TrialWorker[] = []

    beforeAll(async () => {
      const sandbox = await prepareSandbox(driver, { image: null, runId: 'proof', onProgress: () => undefined })
      const known = new KnownResults('all')
      workers = Array.from(
        { length: SANDBOXES },
        () => new TrialWorker(planOfCheck(sandbox, 'proof'), openSandbox, known),
      )
    })
    afterAll(() => Promise.all(workers.map(worker => worker[Symbol.asyncDispose]())))

    it.each(tasks.map(task => [task.id, task] as const))(
      '%s',
      async (_id, task) => {
        const check = await checkTask(task, { workers, k: K, signal: AbortSignal.timeout(550_000) })
        console.log(JSON.stringify(check, null, 1))
        expect(check.problems).toEqual([])
        expect(check).toMatchObject({ status: 'ok', reference: { passed: K, trials: K }, nopScore: 0 })
      },
      600_000,
    )
  })
}
