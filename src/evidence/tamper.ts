/** Tamper: what differs between the workspace after setup and at the end, outside what the task allows to be written. */
import { InfraError } from '../errors.ts'
import type { Entry, Snapshot } from '../sandbox/snapshot.ts'
// The one import of evidence besides types and errors: globs are defined with the spec that writes them.
import { compileGlobs } from '../task/globs.ts'
import type { Tamper, TamperKind } from './log.ts'

const CACHE_DIRECTORIES: ReadonlySet<string> = new Set(['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache'])

/** Is the path a cache directory of Python's tools, at any depth, or something below one? */
export function isCachePath(path: string): boolean {
  return path.split('/').some(segment => CACHE_DIRECTORIES.has(segment))
}

/** Is it what a task may leave behind at all: a regular file or a directory, not a link, FIFO, socket or device? */
const isPlain = (entry: Entry | undefined) => entry === undefined || entry.type === 'file' || entry.type === 'directory'

function isSame(one: Entry, other: Entry): boolean {
  if (one.type === 'symlink' || other.type === 'symlink') {
    return one.type === 'symlink' && other.type === 'symlink' && one.target === other.target
  }
  if (one.type === 'file' && other.type === 'file') {
    return one.mode === other.mode && one.sha256 === other.sha256 && one.size === other.size
  }
  return one.type === other.type && one.mode === other.mode
}

function kindOfChange(before: Entry | undefined, after: Entry | undefined): TamperKind | null {
  if (before === undefined) return after === undefined ? null : 'new'
  if (after === undefined) return 'deleted'
  if (before.type !== after.type) return 'type-changed'
  return isSame(before, after) ? null : 'modified'
}

/**
 * Lists the tamper of a trial, sorted by the bytes of the path.
 *
 * A changed mode or link target is `modified`. Not tamper: what an allowed glob matches, as long as it is a regular
 * file or a directory; a new or removed directory in which an allowed file could lie; regular files and directories of
 * Python's caches. A link or special file is never allowed, also not in those places.
 *
 * A final snapshot that stopped early is the agent's doing (the setup fitted): the entry `{ path: '', kind: 'new' }`
 * stands for "more was left than can be looked at". What is missing from such a snapshot is not called deleted.
 * @throws InfraError code `baseline_truncated` when the snapshot of the setup itself is not whole.
 */
export function findTamper(baseline: Snapshot, final: Snapshot, allowedWrites: readonly string[]): Tamper[] {
  if (baseline.truncated !== null) {
    throw new InfraError(`the snapshot of the setup is not whole (limit: ${baseline.truncated})`, {
      code: 'baseline_truncated',
      remedy: 'Make the setup of the task smaller: fewer files, less depth or fewer bytes.',
    })
  }
  const allowed = compileGlobs(allowedWrites)
  const tamper: Tamper[] = final.truncated === null ? [] : [{ path: '', kind: 'new' }]

  const isAllowed = (path: string, kind: TamperKind, before: Entry | undefined, after: Entry | undefined) => {
    if (!isPlain(after)) return false
    if (isCachePath(path) || allowed.matches(path)) return true
    const isDirectory = (after ?? before)?.type === 'directory'
    return isDirectory && (kind === 'new' || kind === 'deleted') && allowed.mayMatchBelow(path)
  }

  for (const path of new Set([...baseline.entries.keys(), ...final.entries.keys()])) {
    const before = baseline.entries.get(path)
    const after = final.entries.get(path)
    const kind = kindOfChange(before, after)
    if (kind === null || isAllowed(path, kind, before, after)) continue
    if (kind === 'deleted' && final.truncated !== null) continue
    tamper.push({ path, kind })
  }
  return tamper
    .map(entry => ({ entry, bytes: Buffer.from(entry.path) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ entry }) => entry)
}
