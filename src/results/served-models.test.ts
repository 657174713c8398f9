import { expect, it } from 'vitest'
import { servedNotes } from './served-models.ts'

it('says nothing while one model answered, or none was named', () => {
  expect(servedNotes([])).toEqual([])
  expect(
    servedNotes([
      { model: 'a', models_served: ['a.gguf'] },
      { model: 'a', models_served: [] },
      { model: 'b', models_served: ['b.gguf'] },
    ]),
  ).toEqual([])
})

it.each([
  ['in one trial', [{ model: 'a', models_served: ['a.gguf', 'b.gguf'] }]],
  [
    'between trials',
    [
      { model: 'a', models_served: ['a.gguf'] },
      { model: 'a', models_served: ['b.gguf'] },
    ],
  ],
])('names the models when another one answered %s', (_title, records) => {
  expect(servedNotes(records)).toEqual([expect.stringMatching(/^warning {2}while "a" .* a\.gguf, b\.gguf\. /)])
})
