import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame, type Frame, FrameError, FrameReader, MAX_FRAME_BYTES } from './frames.ts'

describe('frames', () => {
  it('come out as they went in, whatever chunks they are cut into', () => {
    const frames = fc.array(fc.record({ header: fc.dictionary(fc.string(), fc.jsonValue()), body: fc.uint8Array() }))
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(({ header, body }) => encodeFrame(header, body)))
        const reader = new FrameReader()
        const received: Frame[] = []
        for (let position = 0, cut = 0; position < bytes.length; cut++) {
          const length = cuts[cut % cuts.length] ?? 1
          received.push(...reader.push(bytes.subarray(position, position + length)))
          position += length
        }
        expect(received.map(({ header, body }) => ({ header, body: [...body] }))).toEqual(
          sent.map(({ header, body }) => ({ header: JSON.parse(JSON.stringify(header)), body: [...body] })),
        )
      }),
    )
  })

  it('beyond the bound are refused before their body is waited for', () => {
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(10, 0)
    prefix.writeUInt32BE(MAX_FRAME_BYTES, 4)
    expect(() => new FrameReader().push(prefix)).toThrow(FrameError)
    expect(() => encodeFrame({}, new Uint8Array(MAX_FRAME_BYTES))).toThrow(FrameError)
  })

  it('with a header that is not JSON are refused', () => {
    const bytes = Buffer.from(encodeFrame({ a: 1 }))
    bytes[8] = 0x21
    expect(() => new FrameReader().push(bytes)).toThrow(/not JSON/)
  })
})
