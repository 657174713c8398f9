import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachChannel, StreamSplitter } from './attach-channel.ts'

function wrap(stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt8(stream, 0)
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

describe('an attached stream', () => {
  it('is taken apart into its two streams, whatever chunks it comes in', () => {
    const messages = fc.array(fc.record({ stream: fc.constantFrom(1, 2), payload: fc.uint8Array() }))
    fc.assert(
      fc.property(messages, fc.integer({ min: 1, max: 20 }), (sent, length) => {
        const bytes = Buffer.concat(sent.map(({ stream, payload }) => wrap(stream, payload)))
        const splitter = new StreamSplitter()
        const received: Record<number, number[]> = { 1: [], 2: [] }
        for (let position = 0; position < bytes.length; position += length) {
          splitter.push(bytes.subarray(position, position + length), (stream, payload) =>
            received[stream]?.push(...payload),
          )
        }
        for (const stream of [1, 2]) {
          expect(received[stream]).toEqual(sent.filter(m => m.stream === stream).flatMap(m => [...m.payload]))
        }
      }),
    )
  })

  it('keeps only the last words of standard error, ends once, and removes the container once', async () => {
    const ended: string[] = []
    const stream = Object.assign(new EventEmitter(), { write: () => true, end: () => ended.push('end') })
    const channel = attachChannel(stream, async () => {
      ended.push('remove')
    })
    let ends = 0
    channel.open({ onBytes: () => undefined, onEnd: () => ends++ })
    for (let index = 0; index < 100; index++) stream.emit('data', wrap(2, Buffer.from('x'.repeat(1_000))))
    stream.emit('data', wrap(2, Buffer.from('last')))
    expect(channel.lastWords()).toHaveLength(8 * 1024)
    expect(channel.lastWords().endsWith('last')).toBe(true)
    stream.emit('end')
    stream.emit('close')
    expect(ends).toBe(1)
    await Promise.all([channel.close(), channel.close()])
    expect(ended).toEqual(['end', 'remove'])
  })
})
