import type { ModelLabels } from './chat-model.ts'

/** Names of GGUF quantisations, and the usual ones of other formats, as they stand in names of files and models. */
const QUANTISATION =
  /(?:^|[-_.:/ ])((?:UD-)?I?Q\d(?:_(?:K(?:_(?:XXS|XS|S|M|L|XL))?|XXS|XS|NL|S|M|0|1))?|TQ\d_0|MXFP4|NVFP4|BF16|F16|FP16|F32|FP8|INT[48]|AWQ|GPTQ(?:-INT[48])?|[34568]bit)(?=$|[-_.:/ ])/i
/** Parameters in billions or millions; `8x7B` and `30B-A3B` are one size. */
const SIZE = /(?:^|[-_.:/ ])((?:\d+x)?\d+(?:\.\d+)?[BM](?:-A\d+(?:\.\d+)?B)?)(?=$|[-_.:/ ])/i

/**
 * What a model may be called in a comparison. What is given is taken; the rest is read off its name and file, and stays
 * null where they do not say it.
 * @example labelsOf('qwen3-8b', '/models/Qwen3-8B-Q4_K_M.gguf') // { label: 'qwen3-8b', size: '8B', quantisation: 'Q4_K_M' }
 */
export function labelsOf(model: string, modelPath: string | null, given: Partial<ModelLabels> = {}): ModelLabels {
  const file =
    modelPath
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(?:gguf|safetensors)$/i, '') ?? ''
  const find = (pattern: RegExp): string | null =>
    (pattern.exec(model.replace(/\.gguf$/i, '')) ?? pattern.exec(file))?.[1]?.toUpperCase() ?? null
  return {
    label: given.label ?? model,
    size: given.size ?? find(SIZE),
    quantisation: given.quantisation ?? find(QUANTISATION),
  }
}
