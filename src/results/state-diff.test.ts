import { expect, test } from 'vitest'
import { asJson, stateChanges } from './state-diff.ts'

test.each([
  ['equal trees', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ['a value', { a: { b: 1 } }, { a: { b: '1' } }, [{ path: '/a/b', before: 1, after: '1' }]],
  [
    'a key more, a key less',
    { 'x/y': 1 },
    { '~': 2 },
    [
      { path: '/x~1y', before: 1 },
      { path: '/~0', after: 2 },
    ],
  ],
  ['a longer list', { a: [1] }, { a: [1, 2] }, [{ path: '/a/1', after: 2 }]],
  ['a list for an object', { a: [] }, { a: {} }, [{ path: '/a', before: [], after: {} }]],
  ['the whole', 1, 2, [{ path: '', before: 1, after: 2 }]],
])('%s', (_, before, after, expected) => {
  expect(stateChanges(before, after)).toEqual(expected)
})

test('what JSON cannot hold is not recorded', () => {
  expect(asJson({ a: undefined, b: new Date(0) })).toEqual({ b: '1970-01-01T00:00:00.000Z' })
})
