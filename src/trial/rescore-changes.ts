/** What differs between a recorded judgement and one made today. Pure. */
import type { TrialRecord } from '../results/record-schema.ts'
import type { Judgement } from './judgement.ts'

/** One thing that came out otherwise. */
export interface Change {
  readonly kind: 'flag' | 'check' | 'tamper' | 'outcome' | 'score'
  /** Id of the flag, name of the check; the kind for the others. */
  readonly name: string
  readonly before: string
  readonly after: string
  /** Why it is so today; empty where the words before say it. */
  readonly reason: string
}

interface Side {
  readonly state: string
  readonly reason: string
}

const flagState = (reached: boolean, turn: number | null) =>
  !reached ? 'lost' : turn === null ? 'reached' : `reached in turn ${turn}`

/** Everything that came out otherwise, flags first. A reason in other words alone is not a change. */
export function changesOf(record: TrialRecord, judgement: Judgement): readonly Change[] {
  return [
    ...compared(
      'flag',
      record.skill_results.map(flag => [flag.skill_id, { ...flag, state: flagState(flag.reached, flag.reached_turn) }]),
      judgement.flags.map(flag => [flag.id, { ...flag, state: flagState(flag.reached, flag.turn) }]),
    ),
    ...compared(
      'check',
      record.verified.map(check => [check.name, { state: check.ok ? 'held' : 'failed', reason: check.reason }]),
      [...judgement.log.verified].map(([name, { ok, reason }]) => [name, { state: ok ? 'held' : 'failed', reason }]),
    ),
    ...single('tamper', describeTamper(record.tamper), describeTamper(judgement.tamper)),
    ...single('score', formatScore(record.score), formatScore(judgement.score)),
    ...single(
      'outcome',
      describeOutcome(record.outcome, record.failure_reason),
      describeOutcome(judgement.outcome, judgement.failureReason),
    ),
  ]
}

function compared(
  kind: Change['kind'],
  then: readonly (readonly [string, Side])[],
  now: readonly (readonly [string, Side])[],
): readonly Change[] {
  const [before, after] = [new Map(then), new Map(now)]
  return [...new Set([...after.keys(), ...before.keys()])].flatMap(name => {
    const [one, other] = [before.get(name), after.get(name)]
    if (one?.state === other?.state) return []
    const state = (side: Side | undefined) => side?.state ?? `no such ${kind}`
    return [{ kind, name, before: state(one), after: state(other), reason: other?.reason ?? '' }]
  })
}

function single(kind: Change['kind'], before: string, after: string): readonly Change[] {
  return before === after ? [] : [{ kind, name: kind, before, after, reason: '' }]
}

const formatScore = (score: number | null) => (score === null ? 'none' : score.toFixed(3).replace(/\.?0+$/, ''))

const describeOutcome = (outcome: string, reason: string | null) =>
  reason === null ? outcome : `${outcome} (${reason})`

const describeTamper = (tamper: readonly { readonly path: string; readonly kind: string }[]) =>
  tamper.length === 0 ? 'none' : tamper.map(({ path, kind }) => `${path} ${kind}`).join(', ')
