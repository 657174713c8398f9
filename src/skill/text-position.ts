/** Places in a text file, and mistakes that say where they are. */
import { type ErrorDetails, SpecError } from '../errors.ts'
import { type Mistake, specError } from '../task/mistakes.ts'

/** Counted from 1; a column counts UTF-16 units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** A mistake of a spec with its place in the file. */
export interface PlacedMistake extends Mistake {
  readonly place: TextPlace
}

/** An error that still holds its mistakes one by one, for a linter that lists them. */
export class PlacedSpecError extends SpecError {
  constructor(
    message: string,
    details: ErrorDetails,
    /** In order of their places, all of them. */
    readonly mistakes: readonly PlacedMistake[],
  ) {
    super(message, details)
    this.name = 'SpecError'
  }
}

/** Line and column of an offset (UTF-16 units) in a text with any line ends. */
export function placeOf(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset)
  const starts = [...before.matchAll(/\r\n|\n|\r(?!\n)/g)]
  const last = starts.at(-1)
  const start = last === undefined ? 0 : last.index + last[0].length
  return { line: starts.length + 1, column: offset - start + 1 }
}

/**
 * One error (code `spec_invalid`) for all mistakes of a file. Each line of the message begins with
 * `file:line:column: field`, which terminals and editors make clickable.
 */
export function placedError(file: string, mistakes: readonly PlacedMistake[], cause?: unknown): PlacedSpecError {
  const sorted = [...mistakes].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
  const first = sorted[0]?.place ?? { line: 1, column: 1 }
  const { message, remedy, stack } = specError({ file, ...first }, sorted, cause)
  const error = new PlacedSpecError(message, { code: 'spec_invalid', remedy, cause }, sorted)
  if (stack !== undefined) error.stack = stack
  return error
}
