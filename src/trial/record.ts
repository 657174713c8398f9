/** From how a trial ended to its record. */
import { basename, dirname } from 'node:path'
import type { ModelPlan } from '../model/chat-model.ts'
import { identityHash, transcriptHash } from '../results/hash.ts'
import type { UnsealedRecord } from '../results/journal.ts'
import { type IdentityParts, type RecordedEnvironment, SCHEMA_VERSION } from '../results/record-schema.ts'
import { asJson, stateChanges } from '../results/state-diff.ts'
import {
  boundedText,
  logToRecordParts,
  publicUrl,
  recordFlags,
  recordResetProof,
  recordSampling,
  recordSandbox,
  recordServer,
  recordTurns,
  servedModels,
} from '../results/to-record.ts'
import { trialStats } from '../results/trial-stats.ts'
import type { PreparedSandbox } from '../sandbox/sandbox.ts'
import { questionOf } from '../task/fingerprint.ts'
import { moduleOf } from '../task/suite.ts'
import type { Task } from '../task/task.ts'
import { needsSandbox, toolsOf } from './offer.ts'
import { limitsOfTrial, type TrialPlan } from './plan.ts'
import type { TrialFinding } from './run-trial.ts'
import type { TrialEnd } from './trial-worker.ts'

export interface RecordContext {
  readonly task: Task
  /** 0-based. */
  readonly index: number
  readonly plan: TrialPlan
  /** Relative to the project. */
  readonly specFile: string
  /** SHA-256 of the report of the server's examination; null where there is none. */
  readonly examination: string | null
  /** Folder of the exported artifacts, relative to the results directory, and the paths in it. */
  readonly artifacts: { readonly dir: string | null; readonly paths: readonly string[] }
}

type Shared = Pick<UnsealedRecord, 'environment' | 'identity' | 'identity_parts'>

function recordedLimits(task: Task, plan: TrialPlan): RecordedEnvironment['limits'] {
  const limits = limitsOfTrial(task, plan.limits)
  return {
    max_turns: limits.maxTurns,
    command_timeout_sec: limits.commandTimeoutMs / 1_000,
    trial_timeout_sec: limits.trialTimeoutMs / 1_000,
  }
}

/** The sandbox that trials of a task run in under a plan; null for tasks that need none. */
function sandboxOf(task: Task, plan: TrialPlan): PreparedSandbox | null {
  return needsSandbox(task, toolsOf(task)) ? plan.sandbox : null
}

/** Identity of a task's trials under a plan: what may be pooled, and what resuming may skip. */
export function identityOf(task: Task, plan: TrialPlan): { readonly hash: string; readonly parts: IdentityParts } {
  const sandbox = sandboxOf(task, plan)
  const parts: IdentityParts = {
    task_id: task.id,
    task_fingerprint: task.fingerprint,
    model: plan.modelLabel,
    server: plan.model === null ? null : recordServer(plan.model.server),
    agent: plan.agent,
    driver: sandbox?.driver ?? null,
    image_digest: sandbox?.image?.digest ?? null,
    sampling: plan.model === null ? null : recordSampling(plan.model.sampling),
    limits: recordedLimits(task, plan),
  }
  return { hash: identityHash(parts), parts }
}

function recordLabels(model: ModelPlan | null): RecordedEnvironment['model_labels'] {
  if (model === null) return null
  return { size: model.labels?.size ?? null, quantisation: model.labels?.quantisation ?? null }
}

function shared({ task, plan, examination }: RecordContext): Shared {
  const { hash, parts } = identityOf(task, plan)
  const sandbox = sandboxOf(task, plan)
  return {
    identity: hash,
    identity_parts: parts,
    environment: {
      harness_version: plan.harness.version,
      node_version: plan.harness.nodeVersion,
      platform: plan.harness.platform,
      vitest_version: plan.harness.vitestVersion,
      test_runner: sandbox?.testRunner ?? 'none',
      sandbox_image: sandbox?.image?.name ?? null,
      base_url: plan.model === null ? null : publicUrl(plan.model.baseUrl),
      model: plan.modelLabel,
      served_name: plan.model?.model ?? null,
      model_labels: recordLabels(plan.model),
      server: parts.server,
      replayed: plan.model?.recording?.mode === 'replay',
      server_examination: examination,
      sampling: parts.sampling,
      limits: parts.limits,
    },
  }
}

/** What is known of a trial that was judged. */
function judged(finding: TrialFinding, task: Task) {
  const { log, turns, flags, tamper, sandbox } = finding
  return {
    outcome: finding.outcome,
    passed: finding.outcome === 'passed',
    score: finding.score,
    failure_reason: finding.failureReason,
    failure_detail: finding.failureDetail === null ? null : boundedText(finding.failureDetail),
    ending: {
      reason: finding.ending.reason,
      detail: finding.ending.detail === null ? null : boundedText(finding.ending.detail),
    },
    turns_taken: Math.max(0, ...turns.map(turn => turn.turn), ...log.calls.map(call => call.turn)),
    total_elapsed_sec: finding.elapsedMs / 1_000,
    started_at: finding.startedAt.toISOString(),
    invalid_tool_call_count: log.calls.filter(call => call.invalid !== null).length,
    unknown_tool_call_count: log.calls.filter(call => call.invalid === 'unknown_tool').length,
    skill_results: recordFlags(flags, { calls: log.calls, turns }),
    turns: recordTurns(turns),
    stats: trialStats(turns),
    models_served: servedModels(turns),
    tamper_detected: tamper.length > 0,
    tamper: tamper.map(({ path, kind }) => ({ path, kind })),
    ...logToRecordParts(log),
    ...(finding.points === null ? {} : { points: finding.points }),
    ...(log.state === undefined ? {} : { state_changes: stateChanges(asJson(task.state?.()), asJson(log.state)) }),
    reset_proof: finding.resetProof && recordResetProof(finding.resetProof),
    verify_reset_proof: finding.verifyResetProof && recordResetProof(finding.verifyResetProof),
    sandbox: sandbox && recordSandbox(sandbox),
    transcript_hash: transcriptHash({ turns, calls: log.calls, finalText: finding.ending.finalText }),
  }
}

/** A trial lost to faults: nothing of it is known, and but for a sandbox lost by the agent nothing is said about the model. */
function faulted(end: Extract<TrialEnd, { kind: 'infra' | 'lost' }>, task: Task) {
  const last = end.faults.at(-1)
  const isLost = end.kind === 'lost'
  return {
    outcome: isLost ? ('failed' as const) : ('infra' as const),
    passed: false,
    score: isLost ? 0 : null,
    failure_reason: last?.code ?? 'unknown_fault',
    failure_detail:
      last === undefined ? null : boundedText(isLost ? last.detail : `${last.detail}\nremedy: ${last.remedy}`),
    ending: null,
    turns_taken: 0,
    total_elapsed_sec: end.elapsedMs / 1_000,
    started_at: end.startedAt.toISOString(),
    invalid_tool_call_count: 0,
    unknown_tool_call_count: 0,
    skill_results: [],
    turns: [],
    stats: null,
    models_served: [],
    tamper_detected: false,
    tamper: [],
    prompt: task.prompt,
    baseline: null,
    final: null,
    setup_text: [],
    turn_logs: [],
    contents: {},
    final_text: null,
    verified: [],
    session_checks: [],
    left_out: [],
    reset_proof: null,
    verify_reset_proof: null,
    sandbox: null,
    transcript_hash: transcriptHash({ turns: [], calls: [], finalText: null }),
  }
}

function suiteParts({ id, suite }: Task): { readonly suite_title?: string; readonly module?: string } {
  if (suite === null) return {}
  const module = moduleOf(suite, id)
  return { suite_title: suite.title, ...(module === null ? {} : { module }) }
}

/** The record of a trial that ran. Skipped trials have none: nothing was tried. */
export function recordOf(end: Exclude<TrialEnd, { kind: 'skipped' }>, context: RecordContext): UnsealedRecord {
  const { task, plan, index } = context
  return {
    schema_version: SCHEMA_VERSION,
    run_id: plan.runId,
    task_id: task.id,
    task_title: task.title,
    observed: task.isObserved,
    task_fingerprint: task.fingerprint,
    suite: basename(dirname(context.specFile)),
    ...suiteParts(task),
    ...(task.mode === null ? {} : { mode: task.mode }),
    ...(task.instance === null ? {} : { instance: task.instance.number }),
    spec_file: context.specFile,
    model: plan.modelLabel,
    agent: plan.agent,
    trial_index: index,
    seed: plan.seed + index,
    k: plan.k,
    trials_planned: plan.trials,
    skill_ids: [...task.flags.keys()],
    question: questionOf(task),
    allowed_writes: task.allowedWrites,
    repaired: end.kind === 'judged' ? end.repaired : null,
    artifacts_dir: context.artifacts.dir,
    artifacts: context.artifacts.paths,
    infra_attempts: end.faults.map(({ code, detail }) => ({ code, detail: boundedText(detail, 4_000) })),
    ...shared(context),
    ...(end.kind === 'judged' ? judged(end.finding, task) : faulted(end, task)),
  }
}
