import { InfraError } from '../errors.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import type { Task } from '../spec/task.ts'
import type { CheckResult, VerifyCheck, VerifyTools } from '../spec/verify.ts'
import { createVerifyTools } from '../spec/verify-tools.ts'
import type { TaskResults, Verification } from './known-results.ts'
import { keyOfFiles } from './session-check.ts'
import { runSuite } from './suite.ts'

const EVALUATE_TIMEOUT_MS = 10_000

/**
 * Verifies what an agent left: `files` are laid in a clean room and the task's checks run over it. The same files are
 * not verified twice where their results may be used again (see `Reuse`): a check sees nothing but them.
 * @throws InfraError as {@link verifyAll}, and when the room cannot be made.
 */
export async function verifyFiles(
  task: Task,
  files: FileMap,
  sandbox: Sandbox,
  known: TaskResults,
  signal: AbortSignal,
): Promise<Verification> {
  const key = keyOfFiles(files)
  const earlier = known.verifications.get(key)
  if (earlier !== undefined) return earlier
  const { proof: resetProof } = await sandbox.reset(files, { room: 'verify', signal })
  const tools = createVerifyTools({
    evaluate: calls => sandbox.evaluate(calls, { timeoutMs: EVALUATE_TIMEOUT_MS, signal }),
    runTests: () => runSuite(sandbox, signal),
    files,
  })
  const verification = { results: await verifyAll(task.verify, tools), resetProof }
  if (known.reuse === 'all' || key === keyOfFiles(task.setup)) known.verifications.set(key, verification)
  return verification
}

/**
 * Runs every check of a task over the clean verify workspace.
 * @throws InfraError code `verify_threw` when the check's own code failed: a fault of the task, never of the model.
 */
export async function verifyAll(
  checks: ReadonlyMap<string, VerifyCheck>,
  tools: VerifyTools,
): Promise<ReadonlyMap<string, CheckResult>> {
  const results = new Map<string, CheckResult>()
  for (const [name, check] of checks) {
    try {
      results.set(name, await check(tools))
    } catch (error) {
      if (error instanceof InfraError) throw error
      throw new InfraError(
        `the verify check "${name}" threw: ${error instanceof Error ? error.message : String(error)}`,
        {
          code: 'verify_threw',
          remedy: `Correct verify.${name} in the spec file: a check answers with a result, also when a file is missing.`,
          cause: error,
        },
      )
    }
  }
  return results
}
