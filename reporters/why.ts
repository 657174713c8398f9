/** Why a flag was lost, from the record of its trials: the reason it gave, and the tool calls around what the reason names. Pure. */
import type { RecordedSkillResult, RecordedTurnLog, TrialRecord } from '../src/results/record-schema.ts'
import type { Summary } from '../src/results/summary.ts'
import { findingsOf } from './losses.ts'
import { createPainter, cutTo, escapeForTerminal, type Painter, timeInWords, wrap } from './terminal.ts'

export interface WhyOptions {
  /** Only this flag, lost or reached; null = every flag that was lost. */
  readonly flag: string | null
  /** Number of one trial, from 1; null = all. */
  readonly trial: number | null
  /** Columns of the terminal. */
  readonly width: number
  readonly color: boolean
}

/** Bounds of what is shown; the whole of it is in the result file. */
const CALLS_SHOWN = 6
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
  return [...headingOf(summary, options.flag, room), ...(parts.length === 0 ? ['', ...nothing] : parts)]
}

interface Room {
  readonly width: number
  readonly paint: Painter
}

function headingOf(summary: Summary, flag: string | null, { width, paint }: Room): readonly string[] {
  const driver = summary.identity_parts.driver
  const setting = [summary.agent, ...(driver === null ? [] : [driver])].join(' · ')
  const heading = `${summary.task_id}, ${summary.model} (${setting}): ${summary.passes} of ${summary.n} trials pass`
  const skill = flag === null ? undefined : summary.skills[flag]
  const rate = skill === undefined ? [] : [`${flag} was reached in ${skill.reached} of ${skill.n}`]
  return [heading, ...rate].flatMap(line => wrap(escapeForTerminal(line), width)).map(line => paint('bold', line))
}

function trialLines(trial: TrialRecord, summary: Summary, flag: string | null, room: Room): readonly string[] {
  const results = trial.skill_results.filter(result => (flag === null ? !result.reached : result.skill_id === flag))
  const endings = findingsOf({ ...summary, trials: [trial] }).filter(
    finding => !trial.skill_results.some(result => result.skill_id === finding.label),
  )
  if (results.length === 0 && (endings.length === 0 || (flag !== null && trial.skill_results.length > 0))) return []
  const calls = trial.turn_logs.length
  const heading = `trial ${trial.trial_index + 1}/${summary.trials_planned}: ${trial.outcome}, ${calls} tool ${calls === 1 ? 'call' : 'calls'} in ${trial.turns_taken} ${trial.turns_taken === 1 ? 'turn' : 'turns'}`
  const endingLines = endings.flatMap(({ label, reason, remedy }) => [
    ...block(`${label}: ${reason}`, '  ! ', room),
    ...(remedy === null ? [] : block(`remedy: ${remedy}`, '    ', room)),
  ])
  return [
    '',
    ...wrap(heading, room.width).map(line => room.paint('bold', line)),
    ...endingLines,
    ...results.flatMap(result => flagLines(result, trial, room)),
  ]
}

function flagLines(result: RecordedSkillResult, trial: TrialRecord, room: Room): readonly string[] {
  const { paint } = room
  const id = escapeForTerminal(result.skill_id)
  if (result.reached) {
    const when = result.reached_turn === null ? 'reached' : `reached in turn ${result.reached_turn}`
    const calls = trial.turn_logs.filter(call => call.turn === result.reached_turn)
    return [`  ${paint('green', '✓')} ${id}  ${when}`, ...callsLines(calls, trial, room)]
  }
  const reason = result.reason === '' ? 'no reason was recorded' : result.reason
  return [
    `  ${paint('red', '✗')} ${id}`,
    ...block(reason.slice(0, REASON_CHARACTERS), '    ', room),
    ...callsLines(callsAround(reason, trial), trial, room),
  ]
}

/** The calls a reason names with their neighbours; the last calls when it names none. */
function callsAround(reason: string, trial: TrialRecord): readonly RecordedTurnLog[] {
  const named = [...reason.matchAll(/\bcall (\d{1,9})\b/g)].map(match => Number(match[1]))
  if (named.length === 0) return trial.turn_logs.slice(-2)
  return trial.turn_logs.filter(({ call }) => named.some(number => Math.abs(call - number) <= 1))
}

function callsLines(calls: readonly RecordedTurnLog[], trial: TrialRecord, room: Room): readonly string[] {
  const shown = calls.slice(0, CALLS_SHOWN)
  const lines = shown.flatMap(call => callLines(call, trial, room))
  return shown.length === calls.length
    ? lines
    : [...lines, room.paint('dim', `    and ${calls.length - shown.length} more calls`)]
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
    timeInWords(call.elapsed_sec),
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

/** The first lines of a text, each cut to the width, with how many are left out. */
function excerpt(text: string, most: number, indent: string, width: number): readonly string[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const shown = lines.slice(0, most).map(line => cutTo(indent + escapeForTerminal(line.slice(0, 4 * width)), width))
  const left = lines.length - shown.length
  return left === 0 ? shown : [...shown, `${indent}… ${left} more ${left === 1 ? 'line' : 'lines'}`]
}

/** Text wrapped below an indent whose first line may carry a mark. */
function block(text: string, indent: string, { width }: Room): readonly string[] {
  return wrap(escapeForTerminal(text), width - indent.length).map(
    (line, at) => (at === 0 ? indent : ' '.repeat(indent.length)) + line,
  )
}
