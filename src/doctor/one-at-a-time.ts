/** Lets one worker at a time examine a server: on a server with one slot, two at once would only see each other wait. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { sleepUnlessAborted } from '../model/sleep.ts'

/** An examination for a run, its second try included, is over long before: whoever holds the lock longer has died. */
const STALE_MS = 30_000
const POLL_MS = 100

/** What is done, or the code with which the system refused. */
function tried<T>(work: () => T): { readonly done: T } | { readonly code: unknown } {
  try {
    return { done: work() }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return { code: error.code }
  }
}

/** Whether the process that wrote a lock has ended; one of another machine looks so, which costs an examination more. */
function isOfDeadProcess(owner: string): boolean {
  const pid = Number(owner.split(' ')[0])
  // A lock is empty for the moment between its making and its writing.
  if (owner === '' || !Number.isSafeInteger(pid) || pid <= 0) return false
  const signalled = tried(() => process.kill(pid, 0))
  return 'code' in signalled && signalled.code === 'ESRCH'
}

/** Removes a lock file, if it is still the one of this owner. */
const unlock = (file: string, owner: string) =>
  tried(() => {
    if (readFileSync(file, 'utf8') === owner) unlinkSync(file)
  })

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
  if ('code' in tried(() => mkdirSync(dirname(file), { recursive: true }))) return null
  for (;;) {
    signal.throwIfAborted()
    const taken = tried(() => writeFileSync(file, owner, { flag: 'wx' }))
    if ('done' in taken) return { [Symbol.dispose]: () => unlock(file, owner) }
    if (taken.code !== 'EEXIST') return null
    const held = tried(() => ({ owner: readFileSync(file, 'utf8'), ageMs: Date.now() - statSync(file).mtimeMs }))
    if ('done' in held) {
      if (held.done.ageMs > STALE_MS || isOfDeadProcess(held.done.owner)) unlock(file, held.done.owner)
      else await sleepUnlessAborted(POLL_MS, signal)
    }
    if (isDone()) return null
  }
}
