/** The tools agent and the client against a real llama-server with tiny hand-made models. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session, TurnNote } from '../src/agents/agent.ts'
import { createToolsAgent } from '../src/agents/tools-agent.ts'
import type { ChatModel, ChatRequest, ToolDefinition } from '../src/model/chat-model.ts'
import { createChatModel, type ModelQuestion, planModel } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import type { ToolArguments, Toolbox } from '../src/tools/tool-set.ts'
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

async function modelAt(baseUrl: string, more: { readonly maxTokens?: number } = {}): Promise<ChatModel> {
  const question: ModelQuestion = {
    model: 'steer',
    baseUrl,
    apiKey: null,
    sampling: { temperature: 0, topP: null, maxTokens: more.maxTokens ?? 400, extraBody: null },
    idleTimeoutMs: 30_000,
  }
  const planned = await planModel(question)
  if (planned === null) throw new Error('no plan')
  return createChatModel(planned.plan)
}

interface Made {
  readonly session: Session
  readonly calls: { readonly name: string; readonly args: ToolArguments }[]
  readonly notes: TurnNote[]
}
function sessionOf(prompt: string, maxTurns = 20): Made {
  const calls: Made['calls'] = []
  const notes: TurnNote[] = []
  const toolbox: Toolbox = {
    definitions: [TOOL],
    async call(name, args) {
      calls.push({ name, args })
      return { delivered: `exit_code: 0\nline ${calls.length}`, exitCode: 0 }
    },
  }
  const emit = (note: TurnNote): void => void notes.push(note)
  return {
    session: {
      prompt,
      system: null,
      toolbox,
      maxTurns,
      maxTokens: null,
      seed: 1,
      reply: async () => null,
      instance: undefined,
      script: null,
      signal: never,
      emit,
    },
    calls,
    notes,
  }
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
    const planned = await planModel({
      model: 'steer',
      baseUrl: `http://127.0.0.1:${server.port}/`,
      apiKey: null,
      sampling: { temperature: 0, topP: null, maxTokens: 100, extraBody: null },
      idleTimeoutMs: 30_000,
    })
    expect(planned?.plan).toMatchObject({
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
    expect(planned?.warnings).toHaveLength(2)
  })

  test('drives the tools agent through five rounds of calls, with counts and times of every turn', async () => {
    const { session, calls, notes } = sessionOf('[[steps5]] go')
    const ending = await createToolsAgent(await modelAt(server.baseUrl)).run(session)
    expect(ending.reason).toBe('answered')
    expect(ending.finalText?.trim()).not.toBe('')
    expect(ending.servedModel).toContain('steer')
    expect(calls).toHaveLength(5)
    expect(calls[0]).toEqual({ name: 'execute_command', args: { valid: true, value: { command: 'ls' } } })
    expect(notes.map(note => note.turn)).toEqual([1, 2, 3, 4, 5, 6])
    for (const { stats } of notes) {
      expect(stats?.promptTokens).toBeGreaterThan(0)
      expect(stats?.completionTokens).toBeGreaterThan(0)
      expect(stats?.decodeTokensPerSecond).toBeGreaterThan(0)
      expect(stats?.firstTokenMs).toBeGreaterThan(0)
      expect(stats?.attempts).toBe(1)
    }
    const prompts = notes.map(note => note.stats?.promptTokens ?? 0)
    expect(prompts).toEqual(prompts.toSorted((a, b) => a - b))
  })

  test('is stopped by the turn limit when the model never stops calling', async () => {
    const { session, calls } = sessionOf('[[forever]] go', 4)
    expect((await createToolsAgent(await modelAt(server.baseUrl)).run(session)).reason).toBe('max_turns')
    expect(calls).toHaveLength(4)
  })

  test('text only, reasoning, an emoji in pieces', async () => {
    const model = await modelAt(server.baseUrl)
    expect(await model.complete(ask('[[say]] hi', [TOOL]), never)).toMatchObject({
      kind: 'ok',
      toolCalls: [],
      finishReason: 'stop',
    })
    const thought = await model.complete(ask('[[think]] hi'), never)
    expect(thought).toMatchObject({
      kind: 'ok',
      reasoning: { field: 'reasoning_content', text: expect.stringMatching(/\w/) },
    })
    const emoji = await model.complete(ask('[[utf8]] hi'), never)
    expect(emoji.kind === 'ok' && /\p{Extended_Pictographic}/u.test(emoji.text)).toBe(true)
  })

  test('a reply of nothing and markup in the text are errors of the model', async () => {
    const model = await modelAt(server.baseUrl)
    expect(await model.complete(ask('[[empty]] hi'), never)).toMatchObject({
      kind: 'model_error',
      reason: 'empty_reply',
    })
    expect(await model.complete(ask('[[rawcall]] hi'), never)).toMatchObject({
      kind: 'model_error',
      reason: 'tool_markup_in_text',
    })
  })

  test('the output limit cuts text, reasoning and calls', async () => {
    const short = await modelAt(server.baseUrl, { maxTokens: 6 })
    expect(await short.complete(ask('[[long]] hi'), never)).toMatchObject({
      kind: 'model_error',
      reason: 'output_limit',
    })
    expect(await short.complete(ask('hi', [TOOL]), never)).toMatchObject({
      kind: 'model_error',
      reason: 'output_limit',
    })
    const shorter = await modelAt(server.baseUrl, { maxTokens: 2 })
    expect(await shorter.complete(ask('[[think]] hi'), never)).toMatchObject({
      kind: 'model_error',
      reason: 'reasoning_exhausted',
    })
  })

  test('malformed arguments in the history do not wedge the conversation', async () => {
    const model = await modelAt(server.baseUrl)
    const reply = await model.complete(
      {
        messages: [
          { role: 'user', content: '[[say]] hi' },
          {
            role: 'assistant',
            content: '',
            reasoning: null,
            toolCalls: [{ id: 'a', name: 'execute_command', arguments: { valid: false, raw: '{', problem: 'cut' } }],
          },
          { role: 'tool', toolCallId: 'a', content: 'Error: not JSON' },
        ],
        tools: [TOOL],
        seed: 1,
      },
      never,
    )
    expect(reply.kind).toBe('ok')
  })

  test('gives whole replies when no stream is asked for: text, call, reasoning, a cut, counts', async () => {
    const whole = async (more: { readonly maxTokens?: number } = {}) => {
      const { plan } = await modelAt(server.baseUrl, more)
      return createChatModel({ ...plan, stream: false })
    }
    const model = await whole()
    const said = await model.complete(ask('[[say]] hi', [TOOL]), never)
    expect(said).toMatchObject({ kind: 'ok', toolCalls: [], finishReason: 'stop' })
    expect(said).toMatchObject({
      stats: {
        promptTokens: expect.any(Number),
        completionTokens: expect.any(Number),
        decodeTokensPerSecond: expect.any(Number),
      },
    })
    const called = await model.complete(ask('[[steps5]] go', [TOOL]), never)
    expect(called).toMatchObject({
      kind: 'ok',
      toolCalls: [{ name: 'execute_command', arguments: { valid: true, value: { command: 'ls' } } }],
    })
    expect(await model.complete(ask('[[think]] hi'), never)).toMatchObject({
      kind: 'ok',
      reasoning: { text: expect.stringMatching(/\w/) },
    })
    expect(await (await whole({ maxTokens: 6 })).complete(ask('[[long]] hi'), never)).toMatchObject({
      kind: 'model_error',
      reason: 'output_limit',
    })
  })
})

await describeWith(['llama-server'], 'a real llama-server with a small window', () => {
  test('overflows by the prompt and by the reply', async () => {
    await using server = await startLlamaServer({ contextTokens: 256 })
    const model = await modelAt(server.baseUrl, { maxTokens: 10_000 })
    const window = model.plan.server.contextTokens
    expect(window).toBeGreaterThan(0)
    const prompt = await model.complete(ask(`[[say]] ${'word '.repeat(2_000)}`), never)
    expect(prompt).toMatchObject({ kind: 'context_overflow', contextTokens: window })
    expect(await model.complete(ask('[[long]] hi'), never)).toMatchObject({ kind: 'context_overflow' })
  })
})

await describeWith(['llama-server'], 'a slow llama-server', () => {
  test('is waited for while it loads, frees its slot after an abort, and is infra when killed in an answer', async () => {
    await using server = await startLlamaServer({
      model: 'slow',
      contextTokens: 2_048,
      flags: ['--load-mode', 'none'],
      resolveWhileLoading: true,
    })
    expect(server.isLoading, 'it answers 503').toBe(true)
    const waiting = createChatModel(planFixture({ baseUrl: server.baseUrl, idleTimeoutMs: 60_000 }))
    const first = await waiting.complete({ ...ask('[[say]] hi'), seed: 1 }, never)
    expect(first.kind).toMatch(/^(ok|model_error)$/)
    expect(first).toMatchObject({ stats: { attempts: expect.any(Number) } })
    expect('stats' in first && first.stats.attempts, 'the first attempts were refused').toBeGreaterThan(1)
    const model = await modelAt(server.baseUrl)
    expect(model.plan.server.kind).toBe('llama-server')

    const reason = new Error('deadline')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 1_500)
    await expect(model.complete(ask('[[long]] hi'), controller.signal)).rejects.toBe(reason)
    const startedAt = performance.now()
    for (;;) {
      if (!(await slotsOf(server)).some(slot => slot.is_processing)) break
      expect(performance.now() - startedAt, 'the slot stays busy').toBeLessThan(5_000)
    }

    setTimeout(() => process.kill(server.pid, 'SIGKILL'), 1_500)
    expect(await model.complete(ask('[[long]] hi'), never)).toMatchObject({ kind: 'infra', code: 'stream_dropped' })
    expect(await model.complete(ask('hi'), never)).toMatchObject({
      kind: 'infra',
      code: expect.stringMatching(/^connection_(?:refused|lost)$/),
    })
  })
})
