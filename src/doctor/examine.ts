/** Runs the probes of an examination, one after another, each within its deadline. */
import type { ModelPlan } from '../model/chat-model.ts'
import { createExaminer, type Examiner } from './examiner.ts'
import { doubtOf, type Finding, type Judgement, PROBE_NAMES, type ProbeName, unclear, type Verdict } from './finding.ts'
import { examineLongArguments, examineNestedArguments } from './probes/arguments.ts'
import {
  examineModel,
  examineReadiness,
  examineReadinessAndGauge,
  examineSlots,
  examineSpeed,
  examineUsage,
} from './probes/basics.ts'
import { examineSeveralCalls, examineToolCall, examineToolChoice, examineToolRoundTrip } from './probes/calls.ts'
import {
  examineAbort,
  examineDeterminism,
  examineLengthStop,
  examineReasoning,
  examineReplay,
  examineStopReason,
  examineToolResult,
} from './probes/conversation.ts'
import { examineOverflow, examineWindow } from './probes/window.ts'
import { serverDigest } from './server-digest.ts'

/** What an examination found; plain data. */
export interface Examination {
  /** Names the server and model this is about: the same for every run that would be served alike. */
  readonly serverDigest: string
  readonly kind: 'full' | 'quick'
  readonly model: string
  readonly baseUrl: string
  /** ISO 8601, UTC. */
  readonly examinedAt: string
  readonly elapsedMs: number
  /** The worst of the findings; `unclear` ones do not count, unless there is nothing else. */
  readonly verdict: Verdict
  readonly findings: readonly Finding[]
}

type Probe = (examiner: Examiner) => Promise<Judgement>

const PROBES: Readonly<Record<ProbeName, Probe>> = {
  readiness: examineReadiness,
  model: examineModel,
  usage: examineUsage,
  speed: examineSpeed,
  window: examiner => examineWindow(examiner),
  overflow: examineOverflow,
  tool_call: examineToolCall,
  several_calls: examineSeveralCalls,
  nested_arguments: examineNestedArguments,
  long_arguments: examineLongArguments,
  replay: examineReplay,
  tool_result: examineToolResult,
  tool_choice: examineToolChoice,
  reasoning: examineReasoning,
  stop_reason: examineStopReason,
  length_stop: examineLengthStop,
  abort: examineAbort,
  determinism: examineDeterminism,
  slots: examineSlots,
}

export interface ExaminationOptions {
  readonly signal: AbortSignal
  /** Trials that are going to run at once; 1. */
  readonly workers?: number
  /** Milliseconds for all probes together; five minutes. */
  readonly budgetMs?: number
  /** Milliseconds for one probe; half a minute. */
  readonly probeMs?: number
  /** Tokens of prompt that are sent at most, except to overfill the window; 32,768. */
  readonly maxPromptTokens?: number
  /** Called after each probe, for progress. */
  readonly onFinding?: (finding: Finding) => void
}

/**
 * Examines a server with all probes. What a server does is a finding, never an exception.
 * @throws the signal's reason
 * @example const { verdict, findings } = await examine(plan, { signal })
 */
export function examine(plan: ModelPlan, options: ExaminationOptions): Promise<Examination> {
  return run(
    plan,
    'full',
    PROBE_NAMES.map(name => [name, PROBES[name]] as const),
    {
      budgetMs: 300_000,
      probeMs: 30_000,
      maxPromptTokens: 32_768,
      ...options,
    },
  )
}

/** Under the ten seconds after which a run without the examination would have begun. */
const QUICK_BUDGET_MS = 9_000
/** No probe of the quick form may use up the time of those after it. */
const QUICK_PROBE_MS = 5_000
/** Enough to find the 4,096 tokens that some servers start with, little enough to be read in time. */
const QUICK_PROMPT_TOKENS = 5_000

/**
 * The quick form, for the start of a run: readiness, one tool round trip, context window; four requests on a healthy
 * server, under ten seconds on any. What is not done by then is `unclear`: a slow server is not a broken one.
 * @throws the signal's reason
 */
export function quickExamination(plan: ModelPlan, signal: AbortSignal): Promise<Examination> {
  const probes: readonly (readonly [ProbeName, Probe])[] = [
    ['readiness', examineReadinessAndGauge],
    ['tool_call', examineToolRoundTrip],
    ['window', examiner => examineWindow(examiner, { levels: [0.9] })],
  ]
  return run(plan, 'quick', probes, {
    signal,
    budgetMs: QUICK_BUDGET_MS,
    probeMs: QUICK_PROBE_MS,
    maxPromptTokens: QUICK_PROMPT_TOKENS,
  })
}

async function run(
  plan: ModelPlan,
  kind: Examination['kind'],
  probes: readonly (readonly [ProbeName, Probe])[],
  options: ExaminationOptions & {
    readonly budgetMs: number
    readonly probeMs: number
    readonly maxPromptTokens: number
  },
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
  for (const [index, [probe, judge]] of probes.entries()) {
    options.signal.throwIfAborted()
    const leftMs = options.budgetMs - (performance.now() - startedAt)
    // The last one keeps nobody waiting; in the quick form it is the one that needs the time.
    const probeMs = index === probes.length - 1 ? leftMs : Math.min(options.probeMs, leftMs)
    let judgement: Judgement
    if (findings[0]?.verdict === 'broken') judgement = unclear('not examined, because the server does not answer')
    else if (kind === 'quick' && findings[0]?.verdict === 'unclear')
      judgement = unclear('not examined, because the first answer took too long')
    else if (probeMs <= 0) judgement = unclear('not examined, because the time for the examination was over')
    else {
      const timeout = AbortSignal.timeout(Math.ceil(probeMs))
      signal = AbortSignal.any([options.signal, timeout])
      deadlineAt = performance.now() + probeMs
      judgement = await withinDeadline(judge(examiner), options.signal, timeout, probeMs)
    }
    options.signal.throwIfAborted()
    const finding = { probe, ...judgement }
    findings.push(finding)
    options.onFinding?.(finding)
  }
  return {
    serverDigest: serverDigest(plan),
    kind,
    model: plan.model,
    baseUrl: plan.baseUrl,
    examinedAt,
    elapsedMs: Math.round(performance.now() - startedAt),
    verdict: worstOf(findings),
    findings,
  }
}

async function withinDeadline(
  judging: Promise<Judgement>,
  stop: AbortSignal,
  timeout: AbortSignal,
  probeMs: number,
): Promise<Judgement> {
  try {
    return await judging
  } catch (error) {
    if (stop.aborted) throw stop.reason
    if (!timeout.aborted) throw error
    return unclear(`not done within ${Math.round(probeMs / 1_000)} s`)
  }
}

function worstOf(findings: readonly Finding[]): Verdict {
  const has = (verdict: Verdict): boolean => findings.some(finding => finding.verdict === verdict)
  return has('broken') ? 'broken' : has('degraded') ? 'degraded' : has('ok') ? 'ok' : 'unclear'
}

/** Exit status of `doctor`: 0 when trials can be run, 1 when their results would be about the server. */
export function statusOf(examination: Examination): 0 | 1 {
  return examination.verdict === 'broken' || examination.findings.some(finding => doubtOf(finding) !== null) ? 1 : 0
}
