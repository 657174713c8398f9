/**
 * HTTP for model servers, on node:http. Node's own fetch gives up after 300 s without headers, which a slow local
 * model easily needs for a long prompt; here one deadline counts, the idle one, and every byte (also a ping) renews it.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib'
import { DeadlineError, startTimer } from './deadlines.ts'

export interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  /** Milliseconds of `Retry-After`, or null. */
  readonly retryAfterMs: number | null
  /** Pieces as they arrive, decompressed. Leaving the loop early closes the connection. Throws DeadlineError or a socket error. */
  readonly bytes: AsyncIterable<Uint8Array>
}

const unzip = (): Transform => createUnzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH })
const unbrotli = (): Transform =>
  createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH })
/** Nobody asks for these, and some gateways compress anyway. Each piece is passed on as soon as it can be read. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: unzip,
  'x-gzip': unzip,
  deflate: unzip,
  br: unbrotli,
}

/** The bytes as they were before the server compressed them. Leaving the loop ends the source, too. */
function decoded(bytes: AsyncIterable<unknown>, encoding = ''): AsyncIterable<unknown> {
  const decoder = DECODERS[encoding.trim().toLowerCase()]?.()
  // The loop over the decoder gets the errors of both.
  return decoder === undefined ? bytes : pipeline(bytes, decoder, () => undefined)
}

function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const seconds = Number(header)
  const milliseconds = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds)
}

/**
 * Sends one request on a new connection and resolves with the headers of the answer.
 * The body is sent with Content-Length: llama-server does not notice an abort of a chunked request.
 * @param options.idleTimeoutMs milliseconds without a byte from the server
 * @throws DeadlineError, the signal's abort error, or the socket's error
 */
export function sendRequest(
  url: URL,
  options: {
    readonly apiKey: string | null
    /** Sent as JSON with POST; undefined: GET. */
    readonly body?: unknown
    readonly idleTimeoutMs: number
    /** Milliseconds for the connection; the idle ones without it. */
    readonly connectMs?: number
    readonly signal: AbortSignal
  },
): Promise<HttpAnswer> {
  const { apiKey, idleTimeoutMs, connectMs, signal } = options
  const body = options.body === undefined ? null : JSON.stringify(options.body)
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:'
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method: body === null ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
      // No pooled connection: one that the server has just closed would look like a lost request.
      agent: false,
      signal,
    })
    let response: IncomingMessage | null = null
    const onIdle = (): void => {
      const error = new DeadlineError('silence', idleTimeoutMs, url.origin)
      if (response === null) request.destroy(error)
      else response.destroy(error)
    }
    let idle = startTimer(idleTimeoutMs, onIdle)
    const renew = (): void => {
      idle.clear()
      idle = startTimer(idleTimeoutMs, onIdle)
    }
    const connecting =
      connectMs === undefined
        ? null
        : startTimer(connectMs, () => request.destroy(new DeadlineError('connect', connectMs, url.origin)))
    request.on('socket', socket => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => connecting?.clear())
    })
    request.on('close', () => connecting?.clear())
    request.on('error', error => {
      idle.clear()
      reject(error)
    })
    request.on('response', incoming => {
      response = incoming
      renew()
      incoming.on('close', () => idle.clear())
      // The loop over `bytes` gets the error too; without a listener one that comes before the loop would be uncaught.
      incoming.on('error', () => idle.clear())
      async function* arriving() {
        for await (const chunk of incoming) {
          renew()
          yield chunk
        }
      }
      async function* bytes() {
        for await (const chunk of decoded(arriving(), incoming.headers['content-encoding'])) {
          if (chunk instanceof Uint8Array) yield chunk
        }
      }
      resolve({
        status: incoming.statusCode ?? 0,
        contentType: incoming.headers['content-type'] ?? '',
        retryAfterMs: readRetryAfter(incoming.headers['retry-after']),
        bytes: bytes(),
      })
    })
    request.end(body ?? undefined)
  })
}

/** Reads an answer as text, at most `maxBytes` of it; the rest is not waited for. */
export async function readText(answer: Pick<HttpAnswer, 'bytes'>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.bytes) {
    pieces.push(piece)
    size += piece.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxBytes).toString('utf8')
}
