/**
 * A real HTTP server on loopback that plays a script as an OpenAI-compatible model server, for what a real one cannot
 * be made to do (break off, hang, answer nonsense) and for trials that need a model which does exactly this and that.
 *
 * @example
 * await using server = await startScriptedServer([
 *   call('read_file', { path: 'main.py' }),
 *   call('execute_command', { command: 'pytest -q' }),
 *   say('Fixed.'),
 * ])
 * // server.baseUrl is the address for BENCH_BASE_URL, server.requests what was asked
 *
 * An array is played once, one reply a request. `conversation([...])` picks by the number of assistant messages in the
 * request instead, so that every new conversation (each trial) begins at the first reply.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBrotliCompress, createDeflate, createGzip } from 'node:zlib'

export interface ScriptedCall {
  readonly name: string
  /** An object is written as JSON text; a string is sent as it is, valid or not. */
  readonly args: Fields | string
  readonly id?: string
}

export interface Completion {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ScriptedCall[]
  /** `tool_calls` or `stop` unless said. */
  readonly finishReason?: string
  /** null leaves it out. */
  readonly usage?: Fields | null
  readonly timings?: Readonly<Record<string, number>>
}

type Fields = Readonly<Record<string, unknown>>

export type ScriptedReply = (
  | Completion
  /** Data fields of the stream as they are; objects are written as JSON. `[DONE]` is not added. */
  | {
      readonly chunks: readonly (string | Fields)[]
      /** Leaves the stream open after the last chunk. */
      readonly thenHang?: true
      /** The same, with a comment line at this distance (ms). */
      readonly thenPingEveryMs?: number
    }
  /** Bytes of the body as they are, with status 200 and the type of a stream. */
  | { readonly rawBody: string; readonly contentType?: string }
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers; `headersFirst` sends the headers and then nothing. */
  | { readonly hang: true; readonly headersFirst?: boolean }
  /** Breaks the connection before an answer, or after these pieces of one. */
  | { readonly drop: true; readonly after?: readonly (string | Fields)[] }
) & {
  /** Milliseconds before anything is sent. */
  readonly delayMs?: number
  /** Comment lines sent at this distance (ms) until the delay is over. */
  readonly pingEveryMs?: number
  /** Milliseconds between the chunks of a stream. */
  readonly chunkDelayMs?: number
  /** Compresses the answer, each chunk by itself, whatever was asked for. */
  readonly encoding?: 'gzip' | 'deflate' | 'br'
}

export interface RecordedRequest {
  readonly headers: IncomingMessage['headers']
  /** Parsed JSON, or undefined. */
  readonly body: unknown
  /** Settles when the connection of this request is closed; true when the client closed it before the answer's end. */
  readonly closedEarly: Promise<boolean>
}

export type Script = readonly ScriptedReply[] | ((body: unknown, index: number) => ScriptedReply)

export interface ScriptedServerOptions {
  /** 0 = any free one. */
  readonly port?: number
  readonly model?: string
  /** Entries of /v1/models; one with `model` as its id unless said. null = 404. */
  readonly models?: readonly Fields[] | null
  /** Other GET (or POST) routes and what they answer with 200, for example `{ '/props': {…} }`. */
  readonly routes?: Fields
  /** Requests without this key get 401. */
  readonly apiKey?: string
  /** Everything answers 503 "Loading model" for so many milliseconds. */
  readonly loadingMs?: number
}

export interface ScriptedServer extends AsyncDisposable {
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly port: number
  /** Completion requests, in order. */
  readonly requests: readonly RecordedRequest[]
}

/** A turn that calls one tool. */
export const call = (name: string, args: ScriptedCall['args']): Completion => ({ calls: [{ name, args }] })
/** A turn that answers. */
export const say = (text: string): Completion => ({ text })

/** Replies by the number of assistant messages in the request; the last one is repeated. */
export function conversation(replies: readonly ScriptedReply[]): (body: unknown) => ScriptedReply {
  return body => {
    const messages = isObject(body) && Array.isArray(body.messages) ? body.messages : []
    const turns = messages.filter(message => isObject(message) && message.role === 'assistant').length
    return replies[Math.min(turns, replies.length - 1)] ?? say('The script is empty.')
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const argumentText = (args: ScriptedCall['args']): string => (typeof args === 'string' ? args : JSON.stringify(args))

const DEFAULT_USAGE = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }

const finishReasonOf = (completion: Completion): string =>
  completion.finishReason ?? ((completion.calls ?? []).length > 0 ? 'tool_calls' : 'stop')

const wireCall = (args: string, { name, id }: ScriptedCall, index: number) => ({
  id: id ?? `scripted_${index}`,
  type: 'function',
  function: { name, arguments: args },
})

const usageOf = ({ usage = DEFAULT_USAGE }: Completion) => (usage === null ? {} : { usage })

/** The chunks with which a server streams this completion, as llama-server cuts them: calls piece by piece, usage last. */
export function chunksOf(completion: Completion, model = 'scripted'): Fields[] {
  const { text = '', reasoning = '', calls = [], timings } = completion
  const chunk = (delta: unknown, finish: string | null = null) => ({
    id: 'scripted',
    object: 'chat.completion.chunk',
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const pieces = (whole: string): string[] => whole.match(/[\s\S]{1,8}/g) ?? []
  return [
    chunk({ role: 'assistant', content: null }),
    ...pieces(reasoning).map(piece => chunk({ reasoning_content: piece })),
    ...pieces(text).map(content => chunk({ content })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...wireCall('', call, index) }] }),
      ...pieces(argumentText(call.args)).map(args => chunk({ tool_calls: [{ index, function: { arguments: args } }] })),
    ]),
    { ...chunk({}, finishReasonOf(completion)), ...(timings === undefined ? {} : { timings }) },
    ...(completion.usage === null ? [] : [{ model, choices: [], ...usageOf(completion) }]),
  ]
}

function wholeBody(completion: Completion, model: string): Fields {
  const calls = (completion.calls ?? []).map((call, index) => wireCall(argumentText(call.args), call, index))
  const message = {
    role: 'assistant',
    content: completion.text ?? '',
    ...(completion.reasoning === undefined ? {} : { reasoning_content: completion.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message, finish_reason: finishReasonOf(completion) }],
    ...usageOf(completion),
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const body = Buffer.concat(await request.toArray()).toString('utf8')
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const ENCODERS = { gzip: createGzip, deflate: createDeflate, br: createBrotliCompress }

/** Makes everything that is written to a response compressed. */
function compress(response: ServerResponse, encoding: keyof typeof ENCODERS): void {
  const encoder = ENCODERS[encoding]()
  const write = response.write.bind(response)
  const end = response.end.bind(response)
  response.setHeader('content-encoding', encoding)
  encoder.on('data', (bytes: Uint8Array) => write(bytes)).on('end', () => end())
  Object.assign(response, {
    write: (text: string) => {
      encoder.write(text)
      encoder.flush()
    },
    end: (text?: string) => encoder.end(text ?? ''),
  })
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

async function sendChunks(
  response: ServerResponse,
  chunks: readonly (string | Fields)[],
  delayMs: number,
): Promise<void> {
  if (!response.headersSent) response.writeHead(200, STREAM_HEADERS)
  for (const item of chunks) {
    if (response.destroyed) return
    response.write(`data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`)
    if (delayMs > 0) await sleep(delayMs)
  }
}

async function wait(response: ServerResponse, reply: ScriptedReply): Promise<void> {
  const until = performance.now() + (reply.delayMs ?? 0)
  if (reply.pingEveryMs !== undefined) response.writeHead(200, STREAM_HEADERS)
  while (performance.now() < until && !response.destroyed) {
    await sleep(Math.min(reply.pingEveryMs ?? Number.POSITIVE_INFINITY, Math.max(1, until - performance.now())))
    if (reply.pingEveryMs !== undefined && !response.destroyed) response.write(':\n\n')
  }
}

async function play(response: ServerResponse, reply: ScriptedReply, body: unknown, model: string): Promise<void> {
  await wait(response, reply)
  if (response.destroyed) return
  if (reply.encoding !== undefined) compress(response, reply.encoding)
  const delayMs = reply.chunkDelayMs ?? 0
  if ('status' in reply) return sendJson(response, reply.status, reply.body, reply.headers)
  if ('rawBody' in reply) {
    response.writeHead(200, { 'content-type': reply.contentType ?? 'text/event-stream' }).end(reply.rawBody)
  } else if ('hang' in reply) {
    if (reply.headersFirst === true) response.writeHead(200, STREAM_HEADERS).flushHeaders()
  } else if ('drop' in reply) {
    if (reply.after !== undefined) {
      await sendChunks(response, reply.after, delayMs)
      await sleep(20)
    }
    response.destroy()
  } else if ('chunks' in reply) {
    await sendChunks(response, reply.chunks, delayMs)
    while (reply.thenPingEveryMs !== undefined && !response.destroyed) {
      response.write(':\n\n')
      await sleep(reply.thenPingEveryMs)
    }
    if (reply.thenHang !== true) response.end()
  } else if (isObject(body) && body.stream === true) {
    await sendChunks(response, [...chunksOf(reply, model), '[DONE]'], delayMs)
    response.end()
  } else sendJson(response, 200, wholeBody(reply, model))
}

/** Starts the server; `await using` stops it and breaks what is still open. */
export async function startScriptedServer(
  script: Script,
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  const model = options.model ?? 'scripted'
  const models = options.models === undefined ? [{ id: model, object: 'model' }] : options.models
  const requests: RecordedRequest[] = []
  const startedAt = performance.now()

  const next = (body: unknown): ScriptedReply => {
    const index = requests.length - 1
    const reply = typeof script === 'function' ? script(body, index) : script[index]
    return reply ?? { status: 500, body: { error: { message: `the script has only ${script.length} replies` } } }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const closedEarly = new Promise<boolean>(resolve =>
      response.once('close', () => resolve(!response.writableFinished)),
    )
    const body = await readBody(request)
    const isCompletion = path.endsWith('/chat/completions')
    if (isCompletion) requests.push({ headers: request.headers, body, closedEarly })
    if (performance.now() - startedAt < (options.loadingMs ?? 0)) {
      const error = { message: 'Loading model', type: 'unavailable_error', code: 503 }
      return sendJson(response, 503, { error })
    }
    if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
      return sendJson(response, 401, { error: { message: 'Invalid API Key', type: 'authentication_error', code: 401 } })
    }
    if (isCompletion) return play(response, next(body), body, model)
    const routes = options.routes ?? {}
    if (Object.hasOwn(routes, path)) return sendJson(response, 200, routes[path])
    if (path === '/v1/models' && models !== null) return sendJson(response, 200, { object: 'list', data: models })
    sendJson(response, 404, { error: { message: 'File Not Found', type: 'not_found_error', code: 404 } })
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(error => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP port was given')
  const { port } = address
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
