/** Was a file or directory found by looking? Its name came up in a result before the agent had named it. */
import { posix } from 'node:path'
import type { LoggedCall, TrialLog } from './log.ts'
import { type ReadingHistory, stringsIn } from './reading.ts'
import { viewsOfDelivered, viewsOfTyped } from './views.ts'

export interface Discovery {
  readonly call: LoggedCall | null
  /** Why there is none, in words. */
  readonly nearest: string
}

/** Is the name in the text as a name: not as a part of a longer one? A dot after it may end a sentence. */
function holdsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at)
    const after = text.slice(at + name.length, at + name.length + 2)
    if (!/[\p{L}\p{N}_.-]/u.test(before) && !/^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}_])/u.test(after)) return true
  }
  return false
}

/** Is the name in an argument, also where a shell would put it together (`no''tes`, `no\tes`)? */
const typesName = (text: string, name: string): boolean =>
  [text, text.replace(/['"\\]/g, '')].some(typed => viewsOfTyped(typed).some(view => holdsName(view, name)))

/**
 * The call whose result first gave away a path that was there before it: by its last segment, or (a file) by a
 * distinctive line of its content, as `find … -exec cat` shows it. Ends at the first argument that holds the name: from then on
 * nothing tells looking from guessing. Known limit: a name that a program of the agent works out (base64, variables) does
 * not count as named. A name that also stands in the text of another file comes up when that is read;
 * a task asks only for names that no file mentions.
 */
export function findDiscovery(log: TrialLog, history: ReadingHistory, path: string): Discovery {
  const name = posix.basename(path)
  if (viewsOfTyped(log.prompt).some(view => holdsName(view, name))) {
    return { call: null, nearest: 'the prompt names it' }
  }
  const shownBy = new Set(history.showings.map(showing => showing.call.call))
  let isThere = log.baseline.entries.has(path)
  for (const call of log.calls) {
    if (stringsIn(call.args).some(text => typesName(text, name))) {
      return { call: null, nearest: `call ${call.call} named it before any result did` }
    }
    const isGivenAway = shownBy.has(call.call) || viewsOfDelivered(call.delivered).some(view => holdsName(view, name))
    if (isThere && isGivenAway) return { call, nearest: '' }
    if (call.delta?.changed.has(path)) isThere = true
    if (call.delta?.deleted.includes(path)) isThere = false
  }
  return { call: null, nearest: 'no result named it or showed content of it' }
}
