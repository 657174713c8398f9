import { InfraError, SpecError } from '../errors.ts'
import type { TrialLog } from '../evidence/log.ts'
import { createRun } from '../evidence/run.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { AUTHOR_CODE_MS, callWithin, UNCOUNTED } from '../task/run-within.ts'
import type { Task } from '../task/task.ts'
import type { CheckResult, Past, VerifyCheck, VerifyTools } from '../task/verify.ts'
import { checkedResult, createVerifyTools } from '../task/verify-tools.ts'
import type { TaskResults, Verification } from './known-results.ts'
import { keyOfFiles } from './session-check.ts'
import { VerifyRoom } from './verify-room.ts'

/** Milliseconds a check has to end once its time is over: most do, as the sandbox refuses them any more answers. */
const GRACE_MS = 1_000

/** What the checks of a task are made of. */
export interface Verified {
  /** Files of the clean room. */
  readonly files: FileMap
  /** For checks that ask what happened; see `Past`. */
  readonly log: Omit<TrialLog, 'verified' | 'sessionChecks'>
}

/**
 * Verifies what an agent left: the files are written to a clean room and the task's checks run over it. The same files are
 * not verified twice where their results may be used again (see `Reuse`) and no check asks what happened before.
 * @throws InfraError as {@link verifyAll}, and when the room cannot be made.
 */
export async function verifyFiles(
  task: Task,
  { files, log }: Verified,
  sandbox: Sandbox,
  known: TaskResults,
  signal: AbortSignal,
): Promise<Verification> {
  const key = keyOfFiles(files)
  const earlier = known.verifications.get(key)
  if (earlier !== undefined) return earlier
  const room = new VerifyRoom(sandbox, files, signal, known.reuse === 'all' ? known.work : undefined)
  const resetProof = await room.lay()
  const { run } = createRun({ ...log, verified: new Map(), sessionChecks: new Map() })
  const isUntouched = key === keyOfFiles(task.setup)
  const found = await verifyAll(task.verify, createVerifyTools(room, files, task.instance?.data), run, { signal })
  const results = isUntouched && task.allowedWrites.length > 0 ? explainUntouchedWorkspace(found) : found
  const verification = { results, resetProof }
  const isOfFilesOnly = [...task.verify.values()].every(check => check.length < 2)
  if (isOfFilesOnly && (known.reuse === 'all' || isUntouched)) known.verifications.set(key, verification)
  return verification
}

/** A check that fails on the setup itself says that: what its code gives reads as if something had been written badly. */
function explainUntouchedWorkspace(results: ReadonlyMap<string, CheckResult>): ReadonlyMap<string, CheckResult> {
  return new Map(
    [...results].map(([name, { ok, reason }]) => [
      name,
      { ok, reason: ok ? reason : `no file that may be written was changed, so ${reason}` },
    ]),
  )
}

export interface VerifyLimits {
  /** Aborts when the time for all checks is over, or the trial is cancelled. */
  readonly signal: AbortSignal
  /** Milliseconds a check may take to its first `await` (default 10,000). */
  readonly limitMs?: number
}

/**
 * Runs every check of a task over the clean verify workspace.
 * @throws InfraError code `verify_threw` when the check's own code failed, `verify_invalid` when it is written wrongly (a
 * tool that does not exist, no result given back), `verify_timeout` when it did not come to an
 * end: faults of the task, never of the model. The signal's reason when cancelled.
 */
export async function verifyAll(
  checks: ReadonlyMap<string, VerifyCheck>,
  tools: VerifyTools,
  run: Past,
  limits: VerifyLimits,
): Promise<ReadonlyMap<string, CheckResult>> {
  const results = new Map<string, CheckResult>()
  for (const [name, check] of checks) results.set(name, await runCheck(name, () => check(tools, run), limits))
  return results
}

async function runCheck(
  name: string,
  check: () => ReturnType<VerifyCheck>,
  { signal, limitMs = AUTHOR_CODE_MS }: VerifyLimits,
): Promise<CheckResult> {
  try {
    const begun = callWithin(limitMs, check)
    if (!begun.isOverdue) return checkedResult(name, await waitWithGrace(name, begun.value, signal))
  } catch (error) {
    if (error instanceof InfraError || (signal.aborted && error === signal.reason)) throw error
    if (error instanceof SpecError) throw invalidCheck(name, error)
    throw new InfraError(
      `the verify check "${name}" threw: ${error instanceof Error ? error.message : String(error)}`,
      {
        code: 'verify_threw',
        remedy: `Correct verify.${name} in the spec file: a check answers with a result, also when a file is missing.`,
        cause: error,
      },
    )
  }
  throw new InfraError(`the verify check "${name}" ran for ${limitMs / 1_000} s without an end`, {
    code: 'verify_timeout',
    remedy: `Look in verify["${name}"] for an endless loop, and simplify its patterns: a repetition inside a repetition, such as (a+)+, can take for ever. ${UNCOUNTED}`,
  })
}

/** A mistake in how the check is written: its message says what is wrong and what to do. */
function invalidCheck(name: string, error: SpecError): InfraError {
  const problem = error.message.includes(JSON.stringify(name))
    ? error.message
    : `verify[${JSON.stringify(name)}]: ${error.message}`
  return new InfraError(problem, { code: 'verify_invalid', remedy: error.remedy, cause: error })
}

/** Waits for a check that has begun, and no longer than the signal and a moment of grace. */
async function waitWithGrace<Value>(name: string, check: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  let grace: NodeJS.Timeout | undefined
  let onAbort = (): void => undefined
  const givenUp = new Promise<never>((_, reject) => {
    onAbort = () => {
      grace = setTimeout(() => reject(stillWaiting(name, signal.reason)), GRACE_MS)
    }
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([check, givenUp])
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(grace)
  }
}

/** Why a check is given up that waits for something which never comes. */
function stillWaiting(name: string, reason: unknown): unknown {
  if (!(reason instanceof InfraError)) return reason
  return new InfraError(`the verify check "${name}" was still waiting when the time was over: ${reason.message}`, {
    code: 'verify_timeout',
    remedy: `Make sure that everything verify["${name}"] awaits ends. ${UNCOUNTED}`,
    cause: reason,
  })
}
