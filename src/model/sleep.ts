import { setTimeout as sleep } from 'node:timers/promises'

/** Waits so many milliseconds. @throws the signal's reason, where Node's own sleep throws a different error */
export async function sleepUnlessAborted(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw error
  }
}
