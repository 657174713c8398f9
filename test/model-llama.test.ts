/** The client against a real llama-server with tiny hand-made models; test/docker-llama.test.ts drives the tools agent. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChatMessage, ChatModel, ChatRequest, ToolDefinition } from '../src/model/chat-model.ts'
import { createChatModel, planModel } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import { type LlamaServer, slotsOf, startLlamaServer } from './llama-server.ts'
import { describeWith } from './needs.ts'

const TOOL: ToolDefinition = {
  name: 'execute_command',
  description: 'Run a command.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
}
const never = new AbortController().signal
const ask = (content: string, tools: readonly ToolDefinition[] = []): ChatRequest => ({
  messages: [{ role: 'user', content }],
  tools,
  seed: 1,
})

async function planned(baseUrl: string, maxTokens = 400) {
  const sampling = { temperature: 0, topP: null, maxTokens, extraBody: null }
  const found = await planModel({ model: 'steer', baseUrl, apiKey: null, sampling, idleTimeoutMs: 30_000 })
  if (found === null) throw new Error('no plan')
  return found
}

async function modelAt(baseUrl: string, more: { readonly maxTokens?: number; readonly stream?: boolean } = {}) {
  const { plan } = await planned(baseUrl, more.maxTokens)
  return createChatModel({ ...plan, stream: more.stream ?? true })
}

await describeWith(['llama-server'], 'a real llama-server', () => {
  let server: LlamaServer
  beforeAll(async () => {
    server = await startLlamaServer()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  test('says what it is, and that it ignores the name of the model', async () => {
    const { plan, warnings } = await planned(`http://127.0.0.1:${server.port}/`)
    expect(plan).toMatchObject({
      model: 'steer',
      baseUrl: server.baseUrl,
      server: {
        kind: 'llama-server',
        build: expect.stringMatching(/\d/),
        modelPath: expect.stringContaining('steer.gguf'),
        contextTokens: 8_192,
        slots: 1,
        chatTemplateSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        defaultSampling: { top_k: 40 },
      },
    })
    expect(warnings).toHaveLength(2)
  })

  const CALL = { name: 'execute_command', arguments: { valid: true, value: { command: 'ls' } } }
  const COUNT = expect.any(Number)
  const COUNTED = { promptTokens: COUNT, completionTokens: COUNT, decodeTokensPerSecond: COUNT, attempts: 1 }
  test.each<[string, number, readonly ToolDefinition[], object]>([
    ['[[say]] hi', 400, [TOOL], { kind: 'ok', toolCalls: [], finishReason: 'stop', stats: COUNTED }],
    ['[[steps5]] go', 400, [TOOL], { kind: 'ok', toolCalls: [CALL], stats: COUNTED }],
    ['[[think]] hi', 400, [], { reasoning: { field: 'reasoning_content', text: expect.stringMatching(/\w/) } }],
    ['[[utf8]] hi', 400, [], { kind: 'ok', text: expect.stringMatching(/\p{Extended_Pictographic}/u) }],
    ['[[empty]] hi', 400, [], { kind: 'model_error', reason: 'empty_reply' }],
    ['[[rawcall]] hi', 400, [], { kind: 'model_error', reason: 'tool_markup_in_text' }],
    ['[[long]] hi', 6, [], { kind: 'model_error', reason: 'output_limit' }],
    ['hi', 6, [TOOL], { kind: 'model_error', reason: 'output_limit' }],
    ['[[think]] hi', 2, [], { kind: 'model_error', reason: 'reasoning_exhausted' }],
  ])('is understood, in a stream and whole: %s within %i tokens', async (prompt, maxTokens, tools, expected) => {
    for (const stream of [true, false]) {
      const model = await modelAt(server.baseUrl, { maxTokens, stream })
      expect(await model.complete(ask(prompt, tools), never), `stream: ${stream}`).toMatchObject(expected)
    }
  })

  test('malformed arguments in the history do not wedge the conversation', async () => {
    const toolCall = {
      id: 'a',
      name: 'execute_command',
      arguments: { valid: false, raw: '{', problem: 'cut' },
    } as const
    const messages: readonly ChatMessage[] = [
      { role: 'user', content: '[[say]] hi' },
      { role: 'assistant', content: '', reasoning: null, toolCalls: [toolCall] },
      { role: 'tool', toolCallId: 'a', content: 'Error: not JSON' },
    ]
    const model: ChatModel = await modelAt(server.baseUrl)
    expect(await model.complete({ messages, tools: [TOOL], seed: 1 }, never)).toMatchObject({ kind: 'ok' })
  })
})

await describeWith(['llama-server'], 'a real llama-server with a small window', () => {
  test('overflows by the prompt and by the reply', async () => {
    await using server = await startLlamaServer({ contextTokens: 256 })
    const model = await modelAt(server.baseUrl, { maxTokens: 10_000 })
    const { contextTokens } = model.plan.server
    expect(contextTokens).toBeGreaterThan(0)
    const prompt = await model.complete(ask(`[[say]] ${'word '.repeat(2_000)}`), never)
    expect(prompt).toMatchObject({ kind: 'context_overflow', contextTokens })
    expect(await model.complete(ask('[[long]] hi'), never)).toMatchObject({ kind: 'context_overflow' })
  })
})

await describeWith(['llama-server'], 'a slow llama-server', () => {
  test('is waited for while it loads, frees its slot after an abort, and is infra when killed in an answer', async () => {
    const flags = ['--load-mode', 'none']
    await using server = await startLlamaServer({
      model: 'slow',
      contextTokens: 2_048,
      flags,
      resolveWhileLoading: true,
    })
    expect(server.isLoading, 'it answers 503').toBe(true)
    const waiting = createChatModel(planFixture({ baseUrl: server.baseUrl, idleTimeoutMs: 60_000 }))
    const first = await waiting.complete(ask('[[say]] hi'), never)
    expect('stats' in first && first.stats.attempts, 'the first attempts were refused').toBeGreaterThan(1)

    const model = await modelAt(server.baseUrl)
    const reason = new Error('deadline')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 1_500)
    await expect(model.complete(ask('[[long]] hi'), controller.signal)).rejects.toBe(reason)
    const startedAt = performance.now()
    while ((await slotsOf(server)).some(slot => slot.is_processing)) {
      expect(performance.now() - startedAt, 'the slot stays busy').toBeLessThan(5_000)
    }

    setTimeout(() => process.kill(server.pid, 'SIGKILL'), 1_500)
    expect(await model.complete(ask('[[long]] hi'), never)).toMatchObject({ kind: 'infra', code: 'stream_dropped' })
    const code = expect.stringMatching(/^connection_(?:refused|lost)$/)
    expect(await model.complete(ask('hi'), never)).toMatchObject({ kind: 'infra', code })
  })
})
