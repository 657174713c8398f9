import { describe, expect, test } from 'vitest'
import type { ChatMessage, Sampling } from './chat-model.ts'
import { planFixture } from './plan.fixture.ts'
import { requestBody } from './request-body.ts'

const user: ChatMessage = { role: 'user', content: 'hi' }
const bodyOf = (sampling: Partial<Sampling> = {}, messages: readonly ChatMessage[] = [user]) =>
  requestBody(planFixture({ sampling: { ...planFixture().sampling, maxTokens: 100, ...sampling } }), {
    messages,
    tools: [],
    seed: 7,
  })

describe('a request', () => {
  test('always has a seed and an output limit, and sampling only where it is set', () => {
    expect(bodyOf()).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 100,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(bodyOf({ temperature: 0, topP: 0.5 })).toMatchObject({ temperature: 0, top_p: 0.5 })
  })

  test('takes extra fields, but none that would change the conversation', () => {
    const body = bodyOf({ extraBody: { top_k: 1, max_completion_tokens: 5, seed: 1, stream: false, messages: [] } })
    expect(body).toMatchObject({
      top_k: 1,
      max_completion_tokens: 5,
      seed: 7,
      stream: true,
      messages: [{ role: 'user' }],
    })
    expect(body).not.toHaveProperty('max_tokens')
  })

  // What goes back of reasoning and of arguments: rows 52, 72 and 80 of test/wire.
  test('names a call without a name, which a server would refuse in the history', () => {
    const call = { id: 'b', name: '', arguments: { valid: false, raw: '{', problem: 'cut' } } as const
    const body = bodyOf({}, [user, { role: 'assistant', content: '', reasoning: null, toolCalls: [call] }])
    expect(body.messages).toMatchObject([{}, { tool_calls: [{ function: { name: 'unnamed' } }] }])
  })
})
