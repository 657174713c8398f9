/**
 * HTTP for model servers, on node:http. Node's own fetch gives up after 300 s without headers, which a slow local
 * model easily needs for a long prompt; here one deadline counts, the idle one, and every byte (also a ping) renews it.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib'
import { DeadlineError, startTimer } from './deadlines.ts'

/** No byte came from the server for the idle deadline. */
export class IdleTimeoutError extends Error {
  override readonly name = 'IdleTimeoutError'
  readonly code = 'IDLE_TIMEOUT'
}

/** The server answered with a status that is not 2xx. `body` is cut after 64 KiB. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError'
  readonly status: number
  readonly body: string
  /** Milliseconds of `Retry-After`, or null. */
  readonly retryAfterMs: number | null

  constructor(status: number, body: string, retryAfterMs: number | null) {
    super(`HTTP status ${status}`)
    this.status = status
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

export interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly retryAfterMs: number | null
  /** Pieces as they arrive. Leaving the loop early closes the connection. Throws IdleTimeoutError or a socket error. */
  readonly bytes: AsyncIterable<Uint8Array>
}

const unzip = (): Transform => createUnzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH })
const unbrotli = (): Transform =>
  createBrotliDecompress({
    flush: constants.BROTLI_OPERATION_FLUSH,
    finishFlush: constants.BROTLI_OPERATION_FLUSH,
  })
/** Nobody asks for these, and some gateways compress all the same. Each piece is given on as soon as it can be read. */
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
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

/**
 * Sends one request on a connection of its own and resolves with the headers of the answer.
 * The body is sent with Content-Length: llama-server does not notice an abort of a chunked request.
 * @param options.idleTimeoutMs milliseconds without a byte from the server
 * @throws IdleTimeoutError, DeadlineError (of the connection), the signal's abort error, or the socket's error
 */
export function sendRequest(
  url: URL,
  options: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
    readonly idleTimeoutMs: number
    /** Milliseconds for the connection; the idle ones without it. */
    readonly connectMs?: number
    readonly signal: AbortSignal
  },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(url, {
      method: options.method,
      headers: {
        ...options.headers,
        ...(options.body === null ? {} : { 'content-length': String(Buffer.byteLength(options.body)) }),
      },
      // No pooled connection: one that the server has just closed would look like a lost request.
      agent: false,
      signal: options.signal,
    })
    let response: IncomingMessage | null = null
    const onIdle = (): void => {
      const error = new IdleTimeoutError(`no byte came from ${url.origin} for ${options.idleTimeoutMs} ms`)
      if (response === null) request.destroy(error)
      else response.destroy(error)
    }
    let timer = setTimeout(onIdle, options.idleTimeoutMs)
    const renew = (): void => {
      clearTimeout(timer)
      timer = setTimeout(onIdle, options.idleTimeoutMs)
    }
    const connecting =
      options.connectMs === undefined
        ? null
        : startTimer(options.connectMs, () =>
            request.destroy(new DeadlineError('connect', options.connectMs ?? 0, url.origin)),
          )
    request.on('socket', socket => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => connecting?.clear())
    })
    request.on('close', () => connecting?.clear())
    request.on('error', error => {
      clearTimeout(timer)
      reject(error)
    })
    request.on('response', incoming => {
      response = incoming
      renew()
      incoming.on('close', () => clearTimeout(timer))
      // The loop over `bytes` gets the error too; without a listener one that comes before the loop would be uncaught.
      incoming.on('error', () => clearTimeout(timer))
      async function* arriving() {
        for await (const chunk of incoming) {
          renew()
          yield chunk
        }
      }
      resolve({
        status: incoming.statusCode ?? 0,
        contentType: incoming.headers['content-type'] ?? '',
        headers: Object.fromEntries(
          Object.entries(incoming.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        ),
        retryAfterMs: readRetryAfter(incoming.headers['retry-after']),
        bytes: {
          async *[Symbol.asyncIterator]() {
            for await (const chunk of decoded(arriving(), incoming.headers['content-encoding'])) {
              if (chunk instanceof Uint8Array) yield chunk
            }
          },
        },
      })
    })
    request.end(options.body ?? undefined)
  })
}

/** Reads an answer as text, at most `maxBytes` of it; the rest is not waited for. */
export async function readText(answer: HttpAnswer, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.bytes) {
    pieces.push(piece)
    size += piece.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxBytes).toString('utf8')
}

const MAX_ERROR_BYTES = 65_536

/**
 * A `fetch` for the openai package. A status that is not 2xx becomes an {@link HttpStatusError}, because that package
 * keeps only one of the error envelopes that servers use.
 * @param options.onError gets every error as it is thrown: the package drops what it takes for a time-out.
 */
export function createFetch(options: {
  readonly idleTimeoutMs: number
  readonly connectMs: number
  readonly onError: (error: unknown) => void
}): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input)
    const body = init?.body ?? null
    if (body !== null && typeof body !== 'string') throw new TypeError('only text bodies are sent')
    const answer = await sendRequest(url, {
      method: init?.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init?.headers)),
      body,
      idleTimeoutMs: options.idleTimeoutMs,
      connectMs: options.connectMs,
      signal: init?.signal ?? new AbortController().signal,
    })
    if (answer.status < 200 || answer.status > 299) {
      throw new HttpStatusError(answer.status, await readText(answer, MAX_ERROR_BYTES), answer.retryAfterMs)
    }
    const isBodiless = answer.status === 204 || answer.status === 205
    return new Response(isBodiless ? null : ReadableStream.from(answer.bytes), {
      status: answer.status,
      headers: answer.headers,
    })
  }
  return async (input, init) => {
    try {
      return await send(input, init)
    } catch (error) {
      options.onError(error)
      throw error
    }
  }
}
