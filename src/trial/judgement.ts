/** From what was observed in a trial to its judgement: tamper, verify, flags. The same for a trial that just ran and for a recorded one. */
import type { Ending, EndingReason } from '../agents/agent.ts'
import { decisiveSessions, judge } from '../evidence/judge.ts'
import type { FlagResult, SessionCheck, Tamper, TrialLog } from '../evidence/log.ts'
import { findTamper } from '../evidence/tamper.ts'
import type { ResetProof, Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import type { Outcome } from '../score/outcome.ts'
import { scoreTrial } from '../score/trial-score.ts'
import type { InconclusiveEnd, Task } from '../task/task.ts'
import { beginActivity } from './beat.ts'
import { withinPhase } from './deadline.ts'
import type { TaskResults } from './known-results.ts'
import { checkSessions, type SuiteResults } from './session-check.ts'
import { verifyFiles } from './verify.ts'

/** Milliseconds the harness gives its own phases; a phase that takes longer is a fault, not the model's failure. */
export const PHASE_TIMEOUT_MS = 120_000

/** The reasons an agent can end with, and the one it cannot give itself. */
export type TrialEnding = Omit<Ending, 'reason'> & { readonly reason: EndingReason | 'trial_timeout' }

/** A trial before it is judged. */
export interface Observed {
  readonly log: Omit<TrialLog, 'verified' | 'sessionChecks'>
  readonly ending: Pick<TrialEnding, 'reason' | 'detail'>
  /** Files of the clean room; see `cleanRoom`. */
  readonly room: FileMap
}

export interface Judgement {
  readonly outcome: Extract<Outcome, 'passed' | 'failed' | 'inconclusive'>
  /** Stable code of what made the trial fail; null when it passed. */
  readonly failureReason: string | null
  readonly failureDetail: string | null
  readonly score: number
  /** null where every flag has one point and is all or nothing. */
  readonly points: { readonly reached: number; readonly total: number } | null
  readonly flags: readonly FlagResult[]
  readonly tamper: readonly Tamper[]
  readonly log: TrialLog
  /** null without a sandbox. */
  readonly verifyResetProof: ResetProof | null
}

/**
 * Judges a trial: tamper, verify in a clean room, checks of the test sessions that matter, flags.
 * @throws InfraError when the sandbox failed, or code of the task threw
 */
export async function judgeTrial(
  task: Task,
  observed: Observed,
  setting: { readonly sandbox: Sandbox | null; readonly known: TaskResults; readonly signal: AbortSignal },
): Promise<Judgement> {
  const { sandbox, known, signal } = setting
  beginActivity(`verify or the flags of task "${task.id}"`)
  const tamper = findTamper(observed.log.baseline, observed.log.final, task.allowedWrites)
  const verification =
    sandbox === null
      ? { results: new Map(), resetProof: null }
      : await withinPhase('verify', PHASE_TIMEOUT_MS, signal, s =>
          verifyFiles(task, { files: observed.room, log: observed.log }, sandbox, known, s),
        )
  const unchecked: TrialLog = { ...observed.log, verified: verification.results, sessionChecks: new Map() }
  const log =
    sandbox === null
      ? unchecked
      : await withinPhase('session checks', PHASE_TIMEOUT_MS, signal, s =>
          checkDecisiveSessions(task, unchecked, sandbox, known.suites, s),
        )
  const flags = judge(task.flags, log)
  const { passed, score, reached, total } = scoreTrial(flags, tamper, task)
  return {
    ...verdictOf(passed, observed.ending, tamper, task.inconclusiveWhen),
    score,
    points: total === flags.length && Number.isInteger(reached) ? null : { reached, total },
    flags,
    tamper,
    log,
    verifyResetProof: verification.resetProof,
  }
}

/** Judges with the reports believed, checks the sessions that mattered, and repeats until nothing new matters. */
async function checkDecisiveSessions(
  task: Task,
  observed: TrialLog,
  sandbox: Sandbox,
  suites: SuiteResults,
  signal: AbortSignal,
): Promise<TrialLog> {
  const sessionChecks = new Map<number, SessionCheck>()
  const log: TrialLog = { ...observed, sessionChecks }
  for (;;) {
    const open = decisiveSessions(task.flags, log).filter(session => !sessionChecks.has(session.call))
    if (open.length === 0) return log
    for (const session of open) {
      sessionChecks.set(session.call, await checkSessions(sandbox, log, task, session.call, suites, signal))
    }
  }
}

/** The endings that a task means by each name. A dropped reply is a fault and comes here in no other way. */
const ENDS: Readonly<Record<InconclusiveEnd, readonly TrialEnding['reason'][]>> = {
  cut: ['output_limit', 'reasoning_exhausted'],
  timeout: ['trial_timeout'],
  overflow: ['context_overflow'],
  dropped: [],
}

function verdictOf(
  passed: boolean,
  ending: Observed['ending'],
  tamper: readonly Tamper[],
  inconclusiveWhen: readonly InconclusiveEnd[],
): Pick<Judgement, 'outcome' | 'failureReason' | 'failureDetail'> {
  if (ending.reason === 'prompt_cut') {
    return { outcome: 'inconclusive', failureReason: ending.reason, failureDetail: ending.detail }
  }
  if (passed) return { outcome: 'passed', failureReason: null, failureDetail: null }
  const saysNothing = inconclusiveWhen.some(end => ENDS[end].includes(ending.reason))
  const outcome = saysNothing ? 'inconclusive' : 'failed'
  if (ending.reason !== 'answered') return { outcome, failureReason: ending.reason, failureDetail: ending.detail }
  if (tamper.length > 0) {
    const shown = tamper.slice(0, 5).map(change => `${change.path} ${change.kind}`)
    return { outcome, failureReason: 'tamper', failureDetail: shown.join(', ') }
  }
  return { outcome, failureReason: 'flags_lost', failureDetail: null }
}
