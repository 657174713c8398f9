/**
 * The journal: an append-only file of trial records, one JSON line each, written and fsynced while the run goes on.
 * Everything here is synchronous: a record is on disk before the next trial starts, and journals are also read while the
 * process is ending.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { BenchError, ConfigError } from '../errors.ts'
import { sealed, verifyResultHash } from './hash.ts'
import { fileNamesIn, makeFolders, notWritable, systemCode } from './not-writable.ts'
import type { TrialRecord } from './record-schema.ts'
import { checkTrialRecord } from './validate.ts'

/** A record before it is sealed with its hash. */
export type UnsealedRecord = Omit<TrialRecord, 'result_hash'>

export interface Journal extends Disposable {
  /** Path of the file. */
  readonly file: string
  /**
   * Seals the record with its hash, writes it as one line and waits until it is on disk.
   * @throws BenchError code `record_invalid` when the record does not follow the schema (nothing is written), code
   * `results_not_writable` when the disk refuses; then the file ends after the last whole line.
   */
  append(record: UnsealedRecord): TrialRecord
  /** Closes the file; later appends throw. */
  close(): void
}

/** A line longer than this is not a record of ours (bytes). */
const MAX_LINE_BYTES = 128_000_000
/** Names tried for one worker: a worker that starts anew gets the next number. */
const MAX_FILES_PER_WORKER = 1_000
const NAME_PART = /^[\w.-]{1,100}$/

/**
 * Opens a new journal file `<resultsDir>/journal/<runId>.<workerId>.jsonl` (with `-2`, `-3`… when the worker had one
 * before): a file belongs to one writer only.
 * @throws BenchError code `results_not_writable`.
 */
export function openJournal(resultsDir: string, runId: string, workerId: string): Journal {
  for (const part of [runId, workerId]) {
    if (!NAME_PART.test(part) || part.startsWith('.')) {
      throw new BenchError(`${JSON.stringify(part)} cannot be part of a journal's name`, {
        code: 'journal_name',
        remedy: 'Use letters, digits, dots, `_` and `-`, at most 100.',
      })
    }
  }
  const dir = join(resultsDir, 'journal')
  const { file, descriptor } = create(dir, `${runId}.${workerId}`)
  let size = 0
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    closeSync(descriptor)
  }
  return {
    file,
    append(unsealed) {
      const record = sealed(unsealed)
      const checked = checkTrialRecord(record)
      if (!checked.ok) {
        throw new BenchError(`a trial's record does not follow the schema: ${checked.reason}`, {
          code: 'record_invalid',
          remedy: 'This is a fault of the harness: please report it with the task and the agent that were running.',
        })
      }
      const line = Buffer.from(`${JSON.stringify(record)}\n`)
      try {
        writeAll(descriptor, line)
        fsyncSync(descriptor)
      } catch (error) {
        // Only this writer appends to the file, so its end is known: half a line would spoil the next one.
        truncate(descriptor, size)
        throw new BenchError(...notWritable(file, error))
      }
      size += line.length
      return record
    },
    close,
    [Symbol.dispose]: close,
  }
}

function create(dir: string, stem: string): { readonly file: string; readonly descriptor: number } {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
  for (let attempt = 1; attempt <= MAX_FILES_PER_WORKER; attempt++) {
    const file = join(dir, attempt === 1 ? `${stem}.jsonl` : `${stem}-${attempt}.jsonl`)
    try {
      makeFolders(dir)
      const descriptor = openSync(file, flags, 0o644)
      syncDirectory(dir)
      return { file, descriptor }
    } catch (error) {
      // EEXIST of the folder itself (it is a file) is recognised by the path it names.
      const isTaken = systemCode(error) === 'EEXIST' && error instanceof Error && error.message.includes(file)
      if (!isTaken) throw new BenchError(...notWritable(dir, error))
    }
  }
  throw new BenchError(`${stem} has ${MAX_FILES_PER_WORKER} journal files already`, {
    code: 'results_not_writable',
    remedy: `Look into ${dir}: something starts workers over and over.`,
  })
}

/** A write may be short (a full disk, a signal); the rest is tried again and then tells why. */
function writeAll(descriptor: number, bytes: Buffer): void {
  let done = 0
  while (done < bytes.length) {
    const written = writeSync(descriptor, bytes, done)
    if (written === 0) throw new Error('the disk took no more bytes')
    done += written
  }
}

function truncate(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size)
  } catch (error) {
    // The reader tolerates a cut line; the error that led here is the one to tell.
    if (systemCode(error) === null) throw error
  }
}

/** Makes a new name in a folder durable. Some file systems cannot sync folders; then nothing better can be done. */
export function syncDirectory(dir: string): void {
  let descriptor: number | null = null
  try {
    descriptor = openSync(dir, constants.O_RDONLY)
    fsyncSync(descriptor)
  } catch (error) {
    if (systemCode(error) === null) throw error
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

export interface JournalContent {
  readonly records: readonly TrialRecord[]
  /** One sentence for each line that is not a record, with `file:line`. */
  readonly notes: readonly string[]
}

/**
 * Reads a journal. Never throws for what is in it: a last line that was cut (the writer was killed) and lines that are no
 * records of ours, or were changed, are left out and named in `notes`.
 * @throws the system's error when the file cannot be opened.
 */
export function readJournal(file: string): JournalContent {
  const records: TrialRecord[] = []
  const notes: string[] = []
  for (const { number, text, isWhole } of linesOf(file)) {
    const reason = text === null ? 'the line is too long' : keep(text)
    if (reason === null) continue
    const cut = 'the last line was cut while it was written; that trial counts as not run'
    notes.push(`${file}:${number}: ${isWhole ? `not a trial's record, left out: ${reason}` : cut}`)
  }
  return { records, notes }

  function keep(text: string): string | null {
    const parsed = parse(text)
    if (!parsed.ok) return parsed.reason
    const checked = checkTrialRecord(parsed.value)
    if (!checked.ok) return checked.reason
    if (!verifyResultHash(checked.value)) return 'its result_hash does not match: it was changed after it was written'
    records.push(checked.value)
    return null
  }
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { ok: false, reason: 'it is not JSON' }
  }
}

interface JournalLine {
  /** From 1. */
  readonly number: number
  /** null when the line is longer than a record can be. */
  readonly text: string | null
  /** False for a last line without its line break. */
  readonly isWhole: boolean
}

/** Lines of a file, read in blocks so that a journal of any size can be read. Empty lines are left out. */
function* linesOf(file: string): Generator<JournalLine> {
  const descriptor = openSync(file, constants.O_RDONLY)
  try {
    const block = Buffer.alloc(1 << 20)
    let parts: Buffer[] = []
    let length = 0
    let number = 1
    const line = function* (isWhole: boolean): Generator<JournalLine> {
      const text = length > MAX_LINE_BYTES ? null : Buffer.concat(parts).toString('utf8')
      if (length > 0) yield { number, text, isWhole }
      parts = []
      length = 0
      number += 1
    }
    const add = (bytes: Buffer) => {
      length += bytes.length
      if (length <= MAX_LINE_BYTES) parts.push(Buffer.from(bytes))
      else parts = []
    }
    for (let read = readSync(descriptor, block); read > 0; read = readSync(descriptor, block)) {
      let from = 0
      for (let end = block.indexOf(10, from); end !== -1 && end < read; end = block.indexOf(10, from)) {
        add(block.subarray(from, end))
        yield* line(true)
        from = end + 1
      }
      add(block.subarray(from, read))
    }
    yield* line(false)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * All records of one run, from the journals of all its workers, ordered by task and trial; see {@link readJournal}.
 * A run without a journal has none.
 */
export function readJournalsOfRun(resultsDir: string, runId: string): JournalContent {
  return readFiles(resultsDir, name => name.startsWith(`${runId}.`))
}

/** All records of all runs, for resuming; see {@link readJournal}. */
export function readAllJournals(resultsDir: string): JournalContent {
  return readFiles(resultsDir, () => true)
}

function readFiles(resultsDir: string, isWanted: (name: string) => boolean): JournalContent {
  const dir = join(resultsDir, 'journal')
  const records: TrialRecord[] = []
  const notes: string[] = []
  for (const entry of fileNamesIn(dir)) {
    if (!entry.endsWith('.jsonl') || !isWanted(entry)) continue
    const file = join(dir, entry)
    try {
      const content = readJournal(file)
      records.push(...content.records)
      notes.push(...content.notes)
    } catch (error) {
      if (systemCode(error) === null) throw error
      notes.push(`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  records.sort((a, b) => compare(a.task_id, b.task_id) || compare(a.model, b.model) || a.trial_index - b.trial_index)
  return { records, notes }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Ids of other runs that wrote into the folder since then (milliseconds since 1970). */
export function runsBeside(resultsDir: string, runId: string, since: number): readonly string[] {
  const dir = join(resultsDir, 'journal')
  const changedAt = (name: string) => statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const journals = fileNamesIn(dir).filter(name => name.endsWith('.jsonl') && !name.startsWith(`${runId}.`))
  const others = journals.filter(name => changedAt(name) >= since)
  return [...new Set(others.map(name => name.slice(0, name.indexOf('.'))))]
}

/**
 * Makes the results folder and proves that it can be written, before the first test runs: a run of hours must not end with
 * nowhere to put its results.
 * @throws ConfigError code `results_not_writable`.
 */
export function checkResultsDir(dir: string): void {
  const journal = join(dir, 'journal')
  const probe = join(journal, `.probe-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    makeFolders(journal)
    const descriptor = openSync(probe, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      writeAll(descriptor, Buffer.alloc(4_096, 'probe'))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
      unlinkSync(probe)
    }
  } catch (error) {
    throw new ConfigError(...notWritable(dir, error))
  }
}
