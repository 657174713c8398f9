/** Lets one worker at a time examine a server: on a server with one slot, two at once would only see each other wait. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSystemError } from '../model/json.ts'
import { sleepUnlessAborted } from '../model/sleep.ts'

/** An examination for a run, its second try included, is over long before: whoever holds the lock longer has died. */
const STALE_MS = 30_000
const POLL_MS = 100

/** What is done, or null when the system refused. */
function tried<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (!isSystemError(error)) throw error
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
    if (!isSystemError(error)) throw error
    return isSystemError(error, 'ESRCH')
  }
}

const ownerOf = (file: string): string | null => tried(() => readFileSync(file, 'utf8'))

/** Removes a lock file, if it is still the one of this owner. */
function unlock(file: string, owner: string): void {
  if (ownerOf(file) === owner) tried(() => unlinkSync(file))
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
  { isDone, signal }: { readonly isDone: () => boolean; readonly signal: AbortSignal },
): Promise<Disposable | null> {
  const owner = `${process.pid} ${randomUUID()}`
  // The run says itself that nothing can be kept there.
  if (tried(() => ({ made: mkdirSync(dirname(file), { recursive: true }) })) === null) return null
  for (;;) {
    signal.throwIfAborted()
    try {
      writeFileSync(file, owner, { flag: 'wx' })
      return { [Symbol.dispose]: () => unlock(file, owner) }
    } catch (error) {
      if (!isSystemError(error)) throw error
      if (!isSystemError(error, 'EEXIST')) return null
    }
    const held = ownerOf(file)
    const ageMs = tried(() => Date.now() - statSync(file).mtimeMs)
    if (held !== null && ageMs !== null) {
      if (ageMs > STALE_MS || isOfDeadProcess(held)) unlock(file, held)
      else await sleepUnlessAborted(POLL_MS, signal)
    }
    if (isDone()) return null
  }
}
