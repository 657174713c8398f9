/**
 * Did a value that stands in a file reach the model, also where no whole line of the file did? `grep -o` prints the value
 * beside the path, a program that imports the module prints it beside the module's name.
 *
 * A result shows the value of a file when it holds it as a word of its own (no digit, letter or point before it, no digit,
 * letter or % after it), the file holds it at that call and no other file of the setup does, neither the prompt nor the
 * agent had it in anything sent up to then, and it is told whose it is: the line, or the nearest line above that names a
 * file, names this one; or the call itself does, or its folder.
 *
 * Known limit: a value that the agent works out (`echo 0.$((6 * 2))`) counts as shown.
 */
import { posix } from 'node:path'
import type { LoggedCall, TrialLog } from './log.ts'
import { stringsIn } from './reading.ts'
import { viewsOfDelivered, viewsOfTyped } from './views.ts'
import { textsByHash } from './workspace.ts'

/** The answer, and what came nearest in words. */
export interface ShownValue {
  readonly calls: readonly LoggedCall[]
  readonly nearest: string
}

const quotedPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
/** A point may end a sentence, but with a digit after it the word goes on. */
const wordPattern = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_.])${quotedPattern(text)}(?![\\p{L}\\p{N}_%]|\\.\\d)`, 'u')

/** What a file may be called in a result: its path, the module it is to Python, its own name with or without ending. */
function namesOf(path: string): readonly string[] {
  const { name, dir } = posix.parse(path)
  const module = posix.join(dir, name).replaceAll('/', '.')
  return [path, module, posix.basename(path), ...(name.length >= 4 ? [name] : [])]
}

/** Does a line name the file? As words, so that `offers.py` is not found in `special_offers.py`. */
function namePattern(path: string): RegExp {
  const names = namesOf(path).map(quotedPattern).join('|')
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${names})(?![\\p{L}\\p{N}_])`, 'u')
}

/** Texts of the setup's files as they were before each call. */
function* statesOf(
  log: TrialLog,
): Generator<{ readonly call: LoggedCall; readonly texts: ReadonlyMap<string, string> }> {
  const byHash = textsByHash(log)
  const texts = new Map(log.setupText)
  for (const call of log.calls) {
    yield { call, texts }
    for (const [path, entry] of call.delta?.changed ?? []) {
      if (!log.baseline.entries.has(path)) continue
      const text = entry.type === 'file' ? byHash.get(entry.sha256) : undefined
      if (text === undefined) texts.delete(path)
      else texts.set(path, text)
    }
    for (const path of call.delta?.deleted ?? []) texts.delete(path)
  }
}

/** Is the value in the text, and the nearest name of a file at or above it this file's? */
function showsBeside(text: string, value: RegExp, own: RegExp, others: readonly RegExp[]): boolean {
  let isUnderOwn = false
  for (const line of text.split('\n')) {
    const namesOwn = own.test(line)
    if (namesOwn || others.some(other => other.test(line))) isUnderOwn = namesOwn
    if (isUnderOwn && value.test(line)) return true
  }
  return false
}

/** The calls whose results showed a value of a file, in order. */
export function findValue(log: TrialLog, path: string, value: string): ShownValue {
  const word = wordPattern(value)
  const own = namePattern(path)
  const others = [...log.setupText.keys()].filter(other => other !== path).map(namePattern)
  const folder = posix.dirname(path)
  const place = folder === '.' ? own : new RegExp(`${own.source}|${namePattern(folder).source}`, 'u')
  const isIn = (views: readonly string[], pattern: RegExp) => views.some(view => pattern.test(view))

  const calls: LoggedCall[] = []
  let nearest = `no result held ${value}`
  if (isIn(viewsOfTyped(log.prompt), word)) return { calls, nearest: `the prompt says ${value}` }
  for (const { call, texts } of statesOf(log)) {
    const typed = stringsIn(call.args).flatMap(viewsOfTyped)
    if (isIn(typed, word)) {
      if (calls.length === 0) nearest = `call ${call.call} said ${value} before any result did`
      break
    }
    const views = viewsOfDelivered(call.delivered)
    if (!isIn(views, word)) continue
    const holders = [...texts].filter(([, text]) => word.test(text)).map(([holder]) => holder)
    if (holders.length !== 1 || holders[0] !== path) {
      nearest = `${value} came up in call ${call.call}, but ${holders.includes(path) ? 'other files hold it too' : 'the file did not hold it then'}`
    } else if (isIn(typed, place) || views.some(view => showsBeside(view, word, own, others))) {
      calls.push(call)
    } else {
      nearest = `${value} came up in call ${call.call}, but not whose it is`
    }
  }
  return { calls, nearest }
}
