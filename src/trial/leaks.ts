/** Looks for values that a task declares hidden, in everything an agent can see. */

/** A place an agent can look at, with all it holds. */
export interface Place {
  /** For people, for example `file main.py`. */
  readonly name: string
  readonly text: string
}

/**
 * The hidden values that are found, in words; upper and lower case are one, white space counts once. The values
 * themselves are not repeated.
 */
export function findLeaks(hidden: readonly string[], places: Iterable<Place>): readonly string[] {
  const wanted = hidden.map(fold)
  const found: string[] = []
  for (const { name, text } of places) {
    const folded = fold(text)
    wanted.forEach((value, index) => {
      if (folded.includes(value)) found.push(`hidden[${index}] is in the ${name}`)
    })
  }
  return found
}

const fold = (text: string) => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

/** Text of bytes of any kind: what is not UTF-8 does not keep the rest from being looked at. */
export function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
