/** What the model said around the calls that are shown, how the agent ended, and what repair made of the trial. Pure. */
import type { RecordedRepair, RecordedTurn, TrialRecord } from '../src/results/record-schema.ts'
import { cutTo } from './terminal.ts'
import { block, counted, type Room, spoken } from './why-text.ts'

/** Bounds of what is shown; the whole of it is in the result file. */
const LINES_OF_A_TEXT = 8
const LINES_OF_A_REASONING = 4
const REPAIRS_SHOWN = 5
const REASON_CHARACTERS = 2_000

/** Ends whose cause stands in what the model wrote, be it said or thought. */
const ENDED_BY_ITS_TEXT = new Set([
  'tool_markup_in_text',
  'malformed_by_server',
  'output_limit',
  'reasoning_exhausted',
  'empty_reply',
])

/** Name of a turn: the last one of an agent that ended on its own is its answer. */
function titleOf(turn: RecordedTurn, trial: TrialRecord): string {
  if (turn !== trial.turns.at(-1) || trial.ending === null) return `turn ${turn.turn}`
  switch (trial.ending.reason) {
    case 'answered':
      return `final answer, turn ${turn.turn}`
    case 'tool_markup_in_text':
      return `turn ${turn.turn}, a call written as text, so it was not run`
    default:
      return `last turn, ${turn.turn}`
  }
}

/** Text of a turn; its reasoning only where there is no text, or where the trial ended by what was written. */
export function turnLines(turn: RecordedTurn, trial: TrialRecord, room: Room): readonly string[] {
  const isLast = turn === trial.turns.at(-1)
  const isCause = isLast && ENDED_BY_ITS_TEXT.has(trial.ending?.reason ?? '')
  const text = turn.text.trim()
  const reasoning = turn.reasoning?.trim() ?? ''
  const hasCalls = trial.turn_logs.some(call => call.turn === turn.turn)
  const title = (what: string) => `    ${room.paint('dim', cutTo(`${titleOf(turn, trial)}, ${what}`, room.width - 4))}`
  const lines: string[] = []
  if (reasoning !== '' && (isCause || text === '')) {
    lines.push(title('it thought'), ...spoken(reasoning, LINES_OF_A_REASONING, '      ~ ', room))
  }
  if (text !== '') lines.push(title('it said'), ...spoken(text, LINES_OF_A_TEXT, '      | ', room))
  if (lines.length === 0 && isLast && !hasCalls) lines.push(title('it said nothing'))
  return lines
}

/** How the agent's work ended, where no finding says it; and the answer of an agent whose turns are not on record. */
export function endingLines(trial: TrialRecord, said: readonly string[], room: Room): readonly string[] {
  const { ending } = trial
  if (ending === null || said.includes(ending.reason)) return []
  const detail = ending.detail === null ? '' : `: ${ending.detail.slice(0, REASON_CHARACTERS)}`
  const isUnseen = trial.turns.length === 0 && trial.final_text !== null && trial.final_text.trim() !== ''
  return [
    ...block(
      ending.reason === 'answered'
        ? 'the agent ended with this answer'
        : `the agent ended by ${ending.reason}${detail}`,
      '    ',
      room,
    ),
    ...(isUnseen ? spoken(trial.final_text ?? '', LINES_OF_A_TEXT, '      | ', room) : []),
  ]
}

/** What the trial would have been with leaked and malformed calls understood; nothing where there was none. */
export function repairLines(repaired: RecordedRepair | null, room: Room): readonly string[] {
  if (repaired === null || repaired.status === 'same') return []
  if (repaired.status === 'unknown') {
    const reason = repaired.reason?.slice(0, REASON_CHARACTERS) ?? 'no reason was recorded'
    return block(`repaired: not known: ${reason}`, '  ± ', room)
  }
  const score = repaired.score === null ? '' : `, score ${repaired.score.toFixed(2)}`
  const why = repaired.failure_reason === null ? '' : ` (${repaired.failure_reason})`
  const { repairs } = repaired
  const more = repairs.length - REPAIRS_SHOWN
  return [
    ...block(
      `repaired: with ${counted(repairs.length, 'call')} understood it would have ${repaired.outcome ?? 'failed'}${why}${score}`,
      '  ± ',
      room,
    ),
    ...repairs.slice(0, REPAIRS_SHOWN).flatMap(repair => block(describeRepair(repair), '    ', room)),
    ...(more > 0 ? [`    and ${counted(more, 'more call')}`] : []),
  ]
}

function describeRepair({ turn, tool, grammar, repairs }: RecordedRepair['repairs'][number]): string {
  const how = [...(grammar === null ? [] : [`written as text (${grammar})`]), ...repairs]
  return `turn ${turn}: ${tool}${how.length === 0 ? '' : `: ${how.join(', ')}`}`
}
