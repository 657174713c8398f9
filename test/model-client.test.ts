/** The client against a server that misbehaves on purpose. */
import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ChatRequest, ModelPlan, Reply } from '../src/model/chat-model.ts'
import { createChatModel, type RetryPolicy } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import { classOf } from './reply-class.ts'
import { call, chunksOf, type Script, type ScriptedReply, say, startScriptedServer } from './scripted-server.ts'

const planFor = (baseUrl: string, more: Partial<ModelPlan> = {}): ModelPlan =>
  planFixture({
    model: 'scripted',
    baseUrl,
    idleTimeoutMs: 2_000,
    sampling: { temperature: null, topP: null, maxTokens: 100, extraBody: null },
    ...more,
  })
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
  seed: 7,
}
const never = new AbortController().signal
const quick: Partial<RetryPolicy> = { firstDelayMs: 10, maxDelayMs: 40, budgetMs: 2_000, refusedAttempts: 3 }

async function ask(script: Script, more: Partial<ModelPlan> = {}): Promise<{ reply: Reply; requests: number }> {
  await using server = await startScriptedServer(script)
  const reply = await createChatModel(planFor(server.baseUrl, more), { retry: quick }).complete(request, never)
  return { reply, requests: server.requests.length }
}

describe('what a server does', () => {
  const data = chunksOf(say('hello there, all of you'))
  const error = (message: string, type = 'server_error') => ({ error: { message, type } })
  const rows: readonly (readonly [title: string, expected: string, reply: ScriptedReply])[] = [
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
  ]
  test.each(rows)('%s: %s', async (_title, expected, reply) => {
    const asked = await ask([reply])
    expect(classOf(asked.reply)).toBe(expected)
    expect(asked.requests, 'nothing that may have run is sent again').toBe(1)
  })

  test('nothing listens: refused, after a few attempts', async () => {
    const server = await startScriptedServer([])
    await server[Symbol.asyncDispose]()
    const reply = await createChatModel(planFor(server.baseUrl), { retry: quick }).complete(request, never)
    expect(classOf(reply)).toBe('infra connection_refused')
  })
})

describe('a request', () => {
  test('has a Content-Length, no key unless there is one, and no tool_choice', async () => {
    await using server = await startScriptedServer(() => say('x'))
    await createChatModel(planFor(server.baseUrl)).complete(request, never)
    await createChatModel(planFor(server.baseUrl, { apiKey: 'k' })).complete(request, never)
    const [first, second] = server.requests
    expect(Number(first?.headers['content-length'])).toBeGreaterThan(100)
    expect(first?.headers['transfer-encoding']).toBeUndefined()
    expect(first?.headers.authorization).toBeUndefined()
    expect(second?.headers.authorization).toBe('Bearer k')
    expect(first?.body).toMatchObject({
      model: 'scripted',
      seed: 7,
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(first?.body).not.toHaveProperty('tool_choice')
    expect(first?.body).not.toHaveProperty('temperature')
  })

  test('waits until the one before is done', async () => {
    await using server = await startScriptedServer(() => ({ ...say('x'), delayMs: 100 }))
    const model = createChatModel(planFor(server.baseUrl))
    const both = Promise.all([model.complete(request, never), model.complete(request, never)])
    await sleep(60)
    expect(server.requests).toHaveLength(1)
    await both
    expect(server.requests).toHaveLength(2)
  })
})

describe('the end of a reply', () => {
  test('is [DONE]: a server that goes on after it is not read, and its connection is closed', async () => {
    const chunks = [...chunksOf(say('hi')), '[DONE]', ...Array.from({ length: 50 }, () => ({ choices: [] }))]
    await using server = await startScriptedServer([{ chunks, chunkDelayMs: 20 }])
    expect(await createChatModel(planFor(server.baseUrl)).complete(request, never)).toMatchObject({ text: 'hi' })
    expect(await server.requests[0]?.closedEarly).toBe(true)
  })
})

describe('counts and times of a turn', () => {
  test('usage, timings and time to the first token are told', async () => {
    const { reply } = await ask([
      {
        text: 'hello',
        usage: {
          prompt_tokens: 9,
          completion_tokens: 4,
          total_tokens: 13,
          prompt_tokens_details: { cached_tokens: 8 },
        },
        timings: { predicted_per_second: 12.5, prompt_per_second: 99 },
        delayMs: 80,
        chunkDelayMs: 30,
      },
    ])
    if (reply.kind !== 'ok') throw new Error(reply.kind)
    expect(reply.stats).toMatchObject({
      promptTokens: 9,
      completionTokens: 4,
      cachedTokens: 8,
      promptTokensPerSecond: 99,
      decodeTokensPerSecond: 12.5,
      attempts: 1,
    })
    expect(reply.stats.firstTokenMs).toBeGreaterThan(75)
    expect(reply.stats.elapsedMs).toBeGreaterThan(reply.stats.firstTokenMs ?? Number.POSITIVE_INFINITY)
  })
})

describe('waiting', () => {
  test.each([
    ['no headers', { hang: true } as const],
    ['headers only', { hang: true, headersFirst: true } as const],
  ])('a server that sends nothing is given up after the idle deadline: %s', async (_title, hang) => {
    const startedAt = performance.now()
    const { reply } = await ask([hang], { idleTimeoutMs: 300 })
    expect(classOf(reply)).toBe('infra server_idle')
    expect(performance.now() - startedAt).toBeLessThan(1_500)
  })

  test('pings and slow chunks renew the deadline', async () => {
    const pinged = await ask([{ ...say('late'), delayMs: 900, pingEveryMs: 100 }], { idleTimeoutMs: 300 })
    expect(pinged.reply).toMatchObject({ kind: 'ok', text: 'late' })
    const slow = await ask([{ ...say('a long text in some pieces'), chunkDelayMs: 150 }], { idleTimeoutMs: 300 })
    expect(slow.reply.kind).toBe('ok')
  })

  test('a loading server is waited for, and the attempts are counted', async () => {
    await using server = await startScriptedServer([say('x'), say('x'), say('x')].concat(Array(50).fill(say('x'))), {
      loadingMs: 150,
    })
    const reply = await createChatModel(planFor(server.baseUrl), { retry: quick }).complete(request, never)
    expect(reply.kind).toBe('ok')
    expect(reply.kind === 'ok' && reply.stats.attempts).toBeGreaterThan(2)
  })

  test('a server that loads too long is a fault of the server', async () => {
    await using server = await startScriptedServer([], { loadingMs: 60_000 })
    const model = createChatModel(planFor(server.baseUrl), { retry: { ...quick, budgetMs: 200 } })
    expect(classOf(await model.complete(request, never))).toBe('infra server_loading')
  })

  test('a rate limit with Retry-After is waited for', async () => {
    const limited: ScriptedReply = {
      status: 429,
      body: { error: { message: 'slow down' } },
      headers: { 'retry-after': '0.2' },
    }
    const startedAt = performance.now()
    const { reply, requests } = await ask([limited, say('x')])
    expect(reply).toMatchObject({ kind: 'ok', stats: { attempts: 2 } })
    expect(requests).toBe(2)
    expect(performance.now() - startedAt).toBeGreaterThan(190)
  })
})

describe('deadlines', () => {
  const long = 60_000
  const timed = async (
    script: Script,
    deadlines: NonNullable<ModelPlan['deadlines']>,
    more: Partial<ModelPlan> = {},
  ): Promise<{
    readonly reply: Reply
    readonly elapsedMs: number
    readonly isClosed: Promise<boolean> | undefined
  }> => {
    await using server = await startScriptedServer(script)
    const startedAt = performance.now()
    const plan = planFor(server.baseUrl, { idleTimeoutMs: long, deadlines, ...more })
    const reply = await createChatModel(plan, { retry: quick }).complete(request, never)
    const elapsedMs = performance.now() - startedAt
    const isClosed = server.requests[0]?.closedEarly
    if (isClosed !== undefined)
      expect(await Promise.race([isClosed, sleep(1_000, 'still open')])).not.toBe('still open')
    return { reply, elapsedMs, isClosed }
  }

  test('of the first token: passes while the server only pings, and is named', async () => {
    const { reply, elapsedMs } = await timed([{ ...say('late'), delayMs: 5_000, pingEveryMs: 50 }], {
      firstTokenMs: 300,
    })
    expect(reply).toMatchObject({ kind: 'infra', code: 'first_token_timeout' })
    expect(reply).toMatchObject({ detail: expect.stringContaining('0.3 s (the first token deadline)') })
    expect(reply).toMatchObject({ remedy: expect.stringContaining('BENCH_FIRST_TOKEN_TIMEOUT') })
    expect(elapsedMs).toBeLessThan(1_500)
  })

  test('of the first token: does not pass once the answer has begun', async () => {
    const { reply } = await timed([{ ...say('a text in a few pieces'), chunkDelayMs: 200 }], { firstTokenMs: 500 })
    expect(reply.kind).toBe('ok')
  })

  test('of silence: pings in the middle of an answer do not renew it, events without content do', async () => {
    const begun = chunksOf(say('a beginning')).slice(0, 2)
    const pinged = await timed([{ chunks: begun, thenPingEveryMs: 50 }], {}, { idleTimeoutMs: 300 })
    expect(pinged.reply).toMatchObject({
      kind: 'infra',
      code: 'server_idle',
      detail: expect.stringContaining('within 0.3 s (the idle deadline)'),
    })
    const empty = Array.from({ length: 8 }, () => ({ choices: [] }))
    const slow = { chunks: [...begun, ...empty, ...chunksOf(say('')).slice(1)], chunkDelayMs: 100 }
    expect((await timed([slow], {}, { idleTimeoutMs: 300 })).reply).toMatchObject({ kind: 'ok' })
  })

  test('of the whole reply: passes in the middle of an answer, and is named', async () => {
    const endless = { ...say('x'.repeat(4_000)), chunkDelayMs: 50 }
    const { reply, elapsedMs } = await timed([endless], { totalMs: 400 })
    expect(reply).toMatchObject({
      kind: 'infra',
      code: 'reply_timeout',
      detail: expect.stringContaining('total deadline'),
    })
    expect(elapsedMs).toBeLessThan(1_500)
  })

  test('of the whole reply: holds for replies that are not streamed, silence alone does not end them', async () => {
    const slow = await timed(
      [{ ...say('late'), delayMs: 700 }],
      { firstTokenMs: 200 },
      { stream: false, idleTimeoutMs: 200 },
    )
    expect(slow.reply).toMatchObject({ kind: 'ok', text: 'late', stats: { firstTokenMs: null } })
    const { reply } = await timed([{ hang: true }], { totalMs: 300 }, { stream: false, idleTimeoutMs: 200 })
    expect(reply).toMatchObject({ kind: 'infra', code: 'reply_timeout' })
  })

  test('of the connection: passes when it is accepted but never made, and is named', async () => {
    const silent = createTcpServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    try {
      const plan = planFor(`https://127.0.0.1:${address.port}/v1`, {
        idleTimeoutMs: long,
        deadlines: { connectMs: 300 },
      })
      const startedAt = performance.now()
      const reply = await createChatModel(plan, { retry: quick }).complete(request, never)
      expect(reply).toMatchObject({
        kind: 'infra',
        code: 'connect_timeout',
        detail: expect.stringContaining('connect deadline'),
      })
      expect(performance.now() - startedAt).toBeLessThan(1_500)
    } finally {
      silent.close()
    }
  })

  test('after the finish reason: a server that never closes holds the turn only shortly', async () => {
    await using server = await startScriptedServer([
      { chunks: chunksOf(say('whole')), thenHang: true },
      { chunks: chunksOf({ ...call('f', { a: 1 }), usage: null }), thenHang: true },
    ])
    const model = createChatModel(planFor(server.baseUrl, { idleTimeoutMs: long }), {
      retry: quick,
      afterFinishMs: 200,
    })
    const startedAt = performance.now()
    expect(await model.complete(request, never)).toMatchObject({
      kind: 'ok',
      text: 'whole',
      stats: { completionTokens: 5 },
    })
    expect(await model.complete(request, never)).toMatchObject({ kind: 'ok', toolCalls: [{ name: 'f' }] })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(await server.requests[0]?.closedEarly, 'the connection is closed').toBe(true)
  })
})

describe('abort', () => {
  test.each([
    ['before the answer', { hang: true } as const],
    ['in the answer', { ...say('x'.repeat(400)), chunkDelayMs: 50 }],
  ])('closes the connection and rejects with the reason: %s', async (_title, reply) => {
    await using server = await startScriptedServer([reply])
    const controller = new AbortController()
    const reason = new Error('deadline')
    const startedAt = performance.now()
    const running = createChatModel(planFor(server.baseUrl)).complete(request, controller.signal)
    setTimeout(() => controller.abort(reason), 150)
    await expect(running).rejects.toBe(reason)
    expect(await server.requests[0]?.closedEarly).toBe(true)
    expect(performance.now() - startedAt, 'the idle deadline would have closed it too').toBeLessThan(1_000)
  })

  test('ends the wait for a loading server', async () => {
    await using server = await startScriptedServer([], { loadingMs: 60_000 })
    const reason = new Error('deadline')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 100)
    const startedAt = performance.now()
    await expect(createChatModel(planFor(server.baseUrl)).complete(request, controller.signal)).rejects.toBe(reason)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  test('a signal that many requests use does not collect listeners', async () => {
    await using server = await startScriptedServer(() => say('x'))
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const model = createChatModel(planFor(server.baseUrl))
    const { signal } = new AbortController()
    for (let turn = 0; turn < 30; turn += 1) await model.complete(request, signal)
    await sleep(10)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })
})
