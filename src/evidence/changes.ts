/** First changes of files, by the snapshots after each call. */
import type { Entry } from '../sandbox/snapshot.ts'
import type { Moment } from '../task/run.ts'
import { type LoggedCall, momentOf, type TrialLog } from './log.ts'
import { isCachePath } from './tamper.ts'
import { hasSameContent, statesOf } from './workspace.ts'

/** A file that first differed from the setup in this call. */
export interface FirstChange {
  readonly path: string
  readonly at: Moment
  readonly call: LoggedCall
  readonly what: 'written' | 'changed' | 'deleted'
}

const isDirectory = (entry: Entry | undefined) => entry?.type === 'directory'

/**
 * Lists when each file first differed from the setup in content or kind, in order of calls. Directories, changed modes
 * and caches of Python's tools are not changes. A file changed and put back within one call did not change.
 */
export function firstChanges(log: TrialLog): readonly FirstChange[] {
  const changes: FirstChange[] = []
  const seen = new Set<string>()
  const add = (call: LoggedCall, path: string, after: Entry | undefined) => {
    const before = log.baseline.entries.get(path)
    if (seen.has(path) || isCachePath(path) || hasSameContent(before, after)) return
    if (isDirectory(after) ? before === undefined : after === undefined && isDirectory(before)) return
    seen.add(path)
    const what = after === undefined ? 'deleted' : before === undefined ? 'written' : 'changed'
    changes.push({ path, at: momentOf(call), call, what })
  }
  for (const call of log.calls) {
    for (const [path, entry] of call.delta?.changed ?? []) add(call, path, entry)
    for (const path of call.delta?.deleted ?? []) add(call, path, undefined)
  }
  return changes
}

/** First moment at which the path was a regular file; call 0 and turn 0 when the setup has it. */
export function firstExistence(log: TrialLog, path: string): Moment | false {
  if (log.baseline.entries.get(path)?.type === 'file') return { turn: 0, call: 0 }
  const call = log.calls.find(one => one.delta?.changed.get(path)?.type === 'file')
  return call === undefined ? false : momentOf(call)
}

/** Text of a regular file just before call `call` (1 = the setup's); null when there was none, or it is not on record. */
export function textBefore(log: TrialLog, path: string, call: number): string | null {
  for (const state of statesOf(log)) if (state.call.call === call) return state.before.texts.get(path) ?? null
  return null
}

/** First moment at which the path was a regular file whose text fitted; call 0 and turn 0 when the setup's text does. */
export function firstFitting(log: TrialLog, path: string, fits: (text: string) => boolean): Moment | false {
  const before = log.setupText.get(path)
  if (before !== undefined && fits(before)) return { turn: 0, call: 0 }
  for (const { call, before, after } of statesOf(log)) {
    const text = after.texts.get(path)
    if (text !== undefined && text !== before.texts.get(path) && fits(text)) return momentOf(call)
  }
  return false
}
