import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ChatModel, ChatRequest, ModelPlan, Reply } from './chat-model.ts'
import { openChatModel } from './open.ts'
import { NO_STATS, planFixture } from './plan.fixture.ts'
import { planFromRecording, recordExchanges, replayExchanges } from './recording.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-bench-recording-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const never = new AbortController().signal
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hi 🙂' }],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
  seed: 7,
}
const said = (text: string) => ({
  kind: 'ok' as const,
  text,
  reasoning: { field: 'reasoning' as const, text: 'hm' },
  toolCalls: [
    { id: 'a', name: 'f', arguments: { valid: true as const, value: { q: [1] } } },
    { id: 'b', name: 'f', arguments: { valid: false as const, raw: '{', problem: 'cut' } },
  ],
  finishReason: 'stop',
  servedModel: null,
  stats: NO_STATS,
})
const fault: Reply = { kind: 'infra', code: 'server_error', detail: 'boom', remedy: 'mend it' }

/** Gives these replies one after another. */
function modelOf(replies: readonly Reply[], plan: ModelPlan = planFixture()): ChatModel {
  const left = [...replies]
  return { plan, complete: async () => left.shift() ?? fault }
}

/** The request with the result of a call. */
const saying = (content: string): ChatRequest => ({
  ...request,
  messages: [...request.messages, { role: 'tool', toolCallId: 'a', content }],
})

describe('a recording', () => {
  test('is answered from, letter by letter, also its faults, in the order in which they came', async () => {
    const overflow: Reply = { kind: 'context_overflow', detail: 'full', remedy: 'more', contextTokens: 9 }
    const empty: Reply = { ...said(''), kind: 'model_error', reason: 'empty_reply', detail: 'nothing', remedy: null }
    const replies = [fault, said('one'), overflow, empty]
    const recorder = recordExchanges(modelOf(replies), dir)
    for (const reply of replies) expect(await recorder.complete(request, never)).toEqual(reply)
    const replayed = replayExchanges(planFixture(), dir)
    for (const reply of [...replies, empty]) expect(await replayed.complete(request, never)).toEqual(reply)
  })

  test.each([
    ['seed', { ...request, seed: 8 }],
    ['message', { ...request, messages: [{ role: 'user' as const, content: 'hi' }] }],
    ['tools', { ...request, tools: [] }],
  ])('has no reply to a request with another %s: a fault, not a guess', async (_what, other) => {
    await recordExchanges(modelOf([said('one')]), dir).complete(request, never)
    expect(await replayExchanges(planFixture(), dir).complete(other, never)).toMatchObject({
      kind: 'infra',
      code: 'replay_missing',
      detail: expect.stringContaining(`seed ${other.seed}`),
    })
  })

  test('whose file was damaged is a fault', async () => {
    await recordExchanges(modelOf([said('one')]), dir).complete(request, never)
    const file = readdirSync(dir).find(name => name.startsWith('exchange-')) ?? ''
    const text = readFileSync(join(dir, file), 'utf8')
    for (const damaged of [text.slice(0, 40), text.replace('"valid": true', '"valid": 7'), '{}']) {
      writeFileSync(join(dir, file), damaged)
      expect(await replayExchanges(planFixture(), dir).complete(request, never)).toMatchObject({
        code: 'replay_missing',
        detail: expect.stringContaining('unreadable'),
      })
    }
  })

  test('never holds the key of the server', async () => {
    const plan = planFixture({ apiKey: 'secret-key' })
    await recordExchanges(modelOf([said('one')], plan), dir).complete(request, never)
    for (const file of readdirSync(dir)) expect(readFileSync(join(dir, file), 'utf8')).not.toContain('secret-key')
  })

  test('that cannot be written stops the run before the first request', () => {
    writeFileSync(join(dir, 'file'), '')
    expect(() => recordExchanges(modelOf([]), join(dir, 'file', 'x'))).toThrowError(
      expect.objectContaining({ code: 'recording_not_writable' }),
    )
  })

  test('two workers write side by side', async () => {
    const recorders = [recordExchanges(modelOf([said('one')]), dir), recordExchanges(modelOf([said('two')]), dir)]
    await Promise.all(recorders.map(recorder => recorder.complete(request, never)))
    expect(readdirSync(dir).filter(name => name.startsWith('exchange-'))).toHaveLength(2)
    expect(readdirSync(dir).filter(name => name.endsWith('.tmp'))).toEqual([])
  })
})

test('a recording answers although tests took longer: no two reports have the same duration', async () => {
  await recordExchanges(modelOf([said('one')]), dir).complete(saying('1 failed in 0.03s'), never)
  const replayed = await replayExchanges(planFixture(), dir).complete(saying('1 failed in 1.27s'), never)
  expect(replayed).toEqual(said('one'))
})

test('a recording does not care about addresses, but about model and sampling', async () => {
  await recordExchanges(modelOf([said('one')]), dir).complete(request, never)
  const sampling = { ...planFixture().sampling, temperature: 0 }
  const kindFor = async (plan: ModelPlan) => (await replayExchanges(plan, dir).complete(request, never)).kind
  expect(await kindFor(planFixture({ baseUrl: 'http://elsewhere/v1' }))).toBe('ok')
  expect(await kindFor(planFixture({ model: 'other' }))).toBe('infra')
  expect(await kindFor(planFixture({ sampling }))).toBe('infra')
})

describe('the plan of a recording', () => {
  test('is the one that was recorded, and opens as a replay', async () => {
    await recordExchanges(modelOf([said('one')], planFixture({ apiKey: 'k' })), dir).complete(request, never)
    const plan = planFromRecording(dir, null)
    expect(plan).toEqual({ ...planFixture(), recording: { mode: 'replay', dir } })
    expect(await openChatModel(plan).complete(request, never)).toEqual(said('one'))
  })

  test('must be named among several', () => {
    for (const model of ['a', 'b']) recordExchanges(modelOf([], planFixture({ model })), dir)
    expect(planFromRecording(dir, 'b').model).toBe('b')
    expect(() => planFromRecording(dir, null)).toThrowError(expect.objectContaining({ code: 'model_not_chosen' }))
    expect(() => planFromRecording(dir, 'c')).toThrowError(expect.objectContaining({ code: 'unknown_model' }))
  })

  test.each(['empty', 'absent'])('is refused where the folder is %s', kind => {
    const folder = kind === 'empty' ? dir : join(dir, 'absent')
    expect(() => planFromRecording(folder, null)).toThrowError(expect.objectContaining({ code: 'replay_empty' }))
  })
})
