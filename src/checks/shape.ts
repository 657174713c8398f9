/** What an answer looks like: its length, its parts, its first and last words. All are false for silence. */
import { type Answer, literally, plainAnswer } from './plain-answer.ts'

/** How many there may be. */
export interface Bounds {
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
}

const isWithin = (count: number, { exactly = count, atLeast = 0, atMost = count }: Bounds): boolean =>
  count === exactly && count >= atLeast && count <= atMost

const SIGN = '(?:[-*+\u2022\u00b7\u2023\u25aa\u25e6\u2043]|\\d+[.)])'

/** Words: what stands between spaces and has a letter or a digit. */
export const words = (answer: Answer, bounds: Bounds): boolean => counts(answer, /\S*[\p{L}\p{N}]\S*/gu, bounds)

/** Lines that are not blank. */
export const lines = (answer: Answer, bounds: Bounds): boolean => counts(answer, /^.*\S.*$/gm, bounds)

/** Items of lists, of any depth, numbered ones too. */
export const bullets = (answer: Answer, bounds: Bounds): boolean =>
  counts(answer, new RegExp(`^[ \\t]*${SIGN}[ \\t]+\\S`, 'gm'), bounds)

/** Sentences, as Unicode divides a text into them; a line ends one too. */
export function sentences(answer: Answer, bounds: Bounds): boolean {
  const parts = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment((answer ?? '').trim())]
  const count = parts.filter(({ segment }) => /[\p{L}\p{N}]/u.test(segment)).length
  return count > 0 && isWithin(count, bounds)
}

function counts(answer: Answer, pattern: RegExp, bounds: Bounds): boolean {
  const text = (answer ?? '').trim()
  return text !== '' && isWithin([...text.matchAll(pattern)].length, bounds)
}

/** The answer begins with this text, as a whole word and in this case. Emphasis and quotes around it are passed over. */
export function startsWith(answer: Answer, text: string): boolean {
  const found = plainAnswer(answer).replace(/^[\s"'#>]+/, '')
  return found.startsWith(text) && !(isWord(text.at(-1)) && isWord(found[text.length]))
}

/** The same for its end; a sign may follow a text that ends in a letter: "Ready" fits "… Ready." too. */
export function endsWith(answer: Answer, text: string): boolean {
  const plain = plainAnswer(answer)
  const found = isWord(text.at(-1)) ? plain.replace(/[\s"'.!)\]]+$/, '') : plain.replace(/[\s"']+$/, '')
  return found.endsWith(text) && !(isWord(text[0]) && isWord(found[found.length - text.length - 1]))
}

const isWord = (sign: string | undefined) => /[\p{L}\p{N}_]/u.test(sign ?? '')

/** At least one of these stands in the answer as a whole word, in any case; a plural in -s or -es counts. Says nothing of how. */
export function mentions(answer: Answer, words: readonly string[]): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.map(literally).join('|')})(?:e?s)?(?![\\p{L}\\p{N}_])`, 'iu').test(
    plainAnswer(answer),
  )
}

/** The answer says something, and none of these in it. */
export const avoids = (answer: Answer, words: readonly string[]): boolean =>
  /[\p{L}\p{N}]/u.test(answer ?? '') && !mentions(answer, words)

/** Its last line that is not blank, without emphasis; empty for silence. For tasks that ask for "Answer: …" at the end. */
export const lastLine = (answer: Answer): string => plainAnswer(answer).split('\n').at(-1)?.trim() ?? ''
