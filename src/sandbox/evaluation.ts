/** Values that the evaluator (image/evaluate.py) wrote: it runs beside the model's code, so every part is checked here. */
import type { EvaluatedValue, Evaluation } from './sandbox.ts'

const MAX_DEPTH = 24
const INTEGER = /^-?\d+$/
const FLOAT = /^-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)$/

type CallResult = Extract<Evaluation, { kind: 'values' }>['results'][number]

/** The evaluation in the first frame, `bad-frame` when it is not one result for each of `calls` calls. */
export function parseEvaluation(frame: Uint8Array, calls: number): Evaluation {
  let list: unknown
  try {
    list = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(frame))
  } catch {
    return { kind: 'bad-frame' }
  }
  if (!Array.isArray(list) || list.length !== calls) return { kind: 'bad-frame' }
  const results: CallResult[] = []
  for (const item of list) {
    const result = parseResult(item)
    if (result === null) return { kind: 'bad-frame' }
    results.push(result)
  }
  return { kind: 'values', results }
}

function parseResult(item: unknown): CallResult | null {
  if (typeof item !== 'object' || item === null || !('ok' in item)) return null
  if (item.ok === false && 'error' in item && typeof item.error === 'string') return { ok: false, error: item.error }
  if (item.ok !== true || !('value' in item)) return null
  const value = parseValue(item.value, 0)
  return value === null ? null : { ok: true, value }
}

function parseValue(item: unknown, depth: number): EvaluatedValue | null {
  if (typeof item !== 'object' || item === null || !('t' in item) || depth > MAX_DEPTH) return null
  const kind = item.t
  if (kind === 'none') return { t: 'none' }
  if (!('v' in item)) return null
  const content: unknown = item.v
  switch (kind) {
    case 'bool':
      return typeof content === 'boolean' ? { t: kind, v: content } : null
    case 'int':
    case 'int*':
      return typeof content === 'string' && INTEGER.test(content) ? { t: kind, v: content } : null
    case 'float':
    case 'float*':
      return typeof content === 'string' && FLOAT.test(content) ? { t: kind, v: content } : null
    case 'str':
    case 'other':
      return typeof content === 'string' ? { t: kind, v: content } : null
    case 'list':
    case 'tuple': {
      const values = parseValues(content, depth + 1)
      return values === null ? null : { t: kind, v: values }
    }
    case 'dict': {
      if (!Array.isArray(content)) return null
      const pairs: (readonly [EvaluatedValue, EvaluatedValue])[] = []
      for (const pair of content) {
        const [key, value, ...more] = parseValues(pair, depth + 1) ?? []
        if (key === undefined || value === undefined || more.length > 0) return null
        pairs.push([key, value])
      }
      return { t: kind, v: pairs }
    }
    default:
      return null
  }
}

function parseValues(content: unknown, depth: number): EvaluatedValue[] | null {
  if (!Array.isArray(content)) return null
  const values: EvaluatedValue[] = []
  for (const item of content) {
    const value = parseValue(item, depth)
    if (value === null) return null
    values.push(value)
  }
  return values
}
