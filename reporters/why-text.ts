/** Recorded text in an answer to *why*: made harmless for the terminal, within the width, and never more than some lines. Pure. */
import { cutTo, escapeForTerminal, type Painter, wrap } from './terminal.ts'

/** Where lines are shown. */
export interface Room {
  readonly width: number
  readonly paint: Painter
}

/** `1 call`, `2 calls`. */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`

/** The first lines of a text, each cut to the width, with how many are left out. */
export function excerpt(text: string, most: number, indent: string, width: number): readonly string[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const shown = lines.slice(0, most).map(line => cutTo(indent + escapeForTerminal(line.slice(0, 4 * width)), width))
  const left = lines.length - shown.length
  return left === 0 ? shown : [...shown, `${indent}… ${left} more ${left === 1 ? 'line' : 'lines'}`]
}

/** Text wrapped below an indent whose first line may carry a mark. */
export function block(text: string, indent: string, { width }: Room): readonly string[] {
  return wrap(escapeForTerminal(text), width - indent.length).map(
    (line, at) => (at === 0 ? indent : ' '.repeat(indent.length)) + line,
  )
}

/**
 * What a model wrote, wrapped. Of a long text the begin and the end are shown: a call that leaked into it, or the answer,
 * stands at the end.
 * @param most lines, without the one that says how much is left out
 */
export function spoken(text: string, most: number, indent: string, { width }: Room): readonly string[] {
  const room = width - indent.length
  const wrapped = (part: string) =>
    part
      .trim()
      .split(/\r\n|\n|\r/)
      .flatMap(line => wrap(escapeForTerminal(line), room))
      .map(line => indent + line)
  const half = Math.ceil(most / 2)
  // Only what can be shown is formatted: an answer may have hundreds of thousands of characters.
  const reach = half * room
  if (text.length > 4 * reach) {
    const [head, tail] = [wrapped(text.slice(0, reach)).slice(0, half), wrapped(text.slice(-reach)).slice(half - most)]
    return [...head, `${indent}… in all ${counted(text.length, 'character')} …`, ...tail]
  }
  const lines = wrapped(text)
  if (lines.length <= most + 1) return lines
  const left = lines.length - most
  return [...lines.slice(0, half), `${indent}… ${left} more lines …`, ...lines.slice(half - most)]
}
