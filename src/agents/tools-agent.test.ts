import { describe, expect, test } from 'vitest'
import { ConfigError, InfraError } from '../errors.ts'
import type { ChatModel, ChatRequest, Reply, ToolCall } from '../model/chat-model.ts'
import { NO_STATS, planFixture } from '../model/plan.fixture.ts'
import { sessionOf } from './session.fixture.ts'
import { createToolsAgent, LOOP_LIMIT, MAX_CALLS_PER_TURN } from './tools-agent.ts'

const body = { text: '', reasoning: null, toolCalls: [], finishReason: 'stop', stats: NO_STATS, servedModel: 'served' }
const answer = (text: string): Reply => ({ kind: 'ok', ...body, text })
const toolCall = (name: string, value: Readonly<Record<string, unknown>> = {}, id = 'c1'): ToolCall => ({
  id,
  name,
  arguments: { valid: true, value },
})
const calling = (...toolCalls: ToolCall[]): Reply => ({ kind: 'ok', ...body, toolCalls })

/** A model that gives these replies in turn, the last one again and again, and keeps what it was asked. */
function modelOf(...replies: Reply[]): { readonly model: ChatModel; readonly requests: ChatRequest[] } {
  const requests: ChatRequest[] = []
  const complete = async (request: ChatRequest): Promise<Reply> => {
    requests.push(structuredClone(request))
    const reply = replies[Math.min(requests.length, replies.length) - 1]
    if (reply === undefined) throw new Error('no reply')
    return reply
  }
  return { model: { plan: planFixture(), complete }, requests }
}

describe('the tools agent', () => {
  test('runs calls in order, sends their results back, and ends with the answer', async () => {
    const { model, requests } = modelOf(calling(toolCall('f', { a: 1 }, 'x'), toolCall('g', {}, 'y')), answer('done'))
    const { session, calls, notes } = sessionOf()
    const ending = await createToolsAgent(model).run(session)

    expect(ending).toEqual({ reason: 'answered', finalText: 'done', detail: null, servedModel: 'served' })
    expect(calls.map(({ name, turn }) => [name, turn])).toEqual([
      ['f', 1],
      ['g', 1],
    ])
    expect(notes.map(({ turn, text }) => [turn, text])).toEqual([
      [1, ''],
      [2, 'done'],
    ])
    expect(requests[1]?.messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(requests[1]?.messages.at(-1)).toEqual({ role: 'tool', toolCallId: 'y', content: 'result 2' })
    expect(requests.map(request => request.seed)).toEqual([42, 42])
  })

  test('goes on with what the user says to an answer, until there is nothing more', async () => {
    const { model, requests } = modelOf(answer('one'), calling(toolCall('f')), answer('two'))
    const said: string[] = []
    const reply = async (text: string) => (said.push(text) === 1 ? 'And then?' : null)
    const ending = await createToolsAgent(model).run(sessionOf({ reply }).session)
    expect(ending).toMatchObject({ reason: 'answered', finalText: 'two' })
    expect(said).toEqual(['one', 'two'])
    expect(requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'one', reasoning: null, toolCalls: [] },
      { role: 'user', content: 'And then?' },
    ])
  })

  test.each([
    [20, 'max_tokens', 2],
    [40, 'answered', 3],
  ])('with at most %d tokens, 10 a turn and 5 more each, it ends by %s', async (maxTokens, reason, turns) => {
    const stats = (turn: number) => ({ ...NO_STATS, promptTokens: 5 * turn, completionTokens: 5 })
    const spent = (reply: Reply, turn: number): Reply => ({ ...reply, stats: stats(turn) }) as Reply
    const { model, requests } = modelOf(
      spent(calling(toolCall('f')), 1),
      spent(calling(toolCall('f')), 2),
      spent(answer('done'), 3),
    )
    expect(await createToolsAgent(model).run(sessionOf({ maxTokens }).session)).toMatchObject({ reason })
    expect(requests).toHaveLength(turns)
  })

  test('sends no system prompt unless the session has one', async () => {
    const bare = modelOf(answer('x'))
    await createToolsAgent(bare.model).run(sessionOf().session)
    expect(bare.requests[0]?.messages).toEqual([{ role: 'user', content: 'do it' }])

    const led = modelOf(answer('x'))
    await createToolsAgent(led.model).run(sessionOf({ system: 'be brief' }).session)
    expect(led.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'be brief' })
  })

  test('echoes text and reasoning of a turn that called', async () => {
    const reasoning = { field: 'reasoning' as const, text: 'hm' }
    const { model, requests } = modelOf(
      { kind: 'ok', ...body, text: 'let me', reasoning, toolCalls: [toolCall('f')] },
      answer('x'),
    )
    await createToolsAgent(model).run(sessionOf().session)
    expect(requests[1]?.messages[1]).toMatchObject({ role: 'assistant', content: 'let me', reasoning })
  })

  test('hands malformed arguments to the toolbox as they are', async () => {
    const malformed: ToolCall = { id: 'a', name: 'f', arguments: { valid: false, raw: '{', problem: 'cut' } }
    const { session, calls } = sessionOf()
    await createToolsAgent(modelOf(calling(malformed), answer('x')).model).run(session)
    expect(calls[0]?.args).toEqual(malformed.arguments)
  })

  test('ends after the allowed turns', async () => {
    const { session, calls } = sessionOf({ maxTurns: 3 })
    const ending = await createToolsAgent(modelOf(calling(toolCall('f'))).model).run(session)
    expect(ending.reason).toBe('max_turns')
    expect(calls).toHaveLength(3)
  })

  test(`ends as a loop after the same call with the same result ${LOOP_LIMIT} times`, async () => {
    const { session, calls } = sessionOf({ maxTurns: 50 }, () => 'same')
    const ending = await createToolsAgent(modelOf(calling(toolCall('f'))).model).run(session)
    expect(ending.reason).toBe('loop')
    expect(calls).toHaveLength(LOOP_LIMIT)
  })

  test('the same call with new results is not a loop: a model may wait for something', async () => {
    const { session } = sessionOf({ maxTurns: 20 })
    const ending = await createToolsAgent(modelOf(calling(toolCall('f'))).model).run(session)
    expect(ending.reason).toBe('max_turns')
  })

  test(`runs ${MAX_CALLS_PER_TURN} calls of a turn and answers the rest with an error`, async () => {
    const many = Array.from({ length: MAX_CALLS_PER_TURN + 2 }, (_, index) => toolCall('f', {}, `c${index}`))
    const { model, requests } = modelOf(calling(...many), answer('x'))
    const { session, calls } = sessionOf()
    await createToolsAgent(model).run(session)
    expect(calls).toHaveLength(MAX_CALLS_PER_TURN)
    expect(requests[1]?.messages).toHaveLength(2 + many.length)
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      toolCallId: `c${many.length - 1}`,
      content: expect.stringContaining('Error'),
    })
  })

  test("a model's error ends the trial with its reason and what was said", async () => {
    const reply: Reply = {
      kind: 'model_error',
      reason: 'output_limit',
      detail: 'cut',
      remedy: 'Raise it.',
      ...body,
      text: 'half',
    }
    const { session, notes } = sessionOf()
    const ending = await createToolsAgent(modelOf(reply).model).run(session)
    expect(ending).toMatchObject({ reason: 'output_limit', detail: 'cut. Raise it.', finalText: 'half' })
    expect(notes).toHaveLength(1)
  })

  test('an overflow of the context ends the trial', async () => {
    const reply: Reply = { kind: 'context_overflow', detail: 'full', remedy: 'Raise it.', contextTokens: 10 }
    expect(await createToolsAgent(modelOf(reply).model).run(sessionOf().session)).toMatchObject({
      reason: 'context_overflow',
    })
  })

  test('a prompt that the server cuts in silence ends the trial', async () => {
    const cut: Reply = { kind: 'ok', ...body, stats: { ...NO_STATS, promptTokens: 2_051 }, toolCalls: [toolCall('f')] }
    const { session, calls } = sessionOf({ prompt: 'p'.repeat(10_000) }, count => String(count).repeat(5_000))
    expect(await createToolsAgent(modelOf(cut).model).run(session)).toMatchObject({
      reason: 'prompt_cut',
      detail: expect.stringContaining('remedy: '),
    })
    expect(calls).toHaveLength(2)
  })

  test('faults of server and configuration are thrown with code and remedy', async () => {
    const fault = { code: 'x', detail: 'it broke', remedy: 'mend it' }
    const infra = createToolsAgent(modelOf({ kind: 'infra', ...fault }).model).run(sessionOf().session)
    await expect(infra).rejects.toThrow(InfraError)
    const config = createToolsAgent(modelOf({ kind: 'config', ...fault }).model).run(sessionOf().session)
    await expect(config).rejects.toThrow(ConfigError)
    await expect(config).rejects.toMatchObject({ code: 'x', remedy: 'mend it' })
  })

  test('stops between two calls when the signal aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('deadline')
    const { session, calls } = sessionOf({ signal: controller.signal }, () => {
      controller.abort(reason)
      return ''
    })
    const run = createToolsAgent(modelOf(calling(toolCall('f'), toolCall('f', {}, 'c2'))).model).run(session)
    await expect(run).rejects.toBe(reason)
    expect(calls).toHaveLength(1)
  })
})
