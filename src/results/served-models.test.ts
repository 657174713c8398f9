import { expect, it } from 'vitest'
import { servedNotes } from './served-models.ts'

const trial = (model: string, ...models_served: string[]) => ({ model, models_served })

it('says nothing while one model answered, or none was named', () => {
  expect(servedNotes([trial('a', 'a.gguf'), trial('a'), trial('b', 'b.gguf')])).toEqual([])
})

it.each([
  ['in one trial', [trial('a', 'a.gguf', 'b.gguf')]],
  ['between trials', [trial('a', 'a.gguf'), trial('a', 'b.gguf')]],
])('names the models when another one answered %s', (_title, records) => {
  expect(servedNotes(records)).toEqual([expect.stringMatching(/^warning {2}while "a" .* a\.gguf, b\.gguf\. /)])
})
