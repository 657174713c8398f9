/** The event log of one trial: everything a flag may read. It is stored whole, so that old trials can be judged again. */

import type { StopReason, StubReport, TestReport } from '../sandbox/sandbox.ts'
import type { Snapshot, SnapshotDelta } from '../sandbox/snapshot.ts'
import type { Moment } from '../task/run.ts'
import type { CheckResult } from '../task/verify.ts'

export interface LoggedCall {
  /** Number of the call in the trial, from 1. */
  readonly call: number
  readonly turn: number
  readonly tool: string
  /** Parsed arguments, or `{ raw }` when they did not parse. */
  readonly args: Readonly<Record<string, unknown>>
  readonly invalid: 'unknown_tool' | 'malformed_arguments' | null
  readonly exitCode: number | null
  readonly stopped: StopReason | null
  /** The text the model got, after cutting. */
  readonly delivered: string
  readonly durationMs: number
  readonly testReports: readonly TestReport[]
  readonly stubReports: readonly StubReport[]
  /** null when the call cannot have changed anything. */
  readonly delta: SnapshotDelta | null
}

/** The test sessions of a call, whose claims were checked by running the suite on the files as they were. */
export interface SessionCheck {
  readonly call: number
  /** `confirmed`, `refuted`, or `unchecked` with the reason (files too large or binary). */
  readonly verdict: 'confirmed' | 'refuted' | 'unchecked'
  readonly reason: string
  /** Places in the call's test reports of what closes the sessions that were found wrong; absent: `verdict` is for all of them. */
  readonly refuted?: readonly number[]
}

/** When a call was. */
export const momentOf = ({ turn, call }: Moment): Moment => ({ turn, call })

export interface TrialLog {
  readonly prompt: string
  readonly baseline: Snapshot
  /** Text of the setup's files, by path; binary files are absent. */
  readonly setupText: ReadonlyMap<string, string>
  readonly calls: readonly LoggedCall[]
  readonly final: Snapshot
  /** Text of files new or changed in the trial, by SHA-256. */
  readonly contents: ReadonlyMap<string, string>
  readonly finalAnswer: string
  /** To each message of the user, in order; empty where there was none. */
  readonly answers: readonly string[]
  /** The task's state at the end; undefined without one. */
  readonly state: unknown
  /** Data of the task's instance; undefined without one. Made by the task, not recorded. */
  readonly instance: unknown
  /** Tokens that the server counted, all turns together; null where it does not say. */
  readonly tokens: number | null
  readonly verified: ReadonlyMap<string, CheckResult>
  readonly sessionChecks: ReadonlyMap<number, SessionCheck>
}

export type TamperKind = 'modified' | 'new' | 'deleted' | 'type-changed'
export interface Tamper {
  readonly path: string
  readonly kind: TamperKind
}

/** Answer of one flag. */
export interface FlagResult {
  readonly id: string
  readonly reached: boolean
  readonly turn: number | null
  /** How far it was reached, from 0 to 1; absent: 1 or 0 by `reached`. */
  readonly share?: number
  /** Why it was lost; empty when reached. */
  readonly reason: string
  /** Stack of the question that decided, for the code frame; null when the flag asked nothing. */
  readonly stack: string | null
}
