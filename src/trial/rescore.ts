/**
 * Judges recorded trials again with the task as it is today: verify runs again on the files the agent left, and the flags
 * are asked again. Nothing recorded is changed.
 */
import { type BenchError, InfraError } from '../errors.ts'
import { sha256 } from '../results/hash.ts'
import { readArtifact } from '../results/read-artifacts.ts'
import type { RecordedSnapshot, TrialRecord } from '../results/record-schema.ts'
import { recordToLog } from '../results/to-record.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileContent, FileMap } from '../sandbox/snapshot.ts'
import { questionOf } from '../task/fingerprint.ts'
import type { Task } from '../task/task.ts'
import { cleanRoom, filesLeft } from './clean-room.ts'
import { type Judgement, judgeTrial, type Observed } from './judgement.ts'
import type { KnownResults } from './known-results.ts'
import type { SandboxLease } from './lease.ts'
import { needsSandbox, toolsOf } from './offer.ts'
import { RequirementProbe } from './requirements.ts'
import { type Change, changesOf } from './rescore-changes.ts'

/** Why a trial is not judged again. */
export type Refusal = {
  readonly code:
    | 'nothing_to_score'
    | 'other_question'
    | 'record_not_whole'
    | 'artifact_missing'
    | 'artifact_changed'
    | 'sandbox_lacks'
    | 'broken'
    | 'task_gone'
    | 'task_broken'
  readonly reason: string
}

/** A recorded trial that can be judged again: its event log and the files of its clean room. */
export type Prepared =
  | { readonly ok: true; readonly observed: Observed }
  | { readonly ok: false; readonly refusal: Refusal }

export type Rescored =
  | { readonly kind: 'judged'; readonly judgement: Judgement; readonly changes: readonly Change[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

const refuse = (code: Refusal['code'], reason: string): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: { code, reason },
})

const QUESTION_PARTS = { prompt: 'prompt', setup: 'setup', limits: 'limits (turns, times)' } as const
const PATHS_SHOWN = 3

/**
 * Puts together what a record and its artifacts hold of a trial, or says why the trial cannot be judged again.
 * @param resultsDir the folder that the record's `artifacts_dir` is relative to
 */
export function prepareRescore(task: Task, record: TrialRecord, resultsDir: string): Prepared {
  const { baseline, final, ending } = record
  if (baseline === null || final === null || ending === null) {
    return refuse('nothing_to_score', `its outcome is ${record.outcome}: there is nothing to score`)
  }
  const today = questionOf(task)
  const changed = (['prompt', 'setup', 'limits'] as const).filter(part => today[part] !== record.question[part])
  if (changed.length > 0) {
    const parts = changed.map(part => QUESTION_PARTS[part]).join(' and ')
    const files = changed.includes('setup') ? changedSetup(task, baseline) : ''
    return refuse('other_question', `the trial answered another question: ${parts} changed since${files}; run it again`)
  }
  if (record.left_out.length > 0) {
    return refuse('record_not_whole', `the record does not hold ${record.left_out.join(', ')}`)
  }
  const log = recordToLog(record, task)
  const left = new Map<string, FileContent>()
  for (const path of filesLeft(task, log.baseline, log.final)) {
    const entry = log.final.entries.get(path)
    if (entry?.type !== 'file') continue
    const text = log.contents.get(entry.sha256)
    if (record.artifacts.includes(path)) {
      const read = readArtifact(resultsDir, record, path, entry)
      if (!read.ok) return refuse(read.code, `${path}: ${read.reason}`)
      left.set(path, { bytes: read.bytes, mode: entry.mode })
    } else if (text !== undefined && sha256(text) === entry.sha256) {
      // The task did not allow this file then, so it was not an artifact; the log has its text.
      left.set(path, { bytes: Buffer.from(text), mode: entry.mode })
    } else {
      return refuse('artifact_missing', `${path} was not kept: its name, size or content did not fit`)
    }
  }
  return { ok: true, observed: { log, ending, room: cleanRoom(task, log.final, left) } }
}

/** Names files of the setup that are others today. */
function changedSetup(task: Task, baseline: RecordedSnapshot): string {
  const then = new Map(baseline.entries.flatMap(([path, entry]) => (entry.type === 'file' ? [[path, entry]] : [])))
  const isSame = (path: string, file: FileContent) => {
    const before = then.get(path)
    return before?.sha256 === sha256(file.bytes) && before.mode === file.mode
  }
  const setup: FileMap = task.setup
  const paths = [
    ...[...setup].filter(([path, file]) => !isSame(path, file)).map(([path]) => path),
    ...[...then.keys()].filter(path => !setup.has(path)),
  ]
  const more = paths.length > PATHS_SHOWN ? ` and ${paths.length - PATHS_SHOWN} more` : ''
  return paths.length === 0 ? '' : ` (${paths.slice(0, PATHS_SHOWN).join(', ')}${more})`
}

/** Judges prepared trials one after another in one sandbox. */
export class Rescorer {
  readonly #lease: SandboxLease
  readonly #known: KnownResults
  readonly #probe = new RequirementProbe()

  constructor(lease: SandboxLease, known: KnownResults) {
    this.#lease = lease
    this.#known = known
  }

  /**
   * Judges one trial and compares.
   * @throws ConfigError when no sandbox is available; the signal's reason when cancelled.
   */
  async rescore(task: Task, record: TrialRecord, observed: Observed, signal: AbortSignal): Promise<Rescored> {
    const judge = async (sandbox: Sandbox | null): Promise<Rescored> => {
      const judgement = await judgeTrial(task, observed, { sandbox, known: this.#known.of(task), signal })
      return { kind: 'judged', judgement, changes: changesOf(record, judgement) }
    }
    try {
      if (!needsSandbox(task, toolsOf(task))) return await judge(null)
      await using leased = await this.#lease.take()
      const { sandbox } = leased
      try {
        const lacking = await this.#probe.missing(sandbox, task.requires, signal)
        if (lacking.length === 0) return await judge(sandbox)
        return { kind: 'refused', refusal: { code: 'sandbox_lacks', reason: lacking.join('; ') } }
      } catch (error) {
        // Whatever went wrong, this sandbox is no longer known to be clean.
        await leased.discard()
        throw error
      }
    } catch (error) {
      if (!(error instanceof InfraError) || signal.aborted) throw error
      return { kind: 'refused', refusal: { code: 'broken', reason: describeFault(error) } }
    }
  }
}

const describeFault = (error: BenchError) => `${error.message} (${error.remedy})`
