/** The workspace as it was during a trial, worked out from the snapshots. */
import type { Entry } from '../sandbox/snapshot.ts'
import type { TrialLog } from './log.ts'

/** Where the workspace is inside the sandbox. */
export const WORKSPACE = '/workspace'

/** Every text on record by the SHA-256 of its file: of the setup, of changed files, of files of the end. */
export function textsByHash(log: TrialLog): ReadonlyMap<string, string> {
  const texts = new Map(log.contents)
  for (const [path, text] of log.setupText) {
    const entry = log.baseline.entries.get(path)
    if (entry?.type === 'file') texts.set(entry.sha256, text)
  }
  for (const call of log.calls) {
    for (const [hash, text] of call.delta?.contents ?? []) texts.set(hash, text)
  }
  return texts
}

/** Have both the same kind and content (or link target)? A changed mode alone is no change of content. */
export function hasSameContent(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  if (one.type === 'file' && other.type === 'file') return one.sha256 === other.sha256
  if (one.type === 'symlink' && other.type === 'symlink') return one.target === other.target
  return one.type === other.type
}
