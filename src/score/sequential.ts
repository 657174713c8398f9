/**
 * Is a model sound on a set of tasks, decided with as few trials as the mathematics allows: Wald's sequential probability
 * ratio test (1945), one a task. Peeking, interrupting and resuming cost nothing: while p ≤ p0 the likelihood ratio is a
 * supermartingale, so it ever reaches m/alpha with a chance of at most alpha/m (Ville 1939).
 */
import { bisect } from './distributions.ts'

export interface SoundnessPlan {
  /** A task with a pass probability of p0 or less makes a model unsound; from p1 on on every task it is sound. */
  readonly p0: number
  readonly p1: number
  /** Chance of accepting any unsound model of the search, and of rejecting a sound one. */
  readonly alpha: number
  readonly beta: number
  /** Candidates, declared at the start: accepting takes m times as much evidence, since any unsound one may be accepted. */
  readonly models: number
  /** Tasks: rejecting takes T times as much evidence, since any task may reject. Accepting needs all tasks, uncorrected (Berger 1982). */
  readonly tasks: number
  /** Trials that count, at most, per task. */
  readonly maxTrials: number
}

export const soundnessPlan = (changes: Partial<SoundnessPlan> = {}): SoundnessPlan => {
  const plan = { p0: 0.8, p1: 0.95, alpha: 0.05, beta: 0.05, models: 1, tasks: 1, maxTrials: 80, ...changes }
  if (!(0 < plan.p0 && plan.p0 < plan.p1 && plan.p1 < 1)) {
    throw new RangeError(`p0 and p1 must be 0 < p0 < p1 < 1, got ${plan.p0} and ${plan.p1}`)
  }
  return plan
}

/** A trial in the order of its index: passed, or not, or null for one that does not count (a fault that is not the model's). */
export type SequentialOutcome = boolean | null

export type TaskDecision = 'accepted' | 'rejected' | 'open' | 'undecided'

export interface TaskProgress {
  /** `undecided`: the trials are used up. */
  readonly decision: TaskDecision
  /** Trials that were taken into account: those up to the decision. */
  readonly passes: number
  readonly failures: number
  /** Outcomes consumed, those that do not count included: the next trial has this index. */
  readonly consumed: number
  /** Passes in a row that would accept it; null where the trials left do not suffice, or it is decided. */
  readonly passesToAccept: number | null
}

const TOLERANCE = 1e-9

/** The decision at so many passes and failures, by the bounds alone. */
export function decisionAt(passes: number, failures: number, plan: SoundnessPlan): TaskDecision {
  const evidence = passes * Math.log(plan.p1 / plan.p0) - failures * Math.log((1 - plan.p0) / (1 - plan.p1))
  if (evidence >= Math.log(plan.models / plan.alpha) - TOLERANCE) return 'accepted'
  if (evidence <= -Math.log(plan.tasks / plan.beta) + TOLERANCE) return 'rejected'
  return passes + failures >= plan.maxTrials ? 'undecided' : 'open'
}

/**
 * The state of one task.
 * @param outcomes in the order of the trials' index, without gaps: failures and time-outs arrive late, so the order of
 *   arrival would favour acceptance. What comes after the decision is not looked at.
 */
export function taskProgress(outcomes: readonly SequentialOutcome[], plan: SoundnessPlan): TaskProgress {
  let [passes, failures, consumed] = [0, 0, 0]
  let decision = decisionAt(0, 0, plan)
  for (const outcome of outcomes) {
    if (decision !== 'open') break
    consumed++
    if (outcome === true) passes++
    if (outcome === false) failures++
    decision = decisionAt(passes, failures, plan)
  }
  let more = 0
  while (decision === 'open' && decisionAt(passes + more, failures, plan) === 'open') more++
  const wouldAccept = decision === 'open' && decisionAt(passes + more, failures, plan) === 'accepted'
  return { decision, passes, failures, consumed, passesToAccept: wouldAccept ? more : null }
}

/** Faults after which a model is given up: three in a row, or more than a tenth of at least twenty attempts. */
const FAULTS = { inARow: 3, share: 0.1, attempts: 20 }

export interface CandidateTrials {
  readonly name: string
  /** Outcomes of each task in the order of the trials' index; all tasks of the plan, also those without a trial yet. */
  readonly tasks: ReadonlyMap<string, readonly SequentialOutcome[]>
  /** Its trials are one sample (the same transcripts although seeds differ): nothing can be claimed. */
  readonly isOneSample?: boolean
}

export interface CandidateProgress {
  readonly name: string
  readonly decision: 'sound' | 'rejected' | 'undecided' | 'open' | 'not_evaluated' | 'untested'
  readonly tasks: ReadonlyMap<string, TaskProgress>
  /** Trials consumed, over all tasks. */
  readonly trials: number
  /** The open task with the fewest trials: round-robin, so a broken task rejects early. null where nothing is to be run. */
  readonly next: string | null
}

function candidateProgress(candidate: CandidateTrials, plan: SoundnessPlan): CandidateProgress {
  const tasks = new Map([...candidate.tasks].map(([id, outcomes]) => [id, taskProgress(outcomes, plan)]))
  const states = [...tasks.values()]
  const consumed = [...candidate.tasks].map(([id, outcomes]) => outcomes.slice(0, tasks.get(id)?.consumed))
  const attempts = consumed.flat()
  const faults = attempts.filter(outcome => outcome === null).length
  const isFaulty =
    (attempts.length >= FAULTS.attempts && faults > FAULTS.share * attempts.length) ||
    consumed.some(outcomes => endsInFaults(outcomes))
  const some = (decision: TaskDecision) => states.some(state => state.decision === decision)
  const decision = (): CandidateProgress['decision'] => {
    if (candidate.isOneSample === true || states.length === 0) return 'not_evaluated'
    if (some('rejected')) return 'rejected'
    if (states.every(state => state.decision === 'accepted')) return 'sound'
    if (isFaulty) return 'not_evaluated'
    return some('open') ? 'open' : 'undecided'
  }
  const decided = decision()
  const open = [...tasks].filter(([, state]) => state.decision === 'open')
  const next = open.toSorted(([, a], [, b]) => a.consumed - b.consumed)[0]?.[0] ?? null
  return {
    name: candidate.name,
    decision: decided,
    tasks,
    trials: attempts.length,
    next: decided === 'open' ? next : null,
  }
}

const endsInFaults = (outcomes: readonly SequentialOutcome[]) =>
  outcomes.length >= FAULTS.inARow && outcomes.slice(-FAULTS.inARow).every(outcome => outcome === null)

export interface SearchProgress {
  /** In the order given. What comes after the smallest sound one is `untested`. */
  readonly candidates: readonly CandidateProgress[]
  /** The smallest *listed* model that was accepted; null as long as there is none. */
  readonly smallest: string | null
  /** What to run next; null when the search is over. */
  readonly next: { readonly candidate: string; readonly task: string } | null
}

/**
 * The state of a search for the smallest sound model. Models ascend by size and the search stops at the first sound one; no
 * halving, since ability does not grow with size without exception.
 * @param candidates ascending by size; the plan's `models` and `tasks` must be what was declared at the start
 */
export function searchProgress(candidates: readonly CandidateTrials[], plan: SoundnessPlan): SearchProgress {
  if (candidates.length > plan.models || candidates.some(({ tasks }) => tasks.size > plan.tasks)) {
    throw new RangeError('a search cannot hold more models or tasks than its plan declares')
  }
  let isOver = false
  const states = candidates.map((candidate): CandidateProgress => {
    const state = candidateProgress(candidate, plan)
    if (isOver) return { ...state, decision: 'untested', next: null }
    isOver = state.decision === 'sound' || state.decision === 'open'
    return state
  })
  const current = states.find(({ next }) => next !== null)
  return {
    candidates: states,
    smallest: states.find(({ decision }) => decision === 'sound')?.name ?? null,
    next: current?.next == null ? null : { candidate: current.name, task: current.next },
  }
}

/** Chances of the ends of one task's test, exact by dynamic programming over failures. */
export interface OperatingCharacteristic {
  readonly accept: number
  readonly reject: number
  readonly undecided: number
  readonly meanTrials: number
  /** Chance to have been accepted at or before each number of trials. */
  readonly acceptedBy: readonly number[]
}

/** @param p the pass probability of every trial */
export function operatingCharacteristic(p: number, plan: SoundnessPlan): OperatingCharacteristic {
  let open = new Map([[0, 1]])
  let [accept, reject, meanTrials] = [0, 0, 0]
  const acceptedBy = [0]
  for (let n = 1; n <= plan.maxTrials && open.size > 0; n++) {
    const next = new Map<number, number>()
    for (const [failures, share] of open) {
      meanTrials += share
      for (const [f, chance] of [
        [failures, share * p],
        [failures + 1, share * (1 - p)],
      ] as const) {
        const decision = decisionAt(n - f, f, plan)
        if (decision === 'accepted') accept += chance
        else if (decision === 'rejected') reject += chance
        else next.set(f, (next.get(f) ?? 0) + chance)
      }
    }
    acceptedBy.push(accept)
    open = next
  }
  return { accept, reject, undecided: 1 - accept - reject, meanTrials, acceptedBy }
}

/**
 * Lower 95 % bound of a task's pass probability after it was accepted at `trials`: the p with which it would have been
 * accepted so early in 5 % of runs (stagewise ordering, Jennison & Turnbull 2000). Intervals for a fixed n do not hold here.
 */
export function sequentialLowerBound(trials: number, plan: SoundnessPlan): number {
  return bisect(
    p => {
      const { acceptedBy } = operatingCharacteristic(p, plan)
      return (acceptedBy[Math.min(trials, acceptedBy.length - 1)] ?? 0) - 0.05
    },
    0,
    1,
  )
}

/** What may be said of a decided candidate, and never more: no "95 % sure", no "the smallest model". */
export function soundnessClaim(candidate: CandidateProgress, plan: SoundnessPlan): string {
  const { p0, p1, alpha, beta, models, tasks } = plan
  const [share, among] = [(100 * alpha).toFixed(0), models === 1 ? '' : ` among the ${models}`]
  const which = tasks === 1 ? 'the task' : `any of the ${tasks} tasks`
  if (candidate.decision === 'sound') {
    const bounds = [...candidate.tasks.values()].map(({ passes, failures }) =>
      sequentialLowerBound(passes + failures, plan),
    )
    const least = (Math.floor(Math.min(...bounds) * 100) / 100).toFixed(2)
    const each = tasks === 1 ? 'It' : 'Each task'
    return `Sound: if ${which} had a pass probability below ${p0}, this procedure would accept ${models === 1 ? 'the' : 'any such'} model${among} with a probability below ${share} %. ${each} passes with a probability of at least ${least} (95 %, per task).`
  }
  if (candidate.decision === 'rejected') {
    return `Not sound: if every task had a pass probability of at least ${p1}, it would be rejected with a probability below ${(100 * beta).toFixed(0)} %.`
  }
  const open = [...candidate.tasks].filter(([, { decision }]) => decision === 'open' || decision === 'undecided')
  const wants = open.map(([id, { passesToAccept: more }]) =>
    more === null ? `${id} cannot be accepted within ${plan.maxTrials} trials` : `${id} needs ${more} passes in a row`,
  )
  return `Not decided${wants.length === 0 ? '' : `: ${wants.join(', ')}`}.`
}
