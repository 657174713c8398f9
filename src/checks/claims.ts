/** What an answer claims, which is less than what stands in it: neither a value named as the old one, nor one of two. */
import { type Answer, literally, plainAnswer } from './plain-answer.ts'
import { type Mention, type MentionKind, stancesOf } from './stance.ts'

export interface Claims {
  /**
   * This number is claimed and none of `not` is. Units, currencies and separators of thousands may stand with it. Digits of
   * an id, a date, a time, a version or a path are no number.
   * @param options `not`: numbers that would be wrong, such as the one of a decoy. `tolerance`: default none.
   */
  number(value: number, options?: { readonly not?: readonly number[]; readonly tolerance?: number }): boolean
  /** This file is claimed, by its path or by its name alone, and none of `not` is. */
  file(path: string, options?: { readonly not?: readonly string[] }): boolean
  /** All these names are claimed (files by path or by name), and none of `not`: a list, or a pattern that others fit too. */
  names(names: readonly string[], options?: { readonly not?: readonly string[] | RegExp }): boolean
  /** At least one of these words is claimed. */
  some(words: readonly string[]): boolean
}

/**
 * What an answer claims. Values that it excludes, corrects or puts in the past are not claimed ("85, not 72", "72 is
 * superseded"), alternatives are not either ("30 or 37"). If an answer comes to a conclusion ("Answer: 85"), it is enough that
 * the answer is right from there on. The cues are English; what other languages say counts as claimed.
 *
 * @example
 * claims(run.answer).number(85, { not: [72] }) && claims(run.answer).file('policy/travel.md', { not: ['policy/README.md'] })
 */
export function claims(answer: Answer): Claims {
  const text = plainAnswer(answer)
  const start = CONCLUDES.exec(text)?.index ?? 0
  const parts = start === 0 ? [text] : [text, text.slice(start)]
  const names = (wanted: readonly string[], not: readonly string[] | RegExp, kind: MentionKind) =>
    parts.some(part => isClaimed(part, kind, namesIn(part, wanted, not), wanted))
  return {
    number: (value, { not = [], tolerance = 0 } = {}) =>
      parts.some(part => isClaimed(part, 'value', numbersIn(part, value, not, tolerance), [value])),
    file: (path, { not = [] } = {}) => names([path], not, 'value'),
    names: (wanted, { not = [] } = {}) => names(wanted, not, 'member'),
    some: words => words.some(word => names([word], [], 'value')),
  }
}

const CONCLUDES =
  /(?:^|(?<=[.!?\n]\s*))[^.!?\n]*\b(?:(?:final )?answer(?: is(?! in\b)|:)|therefore|thus|in conclusion|in short)/im

/** A mention of what is wanted, of a rival (any other key), or of nothing that matters (null). */
interface Found<Key> extends Mention {
  readonly key: Key | null
}

/** Each wanted key is claimed where it is named last, and no other is claimed there or offered anywhere. */
function isClaimed<Key>(
  text: string,
  kind: MentionKind,
  found: readonly Found<Key>[],
  wanted: readonly Key[],
): boolean {
  const stances = stancesOf(text, found, kind)
  const last = new Map<Key, string>()
  const offered = new Set<Key>()
  for (const [index, { key }] of found.entries()) {
    const stance = stances[index] ?? null
    if (key === null || stance === null) continue
    last.set(key, stance)
    if (stance === 'offered') offered.add(key)
  }
  const isWanted = (key: Key) => wanted.includes(key)
  return (
    wanted.every(key => last.get(key) === 'claimed') &&
    [...last].every(([key, stance]) => isWanted(key) || (stance === 'denied' && !offered.has(key)))
  )
}

const CURRENCY = '(?:[\u20ac\u00a3$\u00a5]|EUR|GBP|USD|CHF|JPY|Rs\\.?)'
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}_./:#-]|\\d[,'])(?:${CURRENCY} ?)?(?:[-+](?=\\d))?(?:${CURRENCY} ?)?(\\d{1,3}(?:[,.']\\d{3})+(?:[.,]\\d+)?|\\d+(?:[.,]\\d+)?)(?: ?(?:${CURRENCY}|%))?(?:(?!(?:st|nd|rd|th)\\b)\\p{L}{1,4}(?!\\p{L}))?(?![\\p{L}\\p{N}_]|[-/:.,]\\d|-\\p{Lu}|/\\d)`,
  'gu',
)
const WORDS =
  'zero _ two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  )

/** The numbers of a text, each with the wanted value or the rival that it can be read as. */
function numbersIn(text: string, value: number, rivals: readonly number[], tolerance: number): Found<number>[] {
  const items = itemNumbers(text)
  const found = [...text.matchAll(NUMBER)]
    .filter(({ index }) => !items.has(index))
    .map(({ index, 0: all, 1: digits = '' }): Found<number> => {
      const sign = /-\D*\d/.test(all) && !/\d.*-/.test(all) ? -1 : 1
      const readings = readingsOf(digits).map(reading => sign * reading)
      const key = [value, ...rivals].find(one => readings.some(reading => Math.abs(reading - one) <= tolerance + 1e-9))
      return { start: index, end: index + all.length, key: key ?? null }
    })
  const word = WORDS[value]
  if (word === undefined || word === '_') return found
  const spelled = [...text.matchAll(new RegExp(`(?<!-)\\b${word}\\b(?!-)`, 'gi'))]
  return [...found, ...spelled.map(({ index }) => ({ start: index, end: index + word.length, key: value }))].toSorted(
    (one, other) => one.start - other.start,
  )
}

/** What digits can mean: "1.234" is a thousand for some and one and a bit for others, "2,4" is never 24. */
function readingsOf(digits: string): number[] {
  const signs = digits.match(/[,.']/g) ?? []
  const [first] = signs
  if (first === undefined) return [Number(digits)]
  const last = signs.at(-1) ?? first
  const cut = digits.lastIndexOf(last)
  const decimal = Number(`${digits.slice(0, cut).replace(/[,.']/g, '')}.${digits.slice(cut + 1)}`)
  const isGrouped = /^\d{1,3}(?:[,.']\d{3})+$/.test(digits) && signs.every(sign => sign === first)
  const grouped = Number(digits.replace(/[,.']/g, ''))
  if (!isGrouped) return [decimal]
  return signs.length === 1 && first !== "'" ? [grouped, decimal] : [grouped]
}

/** Places of the numbers of a numbered list: "1. …" and those with a neighbour at the start of another line. */
function itemNumbers(text: string): ReadonlySet<number> {
  const starts = [...text.matchAll(/^([ \t]*)(\d{1,2})[.)] \S/gm)].map(({ index, 1: indent = '', 2: digits = '' }) => ({
    at: index + indent.length,
    number: Number(digits),
  }))
  const numbers = new Set(starts.map(({ number }) => number))
  return new Set(starts.filter(({ number }) => numbers.has(number - 1) || numbers.has(number + 1)).map(({ at }) => at))
}

/** The names in a text. A path is also named by its end, and by a longer path that ends in it. */
function namesIn(text: string, wanted: readonly string[], rivals: readonly string[] | RegExp): Found<string>[] {
  const listed = [...wanted, ...(rivals instanceof RegExp ? [] : rivals)]
  const ends = listed.flatMap(name => name.split('/').map((_, at, parts) => parts.slice(at).join('/')))
  const shapes = [...new Set(ends)].toSorted((one, other) => other.length - one.length).map(literally)
  const any = [...(rivals instanceof RegExp ? [rivals.source] : []), ...shapes].join('|')
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_/-])(?:[\\w.-]*/)*(?:${any})(?:e?s)?(?![\\p{L}\\p{N}_-]|[./]\\w)`,
    'giu',
  )
  return [...text.matchAll(pattern)].map(({ index, 0: said }) => {
    const key = listed.find(name => isSame(said, name)) ?? listed.find(name => isEnd(said, name)) ?? said
    return { start: index, end: index + said.length, key }
  })
}

const isSame = (said: string, name: string) => said.toLowerCase() === name.toLowerCase()

function isEnd(said: string, name: string): boolean {
  const [one, other] = [said, name].map(text => `/${text.toLowerCase().replace(/^\.?\//, '')}`) as [string, string]
  return one.endsWith(other) || other.endsWith(one) || one.replace(/e?s$/, '').endsWith(other)
}
