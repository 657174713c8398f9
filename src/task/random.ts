/**
 * Random numbers for the instances of a task: the same on every machine for the same seed.
 * Part of the fingerprint of tasks with instances: raise it whenever another number may come out.
 */
export const GENERATOR_VERSION = 1

export interface Random {
  /** A number from 0 up to, not including, 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number
  /** One of the items; throws RangeError where there is none. */
  pick<Item>(items: readonly Item[]): Item
  /** The items in another order; the list that is given stays as it is. */
  shuffle<Item>(items: readonly Item[]): Item[]
}

/**
 * A generator that starts at a seed (a whole number from 0 to 2^32 − 1). The algorithm is sfc32 (Chris Doty-Humphrey,
 * PractRand), seeded by the seed and two constants, its first twelve numbers thrown away.
 */
export function createRandom(seed: number): Random {
  let [a, b, c, counter] = [seed >>> 0, 0x9e3779b9, 0x243f6a88, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let times = 0; times < 12; times += 1) next()
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    integer,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new RangeError('there is nothing to pick from')
      return items[integer(0, items.length - 1)] as Item
    },
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = integer(0, last)
        const kept = shuffled[last] as (typeof shuffled)[number]
        shuffled[last] = shuffled[other] as (typeof shuffled)[number]
        shuffled[other] = kept
      }
      return shuffled
    },
  }
}
