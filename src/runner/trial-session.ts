import { join, relative } from 'node:path'
import { type RunnerTestCase, recordArtifact, type TestContext } from 'vitest'
import { escapeForTerminal } from '../../reporters/terminal.ts'
import type { Agent } from '../agents/agent.ts'
import { createAgent } from '../agents/index.ts'
import { BenchError, ConfigError, explainError, LOST_DURING_COMMAND } from '../errors.ts'
import { openChatModel, windowProblem } from '../model/index.ts'
import { artifactsDirOf, exportArtifacts } from '../results/artifacts.ts'
import { type Journal, openJournal } from '../results/journal.ts'
import { openSandbox, type Sandbox } from '../sandbox/index.ts'
import type { Task } from '../task/task.ts'
import { KnownResults } from '../trial/known-results.ts'
import { needsSandbox, toolsOf } from '../trial/offer.ts'
import type { RecordedTrial, TrialPlan } from '../trial/plan.ts'
import { identityOf, recordOf } from '../trial/record.ts'
import { type TrialEnd, TrialWorker } from '../trial/trial-worker.ts'
import { askSandbox, type SandboxAnswer } from './ask-sandbox.ts'
import { FlagsFailedError, RecordedFailureError, TrialNotJudgedError } from './failures.ts'
import { META_VERSION, SERVER_ANNOTATION, type TrialMeta } from './meta.ts'
import type { ProvidedPlan } from './provided.ts'
import { trialKey } from './resume.ts'
import { ServerWatch } from './server-watch.ts'

const NOT_EXAMINED = 'server   not examined; `npx agent-bench doctor` tells whether it is fit to be measured'

/** Vitest makes a runner for each file where it has several workers, and this process goes on: it holds one lease of a sandbox. */
let open: { readonly runId: string; readonly modelLabel: string; readonly session: TrialSession } | null = null

/** What one trial at a time needs. */
interface Lane {
  readonly agent: Agent
  readonly worker: TrialWorker
}

/** What a worker keeps from trial to trial: agents, sandboxes, its journal. Ends with the worker's process. */
export class TrialSession {
  /** With the sandbox, as soon as a trial has asked for it. */
  #plan: TrialPlan
  #sandbox: Promise<SandboxAnswer> | null = null
  readonly #known = new KnownResults()
  /** Lanes that are free. Vitest's limit of tests at once is the limit of lanes. */
  readonly #idle: Lane[] = []
  readonly #journal: Journal
  /** The main process stops the run, too, but hears of a trial late: until then nothing more is tried here. */
  readonly #server = new ServerWatch()
  /** Why no trial is tried any more; null = go on. */
  #halted: string | null = null
  #examined: Promise<void> | null = null
  /** SHA-256 of the report of the server's examination. */
  #examination: string | null = null
  /** Tasks that lost a trial while early stop is on. */
  readonly #stopped = new Set<string>()

  private constructor(plan: TrialPlan) {
    this.#plan = plan
    this.#journal = openJournal(plan.resultsDir, plan.runId, String(process.pid))
    endWithMainProcess()
  }

  /** Starts the sandbox before the first trial of a task, where it needs one. */
  async warm(task: Task, test: RunnerTestCase): Promise<void> {
    if (this.#sandbox !== null || !needsSandbox(task, toolsOf(task))) return
    if (!('sandbox' in (await this.#askSandbox(test)))) return
    const lane = this.#openLane()
    this.#idle.push(lane)
    lane.worker.warm()
  }

  async #askSandbox(test: RunnerTestCase): Promise<SandboxAnswer> {
    this.#sandbox ??= askSandbox(test, recordArtifact)
    const answer = await this.#sandbox
    if ('sandbox' in answer) this.#plan = { ...this.#plan, sandbox: answer.sandbox }
    return answer
  }

  /** Why the sandbox of a task cannot be had; null where it can, or where none is needed. */
  async #sandboxProblem(task: Task, { task: test }: TestContext): Promise<string | null> {
    if (!needsSandbox(task, toolsOf(task))) return null
    const answer = await this.#askSandbox(test)
    return 'refusal' in answer ? answer.refusal : null
  }

  #openLane(): Lane {
    const { agent, model } = this.#plan
    return {
      agent: createAgent(agent, { model: model === null ? null : openChatModel(model) }),
      worker: new TrialWorker(this.#plan, options => this.#openSandbox(options), this.#known),
    }
  }

  async #openSandbox(options: Parameters<typeof openSandbox>[1]): Promise<Sandbox> {
    if (this.#plan.sandbox === null) throw new Error('a sandbox is opened before any was prepared')
    return openSandbox(this.#plan.sandbox, options)
  }

  /**
   * The session of this worker for a run: begun by its first file, kept for all that follow.
   * @throws ConfigError when the main process could not make a plan.
   */
  static start(provided: ProvidedPlan | undefined): TrialSession {
    if (provided === undefined || !provided.made) {
      throw new ConfigError(provided?.message ?? 'no plan was made for this run', {
        code: 'no_plan',
        remedy: 'See the first lines of the run.',
      })
    }
    const { runId, modelLabel } = provided.plan
    if (open?.runId !== runId || open.modelLabel !== modelLabel) {
      open = { runId, modelLabel, session: new TrialSession(provided.plan) }
    }
    return open.session
  }

  /** Runs one trial (from 1), records it, and ends the test the way the trial ended. */
  async runTrial(
    task: Task,
    trial: number,
    context: TestContext,
    { isBrief }: { readonly isBrief: boolean },
  ): Promise<void> {
    if (this.#halted !== null) return context.skip(`not tried: ${this.#halted}`)
    if (this.#plan.agent === 'reference' && task.reference === null) return context.skip(unproven(task))
    const { model } = this.#plan
    const tooSmall = model === null ? null : windowProblem(task.id, task.contextTokens, model)
    const lacking = tooSmall ?? (await this.#sandboxProblem(task, context))
    const recorded = this.#recordedTrial(task, trial - 1)
    if (recorded !== undefined) {
      this.#stopEarly(task, recorded.outcome)
      return resume(task, trial, recorded, context)
    }
    if (this.#stopped.has(task.id)) return context.skip('stopped early: a trial before this one did not pass')
    const end: TrialEnd =
      lacking === null ? await this.#run(task, trial, context) : { kind: 'skipped', reasons: [lacking] }
    const meta = metaOf(task, trial, end)
    const watched = { task: task.id, outcome: meta.outcome ?? 'skipped', fault: meta.fault ?? null }
    if (this.#server.isGoneAfter(watched)) this.#halted = 'the model server is gone'
    if (end.kind !== 'skipped') {
      for (const { path, reason } of this.#record(task, trial, end, context)) {
        await say(context, `artifact ${path} was not kept: ${reason}`, 'bench:artifact')
      }
    }
    setMeta(context, meta)
    if (end.kind === 'skipped')
      return context.skip(escapeForTerminal(`the task cannot run here: ${end.reasons.join('; ')}`))
    this.#stopEarly(task, meta.outcome)
    if (!isBrief) await annotate(context, end)
    if (task.isObserved && end.kind === 'judged') return
    throwUnlessPassed(task, end, isBrief)
  }

  #stopEarly(task: Task, outcome: TrialMeta['outcome']): void {
    if (this.#plan.earlyStop && !task.isObserved && outcome !== 'passed') this.#stopped.add(task.id)
  }

  /** Puts a trial on disk, and gives the artifacts that were refused. A trial that cannot be kept ends the run. */
  #record(
    task: Task,
    trial: number,
    end: Exclude<TrialEnd, { kind: 'skipped' }>,
    context: TestContext,
  ): KeptArtifacts['refused'] {
    try {
      const exported = this.#exportArtifacts(task, trial - 1, end)
      const specFile = relative(this.#plan.root, task.source.file)
      const [plan, examination] = [this.#plan, this.#examination]
      this.#journal.append(recordOf(end, { task, index: trial - 1, plan, specFile, examination, artifacts: exported }))
      return exported.refused
    } catch (error) {
      if (!(error instanceof BenchError)) throw error
      return this.#notJudged(task, trial, 'config', error, context)
    }
  }

  /** Ends the test of a trial that has no record. */
  #notJudged(
    task: Task,
    trial: number,
    outcome: 'config' | 'cancelled' | 'infra',
    error: unknown,
    context: TestContext,
  ): never {
    const failureReason = explainError(error)
    if (outcome === 'config') this.#halted = 'the run cannot go on with this model'
    setMeta(context, { version: META_VERSION, task: task.id, trial, outcome, failureReason })
    throw new TrialNotJudgedError(failureReason, task.source)
  }

  /**
   * Examines the model's server before this worker's first trial, and not earlier: among several models the server may load
   * each for its own turn.
   */
  async #examine(context: TestContext): Promise<void> {
    const { model, resultsDir, examines } = this.#plan
    // Behind a recording there is no server to examine.
    if (model === null || model.recording?.mode === 'replay') return
    const { examineForRun, findExamination } = await import('../doctor/index.ts')
    if (examines) {
      const { digest, lines, problem } = await examineForRun(model, { resultsDir, signal: context.signal })
      for (const line of lines) await say(context, line, SERVER_ANNOTATION)
      if (problem !== null) throw problem
      this.#examination = digest
    } else {
      const known = findExamination(resultsDir, model)
      if (known === null) await context.annotate(NOT_EXAMINED, SERVER_ANNOTATION)
      this.#examination = known?.digest ?? null
    }
  }

  #recordedTrial(task: Task, index: number): RecordedTrial | undefined {
    if (this.#plan.recorded.length === 0) return undefined
    const identity = identityOf(task, this.#plan).hash
    const seed = this.#plan.seed + index
    return this.#plan.recorded.find(one => one.identity === identity && one.index === index && one.seed === seed)
  }

  /** Writes the files the agent left below the results directory. */
  #exportArtifacts(task: Task, index: number, end: TrialEnd): KeptArtifacts {
    if (end.kind !== 'judged' || end.finding.artifacts.size === 0) return { dir: null, paths: [], refused: [] }
    const dir = artifactsDirOf({
      run_id: this.#plan.runId,
      task_id: task.id,
      identity: identityOf(task, this.#plan).hash,
      trial_index: index,
    })
    const { written, refused } = exportArtifacts(join(this.#plan.resultsDir, dir), end.finding.artifacts)
    return { dir, paths: written, refused }
  }

  async #run(task: Task, trial: number, context: TestContext): Promise<TrialEnd> {
    const lane = this.#idle.pop() ?? this.#openLane()
    try {
      this.#examined ??= this.#examine(context).catch(error => {
        this.#examined = null
        throw error
      })
      await this.#examined
      return await lane.worker.run({
        task,
        index: trial - 1,
        agent: lane.agent,
        play: lane.agent.name === 'reference' ? task.reference : null,
        signal: context.signal,
      })
    } catch (error) {
      const outcome = error instanceof ConfigError ? 'config' : context.signal.aborted ? 'cancelled' : 'infra'
      return this.#notJudged(task, trial, outcome, error, context)
    } finally {
      this.#idle.push(lane)
    }
  }
}

/** Why the reference agent cannot run a task. */
function unproven(task: Task): string {
  return task.isObserved
    ? 'unproven: a skill without a manifest is only observed, there is no solution to play'
    : 'unproven: there is no solution to play (a `reference` of the task, or bench_proof.ts beside the manifest)'
}

interface KeptArtifacts {
  /** Relative to the results directory; null when there is nothing to keep. */
  readonly dir: string | null
  readonly paths: readonly string[]
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/**
 * A worker whose main process was ended from outside would go on with its trials, for nobody. The channel between them
 * closes when either side is gone; threads have none and end with the process. Vitest replaces `process.exit` in workers
 * by an error, and nothing is left to be done, so the worker kills itself.
 */
function endWithMainProcess(): void {
  const end = () => process.kill(process.pid, 'SIGKILL')
  if (process.connected === false) end()
  process.once('disconnect', end)
}

/** The name of the model, which the runner has put there, stays. */
function setMeta({ task }: TestContext, meta: TrialMeta): void {
  const model = task.meta.bench?.model
  task.meta.bench = model === undefined ? meta : { ...meta, model }
}

function metaOf(task: Task, trial: number, end: TrialEnd): TrialMeta {
  const base = { version: META_VERSION, task: task.id, trial }
  if (end.kind === 'skipped') return { ...base, outcome: end.kind }
  if (end.kind !== 'judged') {
    if (end.kind === 'lost') return { ...base, outcome: 'failed', score: 0, failureReason: LOST_DURING_COMMAND }
    const last = end.faults.at(-1)
    if (last === undefined) return { ...base, outcome: 'infra' }
    return { ...base, outcome: 'infra', fault: last.code, failureReason: last.detail, remedy: last.remedy }
  }
  const { finding } = end
  return {
    ...base,
    outcome: finding.outcome,
    score: finding.score,
    turns: finding.turns.length,
    flags: Object.fromEntries(
      finding.flags.map(flag => [
        flag.id,
        !flag.reached ? 'lost' : flag.turn === null ? 'reached' : `reached in turn ${flag.turn}`,
      ]),
    ),
    ...(finding.failureReason === null ? {} : { failureReason: finding.failureReason }),
  }
}

/** Ends a test the way its trial ended in an earlier run. */
async function resume(task: Task, trial: number, recorded: RecordedTrial, context: TestContext): Promise<void> {
  setMeta(context, {
    version: META_VERSION,
    task: task.id,
    trial,
    outcome: recorded.outcome,
    score: recorded.score,
    ...(recorded.failureReason === null ? {} : { failureReason: recorded.failureReason }),
    resumed: trialKey(recorded),
  })
  await context.annotate(`recorded in run ${recorded.runId}, not run again`, 'bench:resumed')
  if (recorded.outcome === 'passed' || task.isObserved) return
  const lost = recorded.lost.map(({ flag, reason }) => `\n  ✗ ${escapeForTerminal(`${flag}: ${reason}`)}`).join('')
  throw new RecordedFailureError(
    `${recorded.failureReason ?? recorded.outcome}, recorded in run ${recorded.runId}${lost}`,
    task.source,
  )
}

/** An annotation, which stock reporters print as it is. */
async function say(context: TestContext, text: string, type: string): Promise<void> {
  await context.annotate(escapeForTerminal(text), type)
}

/** Lost flags and a summary, for reporters that show annotations. */
async function annotate(context: TestContext, end: TrialEnd): Promise<void> {
  if (end.kind !== 'judged') return
  const { flags, log, turns, ending } = end.finding
  for (const flag of flags) {
    if (!flag.reached) await say(context, `flag ${flag.id} lost: ${flag.reason}`, 'bench:flag')
  }
  const tokens = turns.reduce((sum, turn) => sum + (turn.stats?.completionTokens ?? 0), 0)
  const reached = flags.filter(flag => flag.reached).length
  const parts = [`flags ${reached}/${flags.length}`, `${log.calls.length} tool calls`]
  if (tokens > 0) parts.push(`${tokens} tokens`)
  // A trial that passed has no failure to say it.
  if (ending.reason !== 'answered') parts.push(`ended by ${ending.reason}`)
  await context.annotate(parts.join(' · '), 'bench:summary')
}

function throwUnlessPassed(task: Task, end: TrialEnd, isBrief: boolean): void {
  if (end.kind === 'skipped') return
  if (end.kind !== 'judged') {
    const last = end.faults.at(-1)
    if (end.kind === 'lost') {
      const ending = `a command of the agent ran when its sandbox was lost, and not for the first time: ${last?.detail}`
      throw new FlagsFailedError({ flags: [], tamper: [], ending, isBrief: false }, task.source)
    }
    throw new TrialNotJudgedError(
      `not the model's failure: ${last?.detail ?? 'unknown fault'} (after ${end.faults.length} attempts)\n  remedy: ${last?.remedy ?? ''}`,
      task.source,
    )
  }
  if (end.finding.outcome === 'passed') return
  const { finding } = end
  const ending =
    finding.ending.reason === 'answered' ? null : `ended by ${finding.ending.reason}: ${finding.ending.detail ?? ''}`
  throw new FlagsFailedError({ flags: finding.flags, tamper: finding.tamper, ending, isBrief }, task.source)
}
