/** The small, versioned data a trial leaves on its Vitest test, for stock reporters, the UI and our own. */
import type { Outcome, Verdict } from '../score/outcome.ts'
import type { Mode } from '../task/task.ts'

export const META_VERSION = 1

/** Type of the annotations in which a worker says what it found out about the model's server. */
export const SERVER_ANNOTATION = 'bench:server'

export interface TrialMeta {
  readonly version: number
  readonly task: string
  /** Name of the model, in a run of several. */
  readonly model?: string
  /** From 1. */
  readonly trial: number
  readonly outcome?: Outcome | 'config'
  readonly score?: number
  readonly turns?: number
  /** `reached`, `reached in turn 4` or `lost`, by flag, in the order of the spec. */
  readonly flags?: Readonly<Record<string, string>>
  readonly failureReason?: string
  /** Code of the fault that an `infra` trial was lost to. */
  readonly fault?: string
  /** What to do about that fault. */
  readonly remedy?: string
  /** Key of the record of an earlier run that stands for this trial, under `resume`. */
  readonly resumed?: string
}

export interface TaskMeta {
  readonly version: number
  readonly task: string
  /** Name of the model, in a run of several. */
  readonly model?: string
  readonly k: number
  readonly trials: number
  /** Absent for tasks without a choice of modes. */
  readonly mode?: Mode
  /** Absent for tasks without instances. */
  readonly instance?: number
  /** A skill without a manifest, which has no verdict. */
  readonly observed?: true
  readonly verdict?: Verdict
}

/** Tells a trial's meta from a task's and from none. */
export function isTrialMeta(meta: TrialMeta | TaskMeta | undefined): meta is TrialMeta {
  return meta !== undefined && 'trial' in meta
}

declare module 'vitest' {
  interface TaskMeta {
    bench?: import('./meta.ts').TrialMeta | import('./meta.ts').TaskMeta
  }
}
