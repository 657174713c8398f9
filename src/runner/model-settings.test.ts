import { describe, expect, it } from 'vitest'
import { ConfigError } from '../errors.ts'
import { type ModelEntry, modelSettings, readModelEntries } from './model-settings.ts'

const NOTHING = { model: undefined, baseUrl: undefined, apiKey: undefined, extraBody: undefined }
const A = 'http://127.0.0.1:1/v1'
const B = 'http://127.0.0.1:2/v1'

function settings(
  file: Partial<Parameters<typeof modelSettings>[0]> = {},
  env: Partial<Parameters<typeof modelSettings>[1]> = {},
) {
  return modelSettings({ ...NOTHING, models: undefined, ...file }, { ...NOTHING, ...env })
}

const names = (found: ReturnType<typeof settings>) => found.map(({ model }) => model)
const entries = (...models: ModelEntry[]) => ({ models })

describe('modelSettings', () => {
  it('is one model without a name when none is set', () => {
    expect(settings()).toEqual([
      { model: null, baseUrl: null, apiKey: null, extraBody: null, labels: {}, isUnlisted: false },
    ])
  })

  it('takes names by commas, from the variable before the file', () => {
    expect(names(settings({ model: 'x' }, { model: 'a, b,c' }))).toEqual(['a', 'b', 'c'])
    expect(names(settings({ model: 'x,y' }))).toEqual(['x', 'y'])
    for (const model of ['a,,b', ',a', 'a,']) expect(() => settings({}, { model })).toThrow(ConfigError)
  })

  it('refuses two models of one name, and takes them with labels', () => {
    expect(() => settings({}, { model: 'a,a' })).toThrow(/two models of the run are called "a"/)
    expect(() => settings(entries({ model: 'a' }, { model: 'b', label: 'a' }))).toThrow(/called "a"/)
    expect(names(settings(entries({ model: 'a', label: '1' }, { model: 'a', label: '2' })))).toEqual(['a', 'a'])
  })

  it('chooses entries of the file by label, else by name, and takes unknown names as models', () => {
    const file = entries({ model: 'a', label: 'first', baseUrl: A }, { model: 'b', baseUrl: B })
    expect(settings(file, { model: 'first,b,c' })).toMatchObject([
      { model: 'a', baseUrl: A },
      { model: 'b', baseUrl: B },
      { model: 'c', baseUrl: null },
    ])
    expect(settings(file, { model: 'first,b,c' }).map(({ isUnlisted }) => isUnlisted)).toEqual([false, false, true])
    expect(settings({}, { model: 'c' })[0]?.isUnlisted).toBe(false)
    expect(settings(file, { model: 'a' })).toMatchObject([{ model: 'a', labels: { label: 'first' } }])
    expect(() => settings(entries({ model: 'a', label: '1' }, { model: 'a', label: '2' }), { model: 'a' })).toThrow(
      /more than once/,
    )
  })

  it('never sends the key of the run to the server of an entry', () => {
    const two = entries({ model: 'a' }, { model: 'b', baseUrl: B })
    expect(settings({ baseUrl: A, apiKey: 'key', ...two }).map(({ apiKey }) => apiKey)).toEqual(['key', null])
    const own = entries({ model: 'b', baseUrl: B, apiKey: 'own' })
    expect(settings(own, { apiKey: 'key' })[0]?.apiKey).toBe('own')
  })

  it('knows where each address was given', () => {
    const file = { baseUrl: A, ...entries({ model: 'a' }, { model: 'b', label: 'bee', baseUrl: B }) }
    expect(settings(file).map(({ source }) => source)).toEqual([
      { address: 'baseUrl in bench.config.ts', key: 'BENCH_API_KEY' },
      {
        address: 'baseUrl of models[1] ("bee") in bench.config.ts',
        key: 'apiKey of models[1] ("bee") in bench.config.ts',
      },
    ])
    expect(settings(file, { baseUrl: B }).map(({ source }) => source)).toEqual([undefined, undefined])
    expect(settings(file, { model: 'bee' })[0]?.source?.address).toMatch(/^baseUrl of models\[1\]/)
  })

  it('lets a variable override the server of every entry', () => {
    const over = { baseUrl: B, apiKey: 'key' }
    expect(settings(entries({ model: 'a', baseUrl: A }, { model: 'b' }), over)).toMatchObject([over, over])
  })

  it('lays extra bodies over one another: file, entry, variable', () => {
    const file = { extraBody: { a: 1, b: 1 }, ...entries({ model: 'x', extraBody: { b: 2, c: 2 } }) }
    expect(settings(file)[0]?.extraBody).toEqual({ a: 1, b: 2, c: 2 })
    expect(settings(file, { extraBody: { c: 3 } })[0]?.extraBody).toEqual({ b: 2, c: 3 })
  })

  it('refuses model and models at once', () => {
    expect(() => settings({ model: 'a', ...entries({ model: 'b' }) })).toThrow(/both model and models/)
  })
})

describe('readModelEntries', () => {
  it('takes names and objects', () => {
    const taken = readModelEntries([' a ', { model: 'b', size: '8B' }], 'f')
    expect(taken).toEqual([{ model: 'a' }, { model: 'b', size: '8B' }])
  })

  it.each([
    ['a', /not a list/],
    [[], /not a list/],
    [[3], /models\[0\] in f is neither/],
    [[{ label: 'x' }], /names no model/],
    [['a', { model: 'b', modell: 'c' }], /models\[1\] in f has the unknown field "modell"/],
    [[{ model: 'a', baseUrl: 'localhost' }], /baseUrl is "localhost"/],
    [[{ model: 'a', extraBody: [1] }], /extraBody is not an object/],
    [[{ model: 'a', size: 8 }], /size is not a string/],
  ])('refuses %j', (value, message) => {
    expect(() => readModelEntries(value, 'f')).toThrow(message)
  })
})
