/** The workspace as it was during a trial, worked out from the snapshots. */
import type { Entry } from '../sandbox/snapshot.ts'
import type { LoggedCall, TrialLog } from './log.ts'

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

/** The workspace at one moment. */
export interface WorkspaceState {
  readonly entries: ReadonlyMap<string, Entry>
  /** Texts of regular files by path; binary and very large files are absent. */
  readonly texts: ReadonlyMap<string, string>
}

/** The workspace before and after each call, in order. A call that changed nothing has the same state twice. */
export function* statesOf(
  log: TrialLog,
): Generator<{ readonly call: LoggedCall; readonly before: WorkspaceState; readonly after: WorkspaceState }> {
  const byHash = textsByHash(log)
  let before: WorkspaceState = { entries: log.baseline.entries, texts: log.setupText }
  for (const call of log.calls) {
    const after = afterDelta(before, call.delta, byHash)
    yield { call, before, after }
    before = after
  }
}

function afterDelta(
  before: WorkspaceState,
  delta: LoggedCall['delta'],
  byHash: ReadonlyMap<string, string>,
): WorkspaceState {
  if (delta === null || (delta.changed.size === 0 && delta.deleted.length === 0)) return before
  const entries = new Map(before.entries)
  const texts = new Map(before.texts)
  for (const path of delta.deleted) {
    entries.delete(path)
    texts.delete(path)
  }
  for (const [path, entry] of delta.changed) {
    const text = entry.type === 'file' ? byHash.get(entry.sha256) : undefined
    entries.set(path, entry)
    if (text === undefined) texts.delete(path)
    else texts.set(path, text)
  }
  return { entries, texts }
}

/** Have both the same kind and content (or link target)? A changed mode alone is not a change of content. */
export function hasSameContent(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  if (one.type === 'file' && other.type === 'file') return one.sha256 === other.sha256
  if (one.type === 'symlink' && other.type === 'symlink') return one.target === other.target
  return one.type === other.type
}
