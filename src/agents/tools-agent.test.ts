import { describe, expect, test } from 'vitest'
import { ConfigError, InfraError } from '../errors.ts'
import type { ChatRequest, Reply, ToolCall } from '../model/chat-model.ts'
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

type Given = Parameters<typeof sessionOf>

/** Plays replies in turn, the last one again and again; `ended` is how the agent ended, `requests` what the model was asked. */
function play(replies: readonly Reply[], ...given: Given) {
  const requests: ChatRequest[] = []
  const complete = async (request: ChatRequest): Promise<Reply> => {
    requests.push(structuredClone(request))
    const reply = replies[Math.min(requests.length, replies.length) - 1]
    if (reply === undefined) throw new Error('no reply')
    return reply
  }
  const made = sessionOf(...given)
  return { ...made, requests, ended: createToolsAgent({ plan: planFixture(), complete }).run(made.session) }
}

describe('the tools agent', () => {
  test('runs calls in order, sends their results back, and ends with the answer', async () => {
    const replies = [calling(toolCall('f', { a: 1 }, 'x'), toolCall('g', {}, 'y')), answer('done')]
    const { ended, calls, notes, requests } = play(replies)
    expect(await ended).toEqual({ reason: 'answered', finalText: 'done', detail: null, servedModel: 'served' })
    expect(calls.map(({ name, turn }) => `${name} ${turn}`)).toEqual(['f 1', 'g 1'])
    expect(notes.map(({ turn, text }) => `${turn} ${text}`)).toEqual(['1 ', '2 done'])
    expect(requests[1]?.messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(requests[1]?.messages.at(-1)).toEqual({ role: 'tool', toolCallId: 'y', content: 'result 2' })
    expect(requests.map(request => request.seed)).toEqual([42, 42])
  })

  test('goes on with what the user says to an answer, until there is nothing more', async () => {
    const said: string[] = []
    const reply = async (text: string) => (said.push(text) === 1 ? 'And then?' : null)
    const { ended, requests } = play([answer('one'), calling(toolCall('f')), answer('two')], { reply })
    expect(await ended).toMatchObject({ reason: 'answered', finalText: 'two' })
    expect(said).toEqual(['one', 'two'])
    expect(requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'one', reasoning: null, toolCalls: [] },
      { role: 'user', content: 'And then?' },
    ])
  })

  test('sends no system prompt unless the session has one, and echoes text and reasoning of a turn that called', async () => {
    const reasoning = { field: 'reasoning' as const, text: 'hm' }
    const turn: Reply = { kind: 'ok', ...body, text: 'let me', reasoning, toolCalls: [toolCall('f')] }
    const bare = play([turn, answer('x')])
    const led = play([answer('x')], { system: 'be brief' })
    await Promise.all([bare.ended, led.ended])
    expect(bare.requests[0]?.messages).toEqual([{ role: 'user', content: 'do it' }])
    expect(bare.requests[1]?.messages[1]).toMatchObject({ role: 'assistant', content: 'let me', reasoning })
    expect(led.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'be brief' })
  })

  test('hands malformed arguments to the toolbox as they are', async () => {
    const malformed: ToolCall = { id: 'a', name: 'f', arguments: { valid: false, raw: '{', problem: 'cut' } }
    const { ended, calls } = play([calling(malformed), answer('x')])
    await ended
    expect(calls[0]?.args).toEqual(malformed.arguments)
  })

  test(`runs ${MAX_CALLS_PER_TURN} calls of a turn and answers the rest with an error`, async () => {
    const many = Array.from({ length: MAX_CALLS_PER_TURN + 2 }, (_, index) => toolCall('f', {}, `c${index}`))
    const { ended, calls, requests } = play([calling(...many), answer('x')])
    await ended
    expect(calls).toHaveLength(MAX_CALLS_PER_TURN)
    expect(requests[1]?.messages).toHaveLength(2 + many.length)
    const content = expect.stringContaining('Error')
    expect(requests[1]?.messages.at(-1)).toMatchObject({ toolCallId: many.at(-1)?.id, content })
  })

  const call = calling(toolCall('f'))
  const counted = (reply: Reply, promptTokens: number, completionTokens = 5): Reply =>
    reply.kind === 'ok' ? { ...reply, stats: { ...NO_STATS, promptTokens, completionTokens } } : reply
  const spending = [counted(call, 5), counted(call, 10), counted(answer('done'), 15)]
  const cut: Reply = {
    kind: 'model_error',
    reason: 'output_limit',
    detail: 'cut',
    remedy: 'Raise it.',
    ...body,
    text: 'half',
  }
  const full: Reply = { kind: 'context_overflow', detail: 'full', remedy: 'Raise it.', contextTokens: 10 }
  const growing: Given = [{ prompt: 'p'.repeat(10_000) }, count => String(count).repeat(5_000)]
  test.each<[string, Reply[], Given, object, number]>([
    ['the allowed turns', [call], [{ maxTurns: 3 }], { reason: 'max_turns' }, 3],
    ['the same call with the same result', [call], [{}, () => 'same'], { reason: 'loop' }, LOOP_LIMIT],
    ['no loop but turns where results are new: it may wait for something', [call], [], { reason: 'max_turns' }, 20],
    ['the allowed tokens', spending, [{ maxTokens: 20 }], { reason: 'max_tokens' }, 1],
    ['its answer where tokens suffice', spending, [{ maxTokens: 40 }], { reason: 'answered' }, 2],
    ["a model's error", [cut], [], { reason: 'output_limit', detail: 'cut. Raise it.', finalText: 'half' }, 0],
    ['an overflow of the context', [full], [], { reason: 'context_overflow', detail: 'full. Raise it.' }, 0],
    ['a prompt that is cut in silence', [counted(call, 2_051)], growing, { reason: 'prompt_cut' }, 2],
  ])('ends after %s', async (_title, replies, given, ending, made) => {
    const { ended, calls } = play(replies, ...given)
    expect(await ended).toMatchObject(ending)
    expect(calls).toHaveLength(made)
  })

  test('faults of server and configuration are thrown with code and remedy', async () => {
    const fault = { code: 'x', detail: 'it broke', remedy: 'mend it' }
    await expect(play([{ kind: 'infra', ...fault }]).ended).rejects.toThrow(InfraError)
    const { ended } = play([{ kind: 'config', ...fault }])
    await expect(ended).rejects.toThrow(ConfigError)
    await expect(ended).rejects.toMatchObject({ code: 'x', remedy: 'mend it' })
  })

  test('stops between two calls when the signal aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('deadline')
    const { ended, calls } = play(
      [calling(toolCall('f'), toolCall('f', {}, 'c2'))],
      { signal: controller.signal },
      () => {
        controller.abort(reason)
        return ''
      },
    )
    await expect(ended).rejects.toBe(reason)
    expect(calls).toHaveLength(1)
  })
})
