/** What the rows of the wire (`test/wire/`) do not show. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import { pieceOf } from '../../test/wire/row.ts'
import { createAssembler } from './assemble.ts'
import { assembleStream } from './stream.fixture.ts'

const json = (value: unknown): string => JSON.stringify(value)
const delta = (fields: unknown, finish: string | null = null): string =>
  json({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const calls = (...pieces: unknown[]): string => delta({ tool_calls: pieces })
const assemble = (...data: string[]) => assembleStream([...data, '[DONE]'])

describe('tool calls', () => {
  test.each<[string, (string | object)[], string[]]>([
    [
      'of one name stay apart',
      ['- - f {"q":1}', '- - f {"q":2}', '- - f ', '- - f '],
      ['f{"q":1}', 'f{"q":2}', 'f', 'f'],
    ],
    ['are carried on by unnamed pieces without index and ids', ['- - f {"q"', '- - - :1}'], ['f{"q":1}']],
    ['with index 0 are apart (smolagents#1958)', ['0 - f {"q":1}', '0 - f {"q":2}'], ['f{"q":1}', 'f{"q":2}']],
    ['begin with a new name at the same index', ['0 - f ', '0 - g {}'], ['f', 'g{}']],
    ['are one when id and name are repeated', ['0 a f {"q"', '0 a f :"a"', '0 a f }', '0 a f '], ['f{"q":"a"}']],
    ['sent whole again at their own index count once', ['0 a f {"q":1}', '0 a f {"q":1}'], ['f{"q":1}']],
    ['with one id but other arguments are kept', ['0 a f {"q":0}', '1 a f {"q":1}'], ['f{"q":0}', 'f{"q":1}']],
    [
      'may have null as arguments, or none',
      [{ index: 0, function: { name: 'f', arguments: null } }, '1 - g'],
      ['f', 'g'],
    ],
  ])('%s', (_title, pieces, expected) => {
    const { toolCalls } = assemble(...pieces.map(piece => calls(typeof piece === 'string' ? pieceOf(piece) : piece)))
    expect(toolCalls.map(({ name, arguments: args }) => name + args)).toEqual(expected)
    expect(new Set(toolCalls.map(({ id }) => id)).size, 'each has an id of its own').toBe(expected.length)
  })

  test('arguments are the same however a stream is cut', () => {
    const wanted = fc.record({ name: fc.stringMatching(/^[a-z]{1,5}$/), args: fc.dictionary(fc.string(), fc.string()) })
    const given = fc.tuple(
      fc.array(wanted, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      fc.boolean(),
    )
    fc.assert(
      fc.property(given, ([list, sizes, withIndex]) => {
        const data = list.flatMap(({ name, args }, index) => {
          const at = withIndex ? { index } : {}
          const pieces: string[] = []
          for (let rest = json(args), step = 0; rest !== ''; step += 1) {
            const size = sizes[step % sizes.length] ?? 1
            pieces.push(rest.slice(0, size))
            rest = rest.slice(size)
          }
          return [
            calls({ ...at, id: `id${index}`, function: { name, arguments: '' } }),
            ...pieces.map(piece => calls({ ...at, function: { arguments: piece } })),
          ]
        })
        expect(assemble(...data).toolCalls).toEqual(
          list.map(({ name, args }, index) => ({ id: `id${index}`, name, arguments: json(args).toWellFormed() })),
        )
      }),
      { numRuns },
    )
  })
})

describe('text and reasoning', () => {
  test('content may be null, text, or a list of parts', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }
    const reply = assemble(
      delta({ role: 'assistant', content: null }),
      delta({ content: 'a' }),
      delta({ content: [{ type: 'text', text: 'b' }, 'c', thinking] }),
    )
    expect(reply).toMatchObject({ text: 'abc', reasoning: { field: 'reasoning', text: 'hm' } })
  })

  test('reasoning sent in both fields is not doubled', () => {
    const twice = (text: string) => delta({ reasoning: text, reasoning_content: text })
    expect(assemble(twice('a'), twice('b')).reasoning?.text).toBe('ab')
  })

  test('a surrogate pair split over chunks is whole, half a pair is replaced', () => {
    const pair = '😀'
    const reply = assemble(delta({ content: `${pair[0]}` }), delta({ content: `${pair[1]} ${pair[0]}!` }))
    expect(reply.text).toBe('😀 \ufffd!')
  })
})

describe('the end of a stream', () => {
  test('is [DONE] or a finish reason', () => {
    expect(assembleStream([delta({ content: 'a' })]).isEnded).toBe(false)
    expect(assembleStream([delta({ content: 'a' }, 'stop')]).isEnded).toBe(true)
    expect(assembleStream([delta({ content: 'a' }), '[DONE]']).isEnded).toBe(true)
  })

  test.each([
    ['an error object', json({ error: { message: 'boom', type: 'server_error', code: 500 } })],
    ['an error text', json({ error: 'boom' })],
    ["vLLM's envelope", json({ object: 'error', message: 'boom', type: 'x', code: 500 })],
  ])('an error inside the stream is found: %s', (_title, data) => {
    expect(assemble(delta({ content: 'a' }), data).fault?.message).toBe('boom')
  })

  test('what passes the bound is cut and said', () => {
    const assembler = createAssembler({ maxCharacters: 10 })
    for (let piece = 0; piece < 50; piece += 1) assembler.add({ choices: [{ delta: { content: '12345' } }] })
    expect(assembler.isSettled()).toBe(true)
    expect(assembler.end()).toMatchObject({ isOverBound: true, text: '123451234512345' })
  })

  test('a second choice is not mixed into the first', () => {
    const choices = ['a', 'b'].map((content, index) => ({ index, delta: { content } }))
    expect(assemble(json({ choices })).text).toBe('a')
  })
})
