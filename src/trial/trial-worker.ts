import type { Agent } from '../agents/agent.ts'
import { InfraError, LOST_DURING_COMMAND } from '../errors.ts'
import type { Reply } from '../model/chat-model.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Play, Task } from '../task/task.ts'
import { beginActivity } from './beat.ts'
import { KnownResults } from './known-results.ts'
import { type OpenSandbox, SandboxLease } from './lease.ts'
import { needsSandbox, toolsOf } from './offer.ts'
import { limitsOfTrial, type TrialPlan } from './plan.ts'
import { playRepaired, type RepairedTrial, repairNeed, sameAs, unknownRepair } from './repaired-trial.ts'
import { RequirementProbe } from './requirements.ts'
import { runTrial, type TrialFinding } from './run-trial.ts'

/** Times a trial is repeated automatically after a fault of server or sandbox. */
const FAULT_REPEATS = 2

/** Faults that come out the same however often the trial is repeated: what a recording lacks it will lack again. */
const LASTING_FAULTS: readonly string[] = ['replay_missing']

/** A fault that cost an attempt, for the record. */
export interface FaultedAttempt {
  readonly code: string
  readonly detail: string
  readonly remedy: string
}

export type TrialEnd =
  | {
      readonly kind: 'judged'
      readonly finding: TrialFinding
      readonly faults: readonly FaultedAttempt[]
      /** null where the run does not ask for it. */
      readonly repaired: RepairedTrial | null
    }
  | {
      /** `lost`: a command of the agent ran when the sandbox was lost, and not for the first time in this task. */
      readonly kind: 'infra' | 'lost'
      readonly faults: readonly FaultedAttempt[]
      readonly startedAt: Date
      readonly elapsedMs: number
    }
  | { readonly kind: 'skipped'; readonly reasons: readonly string[] }

export interface TrialRequest {
  readonly task: Task
  /** 0-based. */
  readonly index: number
  readonly agent: Agent
  readonly play: Play | null
  readonly signal: AbortSignal
}

/** Runs trials in this process's one sandbox, one after another, replacing the sandbox whenever it cannot be trusted. */
export class TrialWorker implements AsyncDisposable {
  readonly #plan: TrialPlan
  readonly #lease: SandboxLease
  readonly #known: KnownResults
  readonly #probes = new WeakMap<Sandbox, RequirementProbe>()

  /** @param known what is known already; workers that run trials of one task share it, as lost sandboxes count by task */
  constructor(plan: TrialPlan, open: OpenSandbox, known: KnownResults = new KnownResults()) {
    this.#plan = plan
    this.#known = known
    this.#lease = new SandboxLease(plan, open)
  }

  /** Starts the sandbox before the first trial asks for it. */
  warm(): void {
    this.#lease.warm()
  }

  /**
   * Runs one trial; after a fault it is repeated in a new sandbox, at most {@link FAULT_REPEATS} times, unless the fault
   * is one that lasts. A sandbox that is lost while a command of the agent runs may be the command's doing: once in a task
   * the trial is repeated, after that it failed. Else a model could try until it passes.
   * @throws ConfigError when the run cannot go on; the signal's reason when cancelled.
   */
  async run(request: TrialRequest): Promise<TrialEnd> {
    beginActivity(`task "${request.task.id}"`)
    const faults: FaultedAttempt[] = []
    const startedAt = new Date()
    const clock = performance.now()
    while (faults.length <= FAULT_REPEATS) {
      const end = await this.#attempt(request, faults)
      if (end !== null) return end
      const code = faults.at(-1)?.code ?? ''
      if (code === LOST_DURING_COMMAND && this.#known.of(request.task).lostDuringCommand++ > 0) {
        return { kind: 'lost', faults, startedAt, elapsedMs: performance.now() - clock }
      }
      if (LASTING_FAULTS.includes(code)) break
    }
    return { kind: 'infra', faults, startedAt, elapsedMs: performance.now() - clock }
  }

  /** One attempt; null after a fault, which is added to `faults`. */
  async #attempt(request: TrialRequest, faults: FaultedAttempt[]): Promise<TrialEnd | null> {
    request.signal.throwIfAborted()
    try {
      if (!needsSandbox(request.task, toolsOf(request.task))) return await this.#judge(request, faults, null)
      await using leased = await this.#lease.take()
      try {
        const { sandbox } = leased
        const reasons = await this.#probeOf(sandbox).missing(sandbox, request.task.requires, request.signal)
        if (reasons.length > 0) return { kind: 'skipped', reasons }
        const end = await this.#judge(request, faults, sandbox)
        // A fault in the repaired trial leaves a sandbox that is not known to be clean.
        if (end.repaired?.status === 'unknown') await leased.discard()
        return end
      } catch (error) {
        // Whatever went wrong, this sandbox is no longer known to be clean.
        await leased.discard()
        throw error
      }
    } catch (error) {
      if (!(error instanceof InfraError) || request.signal.aborted) throw error
      faults.push({ code: error.code, detail: error.message, remedy: error.remedy })
      return null
    }
  }

  async #judge(
    request: TrialRequest,
    faults: readonly FaultedAttempt[],
    sandbox: Sandbox | null,
  ): Promise<Extract<TrialEnd, { kind: 'judged' }>> {
    const heard: Reply[] = []
    const isAsked = this.#plan.repair === 'report'
    const onReply = isAsked ? (reply: Reply) => heard.push(reply) : undefined
    const finding = await this.#runOnce(request, request.agent, sandbox, onReply)
    const repaired = isAsked ? await this.#repaired(request, finding, heard, sandbox) : null
    return { kind: 'judged', finding, faults, repaired }
  }

  #runOnce(
    request: TrialRequest,
    agent: Agent,
    sandbox: Sandbox | null,
    onReply?: (reply: Reply) => void,
  ): Promise<TrialFinding> {
    return runTrial(request.task, {
      agent,
      play: request.play,
      limits: limitsOfTrial(request.task, this.#plan.limits),
      seed: this.#plan.seed + request.index,
      tools: toolsOf(request.task),
      sandbox,
      known: this.#known.of(request.task),
      signal: request.signal,
      ...(onReply === undefined ? {} : { onReply }),
    })
  }

  /** What the trial would have been with leaked and malformed calls understood; null for an agent that hears no model. */
  async #repaired(
    request: TrialRequest,
    finding: TrialFinding,
    heard: readonly Reply[],
    sandbox: Sandbox | null,
  ): Promise<RepairedTrial | null> {
    const { repairing } = request.agent
    if (repairing === undefined) return null
    const need = repairNeed(finding, heard, toolsOf(request.task).definitions)
    if (need.kind === 'none') return sameAs(finding)
    if (need.kind === 'unreadable') return unknownRepair(need.reason)
    return playRepaired(heard, request.signal, options => this.#runOnce(request, repairing(options), sandbox))
  }

  #probeOf(sandbox: Sandbox): RequirementProbe {
    let probe = this.#probes.get(sandbox)
    if (probe === undefined) {
      probe = new RequirementProbe()
      this.#probes.set(sandbox, probe)
    }
    return probe
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease[Symbol.asyncDispose]()
  }
}
