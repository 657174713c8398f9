/** The whole proof of one task without a model: `agent-bench check`, and the test of the house's own tasks. */
import { createAgent } from '../agents/index.ts'
import { BenchError, ConfigError } from '../errors.ts'
import { createReader } from '../evidence/reading.ts'
import { isCachePath } from '../evidence/tamper.ts'
import { type FileMap, rootOf } from '../sandbox/index.ts'
import type { Mode, Play, Task } from '../task/task.ts'
import type { TrialPlan } from '../trial/plan.ts'
import type { TrialFinding } from '../trial/run-trial.ts'
import type { TrialWorker } from '../trial/trial-worker.ts'
import { findLeaks, placesOf, textOfBytes } from './leaks.ts'
import { answerEmptied, filesPutBack, type Mutant } from './mutants.ts'
import { pagingProblem } from './paging.ts'
import { disagreement, type Proof, proofsOf } from './proof.ts'
import { runOnWorkers } from './run-on-workers.ts'
import { type Omission, omissionsOf, recordSteps, type Step } from './steps.ts'

/** Milliseconds after which one play is given up. */
const PLAY_TIMEOUT_MS = 300_000

/** Something a task says of itself that turned out to be otherwise. */
interface CheckProblem {
  /** What was looked at, for example `cheat "deletes the tests"`. */
  readonly about: string
  readonly problem: string
}

export interface TaskCheck {
  readonly task: string
  /** null for tasks without a choice of modes. */
  readonly mode: Mode | null
  /** Other instances that were proved by reference and nop. */
  readonly instances: number
  /** `skipped`: the sandbox lacks what the task requires, or the task has no verdict that could be proved. */
  readonly status: 'ok' | 'failed' | 'skipped'
  readonly reference: { readonly passed: number; readonly trials: number }
  /** Score of doing nothing; null when that was not found out. */
  readonly nopScore: number | null
  /** How many were played. */
  readonly cheats: number
  readonly honest: number
  readonly steps: number
  /** Whether the reference fails when it says nothing in the end; null when that was not found out. */
  readonly judgesAnswer: boolean | null
  readonly problems: readonly CheckProblem[]
  /** Why it was skipped; empty otherwise. */
  readonly reasons: readonly string[]
  /** How long the check took when it was made. */
  readonly durationMs: number
  /** It was made before, of the same task with the same code; see `proof-cache.ts`. */
  readonly isKnown?: true
}

export interface CheckSetting {
  /** Each has its own sandbox; they share the work of a task. */
  readonly workers: readonly TrialWorker[]
  /** How often the reference must pass. */
  readonly k: number
  readonly signal: AbortSignal
  /** The task for other instances: of each, reference and nop are played once. */
  readonly instances?: readonly Task[]
  /** The files of a skill as they are in its own directory: they may hold no hidden value either. */
  readonly skillDirectory?: FileMap
  /** Called after each play with how many are done, and how many there are as far as is known by then. */
  readonly onPlay?: (done: number, all: number) => void
}

/** The plan of trials that nobody records. */
export function planOfCheck(runId: string): TrialPlan {
  return {
    runId,
    root: '',
    resultsDir: '',
    agent: 'reference',
    modelLabel: 'reference',
    model: null,
    sandbox: null,
    k: 1,
    trials: 1,
    seed: 42,
    limits: { maxTurns: null, commandTimeoutMs: null, trialTimeoutMs: null },
    earlyStop: false,
    repair: 'off',
    examines: false,
    fresh: false,
    harness: { version: '', nodeVersion: process.versions.node, vitestVersion: '', platform: '' },
    recorded: [],
  }
}

/** How a play went: judged, not possible here, or a fault, as text. */
type Played =
  | { readonly kind: 'judged'; readonly finding: TrialFinding }
  | { readonly kind: 'skipped'; readonly reasons: readonly string[] }
  | { readonly kind: 'broken'; readonly problem: string }

/**
 * Checks all that a task says of itself: the reference passes every time and always leaves the same files; doing nothing scores 0;
 * honest ways pass; cheats lose exactly what they say; no step of the reference is needless, nor a file that it changes; what it
 * reads can be read whole; no hidden value can be found.
 * @throws ConfigError when no trial can be run; the signal's reason when cancelled.
 */
export async function checkTask(task: Task, setting: CheckSetting): Promise<TaskCheck> {
  const clock = performance.now()
  const check = new Check(task, setting)
  await check.run()
  return { ...check.result(), durationMs: performance.now() - clock }
}

class Check {
  readonly #task: Task
  readonly #setting: CheckSetting
  readonly #problems: CheckProblem[] = []
  readonly #steps: Step[] = []
  #reasons: readonly string[] = []
  #passed = 0
  #nopScore: number | null = null
  #judgesAnswer: boolean | null = null
  #played = 0
  #plays = 0

  constructor(task: Task, setting: CheckSetting) {
    this.#task = task
    this.#setting = setting
  }

  async run(): Promise<void> {
    const task = this.#task
    if (task.isObserved) {
      this.#reasons = ['it has no manifest: it is observed only and has no verdict']
      return
    }
    if (task.reference === null) {
      this.#note('task', 'it has no reference, so nothing of it is proved')
      return
    }
    const { reference } = task
    const instances = this.#setting.instances ?? []
    const elsewhere = instances.flatMap(other =>
      proofsOf(other)
        .filter(({ kind }) => kind === 'reference' || kind === 'nop')
        .map(proof => (worker: TrialWorker) => this.#prove(worker, proof, other)),
    )
    // Cheats first: some hang until a limit ends them, and at the end the other sandboxes would wait for that.
    const others = proofsOf(task)
      .filter(({ kind }) => kind !== 'reference')
      .toSorted((one, other) => Number(other.kind === 'cheat') - Number(one.kind === 'cheat'))
    this.#plays = this.#setting.k + others.length + elsewhere.length
    await runOnWorkers(this.#setting.workers, [
      async (worker, add) => {
        const finding = await this.#proveReference(worker, reference)
        if (finding === null) return
        const omissions = omissionsOf(reference, this.#steps)
        const mutants = filesPutBack(task, reference, finding, this.#steps)
        this.#plays += 2 + omissions.length + mutants.length
        add(next => this.#inspect(next, readFiles(task, finding)))
        for (const omission of omissions) add(next => this.#leaveOut(next, omission))
        for (const mutant of mutants) add(next => this.#putBack(next, mutant))
        add(next => this.#emptyAnswer(next, reference))
      },
      ...others.map(proof => (worker: TrialWorker) => this.#prove(worker, proof)),
      ...elsewhere,
    ])
  }

  result(): Omit<TaskCheck, 'durationMs'> {
    const { id, mode, cheats, honest } = this.#task
    const isSkipped = this.#reasons.length > 0
    return {
      task: id,
      mode,
      instances: this.#setting.instances?.length ?? 0,
      status: isSkipped ? 'skipped' : this.#problems.length === 0 ? 'ok' : 'failed',
      reference: { passed: this.#passed, trials: this.#setting.k },
      nopScore: this.#nopScore,
      cheats: cheats.size,
      honest: honest.size,
      steps: this.#steps.length,
      judgesAnswer: this.#judgesAnswer,
      // Sandboxes work side by side, so the order in which things were found says nothing.
      problems: isSkipped ? [] : this.#problems.toSorted((one, other) => one.about.localeCompare(other.about)),
      reasons: this.#reasons,
    }
  }

  #note(about: string, problem: string): void {
    this.#problems.push({ about, problem })
  }

  /** Plays a script. A mistake in the script is a finding; only what keeps every trial from being run is thrown. */
  async #play(worker: TrialWorker, play: Play, task = this.#task): Promise<Played> {
    const timeout = AbortSignal.timeout(PLAY_TIMEOUT_MS)
    try {
      const end = await worker.run({
        task,
        index: 0,
        agent: createAgent('reference', { model: null }),
        play,
        signal: AbortSignal.any([this.#setting.signal, timeout]),
      })
      if (end.kind === 'judged' || end.kind === 'skipped') return end
      return { kind: 'broken', problem: `it could not be judged: ${describeFault(end.faults.at(-1))}` }
    } catch (error) {
      if (this.#setting.signal.aborted || error instanceof ConfigError) throw error
      if (timeout.aborted) return { kind: 'broken', problem: `it took longer than ${PLAY_TIMEOUT_MS / 1_000} s` }
      if (!(error instanceof BenchError)) throw error
      return { kind: 'broken', problem: describeFault({ detail: error.message, remedy: error.remedy }) }
    } finally {
      this.#played += 1
      // A reference that cannot be played is not played k times.
      this.#setting.onPlay?.(this.#played, Math.max(this.#played, this.#plays))
    }
  }

  /** The finding of a play, or null: then the reason is noted. */
  async #find(worker: TrialWorker, about: string, play: Play, task = this.#task): Promise<TrialFinding | null> {
    const played = await this.#play(worker, play, task)
    if (played.kind === 'judged') return played.finding
    if (played.kind === 'skipped') this.#reasons = played.reasons
    else this.#note(about, played.problem)
    return null
  }

  /** Plays the reference k times in one sandbox. Gives its last finding, or null when it does not even run. */
  async #proveReference(worker: TrialWorker, play: Play): Promise<TrialFinding | null> {
    const proof: Proof = { kind: 'reference', name: 'reference', play, loses: [], tampers: false }
    let first: TrialFinding | null = null
    for (let trial = 1; trial <= this.#setting.k; trial += 1) {
      const finding = await this.#find(worker, 'reference', first === null ? recordSteps(play, this.#steps) : play)
      if (finding === null) return null
      const problem = disagreement(proof, finding)
      if (problem === null) this.#passed += 1
      else this.#note('reference', `trial ${trial} of ${this.#setting.k}: ${problem}`)
      if (first !== null) this.#compareEnds(first, finding, trial)
      first ??= finding
    }
    return first
  }

  /** A reference that leaves other files each time proves only one of them. */
  #compareEnds(first: TrialFinding, finding: TrialFinding, trial: number): void {
    const [one, other] = [endState(first), endState(finding)]
    if (rootOf(one) === rootOf(other)) return
    const paths = [...new Set([...one.keys(), ...other.keys()])].filter(
      path => JSON.stringify(one.get(path)) !== JSON.stringify(other.get(path)),
    )
    this.#note('reference', `trial ${trial} left other files than trial 1: ${paths.slice(0, 5).join(', ')}`)
  }

  async #prove(worker: TrialWorker, proof: Proof, task = this.#task): Promise<void> {
    const name = ['nop', 'reference'].includes(proof.kind) ? proof.kind : `${proof.kind} "${proof.name}"`
    const about = task === this.#task ? name : `${name} of instance ${task.instance?.number}`
    const finding = await this.#find(worker, about, proof.play, task)
    if (finding === null) return
    const problem = disagreement(proof, finding)
    if (problem !== null) this.#note(about, problem)
    if (proof.kind !== 'nop') return
    if (task === this.#task) this.#nopScore = finding.score
    if (finding.score !== 0) this.#note(about, `doing nothing scores ${finding.score} instead of 0`)
  }

  /** A step whose absence nobody notices is not measured. */
  async #leaveOut(worker: TrialWorker, { steps, isOptional, play }: Omission): Promise<void> {
    const names = steps.map(({ number, call }) => `${number} (${call})`).join(', ')
    const about = `reference without step ${names}`
    const played = await this.#play(worker, play)
    // A script that cannot go on without the step needed it.
    const isLost = played.kind === 'broken' || (played.kind === 'judged' && losesSomething(played.finding))
    if (isOptional && isLost) {
      const flags = played.kind === 'judged' ? played.finding.flags.filter(({ reached }) => !reached) : []
      const lost = played.kind === 'broken' ? played.problem : flags.map(({ id }) => id).join(', ')
      this.#note(about, `it is marked optional, but without it is lost: ${lost || 'the verdict'}`)
    } else if (!isOptional && !isLost) {
      this.#note(about, 'nothing is lost: cut the step, mark it optional with a reason, or add the flag that needs it')
    }
  }

  /** A file that nobody misses is not measured. */
  async #putBack(worker: TrialWorker, { about, play }: Mutant): Promise<void> {
    const played = await this.#play(worker, play)
    if (played.kind !== 'judged' || losesSomething(played.finding)) return
    this.#note(about, 'nothing is lost: add the flag or check that needs it, or mark the steps that change it optional')
  }

  /** That is not a fault: most tasks judge what was done. It is said, for a task that means to judge the answer. */
  async #emptyAnswer(worker: TrialWorker, reference: Play): Promise<void> {
    const played = await this.#play(worker, answerEmptied(reference))
    this.#judgesAnswer = played.kind !== 'judged' || played.finding.outcome !== 'passed'
  }

  /** Looks at the workspace as an agent can: pages through files, searches what it could see for hidden values. */
  async #inspect(worker: TrialWorker, paths: readonly string[]): Promise<void> {
    const { setup, hidden, tools } = this.#task
    if (tools !== 'workspace') return
    const problems: string[] = []
    let environment = ''
    const look: Play = hands =>
      hands.turn(async () => {
        for (const path of paths) {
          const problem = await pagingProblem(hands, path, textOfBytes(setup.get(path)?.bytes ?? new Uint8Array()))
          if (problem !== null) problems.push(problem)
        }
        if (hidden.length > 0) environment = await hands.sh('env')
      })
    if ((await this.#find(worker, 'reading', look)) === null) return
    for (const problem of problems) this.#note('reading', problem)
    if (hidden.length === 0) return
    const places = placesOf(this.#task, environment, this.#setting.skillDirectory ?? new Map())
    for (const leak of findLeaks(hidden, places)) this.#note('hidden values', leak)
  }
}

/** Points count too: in a task that grants some of them a pass may need less than all. */
const losesSomething = ({ outcome, score }: TrialFinding): boolean => outcome !== 'passed' || score < 1

function describeFault(fault: { readonly detail: string; readonly remedy: string } | undefined): string {
  return fault === undefined ? 'unknown fault' : `${fault.detail} (remedy: ${fault.remedy})`
}

/** What a trial left, without the caches of Python's tools: these hold times. */
function endState(finding: TrialFinding) {
  return new Map([...finding.log.final.entries].filter(([path]) => !isCachePath(path)))
}

/** Text files of the setup that were shown to the reference, or that it asked for. */
function readFiles(task: Task, { log }: TrialFinding): readonly string[] {
  const reader = createReader(log)
  const asked = new Set(log.calls.filter(({ delta }) => delta === null).flatMap(({ args }) => Object.values(args)))
  return [...log.setupText.keys()].filter(
    path => task.setup.has(path) && (asked.has(path) || reader(path).showings.length > 0),
  )
}
