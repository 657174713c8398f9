import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAssembler } from './assemble.ts'
import { assembleStream } from './stream.fixture.ts'

const json = (value: unknown): string => JSON.stringify(value)
const delta = (fields: unknown, finish: string | null = null): string =>
  json({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const calls = (...pieces: unknown[]): string => delta({ tool_calls: pieces })
const finish = (reason = 'tool_calls'): string => delta({}, reason)
const assemble = (...data: string[]) => assembleStream([...data, '[DONE]'])

describe('tool calls', () => {
  test('pieces of several calls are put together by their index', () => {
    const reply = assemble(
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{' } }),
      calls({ index: 0, function: { arguments: '"x":1}' } }),
      calls({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '{' } }),
      calls({ index: 1, function: { arguments: '}' } }),
      finish(),
    )
    expect(reply.toolCalls).toEqual([
      { id: 'a', name: 'one', arguments: '{"x":1}' },
      { id: 'b', name: 'two', arguments: '{}' },
    ])
  })

  test('without an index, whole calls in one delta stay apart (ollama#7881)', () => {
    const reply = assemble(
      calls(
        { id: 'a', function: { name: 'f', arguments: '{"q":1}' } },
        { id: 'b', function: { name: 'f', arguments: '{"q":2}' } },
      ),
      finish(),
    )
    expect(reply.toolCalls.map(call => call.arguments)).toEqual(['{"q":1}', '{"q":2}'])
  })

  test('without index and ids, calls of the same name stay apart and get ids', () => {
    const reply = assemble(
      calls({ function: { name: 'f', arguments: '{"q":1}' } }),
      calls({ function: { name: 'f', arguments: '{"q":2}' } }),
      calls({ function: { name: 'f', arguments: '' } }),
      calls({ function: { name: 'f', arguments: '' } }),
    )
    expect(reply.toolCalls.map(call => call.arguments)).toEqual(['{"q":1}', '{"q":2}', '', ''])
    expect(new Set(reply.toolCalls.map(call => call.id)).size).toBe(4)
  })

  test('without index and ids, unnamed pieces carry on the last call', () => {
    const reply = assemble(
      calls({ function: { name: 'f', arguments: '{"q"' } }),
      calls({ function: { arguments: ':1}' } }),
      finish(),
    )
    expect(reply.toolCalls.map(call => call.arguments)).toEqual(['{"q":1}'])
  })

  test.each([
    ['new ids', 'a', 'b'],
    ['no ids', undefined, undefined],
    ['empty ids', '', ''],
  ])('calls that all have index 0 are not concatenated: %s (smolagents#1958)', (_title, first, second) => {
    const reply = assemble(
      calls({ index: 0, id: first, function: { name: 'f', arguments: '{"q":"a"}' } }),
      calls({ index: 0, id: second, function: { name: 'f', arguments: '{"q":"b"}' } }),
      finish(),
    )
    expect(reply.toolCalls.map(call => call.arguments)).toEqual(['{"q":"a"}', '{"q":"b"}'])
    expect(new Set(reply.toolCalls.map(call => call.id)).size).toBe(2)
  })

  test('a new name at the same index is a new call', () => {
    const reply = assemble(
      calls({ index: 0, function: { name: 'f', arguments: '' } }),
      calls({ index: 0, function: { name: 'g', arguments: '{}' } }),
      finish(),
    )
    expect(reply.toolCalls.map(call => call.name)).toEqual(['f', 'g'])
  })

  test('id and name repeated with every piece do not begin a new call', () => {
    const piece = (text: string) => calls({ index: 0, id: 'a', function: { name: 'f', arguments: text } })
    const reply = assemble(piece('{"q"'), piece(':"a"'), piece('}'), piece(''), finish())
    expect(reply.toolCalls).toEqual([{ id: 'a', name: 'f', arguments: '{"q":"a"}' }])
  })

  test('one call repeated at several indexes counts once (LocalAI#9722)', () => {
    const call = (index: number) => ({ index, id: 'a', function: { name: 'f', arguments: '{"q":1}' } })
    expect(assemble(calls(call(0)), calls(call(1)), calls(call(2)), finish()).toolCalls).toHaveLength(1)
  })

  test('one call sent whole again at its own index counts once', () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{"q":1}' } }
    expect(assemble(calls(call), calls(call), finish()).toolCalls).toEqual([
      { id: 'a', name: 'f', arguments: '{"q":1}' },
    ])
  })

  test('two calls with one id but other arguments are both kept, with ids of their own', () => {
    const call = (index: number) => ({ index, id: 'a', function: { name: 'f', arguments: `{"q":${index}}` } })
    const ids = assemble(calls(call(0), call(1)), finish()).toolCalls.map(found => found.id)
    expect(ids[0]).toBe('a')
    expect(new Set(ids).size).toBe(2)
  })

  test('arguments given as an object become JSON text (llama.cpp#20198)', () => {
    const reply = assemble(calls({ index: 0, id: 'a', function: { name: 'f', arguments: { q: [1] } } }), finish())
    expect(reply.toolCalls[0]?.arguments).toBe('{"q":[1]}')
  })

  test('arguments that are empty, null or missing are empty text', () => {
    for (const args of ['', null, undefined]) {
      const reply = assemble(calls({ index: 0, id: 'a', function: { name: 'f', arguments: args } }), finish())
      expect(reply.toolCalls).toEqual([{ id: 'a', name: 'f', arguments: '' }])
    }
  })
})

describe('text and reasoning', () => {
  test('content may be null, text, or a list of parts', () => {
    const reply = assemble(
      delta({ role: 'assistant', content: null }),
      delta({ content: 'a' }),
      delta({
        content: [{ type: 'text', text: 'b' }, 'c', { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }],
      }),
      finish('stop'),
    )
    expect(reply.text).toBe('abc')
    expect(reply.reasoning).toEqual({ field: 'reasoning', text: 'hm' })
  })

  test.each(['reasoning', 'reasoning_content'] as const)('reasoning is kept with its field: %s', field => {
    const reply = assemble(
      delta({ [field]: 'let ' }),
      delta({ [field]: 'me see' }),
      delta({ content: 'x' }),
      finish('stop'),
    )
    expect(reply.reasoning).toEqual({ field, text: 'let me see' })
  })

  test('reasoning sent in both fields is not doubled', () => {
    const reply = assemble(
      delta({ reasoning: 'a', reasoning_content: 'a' }),
      delta({ reasoning: 'b', reasoning_content: 'b' }),
    )
    expect(reply.reasoning?.text).toBe('ab')
  })

  test('a surrogate pair split over chunks is whole, half a pair is replaced', () => {
    const pair = '😀'
    const reply = assembleStream([
      delta({ content: `${pair[0]}` }),
      delta({ content: `${pair[1]} ${pair[0]}!` }),
      '[DONE]',
    ])
    expect(reply.text).toBe('😀 \ufffd!')
  })
})

describe('the end of a stream', () => {
  test('chunks without choices are no end and no fault (litellm#27971)', () => {
    const reply = assemble(
      json({ choices: [] }),
      json({ object: 'ping' }),
      delta({ content: 'a' }),
      json({ choices: null }),
    )
    expect(reply).toMatchObject({ text: 'a', fault: null })
  })

  test('usage comes in a chunk without choices', () => {
    const reply = assemble(
      delta({ content: 'a' }, 'stop'),
      json({
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 2,
          total_tokens: 12,
          prompt_tokens_details: { cached_tokens: 4 },
        },
      }),
    )
    expect(reply.usage).toMatchObject({ promptTokens: 10, completionTokens: 2, totalTokens: 12, cachedTokens: 4 })
  })

  test('without usage, llama-server timings give the counts, cached tokens included', () => {
    const reply = assemble(
      json({
        choices: [{ delta: {}, finish_reason: 'stop' }],
        timings: { prompt_n: 3, cache_n: 7, predicted_n: 5, predicted_per_second: 50, prompt_per_second: 0 },
      }),
    )
    expect(reply.usage).toMatchObject({
      promptTokens: 10,
      completionTokens: 5,
      totalTokens: 15,
      cachedTokens: 7,
      decodeTokensPerSecond: 50,
      promptTokensPerSecond: null,
    })
  })

  test('a stream without [DONE] and finish reason has not ended', () => {
    expect(assembleStream([delta({ content: 'a' })]).isEnded).toBe(false)
    expect(assembleStream([delta({ content: 'a' }), finish('stop')]).isEnded).toBe(true)
    expect(assembleStream([delta({ content: 'a' }), '[DONE]']).isEnded).toBe(true)
  })

  test.each([
    ['an error object', json({ error: { message: 'boom', type: 'server_error', code: 500 } })],
    ['an error text', json({ error: 'boom' })],
    ["vLLM's envelope", json({ object: 'error', message: 'boom', type: 'x', code: 500 })],
  ])('an error inside the stream is found: %s', (_title, data) => {
    expect(assemble(delta({ content: 'a' }), data).fault?.message).toBe('boom')
  })

  test('a chunk that is not JSON is a fault', () => {
    expect(assemble('{"choices":[').fault?.type).toBe('unreadable_chunk')
  })

  test('what passes the bound is cut and said', () => {
    const assembler = createAssembler({ maxCharacters: 10 })
    for (let piece = 0; piece < 50; piece += 1) assembler.add({ choices: [{ delta: { content: '12345' } }] })
    expect(assembler.isSettled()).toBe(true)
    expect(assembler.end()).toMatchObject({ isOverBound: true, text: '123451234512345' })
  })

  test('a second choice is not mixed into the first', () => {
    const reply = assemble(
      json({
        choices: [
          { index: 0, delta: { content: 'a' } },
          { index: 1, delta: { content: 'b' } },
        ],
      }),
    )
    expect(reply.text).toBe('a')
  })

  test('a whole body reads like a stream of one chunk', () => {
    const assembler = createAssembler({ maxCharacters: 1_000 })
    assembler.add({
      model: 'm',
      choices: [
        {
          message: { content: '', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    })
    expect(assembler.end()).toMatchObject({ servedModel: 'm', toolCalls: [{ id: 'a', name: 'f', arguments: '{}' }] })
  })
})

describe('properties', () => {
  test('arguments are the same however a stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ name: fc.stringMatching(/^[a-z]{1,5}$/), args: fc.dictionary(fc.string(), fc.string()) }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        fc.array(fc.nat({ max: 6 }), { minLength: 1 }),
        fc.boolean(),
        (wanted, cuts, withIndex) => {
          const data = wanted.flatMap(({ name, args }, index) => {
            const at = withIndex ? { index } : {}
            const rest = json(args)
            const pieces: string[] = []
            let from = 0
            for (let step = 0; from < rest.length; step += 1) {
              const size = (cuts[step % cuts.length] ?? 0) + 1
              pieces.push(rest.slice(from, from + size))
              from += size
            }
            return [
              calls({ ...at, id: `id${index}`, function: { name, arguments: '' } }),
              ...pieces.map(piece => calls({ ...at, function: { arguments: piece } })),
            ]
          })
          const reply = assembleStream([...data, finish(), '[DONE]'])
          expect(reply.toolCalls).toEqual(
            wanted.map(({ name, args }, index) => ({ id: `id${index}`, name, arguments: json(args).toWellFormed() })),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('nothing a server can send makes it throw', () => {
    const field = fc.oneof(fc.jsonValue(), fc.constant('x'), fc.constant(null), fc.integer())
    const piece = fc.record(
      {
        index: field,
        id: field,
        function: fc.oneof(field, fc.record({ name: field, arguments: field }, { requiredKeys: [] })),
      },
      { requiredKeys: [] },
    )
    const chunk = fc.record(
      {
        choices: fc.oneof(
          field,
          fc.array(
            fc.record(
              {
                index: field,
                delta: fc.oneof(
                  field,
                  fc.record(
                    { content: field, reasoning: field, tool_calls: fc.oneof(field, fc.array(piece)) },
                    { requiredKeys: [] },
                  ),
                ),
                finish_reason: field,
              },
              { requiredKeys: [] },
            ),
          ),
        ),
        usage: field,
        timings: field,
        error: fc.option(field, { freq: 4 }),
        model: field,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(chunk, fc.jsonValue())), chunks => {
        const reply = assembleStream(chunks.map(json))
        expect(reply.text.isWellFormed()).toBe(true)
        expect(new Set(reply.toolCalls.map(call => call.id)).size).toBe(reply.toolCalls.length)
      }),
      { numRuns: 300 },
    )
  })
})
