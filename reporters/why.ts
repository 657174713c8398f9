/** Why a flag was lost, from the record of its trials: the reason it gave, and what the model said and called around what the reasons name. Pure. */
import type { RecordedSkillResult, RecordedTurnLog, TrialRecord } from '../src/results/record-schema.ts'
import { rowName } from '../src/results/row-name.ts'
import type { Summary } from '../src/results/summary.ts'
import { findingsOf } from './losses.ts'
import { createPainter, cutTo, escapeForTerminal, formatTime, wrap } from './terminal.ts'
import { block, counted, excerpt, type Room } from './why-text.ts'
import { endingLines, repairLines, turnLines } from './why-turns.ts'

export interface WhyOptions {
  /** Only this flag, lost or reached; null = every flag that was lost. */
  readonly flag: string | null
  /** Number of one trial, from 1; null = all. */
  readonly trial: number | null
  /** Names of other models with results of the task, as `--model` takes them; shown so that the choice is seen. */
  readonly otherModels: readonly string[]
  /** Columns of the terminal. */
  readonly width: number
  readonly color: boolean
}

/** Bounds of what is shown; the whole of it is in the result file. */
const CALLS_SHOWN = 6
const MOST_CALLS_SHOWN = 12
const MODELS_SHOWN = 8
const LINES_OF_A_RESULT = 8
const LINES_OF_AN_ARGUMENT = 4
const REASON_CHARACTERS = 2_000
const NARROWEST = 40

/** The answer as lines without line breaks. A flag or trial that is not in the summary gives no line about it. */
export function whyLines(summary: Summary, options: WhyOptions): readonly string[] {
  const paint = createPainter(options.color)
  const room = { width: Math.max(NARROWEST, options.width), paint }
  const trials = summary.trials.filter(trial => options.trial === null || trial.trial_index + 1 === options.trial)
  const parts = trials.flatMap(trial => trialLines(trial, summary, options.flag, room))
  const asked = options.flag === null ? 'every flag was reached' : `${escapeForTerminal(options.flag)} was reached`
  const nothing = [
    `Nothing was lost: ${asked} in ${trials.length === 1 ? 'this trial' : `all ${trials.length} trials`}.`,
  ]
  return [...headingOf(summary, options, room), ...(parts.length === 0 ? ['', ...nothing] : parts)]
}

function headingOf(summary: Summary, { flag, otherModels }: WhyOptions, { width, paint }: Room): readonly string[] {
  const driver = summary.identity_parts.driver
  const setting = [summary.agent, ...(driver === null ? [] : [driver])].join(' · ')
  const heading = `${rowName(summary)}, ${summary.model} (${setting}): ${summary.passes} of ${summary.n} ${summary.n === 1 ? 'trial passes' : 'trials pass'}`
  const skill = flag === null ? undefined : summary.skills[flag]
  const rate = skill === undefined ? [] : [`${flag} was reached in ${skill.reached} of ${skill.n}`]
  const more = otherModels.length > MODELS_SHOWN ? ` and ${otherModels.length - MODELS_SHOWN} more` : ''
  const others =
    otherModels.length === 0
      ? []
      : [`The newest result is shown; --model chooses another: ${otherModels.slice(0, MODELS_SHOWN).join(', ')}${more}`]
  return [
    ...[heading, ...rate].flatMap(line => wrap(escapeForTerminal(line), width)).map(line => paint('bold', line)),
    ...others.flatMap(line => wrap(escapeForTerminal(line), width)),
  ]
}

function trialLines(trial: TrialRecord, summary: Summary, flag: string | null, room: Room): readonly string[] {
  const results = trial.skill_results.filter(result => (flag === null ? !result.reached : result.skill_id === flag))
  const endings = findingsOf({ ...summary, trials: [trial] }).filter(
    finding => !trial.skill_results.some(result => result.skill_id === finding.label),
  )
  if (results.length === 0 && (endings.length === 0 || (flag !== null && trial.skill_results.length > 0))) return []
  const calls = counted(trial.turn_logs.length, 'tool call')
  const heading = `trial ${trial.trial_index + 1}/${summary.trials_planned}: ${trial.outcome}, ${calls} in ${counted(trial.turns_taken, 'turn')}`
  const findings = endings.flatMap(({ label, reason, remedy }) => [
    ...block(`${label}: ${reason}`, '  ! ', room),
    ...(remedy === null ? [] : block(`remedy: ${remedy}`, '    ', room)),
  ])
  const said = endings.map(({ label }) => label)
  return [
    '',
    ...wrap(heading, room.width).map(line => room.paint('bold', line)),
    ...findings,
    ...results.flatMap(result => flagLines(result, room)),
    ...repairLines(trial.repaired, room),
    ...courseLines(results, trial, room),
    ...endingLines(trial, said, room),
  ]
}

function flagLines(result: RecordedSkillResult, room: Room): readonly string[] {
  const { paint } = room
  const id = escapeForTerminal(result.skill_id)
  if (result.reached) {
    const when = result.reached_turn === null ? 'reached' : `reached in turn ${result.reached_turn}`
    return [`  ${paint('green', '✓')} ${cutTo(`${id}  ${when}`, room.width - 4)}`]
  }
  const reason = result.reason === '' ? 'no reason was recorded' : result.reason
  return [
    `  ${paint('red', '✗')} ${cutTo(id, room.width - 4)}`,
    ...block(reason.slice(0, REASON_CHARACTERS), '    ', room),
  ]
}

/** What happened around the flags, shown once: turns with their text, each followed by its calls, and the last turn. */
function courseLines(results: readonly RecordedSkillResult[], trial: TrialRecord, room: Room): readonly string[] {
  const around = callsAround(results, trial)
  const last = trial.turns.at(-1)
  const turns = trial.turns.filter(turn => turn === last || around.calls.some(call => call.turn === turn.turn))
  const untold = around.calls.filter(call => !turns.some(turn => turn.turn === call.turn))
  const parts = [
    ...untold.map(call => ({ turn: call.turn, lines: callLines(call, trial, room) })),
    ...turns.map(turn => ({
      turn: turn.turn,
      lines: [
        ...turnLines(turn, trial, room),
        ...around.calls.filter(call => call.turn === turn.turn).flatMap(call => callLines(call, trial, room)),
      ],
    })),
  ].sort((a, b) => a.turn - b.turn)
  const more = around.left === 0 ? [] : [room.paint('dim', `    and ${counted(around.left, 'more call')}`)]
  return [...parts.flatMap(({ lines }) => lines), ...more]
}

/**
 * The calls that the reasons name with their neighbours, and those of the turn a flag was reached in; the last calls where
 * a reason names none. Where there are too many, those that are named stay.
 */
function callsAround(
  results: readonly RecordedSkillResult[],
  trial: TrialRecord,
): { readonly calls: readonly RecordedTurnLog[]; readonly left: number } {
  const named = new Set<number>()
  const near = new Set<number>()
  for (const result of results) {
    if (result.reached) {
      for (const { call, turn } of trial.turn_logs) if (turn === result.reached_turn) named.add(call)
      continue
    }
    const numbers = [...result.reason.matchAll(/\bcall (\d{1,9})\b/g)].map(match => Number(match[1]))
    for (const number of numbers) {
      named.add(number)
      for (const neighbour of [number - 1, number + 1]) near.add(neighbour)
    }
    if (numbers.length === 0) for (const { call } of trial.turn_logs.slice(-2)) near.add(call)
  }
  const meant = trial.turn_logs.filter(({ call }) => named.has(call) || near.has(call))
  const most = Math.min(MOST_CALLS_SHOWN, CALLS_SHOWN + 2 * Math.max(0, results.length - 1))
  const kept = new Set(meant.toSorted((a, b) => Number(named.has(b.call)) - Number(named.has(a.call))).slice(0, most))
  return { calls: meant.filter(call => kept.has(call)), left: meant.length - kept.size }
}

function callLines(call: RecordedTurnLog, trial: TrialRecord, room: Room): readonly string[] {
  const { width, paint } = room
  const facts = [
    `call ${call.call}`,
    `turn ${call.turn}`,
    escapeForTerminal(call.tool_used),
    ...(call.exit_code === null ? [] : [`exit ${call.exit_code}`]),
    ...(call.stopped === null ? [] : [`ended by ${call.stopped}`]),
    ...(call.invalid_kind === null ? [] : [call.invalid_kind.replace('_', ' ')]),
    formatTime(call.elapsed_sec),
  ]
  const check = trial.session_checks.find(one => one.call === call.call)
  const changed = call.delta === null ? [] : [...call.delta.changed.map(([path]) => path), ...call.delta.deleted]
  return [
    `    ${paint('dim', cutTo(facts.join(' · '), width - 4))}`,
    ...argumentLines(call.args, width),
    ...excerpt(call.delivered, LINES_OF_A_RESULT, '      > ', width),
    ...(changed.length === 0 ? [] : [cutTo(`      changed ${changed.map(escapeForTerminal).join(', ')}`, width)]),
    ...(check === undefined
      ? []
      : block(`the suite was run again on the files as they were: ${check.verdict}, ${check.reason}`, '      ', room)),
  ]
}

/** Arguments by name; longer ones begin on their own line. */
function argumentLines(args: RecordedTurnLog['args'], width: number): readonly string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    const [first = '', ...rest] = excerpt(text, LINES_OF_AN_ARGUMENT, '        ', width)
    return [cutTo(`      ${escapeForTerminal(name)}: ${first.trimStart()}`, width), ...rest]
  })
}
