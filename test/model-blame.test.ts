/** Whose fault it is: the server's, the model's, or how the run was set up, where a client could easily say the wrong thing. */
import { describe, expect, test } from 'vitest'
import { TrialDeadlineError } from '../src/errors.ts'
import type { ChatRequest, ModelPlan, Reply } from '../src/model/chat-model.ts'
import { createChatModel } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import { classOf } from './reply-class.ts'
import { chunksOf, type ScriptedReply, say, startScriptedServer } from './scripted-server.ts'

const request: ChatRequest = { messages: [{ role: 'user', content: 'hi' }], tools: [], seed: 7 }
const never = new AbortController().signal
const planFor = (baseUrl: string, more: Partial<ModelPlan> = {}): ModelPlan => planFixture({ baseUrl, ...more })
const chunkOf = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })

async function ask(script: readonly ScriptedReply[], more: Partial<ModelPlan> = {}): Promise<Reply> {
  await using server = await startScriptedServer(script)
  return await createChatModel(planFor(server.baseUrl, more)).complete(request, never)
}

describe('the end of a trial', () => {
  /** The reply to a request whose trial, of so many milliseconds, ends `after` the request was sent; or the signal's reason. */
  const endedAfter = async (
    after: number,
    limitMs: number,
    reply: ScriptedReply,
    more: Partial<ModelPlan> = {},
  ): Promise<Reply | 'rejected'> => {
    await using server = await startScriptedServer(() => reply)
    const reason = new TrialDeadlineError(limitMs)
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), after)
    try {
      return await createChatModel(planFor(server.baseUrl, { idleTimeoutMs: 60_000, ...more })).complete(
        request,
        controller.signal,
      )
    } catch (error) {
      expect(error).toBe(reason)
      return 'rejected'
    }
  }
  const pings: ScriptedReply = { ...say('late'), delayMs: 60_000, pingEveryMs: 20 }

  test.each([
    ['nothing', { hang: true } as const],
    ['only headers', { hang: true, headersFirst: true } as const],
    ['only pings', pings],
    ['only chunks without content', { chunks: chunksOf(say('')).slice(0, 1), thenHang: true } as const],
  ])('is the fault of a server that sent %s for half of its time', async (_title, reply) => {
    expect(await endedAfter(200, 300, reply)).toMatchObject({
      kind: 'infra',
      code: 'server_silent',
      detail: expect.stringMatching(/nothing of an answer for 0\.\d s when the 0\.3 s of the trial were over/),
    })
  })

  test('is the fault of a server that sent nothing for the idle deadline, however long the trial was', async () => {
    expect(await endedAfter(300, 60_000, pings, { idleTimeoutMs: 200 })).toMatchObject({ code: 'server_silent' })
  })

  test('is the fault of a server that was still loading', async () => {
    const loading = { status: 503, body: { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } } }
    expect(await endedAfter(200, 300, loading)).toMatchObject({ code: 'server_loading' })
  })

  test('is not a fault of a server that was asked only shortly before', async () => {
    expect(await endedAfter(100, 60_000, { hang: true })).toBe('rejected')
  })

  test('is not a fault of a server that was answering', async () => {
    expect(await endedAfter(300, 300, { ...say('x'.repeat(800)), chunkDelayMs: 20 })).toBe('rejected')
  })

  test('is not a fault of a server that was asked for a whole reply: before it there is nothing to be heard', async () => {
    expect(await endedAfter(200, 200, { hang: true }, { stream: false })).toBe('rejected')
  })
})

describe('a route or a model that was there', () => {
  const notFound = (message: string): ScriptedReply => ({ status: 404, body: { error: { message } } })
  test.each([
    ['config server_not_found', 'infra route_gone', 'File Not Found'],
    ['config unknown_model', 'infra model_unloaded', 'model "x" not found'],
  ])('%s at the start, %s later', async (first, later, message) => {
    expect(classOf(await ask([notFound(message)]))).toBe(first)
    await using server = await startScriptedServer([say('hi'), notFound(message)])
    const model = createChatModel(planFor(server.baseUrl))
    await model.complete(request, never)
    expect(classOf(await model.complete(request, never))).toBe(later)
  })
})

describe('a reply that is longer than what is read', () => {
  // One event a megabyte, so that the bound is passed in a few of them.
  const endless: ScriptedReply = { chunks: Array.from({ length: 12 }, () => chunkOf('word '.repeat(200_000))) }
  test.each([
    ['the server ignores the limit that was asked for', 16_384, 'infra output_limit_ignored', /only 16,384 tokens/],
    ['the limit allows it', 2_000_000, 'model_error output_limit', /passed 8,000,000 characters/],
  ])('%s', async (_title, maxTokens, expected, detail) => {
    const sampling = { temperature: null, topP: null, maxTokens, extraBody: null }
    const reply = await ask([endless], { sampling, idleTimeoutMs: 20_000 })
    expect(classOf(reply)).toBe(expected)
    expect(reply).toMatchObject({ detail: expect.stringMatching(detail) })
    expect(reply).not.toMatchObject({ remedy: expect.stringContaining('Raise BENCH_MAX_TOKENS') })
  })
})
