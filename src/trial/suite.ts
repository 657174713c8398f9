import type { Sandbox, TestReport } from '../sandbox/sandbox.ts'
import type { CheckResult } from '../task/verify.ts'

const SUITE_TIMEOUT_MS = 60_000
const SUITE_COMMAND = 'python3 -m pytest -q -p no:cacheprovider'

/** Runs the pytest suite of whatever is in the workspace; the last session that was reported, or null when none was. */
export async function lastSession(sandbox: Sandbox, signal: AbortSignal): Promise<TestReport | null> {
  const result = await sandbox.exec(SUITE_COMMAND, { timeoutMs: SUITE_TIMEOUT_MS, signal })
  return result.testReports.findLast(report => report.event === 'finish') ?? null
}

/** Did the suite pass: at least one test, none failed, no errors? The exit status alone is never believed. */
export function isGreen({ passed, failed, errors, status }: TestReport): boolean {
  return status === 0 && passed > 0 && failed === 0 && errors === 0
}

/** Whether the suite of whatever is in the workspace passes. */
export async function runSuite(sandbox: Sandbox, signal: AbortSignal): Promise<CheckResult> {
  const session = await lastSession(sandbox, signal)
  if (session === null) return { ok: false, reason: 'the suite did not run to its end' }
  const { passed, failed, errors } = session
  const counts = `${passed} passed, ${failed} failed, ${errors} ${errors === 1 ? 'error' : 'errors'}`
  return { ok: isGreen(session), reason: `the suite in the clean workspace: ${counts}` }
}
