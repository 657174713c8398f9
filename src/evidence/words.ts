/** How evidence speaks of calls in reasons. Commands and paths are the model's text: shortened, without control characters. */
import { posix } from 'node:path'
import type { Moment } from '../task/run.ts'
import type { LoggedCall, TrialLog } from './log.ts'

const MAX_QUOTED = 60

/** A text of the model on one line, at most 60 characters. */
export function quoted(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  const characters = [...line.slice(0, MAX_QUOTED * 2)]
  return characters.length > MAX_QUOTED ? `${characters.slice(0, MAX_QUOTED - 1).join('')}…` : characters.join('')
}

/** For example "call 3 (`ls -la`)" or "call 4 (read_file main.py)". */
export function describeCall(call: LoggedCall): string {
  const { command, path } = call.args
  if (typeof command === 'string') return `call ${call.call} (\`${quoted(command)}\`)`
  const target = typeof path === 'string' ? ` ${quoted(path)}` : ''
  return `call ${call.call} (${quoted(call.tool)}${target})`
}

/** For example "call 3 (turn 2)"; "the setup" for what was there before the first call. */
export function describeMoment(moment: Moment): string {
  return moment.call === 0 ? 'the setup' : `call ${moment.call} (turn ${moment.turn})`
}

/** The source of a pattern that finds just this text. */
export const literalPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** "1 call", "3 calls". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The first call whose arguments or result name the path (or its last segment), or null. */
export function firstMention(log: TrialLog, path: string): LoggedCall | null {
  const name = posix.basename(path)
  const mentions = (call: LoggedCall) =>
    call.delivered.includes(name) ||
    Object.values(call.args).some(value => typeof value === 'string' && value.includes(name))
  return log.calls.find(mentions) ?? null
}
