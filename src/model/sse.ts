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
export function createEventDecoder(options: { readonly maxEventCharacters: number }): {
  readonly push: (bytes: Uint8Array) => ServerEvent[]
  /** Events left at the end of the stream; an event without its blank line still counts, because some servers omit it. */
  readonly end: () => ServerEvent[]
} {
  const text = new TextDecoder('utf-8')
  let rest = ''
  let name = 'message'
  let data: string[] = []
  let held = 0

  const flush = (into: ServerEvent[]): void => {
    if (data.length > 0) into.push({ event: name, data: data.join('\n') })
    name = 'message'
    data = []
    held = 0
  }

  const line = (content: string, into: ServerEvent[]): void => {
    if (content === '') {
      flush(into)
      return
    }
    if (content.startsWith(':')) return
    const colon = content.indexOf(':')
    const field = colon === -1 ? content : content.slice(0, colon)
    const value = colon === -1 ? '' : content.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') {
      data.push(value)
      held += value.length
    } else if (field === 'event') name = value
    else if (field === 'error') into.push({ event: 'error', data: value })
  }

  const take = (piece: string, isEnd: boolean): ServerEvent[] => {
    const events: ServerEvent[] = []
    rest += piece
    // A carriage return at the very end may be the first half of a CRLF: wait for the next piece.
    const usable = !isEnd && rest.endsWith('\r') ? rest.slice(0, -1) : rest
    const lines = usable.split(/\r\n|\n|\r/)
    const last = lines.pop() ?? ''
    rest = last + rest.slice(usable.length)
    for (const content of lines) line(content, events)
    if (isEnd) {
      if (rest !== '') line(rest, events)
      rest = ''
      flush(events)
    }
    if (rest.length + held > options.maxEventCharacters) {
      throw new EventTooLargeError(`one event of the stream is longer than ${options.maxEventCharacters} characters`)
    }
    return events
  }

  return {
    push: bytes => take(text.decode(bytes, { stream: true }), false),
    end: () => take(text.decode(), true),
  }
}
