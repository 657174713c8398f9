/**
 * Understands slightly malformed JSON. Only for the repaired score, which is told beside the strict one: what a model sent
 * is never repaired before it is judged.
 */
import { JSONRepairError, jsonrepair } from 'jsonrepair'
import { isRecord, parseJson } from './json.ts'

/** What may be wrong with a text that is still understood. Whatever else would have to be guessed is not. */
export const JSON_REPAIRS = [
  'trailing comma',
  'missing comma',
  'single quotes',
  'key without quotes',
  'line break in a string',
  'missing closing bracket',
  'Python constant',
  'JSON in a string',
  'code fence',
] as const

export type JsonRepair = (typeof JSON_REPAIRS)[number]

export type RepairedJson =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly JsonRepair[] }
  | { readonly ok: false }

const NOT_REPAIRED: RepairedJson = { ok: false }
/** Longer texts are not looked at: the search for what was changed compares texts. */
const MAX_CHARACTERS = 1_000_000

/** The value that a text means, with every repair that was needed; not ok where anything would have to be guessed. */
export function repairJson(text: string): RepairedJson {
  const strict = parseJson(text)
  if (strict.ok) return { ok: true, value: strict.value, repairs: [] }
  if (text.length > MAX_CHARACTERS) return NOT_REPAIRED
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1]
  if (fenced !== undefined) return adding('code fence', repairJson(fenced))
  const mended = mend(text.trim())
  if (mended === null) return NOT_REPAIRED
  const repairs = differences(text.trim(), mended)
  const parsed = parseJson(mended)
  return repairs === null || !parsed.ok ? NOT_REPAIRED : { ok: true, value: parsed.value, repairs }
}

/** An object of arguments: as {@link repairJson}, and JSON in a string (also twice) is taken out of it. */
export function repairArguments(
  text: string,
): { readonly value: Readonly<Record<string, unknown>>; readonly repairs: readonly JsonRepair[] } | null {
  let found = repairJson(text)
  for (let depth = 0; depth < 2 && found.ok && typeof found.value === 'string'; depth++) {
    const inner = repairJson(found.value)
    found = inner.ok ? adding('JSON in a string', { ...inner, repairs: [...found.repairs, ...inner.repairs] }) : inner
  }
  if (!found.ok || !isRecord(found.value)) return null
  return { value: found.value, repairs: [...new Set(found.repairs)] }
}

function adding(repair: JsonRepair, found: RepairedJson): RepairedJson {
  return found.ok ? { ...found, repairs: [repair, ...found.repairs] } : found
}

function mend(text: string): string | null {
  try {
    return jsonrepair(text)
  } catch (error) {
    // Thousands of levels are beyond its stack.
    if (!(error instanceof JSONRepairError) && !(error instanceof RangeError)) throw error
    return null
  }
}

const PYTHON: readonly (readonly [string, string])[] = [
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]
const ESCAPED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** What the library changed, read off both texts from left to right; null when any of it is not in the list. */
function differences(before: string, after: string): readonly JsonRepair[] | null {
  const found = new Set<JsonRepair>()
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const step = nextStep(before, i, after, j)
    if (step === null) return null
    if (step.repair !== null) found.add(step.repair)
    i += step.before
    j += step.after
  }
  return [...found]
}

interface Step {
  readonly repair: JsonRepair | null
  /** Characters that are passed in each text. */
  readonly before: number
  readonly after: number
}

function nextStep(before: string, i: number, after: string, j: number): Step | null {
  const [from, to] = [before[i] ?? '', after[j] ?? '']
  const step = (repair: JsonRepair | null, left: number, right: number): Step => ({
    repair,
    before: left,
    after: right,
  })
  if (from === to) return step(null, 1, 1)
  const escaped = ESCAPED[from]
  if (escaped !== undefined && after.startsWith(escaped, j)) return step('line break in a string', 1, 2)
  if (from === "'" && to === '"') return step('single quotes', 1, 1)
  const constant = PYTHON.find(([python, json]) => before.startsWith(python, i) && after.startsWith(json, j))
  if (constant !== undefined) return step('Python constant', constant[0].length, constant[1].length)
  if (from === ',' && /^\s*(?:[}\]]|$)/.test(before.slice(i + 1, i + 200))) return step('trailing comma', 1, 0)
  // In single quotes a double one needs a backslash that it did not need before.
  if (to === '\\' && from === '"') return step('single quotes', 0, 1)
  if (from === '\\' && to === "'") return step('single quotes', 1, 0)
  if (to === '"' && (/[\w$]/.test(from) ? isKey(before, i) : /\s|:/.test(from) && isAfterKey(before, i))) {
    return step('key without quotes', 0, 1)
  }
  if (to === ',' && /^,\s*"/.test(after.slice(j, j + 200))) return step('missing comma', 0, 1)
  if ((to === '}' || to === ']') && /^[\s}\],]*$/.test(before.slice(i))) return step('missing closing bracket', 0, 1)
  if (/\s/.test(from)) return step(null, 1, 0)
  return /\s/.test(to) ? step(null, 0, 1) : null
}

const isKey = (text: string, at: number) =>
  /[{,]\s*$/.test(text.slice(Math.max(0, at - 200), at)) && /^[\w$-]+\s*:/.test(text.slice(at, at + 200))
const isAfterKey = (text: string, at: number) =>
  /[{,]\s*[\w$-]+$/.test(text.slice(Math.max(0, at - 200), at)) && /^\s*:/.test(text.slice(at, at + 200))
