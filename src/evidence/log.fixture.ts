/** Builds trial logs for unit tests from what a test cares about. */
import { createHash } from 'node:crypto'
import type { StubReport, TestReport } from '../sandbox/sandbox.ts'
import type { Entry, Snapshot, SnapshotDelta } from '../sandbox/snapshot.ts'
import type { LoggedCall, TrialLog } from './log.ts'

export interface CallFixture {
  /** A command of execute_command; or give `tool` and `args`. */
  readonly sh?: string
  readonly tool?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly invalid?: LoggedCall['invalid']
  readonly delivered?: string
  readonly exitCode?: number | null
  readonly turn?: number
  /** New texts of files; null deletes. An entry stands for itself. */
  readonly writes?: Readonly<Record<string, string | Entry | null>>
  readonly reports?: readonly TestReport[]
  readonly stubs?: readonly StubReport[]
}

export interface LogFixture {
  readonly prompt?: string
  readonly setup?: Readonly<Record<string, string>>
  readonly calls?: readonly CallFixture[]
  readonly finalAnswer?: string
  readonly answers?: readonly string[]
  readonly state?: unknown
  readonly instance?: unknown
  readonly tokens?: number
  readonly verified?: TrialLog['verified']
  readonly sessionChecks?: TrialLog['sessionChecks']
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function fileEntry(text: string): Entry {
  return { type: 'file', mode: 0o644, size: Buffer.byteLength(text), sha256: sha256(text) }
}

function directoriesAbove(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
}

const snapshotOf = (entries: ReadonlyMap<string, Entry>): Snapshot => {
  return { root: '', entries: new Map(entries), truncated: null }
}

export function makeLog(fixture: LogFixture): TrialLog {
  const entries = new Map<string, Entry>()
  const lay = (path: string, entry: Entry) => {
    for (const directory of directoriesAbove(path)) entries.set(directory, { type: 'directory', mode: 0o755 })
    entries.set(path, entry)
  }
  for (const [path, text] of Object.entries(fixture.setup ?? {})) lay(path, fileEntry(text))
  const baseline = snapshotOf(entries)
  const contents = new Map<string, string>()

  const calls = (fixture.calls ?? []).map((call, index): LoggedCall => {
    const changed = new Map<string, Entry>()
    const deleted: string[] = []
    const written = new Map<string, string>()
    for (const [path, content] of Object.entries(call.writes ?? {})) {
      if (content === null) {
        deleted.push(path)
        entries.delete(path)
        continue
      }
      const entry = typeof content === 'string' ? fileEntry(content) : content
      lay(path, entry)
      changed.set(path, entry)
      if (typeof content === 'string') {
        written.set(sha256(content), content)
        contents.set(sha256(content), content)
      }
    }
    const delta: SnapshotDelta = { root: '', changed, deleted, contents: written, truncated: null }
    return {
      call: index + 1,
      turn: call.turn ?? index + 1,
      tool: call.tool ?? 'execute_command',
      args: call.args ?? (call.sh === undefined ? {} : { command: call.sh }),
      invalid: call.invalid ?? null,
      exitCode: call.exitCode === undefined ? 0 : call.exitCode,
      stopped: null,
      delivered: call.delivered ?? '',
      durationMs: 1,
      testReports: call.reports ?? [],
      stubReports: call.stubs ?? [],
      delta: call.writes === undefined ? null : delta,
    }
  })
  return {
    prompt: fixture.prompt ?? 'Do the task.',
    baseline,
    setupText: new Map(Object.entries(fixture.setup ?? {})),
    calls,
    final: snapshotOf(entries),
    contents,
    finalAnswer: fixture.finalAnswer ?? '',
    answers: fixture.answers ?? [fixture.finalAnswer ?? ''],
    state: fixture.state,
    instance: fixture.instance,
    tokens: fixture.tokens ?? null,
    verified: fixture.verified ?? new Map(),
    sessionChecks: fixture.sessionChecks ?? new Map(),
  }
}

export interface SessionFixture {
  readonly pid?: number
  readonly passed?: number
  readonly failed?: number
  readonly errors?: number
  /** null: the session died, only its start was reported. */
  readonly status: number | null
  readonly cwd?: string
  readonly argv?: readonly string[] | null
}

/** The reports of one test session. */
export function sessionReports(session: SessionFixture): TestReport[] {
  const { passed = 0, failed = 0, errors = 0 } = session
  const argv = session.argv === undefined ? ['/usr/bin/python3', '/usr/bin/pytest', '-q'] : session.argv
  const sender = { pid: session.pid ?? 100, uid: 1000, argv }
  const none = { collected: 0, passed: 0, failed: 0, errors: 0, skipped: 0, status: null, failures: [] }
  const start: TestReport = { event: 'start', sender, cwd: session.cwd ?? '/workspace', ...none }
  if (session.status === null) return [start]
  const counts = { collected: passed + failed, passed, failed, errors, status: session.status }
  return [start, { ...start, event: 'finish', ...counts }]
}

/** The report of a call of a stub with this text. */
export const stubReport = (path: string, text: string, args: readonly string[]): StubReport => {
  const caller = { interpreter: 'bash', cwd: '/workspace', sender: { pid: 200, uid: 1000 } }
  return { path, sha256: sha256(text), args, ...caller }
}
