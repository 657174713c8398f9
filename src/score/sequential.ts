/**
 * Is a model sound on a set of tasks, with as few trials as possible: Wald's sequential probability ratio test (1945), one
 * a task. Looking, interrupting and resuming cost nothing: while p ≤ p0 the likelihood ratio is a supermartingale, which
 * ever reaches m/alpha with a chance of at most alpha/m (Ville 1939).
 */
import { bisect } from './distributions.ts'

export interface SoundnessPlan {
  /** A task that passes with a probability of p0 or less makes a model unsound; with p1 or more on all it is sound. */
  readonly p0: number
  readonly p1: number
  /** Chance to accept any unsound model of the search, and to reject a sound one. */
  readonly alpha: number
  readonly beta: number
  /** Candidates declared at the start: accepting takes m times the evidence, since any unsound one may be accepted. */
  readonly models: number
  /** Rejecting takes T times the evidence, since any task may reject; accepting needs all of them (Berger 1982). */
  readonly tasks: number
  /** Trials that count, at most, per task. */
  readonly maxTrials: number
}

/** The default plan with some changes. @throws RangeError without room between p0 and p1 */
export function soundnessPlan(changes: Partial<SoundnessPlan> = {}): SoundnessPlan {
  const plan = { p0: 0.8, p1: 0.95, alpha: 0.05, beta: 0.05, models: 1, tasks: 1, maxTrials: 80, ...changes }
  if (0 < plan.p0 && plan.p0 < plan.p1 && plan.p1 < 1) return plan
  throw new RangeError(`p0 and p1 must be 0 < p0 < p1 < 1, got ${plan.p0} and ${plan.p1}`)
}

/** A trial: passed or not, or null where it does not count (a fault that is not the model's). */
type Outcome = boolean | null

type TaskDecision = 'accepted' | 'rejected' | 'open' | 'undecided'

interface TaskProgress {
  /** `undecided`: the trials are used up. */
  readonly decision: TaskDecision
  /** Up to the decision. */
  readonly passes: number
  readonly failures: number
  /** Outcomes looked at, those that do not count included: the index of the next trial. */
  readonly consumed: number
  /** Passes in a row that would accept it; null where the trials left do not suffice, or it is decided. */
  readonly passesToAccept: number | null
}

/** The decision at so many passes and failures. */
export function decisionAt(passes: number, failures: number, plan: SoundnessPlan): TaskDecision {
  const evidence = passes * Math.log(plan.p1 / plan.p0) - failures * Math.log((1 - plan.p0) / (1 - plan.p1))
  if (evidence >= Math.log(plan.models / plan.alpha) - 1e-9) return 'accepted'
  if (evidence <= -Math.log(plan.tasks / plan.beta) + 1e-9) return 'rejected'
  return passes + failures >= plan.maxTrials ? 'undecided' : 'open'
}

/**
 * The state of one task.
 * @param outcomes in the order of the trials' index, without gaps: failures and time-outs arrive late, so the order of
 *   arrival would favour acceptance. What comes after the decision is not looked at.
 */
export function taskProgress(outcomes: readonly Outcome[], plan: SoundnessPlan): TaskProgress {
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
  const doesAccept = decision === 'open' && decisionAt(passes + more, failures, plan) === 'accepted'
  return { decision, passes, failures, consumed, passesToAccept: doesAccept ? more : null }
}

export interface Candidate {
  readonly name: string
  /** Outcomes of every task, also of those without a trial yet, as {@link taskProgress} takes them. */
  readonly tasks: ReadonlyMap<string, readonly Outcome[]>
  /** The same transcripts although seeds differ: nothing can be claimed. */
  readonly isOneSample?: boolean
}

interface CandidateProgress {
  readonly name: string
  /** `not_evaluated`: its trials are one sample, or faults ended more than a tenth of 20 attempts, or three in a row. */
  readonly decision: 'sound' | 'rejected' | 'undecided' | 'open' | 'not_evaluated' | 'untested'
  readonly tasks: ReadonlyMap<string, TaskProgress>
  /** Trials looked at, over all tasks. */
  readonly trials: number
  /** The open task with the fewest trials, so that a broken task rejects early; null where nothing is to be run. */
  readonly next: string | null
}

function candidateProgress({ name, tasks: given, isOneSample }: Candidate, plan: SoundnessPlan): CandidateProgress {
  const tasks = new Map([...given].map(([id, outcomes]) => [id, taskProgress(outcomes, plan)]))
  const seen = [...given].map(([id, outcomes]) => outcomes.slice(0, tasks.get(id)?.consumed))
  const [attempts, faults] = [seen.flat().length, seen.flat().filter(outcome => outcome === null).length]
  const isFaulty =
    (attempts >= 20 && faults > attempts / 10) ||
    seen.some(outcomes => outcomes.length >= 3 && outcomes.slice(-3).every(outcome => outcome === null))
  const decisions = [...tasks.values()].map(task => task.decision)
  const decide = () => {
    if (isOneSample === true || decisions.length === 0) return 'not_evaluated'
    if (decisions.includes('rejected')) return 'rejected'
    if (decisions.every(decision => decision === 'accepted')) return 'sound'
    if (isFaulty) return 'not_evaluated'
    return decisions.includes('open') ? 'open' : 'undecided'
  }
  const decision = decide()
  const open = [...tasks].filter(([, task]) => decision === 'open' && task.decision === 'open')
  const next = open.sort(([, a], [, b]) => a.consumed - b.consumed)[0]?.[0] ?? null
  return { name, decision, tasks, trials: attempts, next }
}

/**
 * The state of a search for the smallest sound model. The models ascend and the search stops at the first sound one; no
 * halving, since ability does not always grow with size.
 * @param candidates ascending by size
 * @returns `smallest`: the smallest *listed* model that was accepted; `next`: what to run, null when the search is over
 * @throws RangeError for more models or tasks than the plan declares
 */
export function searchProgress(candidates: readonly Candidate[], plan: SoundnessPlan) {
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
  const { name, next = null } = states.find(state => state.next !== null) ?? {}
  return {
    candidates: states,
    smallest: states.find(({ decision }) => decision === 'sound')?.name ?? null,
    next: name === undefined || next === null ? null : { candidate: name, task: next },
  }
}

/**
 * How one task's test ends when every trial passes with probability p, exactly.
 * @returns `acceptedBy`: the chance to have been accepted at or before each number of trials
 */
export function operatingCharacteristic(p: number, plan: SoundnessPlan) {
  let open = new Map([[0, 1]])
  let [accept, reject, meanTrials] = [0, 0, 0]
  const acceptedBy = [0]
  for (let n = 1; n <= plan.maxTrials; n++) {
    const next = new Map<number, number>()
    for (const [before, share] of open) {
      meanTrials += share
      for (const failures of [before, before + 1]) {
        const chance = share * (failures === before ? p : 1 - p)
        const decision = decisionAt(n - failures, failures, plan)
        if (decision === 'accepted') accept += chance
        else if (decision === 'rejected') reject += chance
        else next.set(failures, (next.get(failures) ?? 0) + chance)
      }
    }
    acceptedBy.push(accept)
    open = next
  }
  return { accept, reject, meanTrials, acceptedBy }
}

/**
 * Lower 95 % bound of a task's pass probability once it was accepted at `trials`: the p that is accepted so early in 5 % of
 * runs (stagewise ordering, Jennison & Turnbull 2000). Intervals for a fixed n do not hold after such a stop.
 */
export const sequentialLowerBound = (trials: number, plan: SoundnessPlan): number =>
  bisect(p => (operatingCharacteristic(p, plan).acceptedBy[trials] ?? 0) - 0.05, 0, 1)

/** What may be said of a candidate and no more: neither "95 % sure" nor "the smallest model". */
export function soundnessClaim({ decision, tasks }: CandidateProgress, plan: SoundnessPlan): string {
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`
  if (decision === 'sound') {
    const bounds = [...tasks.values()].map(task => sequentialLowerBound(task.passes + task.failures, plan))
    const least = (Math.floor(Math.min(...bounds) * 100) / 100).toFixed(2)
    const which = plan.tasks === 1 ? 'the task' : `any of the ${plan.tasks} tasks`
    const model = plan.models === 1 ? 'the model' : `any such model among the ${plan.models}`
    return `Sound: if ${which} had a pass probability below ${plan.p0}, this procedure would accept ${model} with a probability below ${percent(plan.alpha)}. Each task passes with a probability of at least ${least} (95 %, per task).`
  }
  if (decision === 'rejected') {
    return `Not sound: if every task had a pass probability of at least ${plan.p1}, it would be rejected with a probability below ${percent(plan.beta)}.`
  }
  const open = [...tasks].filter(([, task]) => task.decision === 'open' || task.decision === 'undecided')
  const wants = open.map(([id, { passesToAccept: more }]) =>
    more === null ? `${id} cannot be accepted within ${plan.maxTrials} trials` : `${id} needs ${more} passes in a row`,
  )
  return `Not decided: ${wants.length === 0 ? 'nothing was evaluated' : wants.join(', ')}.`
}
