import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvaluatedValue } from '../sandbox/sandbox.ts'
import { approximately, compareOutcome, describeValue, dict, expectedProblem, raises, tuple } from './values.ts'
import type { Expected } from './verify.ts'

const none: EvaluatedValue = { t: 'none' }
const bool = (v: boolean): EvaluatedValue => ({ t: 'bool', v })
const int = (v: string): EvaluatedValue => ({ t: 'int', v })
const float = (v: string): EvaluatedValue => ({ t: 'float', v })
const str = (v: string): EvaluatedValue => ({ t: 'str', v })
const list = (...v: EvaluatedValue[]): EvaluatedValue => ({ t: 'list', v })
const tupleOf = (...v: EvaluatedValue[]): EvaluatedValue => ({ t: 'tuple', v })
const dictOf = (...v: (readonly [EvaluatedValue, EvaluatedValue])[]): EvaluatedValue => ({ t: 'dict', v })

const TWICE: [Expected, Expected] = [1, null]
const EQUAL: readonly (readonly [string, EvaluatedValue, Expected])[] = [
  ['None', none, null],
  ['True', bool(true), true],
  ['an int', int('5'), 5],
  ['a negative int', int('-3'), -3],
  ['zero written as -0', int('0'), -0],
  ['an int beyond 2^53', int('9007199254740992'), 2 ** 53],
  ['a float', float('0.75'), 0.75],
  ['a float with an exponent', float('1.5e-07'), 1.5e-7],
  ['NaN', float('nan'), Number.NaN],
  ['a str', str('zażółć'), 'zażółć'],
  ['a list', list(int('1'), str('a')), [1, 'a']],
  ['a tuple', tupleOf(int('1'), float('0.5')), tuple(1, 0.5)],
  ['a dict in another order', dictOf([str('b'), int('2')], [str('a'), int('1')]), dict({ a: 1, b: 2 })],
  ['a dict with keys that are not text', dictOf([int('1'), none]), dict([[1, null]])],
  ['an int near', int('110'), approximately(110.0000001, 1e-6)],
  ['a float near', float('109.99999999'), approximately(110, 1e-6)],
  ['numbers near inside a list', list(float('0.1')), [approximately(0.1)]],
]
const DIFFERENT: readonly (readonly [string, EvaluatedValue, Expected])[] = [
  ['True for 1', bool(true), 1],
  ['1 for True', int('1'), true],
  ['5.0 for 5', float('5.0'), 5],
  ['an int for a float', int('1'), 0.5],
  ['a subclass of int', { t: 'int*', v: '5' }, 5],
  ['a subclass of int for a number near', { t: 'int*', v: '5' }, approximately(5)],
  ['a subclass of float', { t: 'float*', v: '0.5' }, 0.5],
  ['True for a number near 1', bool(true), approximately(1)],
  ['NaN for a number near', float('nan'), approximately(1, 10)],
  ['inf for a number near', float('inf'), approximately(1, 10)],
  ['a number too far', float('1.2'), approximately(1, 0.1)],
  ['an int that is one off beyond 2^53', int('9007199254740993'), 2 ** 53],
  ['text of a number', str('5'), 5],
  ['a tuple for a list', tupleOf(int('1')), [1]],
  ['a list for a tuple', list(int('1')), tuple(1)],
  ['a list that is longer', list(int('1'), int('2')), [1]],
  ['a dict with one more entry', dictOf([str('a'), int('1')], [str('b'), int('2')]), dict({ a: 1 })],
  ['a dict that has the same entry twice', dictOf([str('a'), int('1')], [str('a'), int('1')]), dict({ a: 1, b: 1 })],
  ['a dict of two entries for one named twice', dictOf([int('1'), none], [int('2'), none]), dict([TWICE, TWICE])],
  ['a dict for text', str('{}'), dict({})],
  ['an object of the model’s own class', { t: 'other', v: 'Anything' }, 5],
  ['None for 0', none, 0],
  ['an int that is not decimal text', int('0x5'), 5],
]

const compareValue = (value: EvaluatedValue, expected: Expected) => compareOutcome({ ok: true, value }, expected)

describe('a value is what is expected', () => {
  test.each(EQUAL)('%s', (_, value, expected) => expect(compareValue(value, expected).ok).toBe(true))
})

describe('a value is not what is expected', () => {
  test.each(DIFFERENT)('%s', (_, value, expected) => expect(compareValue(value, expected).ok).toBe(false))
})

test('an exception is what is expected by its class alone', () => {
  const raised = (error: string, expected: Expected) => compareOutcome({ ok: false, error }, expected)
  expect(raised('ValueError', raises('ValueError'))).toEqual({ ok: true, reason: 'raised ValueError' })
  expect(raised('TypeError', raises('ValueError')).ok).toBe(false)
  expect(compareValue(none, raises('ValueError')).ok).toBe(false)
  expect(raised('ZeroDivisionError', 1).reason).toBe('raised ZeroDivisionError: not what is expected')
})

test('the reason names what was given and never what was expected', () => {
  const comparison = compareValue(float('0.5'), 73_211)
  expect(comparison.reason).toBe('gave float 0.5: not what is expected')
  fc.assert(
    fc.property(fc.integer({ min: 10_000 }), secret => {
      expect(compareValue(str('x'), secret).reason).not.toContain(String(secret))
    }),
  )
})

test('text from the model is cut and stays on one line', () => {
  const text = describeValue(str(`a\nb\u001b[31m\u202e${'x'.repeat(500)}`))
  expect(text).toMatch(/^str "a\?b\?\[31m\?x+…"$/)
  expect(text.length).toBeLessThan(80)
})

test.each([
  [undefined, /undefined/],
  [{ a: 1 }, /dict\(…\)/],
  [[raises('ValueError')], /only a whole call can raise/],
  [{ approximately: Number.NaN, tolerance: 1 }, /finite/],
  [{ approximately: 1, tolerance: -1 }, /tolerance/],
  [{ dict: [[1]] }, /pairs/],
])('an expectation that cannot be met is found: %j', (expected, problem) => {
  expect(expectedProblem(expected)).toMatch(problem)
})
