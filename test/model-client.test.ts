/** The client against a server that misbehaves on purpose, and whose fault it calls that. */
import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { TrialDeadlineError } from '../src/errors.ts'
import type { ChatModel, ChatRequest, ModelPlan, Reply } from '../src/model/chat-model.ts'
import { createChatModel, type RetryPolicy } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import { classOf } from './reply-class.ts'
import {
  call,
  chunksOf,
  type Script,
  type ScriptedReply,
  type ScriptedServerOptions,
  say,
  startScriptedServer,
} from './scripted-server.ts'

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
  seed: 7,
}
const never = new AbortController().signal
const retry: Partial<RetryPolicy> = { firstDelayMs: 10, maxDelayMs: 40, budgetMs: 2_000, refusedAttempts: 3 }
const sampling = { ...planFixture().sampling, maxTokens: 100 }
const text = (part: string): unknown => expect.stringContaining(part)

const modelAt = (baseUrl: string, more: Partial<ModelPlan> = {}, options: object = {}): ChatModel =>
  createChatModel(planFixture({ baseUrl, idleTimeoutMs: 2_000, sampling, ...more }), { retry, ...options })

async function ask(script: Script, more: Partial<ModelPlan> = {}, options: ScriptedServerOptions = {}) {
  await using server = await startScriptedServer(script, options)
  const startedAt = performance.now()
  const reply = await modelAt(server.baseUrl, more).complete(request, never)
  return { reply, elapsedMs: performance.now() - startedAt, requests: server.requests }
}

const error = (message: string, type = 'server_error') => ({ error: { message, type } })
const data = chunksOf(say('hello there, all of you'))
const PINGS: ScriptedReply = { ...say('late'), delayMs: 60_000, pingEveryMs: 20 }
const HEADERS: ScriptedReply = { hang: true, headersFirst: true }

test.each<[string, string, ScriptedReply]>([
  [
    'answers whole although a stream was asked for',
    'ok',
    { status: 200, body: { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] } },
  ],
  [
    'streams under the wrong content type',
    'ok',
    { rawBody: `data: ${JSON.stringify(data[1])}\n\ndata: [DONE]\n\n`, contentType: 'text/plain' },
  ],
  ['breaks off after the finish reason', 'ok', { drop: true, after: data.slice(0, -1) }],
  ['ends the stream early', 'infra stream_dropped', { chunks: data.slice(0, 2) }],
  ['sends an error in the stream', 'infra error_in_reply', { chunks: [...data.slice(0, 2), error('boom')] }],
  ['sends an error body with status 200', 'infra error_in_reply', { status: 200, body: error('boom') }],
  ['sends an old llama.cpp error line', 'infra error_in_reply', { rawBody: 'error: {"message":"boom"}\n\n' }],
  ['sends an empty body', 'infra error_in_reply', { rawBody: '', contentType: 'application/json' }],
  ['limits the rate without saying for how long', 'infra rate_limited', { status: 429, body: error('slow down') }],
  ['redirects', 'config server_not_found', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }],
])('a server that %s: %s', async (_title, expected, reply) => {
  const asked = await ask([reply])
  expect(classOf(asked.reply)).toBe(expected)
  expect(asked.requests, 'nothing that may have run is sent again').toHaveLength(1)
})

test('nothing listens: refused, after a few attempts', async () => {
  const server = await startScriptedServer([])
  await server[Symbol.asyncDispose]()
  expect(classOf(await modelAt(server.baseUrl).complete(request, never))).toBe('infra connection_refused')
})

describe('a request', () => {
  test('has a Content-Length, and no key unless there is one', async () => {
    const { requests } = await ask([say('x')])
    expect(Number(requests[0]?.headers['content-length'])).toBeGreaterThan(100)
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding')
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
    const withKey = await ask([say('x')], { apiKey: 'k' })
    expect(withKey.requests[0]?.headers).toMatchObject({ authorization: 'Bearer k' })
  })

  test('waits until the one before is done', async () => {
    await using server = await startScriptedServer(() => ({ ...say('x'), delayMs: 100 }))
    const model = modelAt(server.baseUrl)
    const both = Promise.all([model.complete(request, never), model.complete(request, never)])
    await sleep(60)
    expect(server.requests).toHaveLength(1)
    await both
    expect(server.requests).toHaveLength(2)
  })

  test('is over with [DONE]: a server that goes on is not read, and its connection is closed', async () => {
    const chunks = [...chunksOf(say('hi')), '[DONE]', ...Array.from({ length: 50 }, () => ({ choices: [] }))]
    const { reply, requests } = await ask([{ chunks, chunkDelayMs: 20 }])
    expect(reply).toMatchObject({ text: 'hi' })
    expect(await requests[0]?.closedEarly).toBe(true)
  })

  test('has its usage, timings and time to the first token told', async () => {
    const { reply } = await ask([
      {
        ...say('hello'),
        usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 8 } },
        timings: { predicted_per_second: 12.5, prompt_per_second: 99 },
        delayMs: 80,
        chunkDelayMs: 30,
      },
    ])
    if (reply.kind !== 'ok') throw new Error(reply.kind)
    expect(reply.stats).toMatchObject({ promptTokens: 9, completionTokens: 4, cachedTokens: 8, attempts: 1 })
    expect(reply.stats).toMatchObject({ promptTokensPerSecond: 99, decodeTokensPerSecond: 12.5 })
    expect(reply.stats.firstTokenMs).toBeGreaterThan(75)
    expect(reply.stats.elapsedMs).toBeGreaterThan(reply.stats.firstTokenMs ?? Number.POSITIVE_INFINITY)
  })
})

describe('waiting', () => {
  test('a loading server is waited for, and the attempts are counted', async () => {
    const { reply, requests } = await ask(() => say('x'), {}, { loadingMs: 150 })
    expect(requests.length).toBeGreaterThan(2)
    expect(reply).toMatchObject({ kind: 'ok', stats: { attempts: requests.length } })
  })

  test('a server that loads too long is a fault of the server', async () => {
    await using server = await startScriptedServer([], { loadingMs: 60_000 })
    const model = modelAt(server.baseUrl, {}, { retry: { ...retry, budgetMs: 200 } })
    expect(classOf(await model.complete(request, never))).toBe('infra server_loading')
  })

  test('a rate limit with Retry-After is waited for', async () => {
    const limited: ScriptedReply = { status: 429, body: error('slow down'), headers: { 'retry-after': '0.2' } }
    const { reply, elapsedMs } = await ask([limited, say('x')])
    expect(reply).toMatchObject({ kind: 'ok', stats: { attempts: 2 } })
    expect(elapsedMs).toBeGreaterThan(190)
  })
})

describe('deadlines', () => {
  const begun = chunksOf(say('a beginning')).slice(0, 2)
  const events = Array.from({ length: 8 }, () => ({ choices: [] }))
  const slowEvents = { chunks: [...begun, ...events, ...chunksOf(say('')).slice(1)], chunkDelayMs: 100 }
  const idle = { idleTimeoutMs: 300 }
  const whole = { stream: false, idleTimeoutMs: 200 }
  const firstToken = {
    code: 'first_token_timeout',
    detail: text('0.3 s (the first token deadline)'),
    remedy: text('BENCH_FIRST_TOKEN_TIMEOUT'),
  }
  const DEADLINES: Readonly<Record<string, readonly [ScriptedReply, Partial<ModelPlan>, object]>> = {
    'idle passes where nothing comes': [{ hang: true }, idle, { code: 'server_idle' }],
    'idle passes where only headers come': [HEADERS, idle, { code: 'server_idle' }],
    'idle is renewed by pings': [{ ...say('late'), delayMs: 900, pingEveryMs: 100 }, idle, { text: 'late' }],
    'idle is renewed by slow chunks': [
      { ...say('a long text in some pieces'), chunkDelayMs: 150 },
      idle,
      { kind: 'ok' },
    ],
    'idle is not renewed by pings in the middle of an answer': [
      { chunks: begun, thenPingEveryMs: 50 },
      idle,
      { code: 'server_idle', detail: text('within 0.3 s (the idle deadline)') },
    ],
    'idle is renewed by events without content': [slowEvents, idle, { kind: 'ok' }],
    'of the first token passes while the server only pings': [PINGS, { deadlines: { firstTokenMs: 300 } }, firstToken],
    'of the first token does not pass once the answer has begun': [
      { ...say('a text in a few pieces'), chunkDelayMs: 200 },
      { deadlines: { firstTokenMs: 500 } },
      { kind: 'ok' },
    ],
    'of the whole reply passes in the middle of an answer': [
      { ...say('x'.repeat(4_000)), chunkDelayMs: 50 },
      { deadlines: { totalMs: 400 } },
      { code: 'reply_timeout', detail: text('total deadline') },
    ],
    'of silence and first token do not hold where no stream is asked for': [
      { ...say('late'), delayMs: 700 },
      { ...whole, deadlines: { firstTokenMs: 200 } },
      { text: 'late', stats: { firstTokenMs: null } },
    ],
    'of the whole reply holds there, too': [
      { hang: true },
      { ...whole, deadlines: { totalMs: 300 } },
      { code: 'reply_timeout' },
    ],
  }
  test.each(Object.entries(DEADLINES))('%s', async (_title, [reply, plan, expected]) => {
    await using server = await startScriptedServer([reply])
    const startedAt = performance.now()
    const model = modelAt(server.baseUrl, { idleTimeoutMs: 60_000, ...plan })
    const answered = await model.complete(request, never)
    expect(answered).toMatchObject(expected)
    if (answered.kind === 'infra') expect(performance.now() - startedAt).toBeLessThan(1_500)
    const closed = server.requests[0]?.closedEarly
    expect(await Promise.race([closed, sleep(1_000, 'still open')])).not.toBe('still open')
  })

  test('of the connection passes when it is accepted but never made, and is named', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const startedAt = performance.now()
    const plan = { idleTimeoutMs: 60_000, deadlines: { connectMs: 300 } }
    const reply = await modelAt(`https://127.0.0.1:${address.port}/v1`, plan).complete(request, never)
    silent.close()
    expect(reply).toMatchObject({ code: 'connect_timeout', detail: text('connect deadline') })
    expect(performance.now() - startedAt).toBeLessThan(1_500)
  })

  test('after the finish reason: a server that never closes holds the turn only shortly', async () => {
    await using server = await startScriptedServer([
      { chunks: chunksOf(say('whole')), thenHang: true },
      { chunks: chunksOf({ ...call('f', { a: 1 }), usage: null }), thenHang: true },
    ])
    const model = modelAt(server.baseUrl, { idleTimeoutMs: 60_000 }, { afterFinishMs: 200 })
    const startedAt = performance.now()
    expect(await model.complete(request, never)).toMatchObject({ text: 'whole', stats: { completionTokens: 5 } })
    expect(await model.complete(request, never)).toMatchObject({ kind: 'ok', toolCalls: [{ name: 'f' }] })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(await server.requests[0]?.closedEarly, 'the connection is closed').toBe(true)
  })
})

/** Asks a server and aborts with a reason after so many milliseconds. */
async function abortedAfter(
  milliseconds: number,
  reason: Error,
  reply: ScriptedReply,
  plan: Partial<ModelPlan> = {},
  options: ScriptedServerOptions = {},
): Promise<Reply | 'rejected'> {
  await using server = await startScriptedServer(() => reply, options)
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), milliseconds)
  const startedAt = performance.now()
  const model = modelAt(server.baseUrl, { idleTimeoutMs: 60_000, ...plan }, { retry: {} })
  const ended = await model.complete(request, controller.signal).catch((thrown: unknown) => {
    expect(thrown).toBe(reason)
    return 'rejected' as const
  })
  expect(performance.now() - startedAt).toBeLessThan(milliseconds + 900)
  if (!('status' in reply) && options.loadingMs === undefined) expect(await server.requests[0]?.closedEarly).toBe(true)
  return ended
}

describe('abort', () => {
  const writing = { ...say('x'.repeat(400)), chunkDelayMs: 50 }
  test.each<[string, ScriptedReply, ScriptedServerOptions]>([
    ['before the answer', { hang: true }, {}],
    ['in the answer', writing, {}],
    ['while the server is loading', say('x'), { loadingMs: 60_000 }],
  ])('closes the connection and rejects with the reason: %s', async (_title, reply, options) => {
    expect(await abortedAfter(150, new Error('Ctrl-C'), reply, {}, options)).toBe('rejected')
  })

  test('a signal that many requests use does not collect listeners', async () => {
    await using server = await startScriptedServer(() => say('x'))
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const model = modelAt(server.baseUrl)
    const { signal } = new AbortController()
    for (let turn = 0; turn < 30; turn += 1) await model.complete(request, signal)
    await sleep(10)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  const LOADING = { status: 503, body: error('Loading model', 'unavailable_error') }
  const silent = {
    code: 'server_silent',
    detail: expect.stringMatching(/nothing of an answer for 0\.\d s when the 0\.3 s of the trial were over/),
  }
  test.each<[string, number, number, ScriptedReply, Partial<ModelPlan>, object | 'rejected']>([
    ['the fault of a server that sent nothing for half of its time', 200, 300, { hang: true }, {}, silent],
    ['the fault of one that sent only headers', 200, 300, HEADERS, {}, silent],
    ['the fault of one that sent only pings', 200, 300, PINGS, {}, silent],
    [
      'the fault of one that sent only chunks without content',
      200,
      300,
      { chunks: chunksOf(say('')).slice(0, 1), thenHang: true },
      {},
      silent,
    ],
    ['its fault after the idle deadline', 300, 60_000, PINGS, { idleTimeoutMs: 200 }, { code: 'server_silent' }],
    ['the fault of one that was still loading', 200, 300, LOADING, {}, { code: 'server_loading' }],
    ['no fault of one that was asked only shortly before', 100, 60_000, { hang: true }, {}, 'rejected'],
    ['no fault of one that was answering', 300, 300, { ...writing, chunkDelayMs: 20 }, {}, 'rejected'],
    [
      'no fault before a whole reply, where nothing can be heard',
      200,
      200,
      { hang: true },
      { stream: false },
      'rejected',
    ],
  ])('at the end of a trial is %s', async (_title, after, limitMs, reply, plan, expected) => {
    const ended = await abortedAfter(after, new TrialDeadlineError(limitMs), reply, plan)
    expect(ended).toEqual(typeof expected === 'string' ? expected : expect.objectContaining(expected))
  })
})

test.each([
  ['config server_not_found', 'infra route_gone', 'File Not Found'],
  ['config unknown_model', 'infra model_unloaded', 'model "x" not found'],
])('a 404 is %s at the start, %s later', async (first, later, message) => {
  const notFound: ScriptedReply = { status: 404, body: error(message) }
  expect(classOf((await ask([notFound])).reply)).toBe(first)
  await using server = await startScriptedServer([say('hi'), notFound])
  const model = modelAt(server.baseUrl)
  await model.complete(request, never)
  expect(classOf(await model.complete(request, never))).toBe(later)
})

test.each([
  ['the server ignores the limit that was asked for', 16_384, 'infra output_limit_ignored', /only 16,384 tokens/],
  ['the limit allows it', 2_000_000, 'model_error output_limit', /passed 8,000,000 characters/],
])('a reply is longer than what is read: %s', async (_title, maxTokens, expected, detail) => {
  // One event a megabyte, so that the bound is passed in a few of them.
  const chunks = Array.from({ length: 12 }, () => ({
    choices: [{ index: 0, delta: { content: 'word '.repeat(200_000) } }],
  }))
  const { reply } = await ask([{ chunks }], { sampling: { ...sampling, maxTokens }, idleTimeoutMs: 20_000 })
  expect(classOf(reply)).toBe(expected)
  expect(reply).toMatchObject({ detail: expect.stringMatching(detail) })
  expect(reply).not.toMatchObject({ remedy: text('Raise BENCH_MAX_TOKENS') })
})
