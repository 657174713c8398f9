/**
 * What a results folder holds, for everything that shows results: a *head* of each result file, which is the file without
 * what is long, and the whole of one file when it is asked for. Files that cannot be used are listed with the reason.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { fileNamesIn } from './not-writable.ts'
import type { TrialRecord } from './record-schema.ts'
import { readSummary, SUMMARY_NAME } from './store.ts'
import { isModelResult, isReplayed, type Summary } from './summary.ts'

/** Parts of a trial that only its own page needs. Fields that are not named here stay in the head. */
const LONG = [
  'identity_parts',
  'turn_logs',
  'turns',
  'final_text',
  'prompt',
  'question',
  'allowed_writes',
  'verified',
  'session_checks',
  'baseline',
  'final',
  'contents',
  'setup_text',
  'reset_proof',
  'verify_reset_proof',
  'sandbox',
  'environment',
] as const satisfies readonly (keyof TrialRecord)[]

type TrialHead = Omit<TrialRecord, (typeof LONG)[number]> & { readonly tool_calls: number }

/** One result file without its transcripts, so that thousands fit in memory. */
export type ResultHead = Omit<Summary, 'trials'> & {
  /** Name of the file in its folder. */
  readonly file: string
  /** False for scripted agents and for answers from a recording: no comparison takes them in. */
  readonly is_model_result: boolean
  readonly trials: readonly TrialHead[]
}

/** A file that lies among the results and cannot be used. */
export interface UnusableFile {
  /** Name of the file in its folder. */
  readonly file: string
  readonly reason: string
}

function headOf(file: string, summary: Summary): ResultHead {
  const trials = summary.trials.map((trial): TrialHead => {
    const head: Record<string, unknown> = { ...trial, tool_calls: trial.turn_logs.length }
    for (const name of LONG) delete head[name]
    return head as TrialHead
  })
  return { ...summary, file, is_model_result: isModelResult(summary) && !isReplayed(summary), trials }
}

type Read = { readonly head: ResultHead } | { readonly reason: string }

/** A results folder that is looked at again and again: a file is read once, and again when its time or size changed. */
export class ResultsFolder {
  readonly dir: string
  readonly #read = new Map<string, { readonly stamp: string; readonly read: Read }>()
  #names: readonly string[] = []
  #version = 0

  constructor(dir: string) {
    this.dir = dir
  }

  /** Grows with every change that {@link refresh} finds. */
  get version(): number {
    return this.#version
  }

  /**
   * Reads what is new, the newest files by their names first, and forgets what is gone.
   * @param limits.files that are read at most, counting those that are known
   * @param limits.ms after which it stops; the rest is left to the next call
   * @returns files that are left
   * @throws ConfigError code `results_not_readable`
   */
  refresh({ files = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY } = {}): number {
    const end = performance.now() + ms
    this.#names = fileNamesIn(this.dir)
    const present = new Set(this.#names)
    for (const name of [...this.#read.keys()]) {
      if (!present.has(name) && this.#read.delete(name)) this.#version++
    }
    let [seen, left] = [0, 0]
    for (const name of this.#names.filter(one => SUMMARY_NAME.test(one)).sort(newestFirst)) {
      const stat = lstatSync(join(this.dir, name), { throwIfNoEntry: false })
      const stamp = `${stat?.mtimeMs} ${stat?.size}`
      const isKnown = this.#read.get(name)?.stamp === stamp
      if (!isKnown && (seen >= files || performance.now() > end)) {
        left++
        continue
      }
      seen++
      if (isKnown) continue
      const read = readSummary(join(this.dir, name))
      this.#read.set(name, { stamp, read: read.ok ? { head: headOf(name, read.summary) } : { reason: read.reason } })
      this.#version++
    }
    return left
  }

  /** Newest files first. */
  get heads(): readonly ResultHead[] {
    const heads = [...this.#read.values()].flatMap(({ read }) => ('head' in read ? [read.head] : []))
    return heads.sort((a, b) => newestFirst(a.file, b.file))
  }

  /** Files named like results that cannot be used, and JSON files of other names. */
  get unusable(): readonly UnusableFile[] {
    const broken = [...this.#read].flatMap(([file, { read }]) =>
      'reason' in read ? [{ file, reason: read.reason }] : [],
    )
    const foreign = this.#names.filter(
      name => /\.json$/i.test(name) && !name.startsWith('.') && !SUMMARY_NAME.test(name),
    )
    return [...broken, ...foreign.map(file => ({ file, reason: 'its name is not that of a result file' }))]
  }

  /** The whole of a file that {@link heads} lists, checked again; null for any other name, or when it is not usable now. */
  whole(file: string): Summary | null {
    if (!this.#read.has(file)) return null
    const read = readSummary(join(this.dir, file))
    return read.ok ? read.summary : null
  }
}

/** By the time in the names of files; equal ones by name. */
function newestFirst(a: string, b: string): number {
  const timeOf = (file: string) => /_(\d{8}T\d{6}Z)_[^_]*\.json$/.exec(file)?.[1] ?? ''
  const [one, other] = [`${timeOf(a)} ${a}`, `${timeOf(b)} ${b}`]
  return one < other ? 1 : one > other ? -1 : 0
}
