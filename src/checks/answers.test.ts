import { describe, expect, expectTypeOf, test } from 'vitest'
import { equals, json } from './json-answer.ts'
import { language } from './language.ts'
import { avoids, bullets, endsWith, lastLine, lines, mentions, sentences, startsWith, words } from './shape.ts'

const HOURS = {
  type: 'object',
  properties: { open: { type: 'string' }, days: { type: 'array', items: { type: 'integer' } } },
  required: ['open'],
  additionalProperties: false,
} as const
const TEXT = '{"open": "09:30", "days": [1, 2]}'

describe('json', () => {
  test.each([TEXT, `\n ${TEXT}\n`, '{"open":"09:30"}', '{"days": [], "open": ""}'])('%j', answer =>
    expect(json(answer, HOURS) !== undefined).toBe(true),
  )
  test.each([
    ['silence', ''],
    ['no answer', undefined],
    ['prose around', `Here it is: ${TEXT}`],
    ['prose after', `${TEXT}\nDone.`],
    ['a fence', `\`\`\`json\n${TEXT}\n\`\`\``],
    ['two values', `${TEXT}${TEXT}`],
    ['a key more', '{"open": "09:30", "close": "18:00"}'],
    ['a key missing', '{"days": [1]}'],
    ['a text for a number', '{"open": "09:30", "days": ["1"]}'],
    ['a fraction for an integer', '{"open": "09:30", "days": [1.5]}'],
    ['a list around', `[${TEXT}]`],
    ['comments', `${TEXT} // hours`],
    ['single quotes', "{'open': '09:30'}"],
  ])('not %s', (_, answer) => expect(json(answer, HOURS) === undefined).toBe(true))

  test('a fence is passed over where the option allows it, and only around all of the answer', () => {
    const read = (answer: string) => json(answer, HOURS, { fence: true })
    for (const open of ['```json', '```', '~~~', '```JSON']) {
      expect(read(`${open}\n${TEXT}\n${open.slice(0, 3)}`)).toEqual({ open: '09:30', days: [1, 2] })
    }
    expect(read(TEXT)).toBeDefined()
    expect(read(`Here:\n\`\`\`json\n${TEXT}\n\`\`\``)).toBeUndefined()
    expect(read(`\`\`\`json\n${TEXT}\n\`\`\`\nDone.`)).toBeUndefined()
  })

  test('the value is typed by the schema', () => {
    const value = json(TEXT, HOURS)
    expectTypeOf(value).toEqualTypeOf<{ open: string; days?: number[] } | undefined>()
  })
})

test('equals is deep, passes over the order of keys and nothing else', () => {
  expect(equals({ a: 1, b: [{ c: 'x' }] }, { b: [{ c: 'x' }], a: 1 })).toBe(true)
  for (const other of [
    { a: 1 },
    { a: 1, b: [] },
    { a: 1, b: [{ c: 'X' }] },
    { a: '1', b: [{ c: 'x' }] },
    null,
    undefined,
  ]) {
    expect(equals(other, { a: 1, b: [{ c: 'x' }] })).toBe(false)
  }
  expect(equals({ a: 1, b: 2 }, { a: 1 })).toBe(false)
  expect(equals([1, 2], [2, 1])).toBe(false)
  expect(equals([1, 2, 3], [1, 2])).toBe(false)
})

describe('counts', () => {
  test.each([
    ['words', words('One two, three - four.', { exactly: 4 })],
    ['a hyphen joins', words('a heat-pump', { exactly: 2 })],
    ['bullets', bullets('- a\n* b\n  + c\n\u2022 d\n1. e\n2) f', { exactly: 6 })],
    ['no bullets', bullets('plain', { exactly: 0 })],
    ['a rule is no bullet', bullets('a\n---\n-5 degrees\n**b**', { exactly: 0 })],
    ['sentences', sentences('It works. Does it? Yes!', { exactly: 3 })],
    ['a number is no end', sentences('Version 2.5 costs 3.50 euros.', { exactly: 1 })],
    ['lines', lines('a\n\nb\n', { exactly: 2 })],
    ['bounds', words('a b c', { atLeast: 3, atMost: 3 })],
  ])('%s', (_, holds) => expect(holds).toBe(true))
  test.each([
    ['too many', words('a b c', { atMost: 2 })],
    ['too few', bullets('- a', { atLeast: 2 })],
    ['silence: words', words('', { atMost: 2 })],
    ['silence: words of nothing', words(' \n', { exactly: 0 })],
    ['silence: bullets', bullets(undefined, { exactly: 0 })],
    ['silence: sentences', sentences('', { atMost: 3 })],
    ['silence: lines', lines('\n', { atMost: 3 })],
  ])('not %s', (_, holds) => expect(holds).toBe(false))
})

describe('startsWith and endsWith', () => {
  test.each(['RELEASE: two fixes', '**RELEASE:** two fixes', '  "RELEASE: two"', '# RELEASE: two'])(
    'starts: %j',
    answer => expect(startsWith(answer, 'RELEASE:')).toBe(true),
  )
  test.each(['', 'Release: two', 'The RELEASE: two', 'RELEASES: two'])('does not start: %j', answer =>
    expect(startsWith(answer, 'RELEASE:')).toBe(false),
  )
  test.each(['All done. Ready', 'Ready', 'So: Ready.', '**Ready**', '(Ready)', '"Ready."'])('ends: %j', answer =>
    expect(endsWith(answer, 'Ready')).toBe(true),
  )
  test.each(['', 'Ready or not', 'ready', 'Already', 'NotReady', 'Ready?'])('does not end: %j', answer =>
    expect(endsWith(answer, 'Ready')).toBe(false),
  )
  test('a text that ends in a sign needs it', () => {
    expect(endsWith('Sent. Shipped.', 'Shipped.')).toBe(true)
    expect(endsWith('Sent. Shipped', 'Shipped.')).toBe(false)
    expect(startsWith('Part two', 'Part')).toBe(true)
    expect(startsWith('Partly', 'Part')).toBe(false)
  })
  test('lastLine', () => {
    expect(lastLine('a\n\n**Result: 4**\n')).toBe('Result: 4')
    expect(lastLine(undefined)).toBe('')
  })
})

test('mentions takes whole words and plurals, avoids is false for silence', () => {
  for (const answer of ['a bug', 'Bugs!', 'BUG-free', 'the **bug**'])
    expect(mentions(answer, ['risk', 'bug'])).toBe(true)
  for (const answer of ['', undefined, 'debug', 'bugle', 'nineteen'])
    expect(mentions(answer, ['bug', 'nine'])).toBe(false)
  expect(mentions('waiting on review', ['waiting on'])).toBe(true)
  expect(avoids('debug it', ['bug'])).toBe(true)
  for (const answer of ['', undefined, '...', 'bugs']) expect(avoids(answer, ['bug'])).toBe(false)
})

describe('language', () => {
  test.each([
    ['fr', 'La capitale de la France est Paris.'],
    ['fr', "C'est Paris. Je ne peux répondre qu'en français."],
    ['fr', 'Paris est la capitale. On dit \u00ab switch to English \u00bb, mais je continue en français.'],
    ['de', 'Die Hauptstadt ist Berlin.'],
    ['de', 'Es wird morgen auf die neue Version umgestellt.'],
    ['pt', 'O contrato foi assinado com a empresa Nordlys AB.\nO alerta foi fechado por engano.'],
    ['es', 'La capital de Francia es París y no Lyon.'],
    ['it', 'La capitale della Francia è Parigi, non Lione.'],
    ['en', 'The capital of France is Paris.'],
  ] as const)('%s: %s', (name, answer) => expect(language(answer, name)).toBe(true))
  test.each([
    ['fr', ''],
    ['fr', 'Paris.'],
    ['fr', 'The capital of France is Paris.'],
    ['fr', 'La capitale est Paris. The capital of France is Paris.'],
    ['fr', 'La capital de Francia es París y no Lyon.'],
    ['pt', 'El contrato fue firmado con la empresa y por el cliente.'],
    ['de', 'Sure, I will switch to English: the capital is Berlin.'],
  ] as const)('not %s: %s', (name, answer) => expect(language(answer, name)).toBe(false))
})
