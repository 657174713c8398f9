/** The channel to an executor in a container: one attached stream that carries standard input, output and errors. */
import type { ExecutorChannel } from '../executor-connection.ts'
import { streamChannel } from '../stream-channel.ts'

const HEADER_BYTES = 8
const STDOUT = 1

/** What is needed of the stream that attaching gives. */
export interface AttachedStream {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown
  write(bytes: Uint8Array): unknown
  end(): unknown
}

/**
 * Takes apart what Docker joins when a container has no terminal: `u8 stream | 3 bytes | u32be length | payload`.
 * Payloads are handed on as they come, so that nothing is kept but an unfinished header.
 */
export class StreamSplitter {
  #header = Buffer.alloc(0)
  #stream = 0
  #left = 0

  push(chunk: Buffer, take: (stream: number, payload: Buffer) => void): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        const needed = HEADER_BYTES - this.#header.length
        this.#header = Buffer.concat([this.#header, rest.subarray(0, needed)])
        rest = rest.subarray(needed)
        if (this.#header.length < HEADER_BYTES) return
        this.#stream = this.#header.readUInt8(0)
        this.#left = this.#header.readUInt32BE(4)
        this.#header = Buffer.alloc(0)
        continue
      }
      const payload = rest.subarray(0, this.#left)
      this.#left -= payload.length
      rest = rest.subarray(payload.length)
      take(this.#stream, payload)
    }
  }
}

/**
 * @param remove Removes the container, whatever state it is in; called once, after standard input was closed.
 */
export function attachChannel(stream: AttachedStream, remove: () => Promise<void>): ExecutorChannel {
  const splitter = new StreamSplitter()
  return streamChannel({
    listen({ onOutput, onWords, onEnd }) {
      stream.on('data', chunk => {
        splitter.push(chunk, (number, payload) => {
          if (number === STDOUT) onOutput(payload)
          else onWords(payload.toString('utf8'))
        })
      })
      for (const event of ['end', 'close', 'error'] as const) stream.on(event, onEnd)
    },
    write: bytes => {
      stream.write(bytes)
    },
    end() {
      stream.end()
      return remove()
    },
  })
}
