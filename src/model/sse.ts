/** Decoding of server-sent events as the WHATWG text describes them, with a bound on what is held back. */

export interface ServerEvent {
  /** `message` unless the stream names another. */
  readonly event: string
  readonly data: string
}

/** The stream held back more text than allowed without ending an event. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError'
}

/**
 * Turns pieces of a stream into events. Comment lines (pings) are dropped.
 * A line `error: …` is a whole event: older llama.cpp servers report a failure in mid-stream that way.
 */
export function createEventDecoder({ maxEventCharacters }: { readonly maxEventCharacters: number }): {
  readonly push: (bytes: Uint8Array) => ServerEvent[]
  /** Events left at the end of the stream; an event without its blank line still counts, because some servers omit it. */
  readonly end: () => ServerEvent[]
} {
  const text = new TextDecoder('utf-8')
  let rest = ''
  let event = 'message'
  let data: string[] = []
  let held = 0

  const take = (piece: string, isEnd: boolean): ServerEvent[] => {
    const events: ServerEvent[] = []
    rest += piece
    // A carriage return at the very end may be the first half of a CRLF: wait for the next piece.
    const usable = !isEnd && rest.endsWith('\r') ? rest.slice(0, -1) : rest
    const lines = usable.split(/\r\n|\n|\r/)
    // The end of the stream ends its last line and its last event.
    if (isEnd) lines.push('')
    else rest = (lines.pop() ?? '') + rest.slice(usable.length)
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ event, data: data.join('\n') })
        event = 'message'
        data = []
        held = 0
        continue
      }
      const [, field = '', value = ''] = /^([^:]*)(?::(?: ?)([\s\S]*))?$/.exec(line) ?? []
      if (field === 'data') {
        data.push(value)
        held += value.length
      } else if (field === 'event') event = value
      else if (field === 'error') events.push({ event: 'error', data: value })
    }
    if (rest.length + held > maxEventCharacters) {
      throw new EventTooLargeError(`one event of the stream is longer than ${maxEventCharacters} characters`)
    }
    return events
  }

  return {
    push: bytes => take(text.decode(bytes, { stream: true }), false),
    end: () => take(text.decode(), true),
  }
}
