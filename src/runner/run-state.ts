import type { TrialRecord } from '../results/record-schema.ts'
import type { TrialPlan } from '../trial/plan.ts'
import type { SandboxAnswer } from './ask-sandbox.ts'
import type { TaskMeta } from './meta.ts'
import type { ServerWatch } from './server-watch.ts'

/** What the main process knows of one run; while Vitest watches, each run has its own. */
export class RunState {
  /** What all models of the run have in common is in the first of their plans; null when there is none. */
  plan: TrialPlan | null = null
  /** What sandboxes are opened from, once a worker has asked for it. */
  sandbox: Promise<SandboxAnswer> | null = null
  /** Its reports are written, or it never began. */
  isFinished = true
  /** What stopped the run, when something did. */
  stop: string | null = null
  /** Models of several whose trials ended before their time, with the reason; by project. */
  readonly stoppedModels = new Map<string, string>()
  /** By project. */
  readonly servers = new Map<string, ServerWatch>()
  /** The test whose worker reported the server; by project. */
  readonly serverAnnotators = new Map<string, string>()
  /** What was said of a server that makes its results doubtful: said again beside them. */
  readonly alarms: string[] = []
  /** Tests whose result was counted. */
  readonly seen = new Set<string>()
  /** Trials that were skipped, by the reason. */
  readonly skipped = new Map<string, number>()
  /** Tasks that were collected. */
  readonly tasks: TaskMeta[] = []
  /** File of each task, by project and id. */
  readonly fileOf = new Map<string, string>()
  /** Keys of earlier records that stand for a trial of this run. */
  readonly resumed = new Set<string>()
  lastTrial: TrialRecord | null = null
  /** Records of earlier runs that count, by key, under `resume`. */
  readonly earlier = new Map<string, TrialRecord>()
  /** Trials that ran to their end, and the milliseconds that they took. */
  trialsDone = 0
  trialsMs = 0
  /** Milliseconds since 1970. */
  readonly startedAt = Date.now()

  /** @param trialsAhead trials when all files are run to their end; null under `-t`, which selects among them */
  constructor(public trialsAhead: number | null) {}
}
