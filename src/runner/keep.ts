/**
 * BENCH_KEEP: after a run the workspace of its last trial is restored, as the agent left it, in a sandbox that
 * stays open until its user is done. It is a new sandbox: the one of the trial has been reset for verify by then.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeForTerminal } from '../../reporters/terminal.ts'
import { BenchError, ConfigError, explainError } from '../errors.ts'
import { sha256 } from '../results/hash.ts'
import { systemCode } from '../results/not-writable.ts'
import type { TrialRecord } from '../results/record-schema.ts'
import { ENTERABLE, enterCommand } from '../sandbox/enter.ts'
import type { FileContent, FileMap, PreparedSandbox, Sandbox } from '../sandbox/index.ts'

const OPEN_DEADLINE_MS = 120_000
/** A forgotten sandbox ends after this time. */
const KEPT_HOURS = 8
const MAX_ARTIFACT_BYTES = 16_000_000
const MISSING_SHOWN = 5

/** Refuses to keep a sandbox that nobody could close. @throws ConfigError code `keep_without_terminal` */
export function checkTerminal(hasTerminal: boolean): void {
  if (hasTerminal) return
  throw new ConfigError('BENCH_KEEP keeps a sandbox open until Enter is pressed, and there is no terminal here', {
    code: 'keep_without_terminal',
    remedy: 'Run it in a terminal (neither input nor output redirected), or unset BENCH_KEEP.',
  })
}

/** Refuses to keep a sandbox that nobody could enter. @throws ConfigError code `keep_unsupported` */
export function checkEnterable(prepared: Pick<PreparedSandbox, 'driver'>): void {
  if (ENTERABLE.includes(prepared.driver)) return
  throw new ConfigError(
    `a sandbox of the kind ${prepared.driver} cannot be entered, so there is no use in keeping it`,
    {
      code: 'keep_unsupported',
      remedy: `Set BENCH_SANDBOX to ${ENTERABLE.join(' or ')}, or unset BENCH_KEEP.`,
    },
  )
}

/** The trial of a run that began last and left a workspace; null when there is none. */
export function lastTrialOf(records: readonly TrialRecord[]): TrialRecord | null {
  const left = records.filter(record => record.final !== null)
  return left.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1)).at(-1) ?? null
}

/**
 * The regular files of a trial's final workspace, as far as their bytes were kept: files of the setup, texts the agent
 * wrote, and what was exported. Everything else (links, large or binary files outside the allowed writes) is named.
 */
export function filesLeftBy(
  record: TrialRecord,
  resultsDir: string,
): { readonly files: FileMap; readonly missing: readonly string[] } {
  const texts = new Map(record.setup_text.map(([, text]) => [sha256(Buffer.from(text)), text]))
  for (const [hash, text] of Object.entries(record.contents)) texts.set(hash, text)
  const files = new Map<string, FileContent>()
  const missing: string[] = []
  for (const [path, entry] of record.final?.entries ?? []) {
    if (entry.type === 'directory') continue
    const bytes = entry.type === 'file' ? bytesOf(path, entry.sha256, texts, record, resultsDir) : null
    if (bytes === null || entry.type !== 'file') missing.push(path)
    else files.set(path, { bytes, mode: entry.mode })
  }
  return { files, missing }
}

function bytesOf(
  path: string,
  hash: string,
  texts: ReadonlyMap<string, string>,
  record: TrialRecord,
  resultsDir: string,
): Uint8Array | null {
  const text = texts.get(hash)
  if (text !== undefined) return Buffer.from(text)
  if (record.artifacts_dir === null || !record.artifacts.includes(path)) return null
  const bytes = readRegularFile(join(resultsDir, record.artifacts_dir, path))
  return bytes !== null && sha256(bytes) === hash ? bytes : null
}

/** An exported file; null when it is gone, no regular file, or too large. */
function readRegularFile(file: string): Buffer | null {
  let descriptor: number | null = null
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    return stat.isFile() && stat.size <= MAX_ARTIFACT_BYTES ? readFileSync(descriptor) : null
  } catch (error) {
    if (systemCode(error) === null) throw error
    return null
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

export interface KeepOptions {
  /** Absolute path. */
  readonly resultsDir: string
  readonly open: (signal: AbortSignal) => Promise<Sandbox>
  /** Vitest reads the keys then, so nothing is waited for. */
  readonly isWatching: boolean
  /** Where Enter comes from; stdin by default. */
  readonly input?: NodeJS.ReadableStream
}

/** Keeps at most one workspace open. Lives in the main process, which has the terminal; nothing is run in the sandbox. */
export class Keeper {
  readonly #print: (line: string) => void
  #sandbox: Sandbox | null = null

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** Restores a trial's workspace and says how to enter it; waits for Enter, or while watching leaves it until {@link close}. */
  async keep(trial: TrialRecord | null, options: KeepOptions): Promise<void> {
    await this.close()
    if (trial === null) return this.#print('kept     nothing: no trial left a workspace')
    const { files, missing } = filesLeftBy(trial, options.resultsDir)
    const signal = AbortSignal.timeout(OPEN_DEADLINE_MS)
    try {
      this.#sandbox = await options.open(signal)
      await this.#sandbox.reset(files, { room: 'agent', signal })
    } catch (error) {
      await this.close()
      if (!(error instanceof BenchError) && !signal.aborted) throw error
      for (const line of `kept     nothing: ${explainError(error)}`.split('\n')) this.#print(line)
      return
    }
    this.#print(
      `kept     trial ${trial.trial_index + 1} of ${trial.task_id}, its workspace as it was left; to enter it:`,
    )
    this.#print(`         ${enterCommand(this.#sandbox.info) ?? 'this kind of sandbox cannot be entered'}`)
    if (missing.length > 0) this.#print(`         only their hashes were recorded, so not in it: ${someOf(missing)}`)
    if (options.isWatching) return this.#print('         It is closed when the next run starts.')
    this.#print('         Press Enter here to close it.')
    await untilEnter(options.input ?? process.stdin)
    await this.close()
  }

  /** Closes what is kept, if anything. */
  async close(): Promise<void> {
    const sandbox = this.#sandbox
    this.#sandbox = null
    await sandbox?.[Symbol.asyncDispose]()
  }
}

function someOf(paths: readonly string[]): string {
  const named = paths.slice(0, MISSING_SHOWN).map(path => escapeForTerminal(path))
  const more = paths.length > MISSING_SHOWN ? ` and ${paths.length - MISSING_SHOWN} more` : ''
  return named.join(', ') + more
}

/** Waits for Enter (or the end of input), at most {@link KEPT_HOURS} hours. */
export async function untilEnter(input: NodeJS.ReadableStream): Promise<void> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), KEPT_HOURS * 3_600_000)
  const end = () => over.abort()
  input.once('data', end).once('end', end).once('error', end)
  input.resume()
  try {
    if (!over.signal.aborted) await new Promise(resolve => over.signal.addEventListener('abort', resolve))
  } finally {
    clearTimeout(timer)
    input.off('data', end).off('end', end).off('error', end)
    input.pause()
  }
}
