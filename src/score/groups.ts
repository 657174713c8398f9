/** What may be said of the order of several models: groups that cannot be told apart, and ranges of ranks. */

export interface Grouped {
  /** Letters of the groups it is in; two that share a letter are not separable. */
  readonly letters: string
  /** The ranks it may have: simultaneous in the sense of Mogstad et al. (2024). */
  readonly ranks: readonly [best: number, worst: number]
}

/**
 * All maximal sets of mutually inseparable members, by insert and absorb (Piepho 2004; Gramm et al. 2007).
 * @param count members, known by their place from the best on
 * @param separable pairs that were told apart
 */
export function inseparableSets(
  count: number,
  separable: readonly (readonly [number, number])[],
): readonly (readonly number[])[] {
  let columns: number[][] = [Array.from({ length: count }, (_, member) => member)]
  for (const [one, other] of separable) {
    const split = columns.flatMap(column =>
      column.includes(one) && column.includes(other)
        ? [column.filter(member => member !== one), column.filter(member => member !== other)]
        : [column],
    )
    columns = split.filter(
      (column, at) =>
        !split.some(
          (larger, place) =>
            place !== at &&
            column.every(member => larger.includes(member)) &&
            (larger.length > column.length || place < at),
        ),
    )
  }
  return columns.sort((a, b) => (a.find((member, at) => member !== b[at]) ?? 0) - (b.find((m, at) => m !== a[at]) ?? 0))
}

/** @param separable pairs that were told apart, the better one first */
export function groupsOf(count: number, separable: readonly (readonly [number, number])[]): readonly Grouped[] {
  const sets = inseparableSets(count, separable)
  return Array.from({ length: count }, (_, member) => ({
    letters: sets.flatMap((set, at) => (set.includes(member) ? [letter(at)] : [])).join(''),
    ranks: [
      1 + separable.filter(([, worse]) => worse === member).length,
      count - separable.filter(([better]) => better === member).length,
    ],
  }))
}

/** a … z, then (27), (28) … */
const letter = (at: number): string => (at < 26 ? String.fromCharCode(97 + at) : `(${at + 1})`)
