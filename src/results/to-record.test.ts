import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoggedCall, TrialLog } from '../evidence/log.ts'
import { NO_STATS } from '../model/plan.fixture.ts'
import type { Entry, Snapshot } from '../sandbox/snapshot.ts'
import { infraRecord, sampleCall, sampleRecord } from './sample-record.fixture.ts'
import { boundedText, logToRecordParts, publicUrl, recordFlags, recordToLog } from './to-record.ts'
import { checkTrialRecord } from './validate.ts'

/** Any UTF-16, lone surrogates too: file names need not be valid Unicode. */
const anyPath = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('a\ud800b', '__proto__', '7', '\udcff'),
)
/** As JSON text gives it: no −0. */
const jsonValue = fc.jsonValue({ maxDepth: 5 }).map(value => JSON.parse(JSON.stringify(value)) as unknown)
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/)
const mode = fc.integer({ min: 0, max: 0o7777 })
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ type: fc.constant('file' as const), mode, size: fc.nat(), sha256 }),
  fc.record({ type: fc.constant('directory' as const), mode }),
  fc.record({ type: fc.constant('symlink' as const), target: anyPath }),
  fc.record({ type: fc.constant('special' as const), mode }),
)
const truncated = fc.constantFrom('depth' as const, 'entries' as const, 'bytes' as const, null)
const entries = fc.array(fc.tuple(anyPath, entry), { maxLength: 5 }).map(pairs => new Map(pairs))
const snapshot: fc.Arbitrary<Snapshot> = fc.record({ root: fc.string(), entries, truncated })
const digests = fc.array(fc.stringMatching(/^[0-9a-f]{12}$/), { maxLength: 3 })
const sessionReport = {
  event: fc.constantFrom('start' as const, 'finish' as const),
  sender: fc.record({ pid: fc.nat(), uid: fc.nat(), argv: fc.option(fc.array(fc.string())) }),
  cwd: anyPath,
  collected: fc.integer(),
  passed: fc.integer(),
  failed: fc.integer(),
  errors: fc.integer(),
  skipped: fc.integer(),
  status: fc.option(fc.integer()),
  failures: fc.array(fc.string()),
}
const testReport = fc.oneof(
  fc.record(sessionReport),
  fc.record({ ...sessionReport, tests: fc.option(fc.record({ passed: digests, failed: digests })) }),
)

const stubCall = {
  path: anyPath,
  sha256,
  args: fc.array(fc.string()),
  interpreter: fc.string(),
  cwd: anyPath,
  sender: fc.record({ pid: fc.integer(), uid: fc.integer() }),
}
const stubReport = fc.oneof(
  fc.record(stubCall),
  fc.record({ ...stubCall, status: fc.option(fc.integer({ min: 0, max: 255 })) }),
)

/** Texts by the hash they are stored under; like real hashes, one hash never stands for two texts. */
function call(pool: readonly (readonly [string, string])[]): fc.Arbitrary<LoggedCall> {
  return fc.record({
    call: fc.nat(),
    turn: fc.nat(),
    tool: fc.string(),
    args: fc.dictionary(fc.string(), jsonValue),
    invalid: fc.constantFrom('unknown_tool' as const, 'malformed_arguments' as const, null),
    exitCode: fc.option(fc.integer()),
    stopped: fc.constantFrom('timeout' as const, 'output' as const, 'cancelled' as const, null),
    delivered: fc.string({ unit: 'binary' }),
    durationMs: fc.nat(),
    testReports: fc.array(testReport, { maxLength: 2 }),
    stubReports: fc.array(stubReport, { maxLength: 2 }),
    delta: fc.option(
      fc.record({
        root: fc.string(),
        changed: entries,
        deleted: fc.array(anyPath, { maxLength: 3 }),
        contents: fc.subarray([...pool]).map(pairs => new Map(pairs)),
        truncated,
      }),
    ),
  })
}

const log: fc.Arbitrary<TrialLog> = fc
  .uniqueArray(fc.tuple(sha256, fc.string({ unit: 'binary' })), { maxLength: 5, selector: ([hash]) => hash })
  .chain(pool =>
    fc.record({
      prompt: fc.string(),
      baseline: snapshot,
      setupText: fc.array(fc.tuple(anyPath, fc.string()), { maxLength: 4 }).map(pairs => new Map(pairs)),
      calls: fc.array(call(pool), { maxLength: 4 }),
      final: snapshot,
      contents: fc.constant(new Map(pool)),
      finalAnswer: fc.string(),
      answers: fc.array(fc.string(), { minLength: 2, maxLength: 3 }),
      state: fc.option(jsonValue, { nil: undefined }),
      instance: fc.constant(undefined),
      tokens: fc.constant(null),
      verified: fc
        .dictionary(fc.string(), fc.record({ ok: fc.boolean(), reason: fc.string() }))
        .map(checks => new Map(Object.entries(checks))),
      sessionChecks: fc
        .uniqueArray(fc.nat(), { maxLength: 3 })
        .map(calls => new Map(calls.map(n => [n, { call: n, verdict: 'confirmed' as const, reason: 'r' }]))),
    }),
  )

/** Durations go through seconds, so they come back with the error of a division. */
function withRoundedDurations(log: TrialLog): TrialLog {
  return { ...log, calls: log.calls.map(call => ({ ...call, durationMs: Math.round(call.durationMs) })) }
}

describe('recordToLog', () => {
  it('gives back the log that was recorded, through the schema and through the file', () => {
    fc.assert(
      fc.property(log, original => {
        const record = sampleRecord(logToRecordParts(original))
        const line = JSON.stringify(record)
        expect(line.isWellFormed()).toBe(true)
        const read: unknown = JSON.parse(line)
        const checked = checkTrialRecord(read)
        if (!checked.ok) throw new Error(checked.reason)
        expect(withRoundedDurations(recordToLog(checked.value))).toEqual(withRoundedDurations(original))
      }),
    )
  })

  it('says that a trial which never started has no log', () => {
    const withoutLog = expect.objectContaining({ code: 'record_without_log' })
    expect(() => recordToLog(infraRecord(0, 'server_5xx', 'HTTP 500'))).toThrow(withoutLog)
  })
})

describe('boundedText', () => {
  it('cuts at the limit, never inside a character, and says how much is missing', () => {
    expect(boundedText('ab😀cd', 3)).toBe('ab\n[… 4 characters left out of the record …]')
    expect(boundedText('x'.repeat(200_001)).length).toBeLessThan(200_100)
  })

  it('makes text of a model valid Unicode', () => {
    expect(boundedText('a\ud800b')).toBe('a\ufffdb')
  })
})

describe('recordFlags', () => {
  it('adds up the time of model and tools to the end of the turn', () => {
    const stats = { ...NO_STATS, elapsedMs: 1_000 }
    const turns = [1, 2, 3].map(turn => ({ turn, text: '', reasoning: null, finishReason: null, stats }))
    const { calls } = recordToLog(sampleRecord({ turn_logs: [1, 2, 3].map(turn => sampleCall(turn)) }))
    const flag = { id: 'a', reached: true, turn: 2, reason: '', stack: null }
    const recorded = recordFlags([flag, { ...flag, turn: null }], { calls, turns })
    expect(recorded.map(result => result.elapsed_sec)).toEqual([2.5, null])
  })
})

describe('publicUrl', () => {
  it('leaves out user, password and query', () => {
    expect(publicUrl('http://me:secret@host:8080/v1?key=abc')).toBe('http://host:8080/v1')
    expect(publicUrl('http://localhost:8080/v1')).toBe('http://localhost:8080/v1')
    expect(publicUrl('not a url')).toBe('not a url')
  })
})
