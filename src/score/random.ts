/**
 * Random numbers that a seed repeats on every machine: sfc32 (Doty-Humphrey, PractRand) with a state from splitmix32, its
 * first twelve numbers discarded.
 */

/** A source of numbers from 0 to 2^32 − 1. @param seed any 32-bit integer */
export function randomSource(seed: number): () => number {
  let state = seed | 0
  const split = () => {
    state = (state + 0x9e3779b9) | 0
    let t = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    t = Math.imul(t ^ (t >>> 15), 0x735a2d97)
    return t ^ (t >>> 15)
  }
  let [a, b, c, d] = [split(), split(), split(), split()]
  const next = () => {
    const t = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return t >>> 0
  }
  for (let i = 0; i < 12; i++) next()
  return next
}

/** A place in a list of n. */
export const placeIn = (n: number, random: () => number): number => Math.floor((random() / 2 ** 32) * n)
