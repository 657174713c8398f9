import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Reply } from './chat-model.ts'
import { classifyHttpError, classifyReply, parseArguments, type ReplyContext } from './classify.ts'
import { classifyNetworkError } from './classify-network.ts'
import { assembleStream } from './stream.fixture.ts'

const context: ReplyContext = {
  contextTokens: 4_096,
  hasHistory: false,
  stats: {
    promptTokens: null,
    completionTokens: null,
    cachedTokens: null,
    reasoningTokens: null,
    elapsedMs: 1,
    firstTokenMs: null,
    promptTokensPerSecond: null,
    decodeTokensPerSecond: null,
    attempts: 1,
  },
}
const json = (value: unknown): string => JSON.stringify(value)
const delta = (fields: unknown, finish: string | null = null): string =>
  json({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const usage = (total: number): string =>
  json({ choices: [], usage: { prompt_tokens: total - 5, completion_tokens: 5, total_tokens: total } })
const callOf = (args: unknown, index = 0) => ({ index, id: `c${index}`, function: { name: 'f', arguments: args } })
const classify = (data: readonly string[]): Reply => classifyReply(assembleStream(data), context)

/** `ok`, or the kind with what decides it. */
function classOf(reply: Reply): string {
  if (reply.kind === 'model_error') return `model_error ${reply.reason}`
  if (reply.kind === 'infra' || reply.kind === 'config') return `${reply.kind} ${reply.code}`
  return reply.kind
}

const streams: readonly (readonly [title: string, expected: string, data: readonly string[]])[] = [
  ['text', 'ok', [delta({ content: 'hi' }), delta({}, 'stop'), '[DONE]']],
  [
    'calls with finish_reason stop (vllm#20662)',
    'ok',
    [delta({ tool_calls: [callOf('{}')] }), delta({}, 'stop'), '[DONE]'],
  ],
  [
    'calls without any text (localforge#32)',
    'ok',
    [delta({ content: '', tool_calls: [callOf('{}')] }), delta({}, 'tool_calls'), '[DONE]'],
  ],
  ['text under finish_reason tool_calls', 'ok', [delta({ content: 'hi' }), delta({}, 'tool_calls'), '[DONE]']],
  [
    'malformed arguments of a call',
    'ok',
    [delta({ tool_calls: [callOf('{"q":')] }), delta({}, 'tool_calls'), '[DONE]'],
  ],
  [
    'an answer that a filter withheld',
    'infra content_filtered',
    [delta({ content: '' }), delta({}, 'content_filter'), '[DONE]'],
  ],
  [
    'an answer that a filter cut',
    'infra content_filtered',
    [delta({ content: 'Well, ' }), delta({}, 'content_filter'), '[DONE]'],
  ],
  ['no [DONE], but a finish reason', 'ok', [delta({ content: 'hi' }), delta({}, 'stop')]],
  [
    'nothing, tool_calls: [] (lmstudio#942)',
    'model_error empty_reply',
    [delta({ content: '', tool_calls: [] }), delta({}, 'stop'), '[DONE]'],
  ],
  ['only reasoning', 'model_error empty_reply', [delta({ reasoning: 'hm' }), delta({}, 'stop'), '[DONE]']],
  [
    'markup in the text (vllm#31871)',
    'model_error tool_markup_in_text',
    [delta({ content: '<tool_call>{"name":"f"}' }), delta({}, 'stop'), '[DONE]'],
  ],
  [
    'markup in the text beside a real call',
    'ok',
    [delta({ content: '<tool_call>{"name":"f"}', tool_calls: [callOf('{}')] }), delta({}, 'stop')],
  ],
  [
    'length stop in the text',
    'model_error output_limit',
    [delta({ content: 'hi' }), delta({}, 'length'), usage(100), '[DONE]'],
  ],
  [
    'length stop in raw markup',
    'model_error output_limit',
    [delta({ content: '<tool_call>{"na' }), delta({}, 'length'), '[DONE]'],
  ],
  [
    'length stop in reasoning (lmstudio#1990)',
    'model_error reasoning_exhausted',
    [delta({ reasoning_content: 'hm' }), delta({}, 'length'), '[DONE]'],
  ],
  [
    'length stop in the last call',
    'model_error output_limit',
    [delta({ tool_calls: [callOf('{}'), callOf('{', 1)] }), delta({}, 'length'), '[DONE]'],
  ],
  [
    'length stop before the last call has arguments',
    'model_error output_limit',
    [delta({ tool_calls: [callOf('')] }), delta({}, 'length'), '[DONE]'],
  ],
  [
    'length stop after whole calls',
    'ok',
    [delta({ tool_calls: [callOf('{}')] }), delta({}, 'length'), usage(100), '[DONE]'],
  ],
  [
    'length stop at the context window',
    'context_overflow',
    [delta({ content: 'hi' }), delta({}, 'length'), usage(4_096), '[DONE]'],
  ],
  ['end without finish reason', 'infra stream_dropped', [delta({ content: 'hi' })]],
  ['end in the middle of a call', 'infra stream_dropped', [delta({ tool_calls: [callOf('{"a"')] })]],
  ['no chunk at all', 'infra stream_dropped', []],
  ['stream with [DONE] and nothing else (lmstudio#2256)', 'infra empty_stream', [json({ choices: [] }), '[DONE]']],
  ['finish reason error', 'infra stream_dropped', [delta({ content: 'hi' }), delta({}, 'error'), '[DONE]']],
  ['error in the stream', 'infra error_in_reply', [delta({ content: 'hi' }), json({ error: { message: 'boom' } })]],
  [
    'overflow in the stream',
    'context_overflow',
    [json({ error: { message: 'x', type: 'exceed_context_size_error', n_ctx: 9 } })],
  ],
  ['unreadable chunk', 'infra error_in_reply', ['{"choices"']],
]

describe('a reply with status 200', () => {
  test.each(streams)('%s: %s', (_title, expected, data) => {
    expect(classOf(classify(data))).toBe(expected)
  })

  test('keeps its class when its text and arguments come in other pieces', () => {
    const split = (data: string, size: number): readonly string[] => {
      const text = /"(content|reasoning_content|reasoning)":"((?:[^"\\]|\\.)+)"/.exec(data)
      if (text === null || data.includes('tool_calls') || text[2] === undefined || text[1] === undefined) return [data]
      const whole = String(JSON.parse(`"${text[2]}"`))
      return (whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []).map(piece => delta({ [text[1] ?? '']: piece }))
    }
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(20)),
        ([, expected, data], size, pings) => {
          const pieces = data.flatMap(item => split(item, size))
          for (const at of pings) {
            // A ping before the end changes nothing; after [DONE] nothing is read.
            pieces.splice(Math.min(at, Math.max(0, pieces.length - 1)), 0, json({ choices: [] }))
          }
          expect(classOf(classify(pieces))).toBe(expected)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a malformed call keeps what came, so that it can be answered', () => {
    const reply = classify([delta({ tool_calls: [callOf('{"q":')] }), delta({}, 'tool_calls')])
    expect(reply).toMatchObject({ kind: 'ok', toolCalls: [{ name: 'f', arguments: { valid: false, raw: '{"q":' } }] })
  })

  test('the detail of markup names its grammar', () => {
    expect(classify([delta({ content: 'Read[ARGS]{"a":1}' }, 'stop')])).toMatchObject({
      detail: expect.stringContaining('[ARGS]'),
    })
  })
})

describe('arguments', () => {
  test.each([
    ['', {}],
    ['  ', {}],
    ['{"path": "ls","limit": 7}', { path: 'ls', limit: 7 }],
    ['{"t":"\\ud83d\\ude00 \\\\ud800"}', { t: '😀 \\ud800' }],
  ])('%j is valid', (text, value) => {
    expect(parseArguments(text)).toEqual({ valid: true, value })
  })

  test.each(['{', '[]', 'null', '"x"', '7', '{"a":1}{"a":2}', '{"a":1}"', '{"t":"\\ud800"}', "{'a': 1}"])(
    '%j is invalid and kept',
    text => {
      expect(parseArguments(text)).toMatchObject({ valid: false, raw: text })
    },
  )

  test('very deep nesting does not throw', () => {
    expect(parseArguments(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`).valid).toBe(false)
  })
})

describe('an error response', () => {
  const error = (message: string, type = 'server_error', more = {}) => json({ error: { message, type, ...more } })
  test.each([
    [
      400,
      error(
        'request (25837 tokens) exceeds the available context size (25088 tokens), try increasing it',
        'exceed_context_size_error',
        { n_ctx: 25_088 },
      ),
      'context_overflow',
    ],
    [
      500,
      error('the request exceeds the available context size. try increasing the context size or enable context shift'),
      'context_overflow',
    ],
    [
      400,
      error(
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        'BadRequestError',
      ),
      'context_overflow',
    ],
    [
      400,
      json({
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096).',
      }),
      'context_overflow',
    ],
    [500, error('no user query found in messages'), 'context_overflow'],
    [
      500,
      error('Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error'),
      'model_error malformed_by_server',
    ],
    [500, error("error parsing tool call: raw='{\"a', err=unexpected end"), 'model_error malformed_by_server'],
    [500, error('tools param requires --jinja flag'), 'config tools_unsupported'],
    [500, error('Unsupported param: tools'), 'config tools_unsupported'],
    [
      400,
      json({
        object: 'error',
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        type: 'BadRequestError',
        code: 400,
      }),
      'config tools_unsupported',
    ],
    [400, error('registry.ollama.ai/library/gemma:2b does not support tools'), 'config tools_unsupported'],
    [500, error('Jinja Exception: System message must be at the beginning.'), 'config template_error'],
    [400, error('Conversation roles must alternate user/assistant/user/assistant/...'), 'config template_error'],
    [401, error('Invalid API Key', 'authentication_error'), 'config server_unauthorised'],
    [403, 'Forbidden', 'config server_unauthorised'],
    [404, error('The model `x` does not exist.', 'NotFoundError'), 'config unknown_model'],
    [404, error('model "x" not found, try pulling it first'), 'config unknown_model'],
    [400, error("model 'x' not found", 'invalid_request_error'), 'config unknown_model'],
    [404, error('File Not Found', 'not_found_error'), 'config server_not_found'],
    [404, '<html>nginx</html>', 'config server_not_found'],
    [302, '', 'config server_not_found'],
    [429, error('slow down'), 'infra rate_limited'],
    [429, error('You exceeded your current quota', 'insufficient_quota'), 'infra quota'],
    [503, error('Loading model', 'unavailable_error'), 'infra server_loading'],
    [503, 'no healthy upstream', 'infra server_unavailable'],
    [500, error('boom'), 'infra server_error'],
    [502, '<html>bad gateway</html>', 'infra server_error'],
    [400, error('"temperature" must be a number', 'invalid_request_error'), 'config request_refused'],
    [422, json({ detail: [{ msg: 'field required' }] }), 'config request_refused'],
  ])('%i %s: %s', (status, body, expected) => {
    expect(classOf(classifyHttpError({ status, body }, context))).toBe(expected)
  })

  test('a refusal in the middle of a conversation does not stop the run', () => {
    const reply = classifyHttpError({ status: 400, body: error('bad message') }, { ...context, hasHistory: true })
    expect(classOf(reply)).toBe('infra request_refused')
  })

  test.each([
    ['File Not Found', 'infra route_gone'],
    ['model "x" not found', 'infra model_unloaded'],
  ])('a 404 in the middle of a conversation is not about the address: %s', (message, expected) => {
    const reply = classifyHttpError({ status: 404, body: error(message) }, { ...context, hasHistory: true })
    expect(classOf(reply)).toBe(expected)
  })

  test('an overflow tells the window the server named', () => {
    const body = error('x', 'exceed_context_size_error', { n_ctx: 25_088 })
    expect(classifyHttpError({ status: 400, body }, context)).toMatchObject({ contextTokens: 25_088 })
  })

  test('every configuration error says what to do', () => {
    for (const status of [400, 401, 403, 404]) {
      const reply = classifyHttpError({ status, body: '' }, context)
      expect(reply.kind === 'config' && reply.remedy.length > 20).toBe(true)
    }
  })

  test('no status and no body makes it throw', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        expect(classifyHttpError({ status, body }, context).kind).not.toBe('ok')
      }),
    )
  })
})

describe('an error of the connection', () => {
  const withCode = (code: string): Error => Object.assign(new Error(`it failed: ${code}`), { code })
  test.each([
    ['ECONNREFUSED', false, 'infra connection_refused'],
    ['ECONNRESET', false, 'infra connection_lost'],
    ['ECONNRESET', true, 'infra stream_dropped'],
    ['ENOTFOUND', false, 'infra server_unreachable'],
    ['DEADLINE_silence', true, 'infra server_idle'],
    ['HPE_INVALID_CONSTANT', false, 'infra not_http'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'config server_refused'],
  ])('%s, answering %s: %s', (code, isAnswering, expected) => {
    const wrapped = new Error('Connection error.', { cause: withCode(code) })
    expect(classOf(classifyNetworkError(wrapped, { baseUrl: 'http://x/v1', isAnswering }))).toBe(expected)
  })

  test('a refusal of both address families is a refusal', () => {
    const both = new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')])
    expect(classOf(classifyNetworkError(both, { baseUrl: 'http://x/v1', isAnswering: false }))).toBe(
      'infra connection_refused',
    )
  })
})
