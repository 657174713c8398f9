/**
 * Did a value that stands in a file reach the model, also where no whole line of the file did? `grep -o` prints the value
 * beside the path, a program that imports the module prints it beside the module's name.
 *
 * A result shows the value of a file when it holds it as a word of its own (no digit, letter or point before it, no digit,
 * letter or % after it), the file holds it at that call and no other file of the setup does, neither the prompt nor the
 * agent had it in anything sent up to then, and it is told whose it is: the line, or the nearest line above that names a
 * file, names this one; or the call itself does, or its folder.
 *
 * A result that lists candidates does not count: when three or more other values of the same form (`0.01`, `0.02`, `0.03`…),
 * which no file of the setup holds, had stood where this one stands, in this result or earlier ones, it was not looked up
 * but found in a list of all there may be.
 *
 * Known limit: a single value that the agent works out (`echo 0.$((6 * 2))`) counts as shown.
 */
import { posix } from 'node:path'
import type { LoggedCall, TrialLog } from './log.ts'
import { stringsIn } from './reading.ts'
import { viewsOfDelivered, viewsOfTyped } from './views.ts'
import { literalPattern } from './words.ts'
import { statesOf } from './workspace.ts'

/** The answer, and what came nearest in words. */
export interface ShownValue {
  readonly calls: readonly LoggedCall[]
  readonly nearest: string
}

/** A point may end a sentence, but with a digit after it the word goes on. */
const wordPattern = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_.])${literalPattern(text)}(?![\\p{L}\\p{N}_%]|\\.\\d)`, 'u')

/** What a file may be called in a result: its path, the module it is to Python, its own name with or without ending. */
function namesOf(path: string): readonly string[] {
  const { name, dir } = posix.parse(path)
  const module = posix.join(dir, name).replaceAll('/', '.')
  return [path, module, posix.basename(path), ...(name.length >= 4 ? [name] : [])]
}

/** Does a line name the file? As words, so that `offers.py` is not found in `special_offers.py`. */
function namePattern(path: string): RegExp {
  const names = namesOf(path).map(literalPattern).join('|')
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${names})(?![\\p{L}\\p{N}_])`, 'u')
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

/** So many other values where this one stands make it one of a list of candidates. */
const CANDIDATES = 3
const NUMBER = /\d+(?:\.\d+)*/g
const formOf = (value: string) => value.replace(/\d/g, '0')

/**
 * Remembers which values of the same form stood where, result by result. The function it gives takes in a result and
 * answers with the values that stand where the one in question does: on its line, or at its place in a line that is the
 * same but for its numbers.
 */
function createCandidates(value: string, word: RegExp) {
  const form = formOf(value)
  const byPlace = new Map<string, Set<string>>()
  return (views: readonly string[]): ReadonlySet<string> => {
    const lines = views.flatMap(view => view.split('\n')).map(line => ({ line, numbers: line.match(NUMBER) ?? [] }))
    const placeOf = (line: string, at: number) => `${at} ${line.replace(NUMBER, '0')}`
    for (const { line, numbers } of lines) {
      for (const [at, number] of numbers.entries()) {
        if (formOf(number) !== form || number === value) continue
        const place = placeOf(line, at)
        byPlace.set(place, (byPlace.get(place) ?? new Set()).add(number))
      }
    }
    const beside = new Set<string>()
    for (const { line, numbers } of lines) {
      if (!word.test(line)) continue
      for (const [at, number] of numbers.entries()) {
        if (formOf(number) !== form) continue
        if (number !== value) beside.add(number)
        else for (const other of byPlace.get(placeOf(line, at)) ?? []) beside.add(other)
      }
    }
    return beside
  }
}

/** The calls whose results showed a value of a file, in order. */
export function findValue(log: TrialLog, path: string, value: string): ShownValue {
  const word = wordPattern(value)
  const own = namePattern(path)
  const others = [...log.setupText.keys()].filter(other => other !== path).map(namePattern)
  const folder = posix.dirname(path)
  const place = folder === '.' ? own : new RegExp(`${own.source}|${namePattern(folder).source}`, 'u')
  const isIn = (views: readonly string[], pattern: RegExp) => views.some(view => pattern.test(view))

  const candidatesIn = /\d/.test(value) ? createCandidates(value, word) : () => new Set<string>()
  const calls: LoggedCall[] = []
  let nearest = `no result held ${value}`
  if (isIn(viewsOfTyped(log.prompt), word)) return { calls, nearest: `the prompt says ${value}` }
  for (const { call, before } of statesOf(log)) {
    const typed = stringsIn(call.args).flatMap(viewsOfTyped)
    if (isIn(typed, word)) {
      if (calls.length === 0) nearest = `call ${call.call} said ${value} before any result did`
      break
    }
    const views = viewsOfDelivered(call.delivered)
    const candidates = candidatesIn(views)
    if (!isIn(views, word)) continue
    const texts = [...before.texts].filter(([holder]) => log.baseline.entries.has(holder))
    const isHeld = (one: string) => [...log.setupText, ...texts].some(([, text]) => text.includes(one))
    const holders = texts.filter(([, text]) => word.test(text)).map(([holder]) => holder)
    if (holders.length !== 1 || holders[0] !== path) {
      nearest = `${value} came up in call ${call.call}, but ${holders.includes(path) ? 'other files hold it too' : 'the file did not hold it then'}`
    } else if ([...candidates].filter(one => !isHeld(one)).length >= CANDIDATES) {
      nearest = `${value} came up in call ${call.call}, but as one of a list of values that no file holds`
    } else if (isIn(typed, place) || views.some(view => showsBeside(view, word, own, others))) {
      calls.push(call)
    } else {
      nearest = `${value} came up in call ${call.call}, but not whose it is`
    }
  }
  return { calls, nearest }
}
