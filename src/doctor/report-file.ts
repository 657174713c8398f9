/** Where examinations are kept: `<results>/servers/<digest of the server>.json`, read again by later runs of that server. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { ModelPlan } from '../model/chat-model.ts'
import { parseJson } from '../model/json.ts'
import type { Examination } from './examine.ts'
import { PROBE_NAMES } from './finding.ts'
import { dataDigest, serverDigest } from './server-digest.ts'

const textOrNull = { type: ['string', 'null'] } as const
const verdict = { enum: ['ok', 'degraded', 'broken', 'unclear'] } as const
const EXAMINATION_SCHEMA = {
  type: 'object',
  required: ['serverDigest', 'kind', 'model', 'baseUrl', 'examinedAt', 'elapsedMs', 'verdict', 'findings'],
  properties: {
    serverDigest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    kind: { enum: ['full', 'quick'] },
    model: { type: 'string' },
    baseUrl: { type: 'string' },
    examinedAt: { type: 'string' },
    elapsedMs: { type: 'number' },
    verdict,
    findings: {
      type: 'array',
      maxItems: PROBE_NAMES.length,
      items: {
        type: 'object',
        required: ['probe', 'verdict', 'found', 'effect', 'remedy', 'measured'],
        properties: {
          probe: { enum: PROBE_NAMES },
          verdict,
          found: { type: 'string' },
          effect: textOrNull,
          remedy: textOrNull,
          measured: { type: 'object', additionalProperties: { type: ['number', 'string', 'boolean', 'null'] } },
        },
      },
    },
  },
} as const

const isExamination = new Ajv({ allowUnionTypes: true }).compile<Examination>(EXAMINATION_SCHEMA)

/** Beside the report of a server: held while somebody examines it for a run. */
export const lockOf = (resultsDir: string, plan: ModelPlan): string =>
  join(resultsDir, 'servers', `${serverDigest(plan)}.lock`)

const fileOf = (resultsDir: string, digest: string): string => join(resultsDir, 'servers', `${digest}.json`)

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
  const file = fileOf(resultsDir, serverDigest(plan))
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
  const parsed = parseJson(text)
  if (!parsed.ok || !isExamination(parsed.value)) return null
  return { examination: parsed.value, digest: dataDigest(parsed.value), file }
}

/**
 * Keeps an examination; a full one is not replaced by a quick one. Written beside and renamed, so a reader never meets half a file.
 * @throws the error of the file system
 */
export function keepExamination(resultsDir: string, plan: ModelPlan, examination: Examination): StoredExamination {
  const known = findExamination(resultsDir, plan)
  if (known !== null && known.examination.kind === 'full' && examination.kind === 'quick') return known
  const file = fileOf(resultsDir, examination.serverDigest)
  mkdirSync(join(resultsDir, 'servers'), { recursive: true })
  const beside = `${file}.${process.pid}.tmp`
  writeFileSync(beside, `${JSON.stringify(examination, null, 2)}\n`)
  renameSync(beside, file)
  return { examination, digest: dataDigest(examination), file }
}
