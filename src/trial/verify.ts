import { InfraError } from '../errors.ts'
import type { CheckResult, VerifyCheck, VerifyTools } from '../spec/verify.ts'

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
