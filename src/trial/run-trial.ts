import type { Agent, Ending, EndingReason, TurnNote } from '../agents/agent.ts'
import { decisiveSessions, judge } from '../evidence/judge.ts'
import type { FlagResult, LoggedCall, SessionCheck, Tamper, TrialLog } from '../evidence/log.ts'
import { findTamper } from '../evidence/tamper.ts'
import type { Outcome } from '../results/outcome.ts'
import type { ResetProof, Sandbox, SandboxInfo } from '../sandbox/sandbox.ts'
import type { FileContent, FileMap, Snapshot } from '../sandbox/snapshot.ts'
import { scoreTrial } from '../score/trial-score.ts'
import { matchesAny } from '../spec/globs.ts'
import type { Play, Task } from '../spec/task.ts'
import { TrialDeadlineError, trialDeadline, withinPhase } from './deadline.ts'
import type { TaskResults } from './known-results.ts'
import type { TrialLimits } from './plan.ts'
import { checkSession, type SuiteResults } from './session-check.ts'
import { createToolbox } from './toolbox.ts'
import { verifyFiles } from './verify.ts'

/** Milliseconds the harness gives its own phases; a phase that takes longer is a fault, not the model's failure. */
const PHASE_TIMEOUT_MS = 120_000
const COLLECT_FILE_BYTES = 16_000_000
const COLLECT_TOTAL_BYTES = 64_000_000

/** What one trial needs besides its task. */
export interface TrialSetting {
  readonly agent: Agent
  /** What a scripted agent plays; null for a model. */
  readonly play: Play | null
  readonly limits: TrialLimits
  readonly seed: number
  readonly sandbox: Sandbox
  /** What is known of this task already, shared by its trials. */
  readonly known: TaskResults
  /** Cancels the trial; nothing is recorded then. */
  readonly signal: AbortSignal
}

/** The reasons an agent can end with, and the one it cannot give itself. */
export type TrialEnding = Omit<Ending, 'reason'> & { readonly reason: EndingReason | 'trial_timeout' }

/** Everything that was observed in one trial, and its judgement. */
export interface TrialFinding {
  readonly outcome: Extract<Outcome, 'passed' | 'failed' | 'inconclusive'>
  /** Stable code of what made the trial fail; null when it passed. */
  readonly failureReason: string | null
  readonly failureDetail: string | null
  readonly score: number
  readonly flags: readonly FlagResult[]
  readonly tamper: readonly Tamper[]
  readonly ending: TrialEnding
  readonly turns: readonly TurnNote[]
  readonly log: TrialLog
  /** Regular files inside the allowed writes that the agent left, new or changed. */
  readonly artifacts: FileMap
  readonly resetProof: ResetProof
  readonly verifyResetProof: ResetProof
  readonly sandbox: SandboxInfo
  readonly startedAt: Date
  readonly elapsedMs: number
}

/**
 * One attempt at one trial, top to bottom as in the design: reset, agent, freeze, collect, tamper, clean room, verify, flags.
 * @throws InfraError when server, sandbox or harness failed; ConfigError when the run cannot go on; the signal's reason when cancelled.
 */
export async function runTrial(task: Task, setting: TrialSetting): Promise<TrialFinding> {
  const { sandbox, signal } = setting
  const startedAt = new Date()
  const clock = performance.now()
  const phase = <T>(name: string, work: (signal: AbortSignal) => Promise<T>) =>
    withinPhase(name, PHASE_TIMEOUT_MS, signal, work)

  const { proof: resetProof, baseline } = await phase('reset', s =>
    sandbox.reset(task.setup, { room: 'agent', signal: s }),
  )
  const played = await play(task, setting)
  const final = await phase('freeze', s => sandbox.freeze({ signal: s }))
  const left = await phase('collect', s => collect(task, baseline, final, sandbox, s))
  const tamper = findTamper(baseline, final, task.allowedWrites)

  const verification = await phase('verify', s => verifyFiles(task, left.room, sandbox, setting.known, s))
  const observed: TrialLog = {
    prompt: task.prompt,
    baseline,
    setupText: textOf(task.setup),
    calls: played.calls,
    final,
    contents: contentsOf(played.calls),
    finalAnswer: played.ending.finalText ?? '',
    verified: verification.results,
    sessionChecks: new Map(),
  }
  const log = await phase('session checks', s =>
    checkDecisiveSessions(task, observed, sandbox, setting.known.suites, s),
  )
  const flags = judge(task.flags, log)

  const { passed, score } = scoreTrial(flags, tamper)
  return {
    ...verdictOf(passed, played.ending, tamper, task.inconclusiveWhenCut),
    score,
    flags,
    tamper,
    ending: played.ending,
    turns: played.turns,
    log,
    artifacts: left.artifacts,
    resetProof,
    verifyResetProof: verification.resetProof,
    sandbox: sandbox.info,
    startedAt,
    elapsedMs: performance.now() - clock,
  }
}

/** Lets the agent work until it ends by itself or its time is over. */
async function play(
  task: Task,
  setting: TrialSetting,
): Promise<{ ending: TrialEnding; calls: readonly LoggedCall[]; turns: readonly TurnNote[] }> {
  const calls: LoggedCall[] = []
  const turns: TurnNote[] = []
  const toolbox = createToolbox(setting.sandbox, {
    commandTimeoutMs: setting.limits.commandTimeoutMs,
    log: call => calls.push(call),
  })
  using deadline = trialDeadline(setting.limits.trialTimeoutMs, setting.signal)
  try {
    const ending = await setting.agent.run({
      prompt: task.prompt,
      system: task.system,
      toolbox,
      maxTurns: setting.limits.maxTurns,
      seed: setting.seed,
      play: setting.play,
      signal: deadline.signal,
      emit: note => turns.push(note),
    })
    return { ending, calls, turns }
  } catch (error) {
    if (!(error instanceof TrialDeadlineError)) throw error
    const ending: TrialEnding = { reason: 'trial_timeout', finalText: null, detail: error.message, servedModel: null }
    return { ending, calls, turns }
  }
}

/** Reads out what the agent may have left, and works out the files of the clean room: the setup with those laid over it. */
async function collect(
  task: Task,
  baseline: Snapshot,
  final: Snapshot,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<{ artifacts: FileMap; room: FileMap }> {
  const isAllowed = (path: string) => matchesAny(task.allowedWrites, path)
  const wanted: string[] = []
  for (const [path, entry] of final.entries) {
    if (entry.type !== 'file' || !isAllowed(path)) continue
    const before = baseline.entries.get(path)
    if (before?.type !== 'file' || before.sha256 !== entry.sha256 || before.mode !== entry.mode) wanted.push(path)
  }
  const { files: artifacts } = await sandbox.collect(wanted, {
    maxFileBytes: COLLECT_FILE_BYTES,
    maxTotalBytes: COLLECT_TOTAL_BYTES,
    signal,
  })
  const room = new Map(artifacts)
  for (const [path, file] of task.setup) {
    const isGone = isAllowed(path) && final.entries.get(path)?.type !== 'file'
    if (!isGone && !room.has(path)) room.set(path, file)
  }
  return { artifacts, room: withoutConflicts(room) }
}

/** A path cannot be a file and the directory of another file; where the agent turned one into the other, its own file wins. */
function withoutConflicts(files: Map<string, FileContent>): FileMap {
  for (const path of files.keys()) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      if (files.has(parts.slice(0, depth).join('/'))) files.delete(path)
    }
  }
  return files
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
      sessionChecks.set(session.call, await checkSession(sandbox, log, task.setup, session, suites, signal))
    }
  }
}

function verdictOf(
  passed: boolean,
  ending: TrialEnding,
  tamper: readonly Tamper[],
  inconclusiveWhenCut: boolean,
): Pick<TrialFinding, 'outcome' | 'failureReason' | 'failureDetail'> {
  if (passed) return { outcome: 'passed', failureReason: null, failureDetail: null }
  const wasCut = ['output_limit', 'reasoning_exhausted', 'context_overflow'].includes(ending.reason)
  const outcome = wasCut && inconclusiveWhenCut ? 'inconclusive' : 'failed'
  if (ending.reason !== 'answered') return { outcome, failureReason: ending.reason, failureDetail: ending.detail }
  if (tamper.length > 0) {
    const shown = tamper.slice(0, 5).map(change => `${change.path} ${change.kind}`)
    return { outcome, failureReason: 'tamper', failureDetail: shown.join(', ') }
  }
  return { outcome, failureReason: 'flags_lost', failureDetail: null }
}

/** Text of the UTF-8 files of a setup. */
function textOf(files: FileMap): ReadonlyMap<string, string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const texts = new Map<string, string>()
  for (const [path, file] of files) {
    try {
      texts.set(path, decoder.decode(file.bytes))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error // a binary file has no text to be read
    }
  }
  return texts
}

function contentsOf(calls: readonly LoggedCall[]): ReadonlyMap<string, string> {
  const contents = new Map<string, string>()
  for (const call of calls) {
    for (const [sha256, text] of call.delta?.contents ?? []) contents.set(sha256, text)
  }
  return contents
}
