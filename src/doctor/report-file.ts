/** Where examinations are kept: `<results>/servers/<digest of the server>.json`, read again by later runs of that server. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { ModelPlan } from '../model/chat-model.ts'
import { hashOf, isSystemError, parseJson } from '../model/json.ts'
import type { Examination } from './finding.ts'

const [text, textOrNull] = [{ type: 'string' }, { type: ['string', 'null'] }]
const verdict = { enum: ['ok', 'degraded', 'broken', 'unclear'] }
/** Every property is required. */
const exactly = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})
const measured = { type: 'object', additionalProperties: { type: ['number', 'string', 'boolean', 'null'] } }
const finding = exactly({ probe: text, verdict, found: text, effect: textOrNull, remedy: textOrNull, measured })

const isExamination = new Ajv({ allowUnionTypes: true }).compile<Examination>(
  exactly({
    serverDigest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    kind: { enum: ['full', 'quick'] },
    model: text,
    baseUrl: text,
    examinedAt: text,
    elapsedMs: { type: 'number' },
    verdict,
    findings: { type: 'array', maxItems: 100, items: finding },
  }),
)

/**
 * SHA-256 over what a server says it is and the model asked for: another build, template, window or model file is
 * another server, and an examination of the old one says nothing about it.
 */
export const serverDigest = ({ model, server }: ModelPlan): string => hashOf({ model, server })

const pathOf = (resultsDir: string, plan: ModelPlan, ending: string): string =>
  join(resultsDir, 'servers', `${serverDigest(plan)}.${ending}`)

/** Beside the report of a server: held while somebody examines it for a run. */
export const lockOf = (resultsDir: string, plan: ModelPlan): string => pathOf(resultsDir, plan, 'lock')

/** An examination of an earlier run, and the digest that results of that server store. */
export interface StoredExamination {
  readonly examination: Examination
  /** SHA-256 of the report. */
  readonly digest: string
  /** Absolute or relative as `resultsDir` was. */
  readonly file: string
}

/**
 * The examination of this very server (same address, build, template, window, model), or null when there is none or the
 * file is not one: then the server counts as not examined.
 */
export function findExamination(resultsDir: string, plan: ModelPlan): StoredExamination | null {
  const file = pathOf(resultsDir, plan, 'json')
  try {
    const parsed = parseJson(readFileSync(file, 'utf8'))
    if (!parsed.ok || !isExamination(parsed.value)) return null
    return { examination: parsed.value, digest: hashOf(parsed.value), file }
  } catch (error) {
    if (isSystemError(error)) return null
    throw error
  }
}

/**
 * Keeps an examination; a full one is not replaced by a quick one. Written beside and renamed, so a reader never meets half a file.
 * @throws the error of the file system
 */
export function keepExamination(resultsDir: string, plan: ModelPlan, examination: Examination): StoredExamination {
  const known = findExamination(resultsDir, plan)
  if (known?.examination.kind === 'full' && examination.kind === 'quick') return known
  const file = pathOf(resultsDir, plan, 'json')
  mkdirSync(join(resultsDir, 'servers'), { recursive: true })
  const beside = `${file}.${process.pid}.tmp`
  writeFileSync(beside, `${JSON.stringify(examination, null, 2)}\n`)
  renameSync(beside, file)
  return { examination, digest: hashOf(examination), file }
}
