import type { Agent, TurnNote } from '../agents/agent.ts'
import { TrialDeadlineError } from '../errors.ts'
import type { LoggedCall } from '../evidence/log.ts'
import type { Reply } from '../model/chat-model.ts'
import { tokensOf } from '../results/trial-stats.ts'
import type { ResetProof, Sandbox, SandboxInfo } from '../sandbox/sandbox.ts'
import type { FileMap, Snapshot } from '../sandbox/snapshot.ts'
import type { Play, Task } from '../task/task.ts'
import type { ToolOffer, ToolSet } from '../tools/tool-set.ts'
import { createToolbox } from '../tools/toolbox.ts'
import { cleanRoom, filesLeft } from './clean-room.ts'
import { Conversation } from './conversation.ts'
import { trialDeadline, withinPhase } from './deadline.ts'
import { type Judgement, judgeTrial, PHASE_TIMEOUT_MS, type TrialEnding } from './judgement.ts'
import type { TaskResults } from './known-results.ts'
import type { TrialLimits } from './plan.ts'

const COLLECT_FILE_BYTES = 16_000_000
const COLLECT_TOTAL_BYTES = 64_000_000

const NO_WORKSPACE: Snapshot = { root: '', entries: new Map(), truncated: null }
const NOTHING_LEFT = { artifacts: new Map(), room: new Map() } satisfies { artifacts: FileMap; room: FileMap }

/** What one trial needs besides its task. */
export interface TrialSetting {
  readonly agent: Agent
  /** What a scripted agent plays; null for a model. */
  readonly play: Play | null
  readonly limits: TrialLimits
  readonly seed: number
  readonly tools: ToolOffer
  /** null for a task that needs none; see `needsSandbox`. */
  readonly sandbox: Sandbox | null
  /** What is known of this task already, shared by its trials. */
  readonly known: TaskResults
  /** Cancels the trial; nothing is recorded then. */
  readonly signal: AbortSignal
  /** Called with every reply of a model that is not a fault. */
  readonly onReply?: (reply: Reply) => void
}

/** Everything that was observed in one trial, and its judgement. */
export interface TrialFinding extends Judgement {
  readonly ending: TrialEnding
  readonly turns: readonly TurnNote[]
  /** Regular files inside the allowed writes that the agent left, new or changed. */
  readonly artifacts: FileMap
  /** null without a sandbox. */
  readonly resetProof: ResetProof | null
  readonly sandbox: SandboxInfo | null
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

  const { proof: resetProof, baseline } =
    sandbox === null
      ? { proof: null, baseline: NO_WORKSPACE }
      : await phase('reset', s => sandbox.reset(task.setup, { room: 'agent', signal: s }))
  const played = await letAgentWork(task, setting)
  const final = sandbox === null ? NO_WORKSPACE : await phase('freeze', s => sandbox.freeze({ signal: s }))
  const left = sandbox === null ? NOTHING_LEFT : await phase('collect', s => collect(task, baseline, final, sandbox, s))
  const log = {
    prompt: task.prompt,
    baseline,
    setupText: textOf(task.setup),
    calls: played.calls,
    final,
    contents: contentsOf(played.calls),
    finalAnswer: played.ending.finalText ?? '',
    answers: played.answers,
    state: played.state,
    instance: task.instance?.data,
    tokens: tokensOf(played.turns),
  }
  const judgement = await judgeTrial(task, { log, ending: played.ending, room: left.room }, setting)
  return {
    ...judgement,
    ending: played.ending,
    turns: played.turns,
    artifacts: left.artifacts,
    resetProof,
    sandbox: sandbox?.info ?? null,
    startedAt,
    elapsedMs: performance.now() - clock,
  }
}

interface Played {
  readonly ending: TrialEnding
  readonly calls: readonly LoggedCall[]
  readonly turns: readonly TurnNote[]
  readonly state: unknown
  readonly answers: readonly string[]
}

/** Lets the agent work until it ends or its time is over. */
async function letAgentWork(task: Task, setting: TrialSetting): Promise<Played> {
  const calls: LoggedCall[] = []
  const turns: TurnNote[] = []
  const state = task.state?.()
  const conversation = new Conversation(task)
  const toolbox = createToolbox(openTools(setting, state), call => calls.push(call))
  const played = (ending: TrialEnding): Played => ({ ending, calls, turns, state, answers: conversation.answers() })
  using deadline = trialDeadline(setting.limits.trialTimeoutMs, setting.signal)
  try {
    const ending = await setting.agent.run({
      prompt: task.prompt,
      system: task.system,
      toolbox,
      maxTurns: setting.limits.maxTurns,
      maxTokens: task.maxTokens,
      reply: answer => conversation.reply(answer),
      instance: task.instance?.data,
      seed: setting.seed,
      script: setting.play,
      signal: deadline.signal,
      emit: note => turns.push(note),
      ...(setting.onReply === undefined ? {} : { onReply: setting.onReply }),
    })
    return played(ending)
  } catch (error) {
    if (!(error instanceof TrialDeadlineError)) throw error
    const ending: TrialEnding = { reason: 'trial_timeout', finalText: null, detail: error.message, servedModel: null }
    return played(ending)
  }
}

function openTools({ tools, sandbox, limits }: TrialSetting, state: unknown): ToolSet {
  if (tools.needs === 'nothing') return tools.open(state)
  if (sandbox === null) throw new Error('the tools of the task need a sandbox, and the trial has none')
  return tools.open(sandbox, limits)
}

/** Reads out what the agent may have left, and works out the files of the clean room: the setup plus those. */
async function collect(
  task: Task,
  baseline: Snapshot,
  final: Snapshot,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<{ artifacts: FileMap; room: FileMap }> {
  const { files: artifacts } = await sandbox.collect(filesLeft(task, baseline, final), {
    maxFileBytes: COLLECT_FILE_BYTES,
    maxTotalBytes: COLLECT_TOTAL_BYTES,
    signal,
  })
  return { artifacts, room: cleanRoom(task, final, artifacts) }
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
