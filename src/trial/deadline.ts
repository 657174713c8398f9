import { InfraError, TrialDeadlineError } from '../errors.ts'

/** A signal that aborts with {@link TrialDeadlineError} after `limitMs`, and with its own reason when `outer` aborts. */
export function trialDeadline(limitMs: number, outer: AbortSignal): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new TrialDeadlineError(limitMs)), limitMs)
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/**
 * Waits for `work`, at most `limitMs`. For phases of our own (reset, freeze, verify) a passed deadline is a fault of the
 * harness, never of the model.
 * @throws InfraError code `phase_timeout`, naming the phase.
 */
export async function withinPhase<T>(
  phase: string,
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const timeout = new InfraError(`${phase} took longer than ${limitMs / 1000} s`, {
    code: 'phase_timeout',
    remedy: 'Look at the load of this machine; the sandbox is replaced and the trial repeated.',
  })
  const timer = setTimeout(() => controller.abort(timeout), limitMs)
  try {
    return await work(AbortSignal.any([outer, controller.signal]))
  } finally {
    clearTimeout(timer)
  }
}
