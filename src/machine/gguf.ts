/**
 * The keys at the head of a GGUF file (versions 2 and 3), as far as they are short: names, numbers and texts.
 * Source: the GGUF specification of the ggml project. The file is untrusted; anything odd ends the reading.
 */
import { closeSync, openSync, readSync } from 'node:fs'

export type GgufValue = string | number | boolean

const MAGIC = 'GGUF'
/** Vocabularies stand in the head, too: tens of megabytes of texts. What comes after this many bytes is not looked at. */
const MAX_BYTES = 64_000_000
const MAX_TEXT = 10_000
const CHUNK = 1_000_000

/** Sizes in bytes of the types of numbers, by their id; 8 is a text, 9 a list. */
const NUMBERS: Readonly<Record<number, { readonly size: number; readonly read: (bytes: Buffer) => GgufValue }>> = {
  0: { size: 1, read: bytes => bytes.readUInt8() },
  1: { size: 1, read: bytes => bytes.readInt8() },
  2: { size: 2, read: bytes => bytes.readUInt16LE() },
  3: { size: 2, read: bytes => bytes.readInt16LE() },
  4: { size: 4, read: bytes => bytes.readUInt32LE() },
  5: { size: 4, read: bytes => bytes.readInt32LE() },
  6: { size: 4, read: bytes => bytes.readFloatLE() },
  7: { size: 1, read: bytes => bytes.readUInt8() !== 0 },
  10: { size: 8, read: bytes => Number(bytes.readBigUInt64LE()) },
  11: { size: 8, read: bytes => Number(bytes.readBigInt64LE()) },
  12: { size: 8, read: bytes => bytes.readDoubleLE() },
}
const TEXT = 8
const LIST = 9

class Reader {
  readonly #file: number
  #held = Buffer.alloc(0)
  #start = 0
  position = 0

  constructor(file: number) {
    this.#file = file
  }

  /** @throws RangeError at the end of the file or of what is looked at */
  take(size: number): Buffer {
    if (size > MAX_TEXT || this.position + size > MAX_BYTES) throw new RangeError('too long')
    let from = this.position - this.#start
    if (from < 0 || from + size > this.#held.length) {
      const chunk = Buffer.alloc(CHUNK)
      this.#held = chunk.subarray(0, readSync(this.#file, chunk, 0, CHUNK, this.position))
      this.#start = this.position
      from = 0
    }
    if (size > this.#held.length - from) throw new RangeError('the file ends early')
    this.position += size
    return this.#held.subarray(from, from + size)
  }

  length(): number {
    return Number(this.take(8).readBigUInt64LE())
  }

  text(): string {
    return this.take(this.length()).toString('utf8')
  }

  skipText(): void {
    const size = this.length() // moves the position, too
    this.position += size
  }
}

/** The keys of a file, or null when it is no GGUF file that can be read. Lists are passed over. */
export function ggufKeys(path: string): ReadonlyMap<string, GgufValue> | null {
  const keys = new Map<string, GgufValue>()
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return null // on another machine, in a container, or not ours to read
  }
  try {
    const reader = new Reader(file)
    if (reader.take(4).toString('latin1') !== MAGIC || ![2, 3].includes(reader.take(4).readUInt32LE())) return null
    reader.length()
    const count = reader.length()
    for (let index = 0; index < count; index += 1) {
      const name = reader.text()
      const value = ggufValue(reader)
      if (value !== null) keys.set(name, value)
    }
    return keys
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return keys
  } finally {
    closeSync(file)
  }
}

function ggufValue(reader: Reader): GgufValue | null {
  const type = reader.take(4).readUInt32LE()
  const number = NUMBERS[type]
  if (number !== undefined) return number.read(reader.take(number.size))
  if (type === TEXT) {
    const start = reader.position
    const length = reader.length()
    if (length <= MAX_TEXT) return reader.take(length).toString('utf8')
    reader.position = start + 8 + length // a chat template
    return null
  }
  if (type !== LIST) throw new RangeError('an unknown type')
  const itemType = reader.take(4).readUInt32LE()
  const items = reader.length()
  const item = NUMBERS[itemType]
  if (item !== undefined) reader.position += item.size * items
  else if (itemType === TEXT) for (let index = 0; index < items; index += 1) reader.skipText()
  else throw new RangeError('a list of lists')
  return null
}
