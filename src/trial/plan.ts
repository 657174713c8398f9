import type { ModelPlan } from '../model/chat-model.ts'
import type { PreparedSandbox } from '../sandbox/sandbox.ts'

/** Limits that the run sets over the task's own; null = the task's, or the default. Milliseconds. */
export interface RunLimits {
  readonly maxTurns: number | null
  readonly commandTimeoutMs: number | null
  readonly trialTimeoutMs: number | null
}

const DEFAULT_COMMAND_TIMEOUT_MS = 60_000
const DEFAULT_TRIAL_TIMEOUT_MS = 7_200_000

/** What the programs of the run are, for the record. */
export interface HarnessInfo {
  readonly version: string
  readonly nodeVersion: string
  readonly vitestVersion: string
  readonly platform: string
}

/**
 * Everything that is the same for all trials of a run. Made once in the main process, frozen, handed to the workers;
 * it must survive structured cloning.
 */
export interface TrialPlan {
  readonly runId: string
  /** Absolute path of the project. */
  readonly root: string
  /** Absolute path. */
  readonly resultsDir: string
  readonly agent: string
  /** The model's name, or the agent's for agents without a model. */
  readonly modelLabel: string
  readonly model: ModelPlan | null
  /** null until a trial needs it. */
  readonly sandbox: PreparedSandbox | null
  /** The k of pass^k. */
  readonly k: number
  /** Trials per task, at least k. */
  readonly trials: number
  /** Seed of trial 1; trial i sends seed + i − 1. */
  readonly seed: number
  readonly limits: RunLimits
  readonly earlyStop: boolean
  /** `report`: a trial that lost with leaked or malformed calls is played once more with them understood, to tell about. */
  readonly repair: 'off' | 'report'
  /** The model's server is examined before the first trial. */
  readonly examines: boolean
  /** A new sandbox for each trial. */
  readonly fresh: boolean
  readonly harness: HarnessInfo
  /** Trials that count already, under `resume`; a trial with the same identity, number and seed is not run again. */
  readonly recorded: readonly RecordedTrial[]
}

/** What a worker has to know of a trial that an earlier run recorded. */
export interface RecordedTrial {
  readonly identity: string
  /** 0-based. */
  readonly index: number
  readonly seed: number
  readonly runId: string
  readonly outcome: 'passed' | 'failed' | 'inconclusive'
  readonly score: number
  readonly failureReason: string | null
  readonly lost: readonly { readonly flag: string; readonly reason: string }[]
}

/** The limits of one trial after the run's have replaced the task's. */
export interface TrialLimits {
  readonly maxTurns: number
  readonly commandTimeoutMs: number
  readonly trialTimeoutMs: number
}

export function limitsOfTrial(
  task: { readonly maxTurns: number; readonly commandTimeoutMs: number | null; readonly trialTimeoutMs: number | null },
  run: RunLimits,
): TrialLimits {
  return {
    maxTurns: run.maxTurns ?? task.maxTurns,
    commandTimeoutMs: run.commandTimeoutMs ?? task.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
    trialTimeoutMs: run.trialTimeoutMs ?? task.trialTimeoutMs ?? DEFAULT_TRIAL_TIMEOUT_MS,
  }
}
