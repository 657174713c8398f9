/** Lets one worker at a time examine a server: on a server with one slot, two at once would only see each other wait. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** An examination for a run, its second try included, is over long before: whoever holds the lock longer has died. */
const STALE_MS = 30_000
const POLL_MS = 100

/** Code of an error of the system; null for any other. */
const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

/** What a lock file held, and when it was written; null when there is none. */
function lockAt(file: string): { readonly owner: string; readonly ageMs: number } | null {
  try {
    return { owner: readFileSync(file, 'utf8'), ageMs: Date.now() - statSync(file).mtimeMs }
  } catch (error) {
    if (codeOf(error) === null) throw error
    return null
  }
}

/** Whether the process that wrote a lock has ended; one of another machine looks so, which costs an examination more. */
function isOfDeadProcess(owner: string): boolean {
  const pid = Number(owner.split(' ')[0])
  // A lock is empty for the moment between its making and its writing.
  if (owner === '' || !Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    if (codeOf(error) === null) throw error
    return codeOf(error) === 'ESRCH'
  }
}

/** Removes a lock file, if it is still the one of this owner. */
function unlock(file: string, owner: string): void {
  if (lockAt(file)?.owner !== owner) return
  try {
    unlinkSync(file)
  } catch (error) {
    if (codeOf(error) === null) throw error
  }
}

/**
 * Waits until nobody else holds the lock, or until `isDone` says that what was to be done has been done, and takes it.
 * Locks of processes that died, and any that is older than 30 s, are taken over. Where no lock can be written, nobody waits.
 * @param file path of the lock, an exclusive file
 * @returns what gives the lock back; null when `isDone` ended the wait, or where there can be no lock
 * @throws the signal's reason
 * @example
 * using _ = await takeTurn(file, { isDone: () => false, signal })
 */
export async function takeTurn(
  file: string,
  options: { readonly isDone: () => boolean; readonly signal: AbortSignal },
): Promise<Disposable | null> {
  const { isDone, signal } = options
  const owner = `${process.pid} ${randomUUID()}`
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (error) {
    // The run says itself that nothing can be kept there.
    if (codeOf(error) === null) throw error
    return null
  }
  for (;;) {
    signal.throwIfAborted()
    try {
      writeFileSync(file, owner, { flag: 'wx' })
      return { [Symbol.dispose]: () => unlock(file, owner) }
    } catch (error) {
      if (codeOf(error) === null) throw error
      if (codeOf(error) !== 'EEXIST') return null
    }
    const held = lockAt(file)
    if (held !== null && (held.ageMs > STALE_MS || isOfDeadProcess(held.owner))) unlock(file, held.owner)
    else if (held !== null) await pause(signal)
    if (isDone()) return null
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await sleep(POLL_MS, undefined, { signal })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  }
}
