import { createAssembler, type RawReply } from './assemble.ts'
import { AFTER_FINISH_MS, startTimer } from './deadlines.ts'
import { parseJson } from './json.ts'
import { createEventDecoder, EventTooLargeError, type ServerEvent } from './sse.ts'
import { type HttpAnswer, readText } from './transport.ts'

/** Text, reasoning and arguments of one reply that are read at most, in characters. */
export const MAX_REPLY_CHARACTERS = 8_000_000
/** One event of a stream, or a body that is not streamed: a whole reply may be in one. */
const MAX_EVENT_CHARACTERS = 16_000_000

/** What an event looks like at the start of a body whose content type does not say that it is a stream. */
const LOOKS_LIKE_EVENTS = /^\s*(?:data|event|error)?:/

const QUIET = Symbol('nothing more came')

/** The next piece, or QUIET when `milliseconds` passed without one. */
function nextWithin<T>(next: Promise<T>, milliseconds: number): Promise<T | typeof QUIET> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(Math.max(0, milliseconds), () => resolve(QUIET))
    next.then(resolve, reject).finally(timer.clear)
  })
}

/**
 * Reads an answer with status 200 to its end, to the bound, or to the point where nothing more matters; the caller closes
 * the connection.
 * @param onPiece called when a piece of text, reasoning or a call has arrived; never for a reply that came whole, whose
 *   first piece was not seen
 * @param options.onEvent called for each event of a stream, with content or without; comments (pings) are not events
 * @param options.toolNames the tools on offer: they tell a piece of a name from a name
 * @param options.afterFinishMs milliseconds that a stream is read on after its finish reason; for tests
 * @throws the transport's error when the connection breaks or idles before the reply is complete
 */
export async function readAnswer(
  answer: Pick<HttpAnswer, 'contentType' | 'bytes'>,
  onPiece: () => void,
  options: {
    readonly afterFinishMs?: number
    readonly onEvent?: () => void
    readonly toolNames?: readonly string[]
  } = {},
): Promise<RawReply> {
  const assembler = createAssembler({ maxCharacters: MAX_REPLY_CHARACTERS, toolNames: options.toolNames ?? [] })
  const decoder = createEventDecoder({ maxEventCharacters: MAX_EVENT_CHARACTERS })
  const isLive = answer.contentType.includes('text/event-stream')
  const take = (events: readonly ServerEvent[]): void => {
    for (const event of events) {
      if (assembler.isSettled()) return
      if (event.event === 'error') assembler.addError(event.data)
      else if (assembler.addData(event.data) && isLive) onPiece()
      options.onEvent?.()
    }
  }
  if (!isLive) {
    const text = await readText(answer, MAX_EVENT_CHARACTERS)
    if (LOOKS_LIKE_EVENTS.test(text)) {
      take([...decoder.push(new TextEncoder().encode(text)), ...decoder.end()])
      return assembler.end()
    }
    // Some servers answer an error, or do not know streaming: one JSON body instead of events.
    const parsed = parseJson(text)
    if (parsed.ok) assembler.add(parsed.value)
    else assembler.addError(text.trim() === '' ? 'the body is empty' : text)
    return { ...assembler.end(), isEnded: true }
  }
  try {
    const pieces = answer.bytes[Symbol.asyncIterator]()
    let finishedAt: number | null = null
    while (!assembler.isSettled()) {
      const leftMs =
        finishedAt === null ? null : finishedAt + (options.afterFinishMs ?? AFTER_FINISH_MS) - performance.now()
      const next = leftMs === null ? await pieces.next() : await nextWithin(pieces.next(), leftMs)
      if (next === QUIET || next.done === true) break
      take(decoder.push(next.value))
      if (finishedAt === null && assembler.hasFinished()) finishedAt = performance.now()
    }
    take(decoder.end())
  } catch (error) {
    if (error instanceof EventTooLargeError) assembler.addError(error.message)
    // A connection that breaks after the finish reason takes nothing of the reply with it.
    else if (!assembler.end().isEnded) throw error
  }
  return assembler.end()
}
