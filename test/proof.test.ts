/** Every task and skill of the house proves itself in a real sandbox, by the code of `agent-bench check`. */
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkTask, planOfCheck } from '../src/check/check-task.ts'
import { findSpecFiles } from '../src/cli/spec-files.ts'
import { loadSpec } from '../src/runner/collect.ts'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import { MANIFEST_NAME } from '../src/skill/index.ts'
import { readSkillDirectory } from '../src/skill/read-directory.ts'
import { KnownResults } from '../src/trial/known-results.ts'
import { TrialWorker } from '../src/trial/trial-worker.ts'
import { describeWith } from './needs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DRIVERS = [
  { driver: 'docker', need: 'docker' },
  { driver: 'namespace', need: 'namespaces' },
] as const
const K = 3
const SANDBOXES = 2
/** Milliseconds; a task takes a fraction of it on a machine that does nothing else. */
const CHECK_TIMEOUT_MS = 600_000

const specFiles = await findSpecFiles(ROOT)

for (const { driver, need } of DRIVERS) {
  await describeWith([need], `proofs on ${driver}`, () => {
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

    it.each(specFiles.map(file => [relative(ROOT, file), file] as const))(
      '%s',
      async (_name, file) => {
        const task = await (await loadSpec(file, ROOT, path => import(path))).resolve()
        const skillDirectory = file.endsWith(MANIFEST_NAME)
          ? (await readSkillDirectory(dirname(file))).files
          : new Map()
        const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
        const check = await checkTask(task, { workers, k: K, signal, skillDirectory })
        expect(check.problems).toEqual([])
        expect(check).toMatchObject({ status: 'ok', reference: { passed: K, trials: K }, nopScore: 0 })
      },
      CHECK_TIMEOUT_MS,
    )
  })
}
