/** Results that verify expects, as texts which nobody may find in what an agent can see. */

/** Shorter texts stand in many places by chance, and `hidden` takes none of less than four characters. */
const MIN_CHARACTERS = 4

/**
 * What of these values is long enough to be looked for, each once.
 * @example
 * hidden: textsOf([4106, -14]) // ['4106']
 */
export function textsOf(values: Iterable<number | string>): readonly string[] {
  return [...new Set([...values].map(String))].filter(text => text.length >= MIN_CHARACTERS)
}
