/** Judges the flags of a trial: each is reached or lost, with the moment or the reason. */
import { BenchError, InfraError, SpecError } from '../errors.ts'
import { isMoment, isReached, type Moment, type Reached } from '../task/run.ts'
import { AUTHOR_CODE_MS, callWithin, UNCOUNTED } from '../task/run-within.ts'
import type { Flag } from '../task/task.ts'
import type { FlagResult, TrialLog } from './log.ts'
import { createFacts, createRun, type Facts, type Question } from './run.ts'
import type { TestSession } from './sessions.ts'

type Flags = ReadonlyMap<string, Flag>

interface Judged {
  readonly result: FlagResult
  readonly questions: readonly Question[]
}

const isLost = (question: Question) => question.answer === false || question.answer === null

function nameOf(value: unknown): string {
  if (value instanceof Promise) return 'a promise'
  if (typeof value === 'number') return `${value}, which is not from 0 to 1`
  return typeof value === 'object' ? 'an object that is not a moment or a share' : `a ${typeof value}`
}

function ask(
  id: string,
  flag: Flag,
  log: TrialLog,
  facts: Facts,
): { readonly reached: Reached; readonly evidence: ReturnType<typeof createRun> } {
  const evidence = createRun(log, facts)
  let reached: unknown
  try {
    reached = flag(evidence.run)
  } catch (error) {
    if (error instanceof SpecError) {
      const remedy = `${error.remedy} ${UNCOUNTED}`
      throw new InfraError(`flag "${id}": ${error.message}`, { code: 'flag_threw', remedy, cause: error })
    }
    if (error instanceof BenchError) throw error
    throw new InfraError(`flag "${id}" threw: ${error instanceof Error ? error.message : String(error)}`, {
      code: 'flag_threw',
      remedy: 'Correct the flag in the task; the trial is not counted against the model.',
      cause: error,
    })
  }
  if (isReached(reached)) return { reached, evidence }
  if (reached instanceof Promise) reached.catch(() => undefined) // it is reported here, not as an unhandled rejection too
  throw new InfraError(`flag "${id}" gave ${nameOf(reached)}`, {
    code: 'flag_answer',
    remedy: 'A flag returns true, false, a moment that a question returned or a share from 0 to 1, and is not async.',
  })
}

/**
 * The questions that decided a lost flag: the last ones in a row that found nothing (an `||` asks several), and before
 * them a last question with an answer the flag did not want (`!run.calledUnknownTool()`).
 */
function decidingQuestions(questions: readonly Question[]): readonly Question[] {
  const last = questions.at(-1)
  if (last === undefined) return []
  const unwanted = isLost(last) ? [] : [last]
  let end = questions.length - 1
  while (end >= 0 && !isLost(questions[end] ?? last)) end--
  let start = end
  while (start > 0 && isLost(questions[start - 1] ?? last)) start--
  const lost = end < 0 ? [] : questions.slice(start, end + 1)
  return [...unwanted, ...lost]
}

/** A flag that gives nothing back although its last question found something has most likely lost its `return`. */
function silence(reached: Reached, questions: readonly Question[]): readonly string[] | null {
  const last = questions.at(-1)
  if (reached !== undefined || last === undefined || isLost(last)) return null
  return [`the flag gave nothing back (is a "return" missing?), although ${last.finding}`]
}

function judgeFlag(id: string, flag: Flag, log: TrialLog, facts: Facts): Judged {
  const { reached, evidence } = ask(id, flag, log, facts)
  const { questions, reasons } = evidence
  const deciding = decidingQuestions(questions)
  const stack = (deciding[0] ?? questions.at(-1))?.asked.stack ?? null
  const { share, at } = partsOf(reached)
  const turn = at !== null && at.call > 0 ? at.turn : null
  if (share === 1) {
    return { result: { id, reached: true, turn, reason: '', stack: questions.at(-1)?.asked.stack ?? null }, questions }
  }
  const found = silence(reached, questions) ?? deciding.map(question => question.finding)
  const findings = reasons.length > 0 ? reasons : found
  const reason = [...new Set(findings)].join('; ') || 'the flag asked nothing and gave no reason'
  const part = share === 0 ? {} : { share }
  return { result: { id, reached: false, turn: share === 0 ? null : turn, reason, stack, ...part }, questions }
}

/** How far a flag was reached, and when. */
function partsOf(reached: Reached): { readonly share: number; readonly at: Moment | null } {
  if (isMoment(reached)) return { share: 1, at: reached }
  if (typeof reached === 'object' && reached !== null) return { share: reached.share, at: reached.at || null }
  return { share: Number(reached ?? 0), at: null }
}

/**
 * Judges all flags, in their order, within one deadline.
 * @throws InfraError `flag_timeout`, naming the flag that was asked when the time was over.
 */
function judgeAll(flags: Flags, log: TrialLog, limitMs: number): readonly Judged[] {
  const facts = createFacts(log)
  let asked = { id: '', since: 0 }
  const judged = callWithin(limitMs, () =>
    [...flags].map(([id, flag]) => {
      asked = { id, since: performance.now() }
      return judgeFlag(id, flag, log, facts)
    }),
  )
  if (!judged.isOverdue) return judged.value
  const seconds = (performance.now() - asked.since) / 1_000
  const question = `flag "${asked.id}" had been asked for ${seconds.toFixed(1)} s without an answer`
  throw new InfraError(`${question} when the ${limitMs / 1_000} s for the flags of a trial were over`, {
    code: 'flag_timeout',
    remedy: `Look in flags["${asked.id}"] for an endless loop, and simplify its patterns: a repetition inside a repetition, such as (a+)+, can take for ever. ${UNCOUNTED}`,
  })
}

/**
 * Answers of all flags, in their order. Pure over the log, so that a recorded trial can be judged again.
 * @param limitMs Milliseconds for all flags together.
 * @throws InfraError `flag_threw` when a flag throws or asks for what the task does not have; `flag_answer` when it gives
 * something else than true, false, null, undefined or a moment; `flag_timeout` when one does not come to an end.
 */
export function judge(flags: Flags, log: TrialLog, limitMs = AUTHOR_CODE_MS): FlagResult[] {
  return judgeAll(flags, log, limitMs).map(({ result }) => result)
}

/** A test session that reached flags rest on: the call it ran in and what it claims. */
export interface DecisiveSession {
  readonly call: number
  readonly claim: 'pass' | 'fail'
}

const claimOf = (session: TestSession): DecisiveSession => ({
  call: session.ran.call,
  claim: session.outcome === 'passed' ? 'pass' : 'fail',
})

/**
 * The test sessions whose claims decide flags, by call, so that they can be checked. A check that refutes one may make
 * a flag rest on another: judge and ask again with the checks in the log until nothing new comes.
 * @throws InfraError as {@link judge}
 */
export function decisiveSessions(flags: Flags, log: TrialLog, limitMs = AUTHOR_CODE_MS): DecisiveSession[] {
  const decisive = new Map<string, DecisiveSession>()
  for (const { result, questions } of judgeAll(flags, log, limitMs)) {
    if (!result.reached) continue
    for (const { session } of questions) {
      if (session === null) continue
      const claim = claimOf(session)
      decisive.set(`${claim.call} ${claim.claim}`, claim)
    }
  }
  return [...decisive.values()].sort((one, other) => one.call - other.call || one.claim.localeCompare(other.claim))
}
