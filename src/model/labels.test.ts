import { describe, expect, test } from 'vitest'
import { labelsOf } from './labels.ts'

describe('labels of a model', () => {
  test.each([
    ['qwen3-8b', '/models/Qwen3-8B-Q4_K_M.gguf', '8B', 'Q4_K_M'],
    ['Qwen3-30B-A3B-UD-IQ2_XXS.gguf', null, '30B-A3B', 'UD-IQ2_XXS'],
    ['mixtral:8x7b-instruct-q5_0', null, '8X7B', 'Q5_0'],
    ['qwen2.5-coder:0.5b', null, '0.5B', null],
    ['gpt-oss-20b-mxfp4', null, '20B', 'MXFP4'],
    ['gemma-3-270m-F16', null, '270M', 'F16'],
    ['steer', '/x/steer.gguf', null, null],
    ['mistral-v0.3', null, null, null],
  ])('%s in %s', (model, path, size, quantisation) => {
    expect(labelsOf(model, path)).toEqual({ label: model, size, quantisation })
  })

  test('what is given stands above what the name says', () => {
    expect(labelsOf('qwen3-8b', null, { label: 'Qwen', quantisation: 'Q8_0' })).toEqual({
      label: 'Qwen',
      size: '8B',
      quantisation: 'Q8_0',
    })
  })
})
