/** What an examination of a server finds. Plain data: it is printed, stored as JSON and read again. */
import { stripVTControlCharacters } from 'node:util'

/**
 * `degraded`: trials can be run, and `effect` says what it does to their results. `broken`: results would be about the
 * server; `remedy` is the fix. `unclear`: the model did not do what the probe needs, or time ran out; that is not a warning.
 */
export type Verdict = 'ok' | 'degraded' | 'broken' | 'unclear'

type Measured = Readonly<Record<string, number | string | boolean | null>>

/** What a probe gives back; its name is added by the examination. */
export interface Judgement {
  readonly verdict: Verdict
  /** What was seen, one sentence without a full stop. */
  readonly found: string
  /** What it does to results; null unless degraded. */
  readonly effect: string | null
  /** What to do; null when there is nothing to do. */
  readonly remedy: string | null
  /** Numbers and names behind the verdict; names carry their unit. */
  readonly measured: Measured
}

export interface Finding extends Judgement {
  /** Its name. */
  readonly probe: string
}

/** What an examination found; plain data. */
export interface Examination {
  /** Names the server and model this is about: the same for every run that would be served alike. */
  readonly serverDigest: string
  readonly kind: 'full' | 'quick'
  readonly model: string
  readonly baseUrl: string
  /** ISO 8601, UTC. */
  readonly examinedAt: string
  readonly elapsedMs: number
  /** The worst of the findings; `unclear` ones do not count, unless there is nothing else. */
  readonly verdict: Verdict
  readonly findings: readonly Finding[]
}

const judging =
  (verdict: Verdict) =>
  (found: string, measured: Measured = {}): Judgement => ({ verdict, found, effect: null, remedy: null, measured })

export const fine = judging('ok')
export const unclear = judging('unclear')

export const degraded = (found: string, effect: string, remedy: string | null, measured: Measured = {}): Judgement => ({
  ...judging('degraded')(found, measured),
  effect,
  remedy,
})

export const broken = (found: string, remedy: string, measured: Measured = {}): Judgement => ({
  ...judging('broken')(found, measured),
  remedy,
})

/** Ends a probe with its judgement, wherever in it that is known. */
export class Judged extends Error {
  override readonly name = 'Judged'
  readonly judgement: Judgement

  constructor(judgement: Judgement) {
    super(judgement.found)
    this.judgement = judgement
  }
}

/**
 * How a line begins that says: what trials lose here is not the model's. It is printed before the first trial and again
 * among the last lines of a run.
 */
export const ALARM = 'WARNING'

/**
 * What a finding does to the blame for failures, one clause; null when failures stay the model's. A trial that a leaked
 * call ends is recorded as failed (`tool_markup_in_text`), because a single reply does not show whose fault it was.
 */
export function doubtOf({ probe, verdict, measured }: Finding): string | null {
  if (probe !== 'tool_call' || measured.arrives !== false || verdict === 'ok' || verdict === 'unclear') return null
  return measured.markup === true
    ? 'calls of the model arrive as text: trials that fail for it (tool_markup_in_text) are about the server'
    : 'calls of the model do not arrive: trials that fail for want of a call may be about the server'
}

/** Words of a server are data: no escape sequence of theirs reaches a terminal, and a finding stays one line. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ')
}

/** What was found, what it does to results, and the fix. */
export function sentenceOf({ found, effect, remedy }: Finding): string {
  return plain(`${found}${effect === null ? '' : ` → ${effect}`}${remedy === null ? '' : ` | fix: ${remedy}`}`)
}

/** One line: verdict, probe, and its sentence. */
export function findingLine(finding: Finding): string {
  return `${finding.verdict.padEnd(8)}  ${finding.probe.padEnd(16)}  ${sentenceOf(finding)}`
}
