/** Runs the probes of an examination, one after another, each within its deadline. */
import type { ModelPlan } from '../model/chat-model.ts'
import { createExaminer, type Examiner } from './examiner.ts'
import {
  doubtOf,
  type Examination,
  type Finding,
  Judged,
  type Judgement,
  plain,
  unclear,
  type Verdict,
} from './finding.ts'
import { examineLongArguments, examineNestedArguments } from './probes/arguments.ts'
import * as basics from './probes/basics.ts'
import * as calls from './probes/calls.ts'
import * as conversation from './probes/conversation.ts'
import { examineOverflow, examineWindow } from './probes/window.ts'
import { serverDigest } from './report-file.ts'

type Probe = (examiner: Examiner) => Promise<Judgement>

/** In the order in which they are examined and shown. */
export const PROBES = {
  readiness: examiner => basics.examineReadiness(examiner),
  model: basics.examineModel,
  usage: basics.examineUsage,
  speed: basics.examineSpeed,
  window: examiner => examineWindow(examiner),
  overflow: examineOverflow,
  tool_call: calls.examineToolCall,
  several_calls: calls.examineSeveralCalls,
  nested_arguments: examineNestedArguments,
  long_arguments: examineLongArguments,
  replay: conversation.examineReplay,
  tool_result: conversation.examineToolResult,
  tool_choice: calls.examineToolChoice,
  reasoning: conversation.examineReasoning,
  stop_reason: conversation.examineStopReason,
  length_stop: conversation.examineLengthStop,
  abort: conversation.examineAbort,
  determinism: conversation.examineDeterminism,
  slots: basics.examineSlots,
} satisfies Readonly<Record<string, Probe>>

/** The commonest faults. The last probe has the time that the others leave. */
const QUICK_PROBES: Readonly<Record<string, Probe>> = {
  readiness: examiner => basics.examineReadiness(examiner, 100),
  tool_call: calls.examineToolRoundTrip,
  window: examiner => examineWindow(examiner, [0.9]),
}

export interface ExaminationOptions {
  readonly signal: AbortSignal
  /** Trials that are going to run at once; 1. */
  readonly workers?: number
  /** Milliseconds for all probes together; five minutes. */
  readonly budgetMs?: number
  /** Called after each probe, for progress. */
  readonly onFinding?: (finding: Finding) => void
}

/**
 * Examines a server with all probes. What a server does is a finding, never an exception.
 * @throws the signal's reason
 * @example const { verdict, findings } = await examine(plan, { signal })
 */
export function examine(plan: ModelPlan, options: ExaminationOptions): Promise<Examination> {
  return run(plan, 'full', PROBES, { budgetMs: 300_000, probeMs: 30_000, maxPromptTokens: 32_768, ...options })
}

/**
 * The quick form, for the start of a run: readiness, one tool round trip, context window; five requests on a healthy
 * server, under the ten seconds after which a run without it would have begun. What is not done by then is `unclear`:
 * a slow server is not a broken one.
 * @throws the signal's reason
 */
export function quickExamination(plan: ModelPlan, signal: AbortSignal): Promise<Examination> {
  // 5,000 tokens are enough to find the 4,096 that some servers start with, and few enough to be read in time.
  return run(plan, 'quick', QUICK_PROBES, { signal, budgetMs: 9_000, probeMs: 5_000, maxPromptTokens: 5_000 })
}

async function run(
  plan: ModelPlan,
  kind: Examination['kind'],
  probes: Readonly<Record<string, Probe>>,
  options: ExaminationOptions & Readonly<Record<'budgetMs' | 'probeMs' | 'maxPromptTokens', number>>,
): Promise<Examination> {
  const startedAt = performance.now()
  const examinedAt = new Date().toISOString()
  let deadlineAt = 0
  let signal = options.signal
  const examiner = createExaminer(plan, {
    workers: options.workers ?? 1,
    maxPromptTokens: options.maxPromptTokens,
    signal: () => signal,
    remainingMs: () => Math.max(0, deadlineAt - performance.now()),
  })
  const findings: Finding[] = []
  /** Why the next probe is not even begun. */
  const hindrance = (probeMs: number): string | null => {
    const [first] = findings
    if (first?.verdict === 'broken') return 'because the server does not answer'
    if (kind === 'quick' && first?.verdict === 'unclear') return 'because the first answer took too long'
    return probeMs <= 0 ? 'because the time for the examination was over' : null
  }
  const judged = async (judge: Probe, probeMs: number): Promise<Judgement> => {
    const why = hindrance(probeMs)
    if (why !== null) return unclear(`not examined, ${why}`)
    const timeout = AbortSignal.timeout(Math.ceil(probeMs))
    signal = AbortSignal.any([options.signal, timeout])
    deadlineAt = performance.now() + probeMs
    try {
      return await judge(examiner)
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason
      if (error instanceof Judged) return error.judgement
      if (!timeout.aborted) throw error
      return unclear(`not done within ${Math.round(probeMs / 1_000)} s`)
    }
  }
  const all = Object.entries(probes)
  for (const [probe, judge] of all) {
    options.signal.throwIfAborted()
    const leftMs = options.budgetMs - (performance.now() - startedAt)
    // The last one keeps nobody waiting; in the quick form it is the one that needs the time.
    const isLast = findings.length === all.length - 1
    const finding = { probe, ...(await judged(judge, isLast ? leftMs : Math.min(options.probeMs, leftMs))) }
    options.signal.throwIfAborted()
    findings.push(finding)
    options.onFinding?.(finding)
  }
  const worst = (['broken', 'degraded', 'ok'] as const).find(one => findings.some(({ verdict }) => verdict === one))
  return {
    serverDigest: serverDigest(plan),
    kind,
    model: plan.model,
    baseUrl: plan.baseUrl,
    examinedAt,
    elapsedMs: Math.round(performance.now() - startedAt),
    verdict: worst ?? 'unclear',
    findings,
  }
}

/** Exit status of `doctor`: 0 when trials can be run, 1 when their results would be about the server. */
export function statusOf(examination: Examination): 0 | 1 {
  return examination.verdict === 'broken' || examination.findings.some(finding => doubtOf(finding) !== null) ? 1 : 0
}

const MEANINGS: Readonly<Record<Verdict, string>> = {
  ok: 'fit to be measured',
  degraded: 'can be measured; mind what is said above',
  broken: 'not fit to be measured: its results would be about the server until it is fixed',
  unclear: 'nothing could be found out',
}

/** What the findings come to, one line. */
export function verdictLine({ findings, verdict, model, baseUrl, elapsedMs }: Examination): string {
  const counts = (['ok', 'degraded', 'broken', 'unclear'] as const).map(
    one => `${findings.filter(finding => finding.verdict === one).length} ${one}`,
  )
  const doubt = findings.map(doubtOf).find(text => text !== null)
  const meaning =
    doubt === undefined
      ? MEANINGS[verdict]
      : `not fit to be measured until it is fixed: ${doubt}, and not about the model`
  return `${plain(model)} at ${plain(baseUrl)}: ${meaning} (${counts.join(', ')}; ${(elapsedMs / 1_000).toFixed(1)} s)`
}
