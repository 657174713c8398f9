import { afterAll, beforeAll } from 'vitest'
import { checkTask, planOfCheck, type TaskCheck } from '../src/check/check-task.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import type { FileMap } from '../src/sandbox/snapshot.ts'
import type { Task } from '../src/task/task.ts'
import { KnownResults } from '../src/trial/known-results.ts'
import { TrialWorker } from '../src/trial/trial-worker.ts'
import { describeWith } from './needs.ts'

/** Milliseconds; a task takes a fraction of it on a machine that does nothing else. */
export const PROOF_TIMEOUT_MS = 600_000

/** Proves a task k times (default 1) by the code of `agent-bench check`. */
export type Prove = (task: Task, options?: { k?: number; skillDirectory?: FileMap }) => Promise<TaskCheck>

/** Declares tests once for each driver, with what proves a task in its sandboxes. */
export async function onEachDriver(title: string, sandboxes: number, tests: (prove: Prove) => void): Promise<void> {
  for (const driver of ['docker', 'namespace'] as const) {
    await describeWith([driver === 'docker' ? 'docker' : 'namespaces'], `${title} on ${driver}`, () => {
      const workers: TrialWorker[] = []
      beforeAll(async () => {
        const sandbox = await prepareSandbox(driver, { image: null, runId: 'proof', onProgress: () => undefined })
        const known = new KnownResults('all')
        const open = () => new TrialWorker(planOfCheck('proof'), options => openSandbox(sandbox, options), known)
        workers.push(...Array.from({ length: sandboxes }, open))
      })
      afterAll(() => Promise.all(workers.map(worker => worker[Symbol.asyncDispose]())))
      tests((task, { k = 1, skillDirectory = new Map() } = {}) =>
        checkTask(task, { workers, k, signal: AbortSignal.timeout(PROOF_TIMEOUT_MS), skillDirectory }),
      )
    })
  }
}
