/** Answers that take a search: when a file was read, and when a test session was seen, within bounds of order. */
import type { Moment, Order, ReadQuestion } from '../task/run.ts'
import { momentOf, type TrialLog } from './log.ts'
import type { ReadingHistory } from './reading.ts'
import type { TestSession } from './sessions.ts'
import { counted, describeCall, describeMoment, firstMention } from './words.ts'

export type Answer = Moment | boolean | number | string | null

/** What a question found, before it is recorded. */
export interface Found<A extends Answer> {
  readonly answer: A
  readonly finding: string
  readonly session?: TestSession
  /** What did not happen, without the nearest thing there was; else the finding up to its first colon. */
  readonly brief?: string
}

/**
 * Reason that a bound makes every answer false, or null.
 * @param never What a bound of `false` stands for, as text ("main.py never changed"); null when that is not known.
 */
export function impossibleBound(order: Order, never: string | null): string | null {
  const because = never ?? 'the other thing that the flag asks about never happened'
  if (order.before === false) return `${because}, so nothing could come before it`
  if (order.after === false) return `${because}, so nothing could come after it`
  return null
}

const isFromOn = (order: Order, at: Moment) => !order.after || at.call >= order.after.call
const isUpTo = (order: Order, at: Moment) => !order.before || at.call <= order.before.call
export const isWithin = (order: Order, at: Moment) => isFromOn(order, at) && isUpTo(order, at)

export function describeBound(order: Order): string {
  const parts = [
    order.after ? `from ${describeMoment(order.after)} on` : '',
    order.before ? `up to ${describeMoment(order.before)}` : '',
  ]
  return parts.filter(part => part !== '').join(' and ')
}

/** A copy without the flags that make a RegExp remember its last place. */
const stateless = (pattern: RegExp) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))

/** When content of a file reached the model. */
export function findReading(
  log: TrialLog,
  history: ReadingHistory,
  path: string,
  question: ReadQuestion,
  never: string | null,
): Found<Moment | false> {
  const impossible = impossibleBound(question, never)
  if (impossible !== null) return { answer: false, finding: `reading ${path} does not count: ${impossible}` }
  const wantedLines = Math.max(1, question.lines ?? 1)
  const pattern = question.showing === undefined ? null : stateless(question.showing)
  const shown = new Set<string>()
  let isPatternShown = pattern === null
  for (const { call, lines } of history.showings) {
    if (!isWithin(question, call)) continue
    for (const { line, visible } of lines) {
      shown.add(line)
      isPatternShown ||= pattern?.test(visible) ?? false
    }
    if (shown.size >= wantedLines && isPatternShown) {
      return { answer: momentOf(call), finding: `${path} was shown in ${describeCall(call)}` }
    }
  }
  return { answer: false, finding: whyNotShown(log, history, path, question, shown.size, isPatternShown) }
}

function whyNotShown(
  log: TrialLog,
  history: ReadingHistory,
  path: string,
  question: ReadQuestion,
  shownLines: number,
  isPatternShown: boolean,
): string {
  const first = history.showings[0]
  if (first !== undefined) {
    if (shownLines === 0) return `${path} was shown in ${describeCall(first.call)}, but not ${describeBound(question)}`
    const lines = question.lines ?? 1
    if (shownLines < lines)
      return `only ${shownLines} of ${lines} lines of ${path} were shown, first in ${describeCall(first.call)}`
    if (!isPatternShown)
      return `${path} was shown in ${describeCall(first.call)}, but no line of it that matches ${question.showing}`
  }
  if (log.calls.length === 0) return `${path} was never shown: no tool was called`
  if (!history.hadText)
    return `${path} was never shown: it was absent, binary or too large in all ${counted(log.calls.length, 'call')}`
  const mention = firstMention(log, path)
  const nearest = mention === null ? 'nothing named it' : `it was named in ${describeCall(mention)}`
  return `${path} was never shown in ${counted(log.calls.length, 'call')}: ${nearest}`
}

/** A test session of the wanted outcome that the model could see. `before` bounds the seeing, `after` the running. */
export function findSession(
  sessions: readonly TestSession[],
  wanted: 'passed' | 'failed',
  order: Order,
  never: string | null,
): Found<Moment | false> {
  const what = wanted === 'failed' ? 'failing tests were never seen' : 'a passing run of all tests was never seen'
  const impossible = impossibleBound(order, never)
  if (impossible !== null) return { answer: false, finding: `${what}: ${impossible}` }
  const counts = (session: TestSession) => session.outcome === wanted && session.refutation === null
  let best: { readonly session: TestSession; readonly seen: Moment } | null = null
  for (const session of sessions) {
    const { seen } = session
    if (seen === null || !counts(session) || !isFromOn(order, session.ran) || !isUpTo(order, seen)) continue
    if (best === null || seen.call < best.seen.call) best = { session, seen }
  }
  if (best !== null) return { answer: best.seen, finding: best.session.summary, session: best.session }

  if (sessions.length === 0) return { answer: false, finding: `${what}: no test session ran` }
  const alike = sessions.find(session => session.outcome === wanted)
  const nearest = alike ?? sessions.at(-1)
  if (nearest === undefined || alike === undefined) return { answer: false, finding: `${what}: ${nearest?.summary}` }
  const but =
    alike.refutation ?? (alike.seen === null ? 'nothing of it was in a result' : `it had to be ${describeBound(order)}`)
  return { answer: false, finding: `${what}: ${alike.summary}, but ${but}` }
}
