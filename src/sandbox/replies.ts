/** Reads what an executor answered. A reply that does not have its form throws a TypeError: that sandbox is not believed. */
import { decodeEntries, decodeNames } from './manifest.ts'
import type { CapturedStream, ExecResult, ReadResult, StopReason, StubReport, TestReport } from './sandbox.ts'
import type { FileContent, Snapshot, SnapshotDelta } from './snapshot.ts'
import { parseStubReport } from './stub-reports.ts'
import { parseTestReport } from './test-reports.ts'

type Fields = Readonly<Record<string, unknown>>

/** A text that begins with a byte order mark keeps it: its bytes must stay those of the hash. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export function objectField(fields: Fields, name: string): Fields {
  const value = fields[name]
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${name} is not an object`)
  return { ...value }
}

export function numberField(fields: Fields, name: string): number {
  return toNumber(fields[name], name)
}

export function textField(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw new TypeError(`${name} is not text`)
  return value
}

function listField(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`)
  return value
}

function toNumber(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError(`${name} is not a number`)
  return value
}

/** Cuts a body into pieces of announced lengths, and makes sure that they are all of it. */
class Pieces {
  readonly #body: Uint8Array
  #position = 0

  constructor(body: Uint8Array) {
    this.#body = body
  }

  take(length: number): Uint8Array {
    const end = this.#position + length
    if (!Number.isInteger(length) || length < 0 || end > this.#body.length)
      throw new TypeError('a body that is too short')
    const piece = this.#body.subarray(this.#position, end)
    this.#position = end
    return piece
  }

  end(): void {
    if (this.#position !== this.#body.length) throw new TypeError('a body that is too long')
  }
}

function truncation(fields: Fields): Snapshot['truncated'] {
  const { truncated } = fields
  if (truncated === null || truncated === 'depth' || truncated === 'entries' || truncated === 'bytes') return truncated
  throw new TypeError('truncated is not a reason')
}

/** A whole snapshot; the body is its entries. */
export function readSnapshot(fields: Fields, body: Uint8Array): Snapshot {
  return { root: textField(fields, 'root'), entries: decodeEntries(body), truncated: truncation(fields) }
}

/** A delta; the body is changed entries, deleted paths, and texts. */
export function readDelta(fields: Fields, body: Uint8Array): SnapshotDelta {
  const pieces = new Pieces(body)
  const delta = takeDelta(fields, pieces)
  pieces.end()
  return delta
}

function takeDelta(fields: Fields, pieces: Pieces): SnapshotDelta {
  const changed = decodeEntries(pieces.take(numberField(fields, 'changed')))
  const deleted = decodeNames(pieces.take(numberField(fields, 'deleted')))
  const contents = new Map<string, string>()
  for (const item of listField(fields, 'texts')) {
    const [sha256, length] = Array.isArray(item) ? item : []
    if (typeof sha256 !== 'string') throw new TypeError('a text without its hash')
    contents.set(sha256, utf8.decode(pieces.take(toNumber(length, 'length of a text'))))
  }
  return { root: textField(fields, 'root'), changed, deleted, contents, truncated: truncation(fields) }
}

function toStopReason(value: unknown): StopReason | null {
  if (value === null || value === 'timeout' || value === 'output' || value === 'cancelled') return value
  throw new TypeError('stopped is not a reason')
}

function takeStream(item: unknown, pieces: Pieces): CapturedStream {
  const [head, tail, total] = Array.isArray(item) ? item : []
  return {
    // Copies: a view would keep the whole frame in memory for as long as the trial is remembered.
    head: pieces.take(toNumber(head, 'length of a head')).slice(),
    tail: pieces.take(toNumber(tail, 'length of a tail')).slice(),
    totalBytes: toNumber(total, 'length of a stream'),
  }
}

/**
 * Result of a command.
 * @param lastRoot Root of the snapshot before: the delta of a call that took none is empty and names it.
 */
export function readExecResult(fields: Fields, body: Uint8Array, uid: number, lastRoot: string): ExecResult {
  const pieces = new Pieces(body)
  const [stdout, stderr] = listField(fields, 'streams')
  const capturedOutput = takeStream(stdout, pieces)
  const capturedErrors = takeStream(stderr, pieces)
  const hasDelta = fields.delta !== null
  const delta: SnapshotDelta = hasDelta
    ? takeDelta(objectField(fields, 'delta'), pieces)
    : { root: lastRoot, changed: new Map(), deleted: [], contents: new Map(), truncated: null }
  pieces.end()
  const messages = listField(fields, 'reports')
  const testReports = messages
    .map(message => parseTestReport(message, uid))
    .filter((report): report is TestReport => report !== null)
  const stubReports = listField(fields, 'stubReports')
    .map(report => parseStubReport(report, uid))
    .filter((report): report is StubReport => report !== null)
  return {
    exitCode: fields.exitCode === null ? null : numberField(fields, 'exitCode'),
    stopped: toStopReason(fields.stopped),
    durationMs: numberField(fields, 'durationMs'),
    stdout: capturedOutput,
    stderr: capturedErrors,
    testReports,
    stubReports,
    droppedReports: numberField(fields, 'droppedReports') + messages.length - testReports.length,
    delta,
  }
}

export function readReadResult(fields: Fields, body: Uint8Array): ReadResult {
  return {
    bytes: body.slice(),
    firstLine: numberField(fields, 'firstLine'),
    lineCount: numberField(fields, 'lineCount'),
    totalLines: numberField(fields, 'totalLines'),
    totalBytes: numberField(fields, 'totalBytes'),
  }
}

export interface CollectedPart {
  readonly files: ReadonlyMap<string, FileContent>
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
  /** Index of the path to go on with, or null at the end. */
  readonly next: number | null
}

export function readCollected(fields: Fields, body: Uint8Array): CollectedPart {
  const pieces = new Pieces(body)
  const files = new Map<string, FileContent>()
  for (const item of listField(fields, 'files')) {
    const [path, mode, length] = Array.isArray(item) ? item : []
    if (typeof path !== 'string') throw new TypeError('a collected file without a path')
    files.set(path, {
      mode: toNumber(mode, 'mode') & 0o777,
      bytes: pieces.take(toNumber(length, 'length of a file')).slice(),
    })
  }
  pieces.end()
  const refused = listField(fields, 'refused').map(item => {
    const [path, reason] = Array.isArray(item) ? item : []
    if (typeof path !== 'string' || typeof reason !== 'string') throw new TypeError('a refusal without path or reason')
    return { path, reason }
  })
  return { files, refused, next: fields.next === null ? null : numberField(fields, 'next') }
}
