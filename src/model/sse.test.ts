import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventDecoder, EventTooLargeError, type ServerEvent } from './sse.ts'

function decode(bytes: Uint8Array, cuts: readonly number[] = []): ServerEvent[] {
  const decoder = createEventDecoder({ maxEventCharacters: 10_000 })
  const events: ServerEvent[] = []
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    events.push(...decoder.push(bytes.subarray(from, cut)))
    from = cut
  }
  return [...events, ...decoder.push(bytes.subarray(from)), ...decoder.end()]
}
const decodeText = (text: string): ServerEvent[] => decode(new TextEncoder().encode(text))

describe('decoding of events', () => {
  test('comments are dropped, data lines are joined, CRLF is a line end', () => {
    expect(decodeText(':ping\r\n\r\ndata: a\r\ndata:b\r\n\r\ndata: c\n\n')).toEqual([
      { event: 'message', data: 'a\nb' },
      { event: 'message', data: 'c' },
    ])
  })

  test('named events and error lines of older llama.cpp are told apart', () => {
    expect(decodeText('event: error\ndata: x\n\nerror: {"message":"y"}\n\n')).toEqual([
      { event: 'error', data: 'x' },
      { event: 'error', data: '{"message":"y"}' },
    ])
  })

  test('an event without its blank line counts at the end of the stream', () => {
    expect(decodeText('data: [DONE]')).toEqual([{ event: 'message', data: '[DONE]' }])
  })

  test('events are the same wherever the bytes are cut', () => {
    const bytes = new TextEncoder().encode('data: {"a":"😀é"}\r\ndata: c\r\n\r\n: x\n\ndata: b\n\r\ndata: [DONE]\r\r')
    const whole = decode(bytes)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), cuts => {
        expect(decode(bytes, cuts)).toEqual(whole)
      }),
    )
  })

  test('an event that never ends passes the bound and is refused', () => {
    const decoder = createEventDecoder({ maxEventCharacters: 100 })
    expect(() => decoder.push(new TextEncoder().encode(`data: ${'x'.repeat(200)}`))).toThrow(EventTooLargeError)
  })
})
