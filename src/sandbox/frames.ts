/**
 * Frames between harness and executor, the same in both directions:
 * `u32be length of header | u32be length of body | header (JSON, UTF-8) | body (bytes)`.
 */

/** No frame is larger: what needs more is sent in parts. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024
const PREFIX_BYTES = 8

export interface Frame {
  readonly header: unknown
  readonly body: Uint8Array
}

/** Bytes that are not a frame: the other side is broken, nothing after them can be understood. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/**
 * One frame as bytes.
 * @throws FrameError when it would be larger than {@link MAX_FRAME_BYTES}.
 */
export function encodeFrame(header: object, body: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(header))
  if (text.length + body.length > MAX_FRAME_BYTES) {
    throw new FrameError(`a frame of ${text.length + body.length} bytes is larger than ${MAX_FRAME_BYTES}`)
  }
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(text.length, 0)
  prefix.writeUInt32BE(body.length, 4)
  return Buffer.concat([prefix, text, body])
}

/** Puts frames together from chunks of any size. What it holds is bounded by one frame and one chunk. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0

  /**
   * Takes the next bytes and gives the frames they complete.
   * @throws FrameError for a frame beyond the bound or a header that is not JSON; the reader is useless afterwards.
   */
  push(chunk: Uint8Array): Frame[] {
    this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    this.#length += chunk.byteLength
    const frames: Frame[] = []
    for (;;) {
      if (this.#length < PREFIX_BYTES) return frames
      const prefix = this.#peek(PREFIX_BYTES)
      const headerLength = prefix.readUInt32BE(0)
      const bodyLength = prefix.readUInt32BE(4)
      const length = PREFIX_BYTES + headerLength + bodyLength
      if (length - PREFIX_BYTES > MAX_FRAME_BYTES) {
        throw new FrameError(`a frame of ${length - PREFIX_BYTES} bytes is larger than ${MAX_FRAME_BYTES}`)
      }
      if (this.#length < length) return frames
      const bytes = this.#peek(length)
      const header = parseHeader(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + headerLength))
      frames.push({ header, body: bytes.subarray(PREFIX_BYTES + headerLength, length) })
      this.#drop(length)
    }
  }

  /** The first `length` bytes in one piece. Joins chunks only when they are needed together. */
  #peek(length: number): Buffer {
    const first = this.#chunks[0] ?? Buffer.alloc(0)
    if (first.length >= length) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }

  #drop(length: number): void {
    const rest = this.#chunks.shift()?.subarray(length)
    if (rest !== undefined && rest.length > 0) this.#chunks.unshift(rest)
    this.#length -= length
  }
}

function parseHeader(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new FrameError(`the header of a frame is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
