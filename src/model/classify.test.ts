/** What the rows of the wire (`test/wire/`) do not show. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Reply } from './chat-model.ts'
import { classifyHttpError, classifyReply, parseArguments, type ReplyContext } from './classify.ts'
import { classifyNetworkError } from './classify-network.ts'
import { NO_STATS } from './plan.fixture.ts'
import { assembleStream } from './stream.fixture.ts'

const context: ReplyContext = { contextTokens: 4_096, hasHistory: false, stats: NO_STATS }
const json = (value: unknown): string => JSON.stringify(value)
const delta = (fields: unknown, finish: string | null = null): string =>
  json({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const calling = (...args: readonly string[]) => ({
  tool_calls: args.map((text, index) => ({ index, id: `c${index}`, function: { name: 'f', arguments: text } })),
})
const classify = (data: readonly string[]): Reply => classifyReply(assembleStream(data), context)

function classOf(reply: Reply): string {
  if (reply.kind === 'model_error') return `model_error ${reply.reason}`
  if (reply.kind === 'infra' || reply.kind === 'config') return `${reply.kind} ${reply.code}`
  return reply.kind
}

describe('a reply with status 200', () => {
  test.each([
    ['text under finish_reason tool_calls', 'ok', [delta({ content: 'hi' }), delta({}, 'tool_calls')]],
    ['malformed arguments', 'ok', [delta(calling('{"q":'), 'tool_calls')]],
    ['an answer that a filter cut', 'infra content_filtered', [delta({ content: 'Well, ' }, 'content_filter')]],
    ['markup beside a real call', 'ok', [delta({ content: '<tool_call>{"name":"f"}', ...calling('{}') }, 'stop')]],
    ['length stop without arguments', 'model_error output_limit', [delta(calling(''), 'length')]],
    ['length stop after whole calls', 'ok', [delta(calling('{}'), 'length')]],
    ['end in the middle of a call', 'infra stream_dropped', [delta(calling('{"a"'))]],
    ['no chunk at all', 'infra stream_dropped', []],
    ['finish reason error', 'infra stream_dropped', [delta({ content: 'hi' }, 'error')]],
    ['an unreadable chunk', 'infra error_in_reply', ['{"choices"']],
  ])('%s: %s', (_title, expected, data) => {
    expect(classOf(classify(data))).toBe(expected)
  })

  test('the detail of markup names its grammar', () => {
    const reply = classify([delta({ content: 'Read[ARGS]{"a":1}' }, 'stop')])
    expect(reply).toMatchObject({ detail: expect.stringContaining('[ARGS]') })
  })
})

describe('arguments', () => {
  test.each([
    ['', {}],
    ['  ', {}],
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
  const error = (message: string, type = 'server_error') => json({ error: { message, type } })
  test.each([
    [400, error("This model's maximum context length is 4096 tokens. You requested 5000 tokens"), 'context_overflow'],
    [500, error("error parsing tool call: raw='{\"a', err=unexpected end"), 'model_error malformed_by_server'],
    [400, error('registry.ollama.ai/library/gemma:2b does not support tools'), 'config tools_unsupported'],
    [403, 'Forbidden', 'config server_unauthorised'],
    [404, error('model "x" not found, try pulling it first'), 'config unknown_model'],
    [404, '<html>nginx</html>', 'config server_not_found'],
    [429, error('You exceeded your current quota', 'insufficient_quota'), 'infra quota'],
    [503, 'no healthy upstream', 'infra server_unavailable'],
    [502, '<html>bad gateway</html>', 'infra server_error'],
    [422, json({ detail: [{ msg: 'field required' }] }), 'config request_refused'],
  ])('%i %s: %s', (status, body, expected) => {
    expect(classOf(classifyHttpError({ status, body }, context))).toBe(expected)
  })

  test('a refusal in the middle of a conversation does not stop the run', () => {
    const reply = classifyHttpError({ status: 400, body: error('bad message') }, { ...context, hasHistory: true })
    expect(classOf(reply)).toBe('infra request_refused')
  })

  test('no status and no body makes it throw, and a configuration error says what to do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        const reply = classifyHttpError({ status, body }, context)
        expect(reply.kind).not.toBe('ok')
        if (reply.kind === 'config') expect(reply.remedy.length).toBeGreaterThan(20)
      }),
    )
  })
})

describe('an error of the connection', () => {
  const withCode = (code: string): Error => Object.assign(new Error(`it failed: ${code}`), { code })
  const both = new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')])
  test.each([
    [withCode('ECONNREFUSED'), false, 'infra connection_refused'],
    [both, false, 'infra connection_refused'],
    [withCode('ECONNRESET'), false, 'infra connection_lost'],
    [withCode('ECONNRESET'), true, 'infra stream_dropped'],
    [withCode('ENOTFOUND'), false, 'infra server_unreachable'],
    [withCode('HPE_INVALID_CONSTANT'), false, 'infra not_http'],
    [new Error('It broke.', { cause: withCode('DEPTH_ZERO_SELF_SIGNED_CERT') }), false, 'config server_refused'],
  ])('%s, answering %s: %s', (error, isAnswering, expected) => {
    expect(classOf(classifyNetworkError(error, { baseUrl: 'http://x/v1', isAnswering }))).toBe(expected)
  })
})
