/** Finding server and model: what is named is found or refused with a remedy, what is not named is guessed only when there is one. */
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { discoverServers, type ModelQuestion, planModel, probeServer } from '../src/model/index.ts'
import { planFixture } from '../src/model/plan.fixture.ts'
import { type ScriptedServerOptions, startScriptedServer } from './scripted-server.ts'

const plan = (more: Partial<ModelQuestion>) =>
  planModel({
    model: null,
    baseUrl: null,
    apiKey: null,
    sampling: planFixture().sampling,
    idleTimeoutMs: 1_000,
    ports: [],
    ...more,
  })
const start = (options: ScriptedServerOptions) => startScriptedServer([], options)

const PROPS = {
  build_info: 'b1-abc',
  model_path: '/models/a.gguf',
  chat_template: 'template',
  total_slots: 2,
  default_generation_settings: { n_ctx: 4_096, params: { temperature: 0.8, top_k: 40, seed: 1, stream: false } },
}
const llama = { models: [{ id: 'a.gguf', aliases: ['a'] }], routes: { '/props': PROPS } }
const router = {
  models: [
    { id: 'a', status: { value: 'unloaded' } },
    { id: 'b', status: { value: 'loaded' } },
  ],
  routes: { '/props': { ...PROPS, role: 'router' } },
}
const ollama = {
  models: [{ id: 'qwen:latest' }, { id: 'gemma:2b' }],
  routes: {
    '/api/version': { version: '0.12.0' },
    '/api/ps': { models: [{ model: 'gemma:2b', context_length: 4_096 }] },
    '/api/show': { template: 'x', capabilities: ['completion'] },
  },
}
const lmstudio = {
  models: [{ id: 'a' }, { id: 'b' }, { id: 'e' }],
  routes: {
    '/api/v0/models': {
      data: [
        { id: 'a', type: 'llm', state: 'not-loaded' },
        { id: 'b', type: 'llm', state: 'loaded', loaded_context_length: 8_192 },
        { id: 'e', type: 'embeddings', state: 'loaded' },
      ],
    },
  },
}
const vllm = {
  models: [{ id: 'org/m', owned_by: 'vllm', root: 'org/m', max_model_len: 2_048 }],
  routes: { '/version': { version: '0.17.0' } },
}

const probe = (baseUrl: string) => probeServer(baseUrl, { apiKey: null, timeoutMs: 2_000 })
const loading = { ...llama, loadingMs: 700 }
const loadingLong = { ...llama, loadingMs: 60_000 }

describe('what a server is', () => {
  test('a llama-server tells build, path, window of a slot, template and default sampling', async () => {
    await using server = await start(llama)
    const { identity, models } = await probe(server.baseUrl)
    expect(identity).toMatchObject({
      kind: 'llama-server',
      build: 'b1-abc',
      modelPath: '/models/a.gguf',
      contextTokens: 4_096,
      slots: 2,
      chatTemplateSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      defaultSampling: { temperature: 0.8, top_k: 40 },
    })
    expect(models).toMatchObject([{ id: 'a.gguf', isLoaded: true }])
  })

  test.each([
    ['ollama', ollama, { build: '0.12.0' }],
    ['lmstudio', lmstudio, { build: null }],
    ['vllm', vllm, { build: '0.17.0' }],
    ['openai-compatible', {}, { build: null }],
  ])('%s is told by the routes that only it has', async (kind, options, more) => {
    await using server = await start(options)
    const { identity } = await probe(server.baseUrl)
    expect(identity).toMatchObject({ kind, ...more })
  })
})

describe('a server that is named', () => {
  test('is found with and without slash and /v1, and the change is said', async () => {
    await using server = await start(llama)
    for (const baseUrl of [`http://127.0.0.1:${server.port}`, `127.0.0.1:${server.port}/v1/`]) {
      const planned = await plan({ baseUrl, model: 'a' })
      expect(planned?.plan).toMatchObject({ baseUrl: server.baseUrl, model: 'a' })
      expect(planned?.warnings).toEqual([expect.stringContaining(server.baseUrl)])
    }
  })

  test('and is not there is refused, never replaced by a server that is', async () => {
    await using server = await start(llama)
    const gone = await start({})
    await gone[Symbol.asyncDispose]()
    const planning = plan({ baseUrl: gone.baseUrl, ports: [server.port] })
    await expect(planning).rejects.toMatchObject({ name: 'ConfigError', code: 'server_not_found' })
  })

  test.each<[string, ScriptedServerOptions, Partial<ModelQuestion>, object]>([
    ['is something else', { models: null }, {}, { code: 'server_not_found' }],
    ['wants a key and gets none', { apiKey: 'k' }, {}, { code: 'server_unauthorised' }],
    ['wants another key', { apiKey: 'k' }, { apiKey: 'x' }, { message: expect.stringMatching(/refused the key/) }],
    ['loads for too long', loadingLong, { loadingBudgetMs: 600 }, { code: 'server_loading_timeout' }],
  ])('and %s is refused', async (_title, options, more, error) => {
    await using server = await start(options)
    await expect(plan({ baseUrl: server.baseUrl, ...more })).rejects.toMatchObject(error)
  })

  test.each<[string, ScriptedServerOptions, Partial<ModelQuestion>, object, string | null]>([
    ['wants a key that it gets', { ...llama, apiKey: 'k' }, { apiKey: 'k' }, { apiKey: 'k' }, null],
    ['is loading is waited for', loading, {}, { model: 'a.gguf' }, null],
    ['lists no models', { models: null }, { model: 'my-model' }, { model: 'my-model' }, 'lists no models'],
    ['ignores names', llama, { model: 'my-name' }, { model: 'my-name' }, 'ignores the name "my-name"'],
  ])('and %s is taken', async (_title, options, more, expected, warning) => {
    await using server = await start(options)
    const planned = await plan({ baseUrl: server.baseUrl, ...more })
    expect(planned?.plan).toMatchObject({ baseUrl: server.baseUrl, ...expected })
    expect(planned?.served).toBe(options.models === null ? null : 'a.gguf')
    expect(planned?.warnings).toEqual(warning === null ? [] : [expect.stringContaining(warning)])
  })

  test('the wait for a loading server ends with the signal', async () => {
    await using slow = await start(loadingLong)
    const reason = new Error('Ctrl-C')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 100)
    await expect(plan({ baseUrl: slow.baseUrl, signal: controller.signal })).rejects.toBe(reason)
  })
})

describe('a model that is named', () => {
  test.each([
    ['ollama', ollama],
    ['lmstudio', lmstudio],
    ['vllm', vllm],
    ['a llama-server with several models', router],
  ])('and that %s does not have is refused with those it has', async (_title, options) => {
    await using server = await start(options)
    const refusal = { code: 'unknown_model', remedy: expect.stringContaining('BENCH_MODEL=') }
    await expect(plan({ baseUrl: server.baseUrl, model: 'gemma:3b' })).rejects.toMatchObject(refusal)
  })

  test('is looked for on every server found, and refused where there is none', async () => {
    await using one = await start(vllm)
    await using two = await start(ollama)
    const planned = await plan({ model: 'qwen', ports: [one.port, two.port] })
    expect(planned?.plan).toMatchObject({ model: 'qwen', baseUrl: two.baseUrl, server: { kind: 'ollama' } })
    expect(planned?.warnings.join()).toContain('cannot use tools')
    await expect(plan({ model: 'x' })).rejects.toMatchObject({ code: 'server_not_found' })
  })
})

describe('nothing is named', () => {
  test('and nothing answers: no plan', async () => {
    expect(await plan({})).toBeNull()
  })

  test.each([
    ['the only model', vllm, 'org/m', 2_048],
    ['the only one in memory (Ollama)', ollama, 'gemma:2b', 4_096],
    ['the only one in memory (LM Studio; embedding models do not count)', lmstudio, 'b', 8_192],
    ['the only one in memory (llama-server router)', router, 'b', null],
    ['the model of a server that was loading', loading, 'a.gguf', 4_096],
  ])('%s is taken', async (_title, options, model, contextTokens) => {
    await using server = await start(options)
    expect((await plan({ ports: [server.port] }))?.plan).toMatchObject({ model, server: { contextTokens } })
  })

  test('and several models could be meant: they are listed', async () => {
    await using server = await start({ models: [{ id: 'a' }, { id: 'b' }] })
    const refusal = { code: 'model_not_chosen', remedy: expect.stringContaining('BENCH_MODEL=a') }
    await expect(plan({ ports: [server.port] })).rejects.toMatchObject(refusal)
  })

  test('ports are asked at once, and one that never answers costs less than half a second', async () => {
    await using server = await start(llama)
    const silent = createServer(() => undefined)
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('no TCP port was given')
    const startedAt = performance.now()
    const found = await discoverServers({ ports: [address.port, 1, server.port] })
    const elapsedMs = performance.now() - startedAt
    silent.closeAllConnections()
    silent.close()
    expect(found).toMatchObject([{ baseUrl: server.baseUrl, probe: { unknownNames: 'ignored' } }])
    expect(elapsedMs).toBeLessThan(500)
  })
})
