/** Lines as evidence compares them: without terminal codes and with white space collapsed, and a fast search for them. */
import { stripVTControlCharacters } from 'node:util'

/** A line with fewer letters and digits than this proves nothing. */
const MIN_LETTERS = 5
/** A longer line also counts by this many of its first characters, because tools cut long lines. */
const PREFIX_LENGTH = 24

/** Removes terminal codes, collapses white space and trims, line by line. Line ends become `\n`. */
export function normaliseText(text: string): string {
  const plain = stripVTControlCharacters(text)
  return plain
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/^ | $/gm, '')
}

const TELLING = new RegExp(`(?:[\\p{L}\\p{N}][^\\p{L}\\p{N}]*){${MIN_LETTERS}}`, 'u')

/** Has the text at least five letters or digits (of any script)? */
export function isTelling(line: string): boolean {
  return TELLING.test(line)
}

/** The distinct telling lines of a normalised text. */
export function tellingLines(normalised: string): string[] {
  return [...new Set(normalised.split('\n'))].filter(isTelling)
}

/** First characters of a long line, by which it counts as well; null for a short line or one that begins without letters. */
export function prefixOf(line: string): string | null {
  if (line.length <= PREFIX_LENGTH) return null
  const prefix = line.slice(0, PREFIX_LENGTH).trimEnd()
  return isTelling(prefix) ? prefix : null
}

/** Finds many keys in a text in one pass. */
export interface KeyIndex {
  /** Calls `onHit` for every occurrence of every key, in order of position. */
  scan(text: string, onHit: (key: string, position: number) => void): void
}

/** Slots of the hash table; a power of two. */
const SLOTS = 1 << 13

const HASH_BASE = 31
/** Weight of a character that leaves the window of the rolling hash. */
const HASH_LEAVING = HASH_BASE ** MIN_LETTERS

/** Polynomial hash of five characters from a position on. */
function hashAt(text: string, at: number): number {
  let hash = 0
  for (let offset = 0; offset < MIN_LETTERS; offset++)
    hash = (Math.imul(hash, HASH_BASE) + text.charCodeAt(at + offset)) | 0
  return hash
}

const slotOf = (hash: number) => (hash ^ (hash >>> 13)) & (SLOTS - 1)

/** Keys whose first five characters have the same hash, sorted; each with the longest other key it begins with. */
interface Bucket {
  readonly keys: readonly string[]
  readonly parents: readonly number[]
  readonly longest: number
}

function createBucket(unsorted: readonly string[]): Bucket {
  const keys = [...unsorted].sort()
  const open: number[] = []
  const parents = keys.map((key, index) => {
    while (open.length > 0 && !key.startsWith(keys[open.at(-1) ?? 0] ?? '')) open.pop()
    const parent = open.at(-1) ?? -1
    open.push(index)
    return parent
  })
  return { keys, parents, longest: Math.max(...keys.map(key => key.length)) }
}

/**
 * The place of the last key that is not greater than the text at a position. Every key the text begins with there is
 * that key or one of its parents, because a key that sorts between a beginning of the text and the text begins alike.
 */
function floorOf(bucket: Bucket, text: string, at: number): number {
  const here = text.slice(at, at + bucket.longest)
  let low = 0
  let high = bucket.keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bucket.keys[middle] ?? '') <= here) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Makes an index of keys, each at least five characters long (shorter ones are never found). */
export function createKeyIndex(keys: Iterable<string>): KeyIndex {
  const lists = new Map<number, string[]>()
  for (const key of new Set(keys)) {
    if (key.length < MIN_LETTERS) continue
    const slot = slotOf(hashAt(key, 0))
    const list = lists.get(slot)
    if (list === undefined) lists.set(slot, [key])
    else list.push(key)
  }
  const buckets: (Bucket | undefined)[] = new Array<Bucket | undefined>(SLOTS).fill(undefined)
  for (const [slot, list] of lists) buckets[slot] = createBucket(list)

  return {
    scan(text, onHit) {
      if (lists.size === 0 || text.length < MIN_LETTERS) return
      let hash = hashAt(text, 0)
      for (let at = 0; at <= text.length - MIN_LETTERS; at++) {
        const bucket = buckets[slotOf(hash)]
        hash =
          (Math.imul(hash, HASH_BASE) +
            text.charCodeAt(at + MIN_LETTERS) -
            Math.imul(text.charCodeAt(at), HASH_LEAVING)) |
          0
        if (bucket === undefined) continue
        for (let index = floorOf(bucket, text, at); index >= 0; index = bucket.parents[index] ?? -1) {
          const key = bucket.keys[index]
          if (key !== undefined && text.startsWith(key, at)) onHit(key, at)
        }
      }
    },
  }
}
