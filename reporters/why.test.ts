import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { RecordedTurn, TrialRecord } from '../src/results/record-schema.ts'
import { failedRecord, infraRecord, sampleCall, sampleRecord } from '../src/results/sample-record.fixture.ts'
import { summarise } from '../src/results/summary.ts'
import { type WhyOptions, whyLines } from './why.ts'

const turn = (number: number, text: string, reasoning: string | null = null): RecordedTurn => {
  return { turn: number, text, reasoning, finish_reason: 'stop', stats: null }
}

const NINE = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(number => sampleCall(number))
const REASON = 'test_main.py was never shown in 9 calls: it was named in call 4 (`step 4`)'
const lost = (trial = 1, changes: Partial<TrialRecord> = {}) =>
  failedRecord(trial, 'self_verify', REASON, { turn_logs: NINE, ...changes })

function why(records: readonly TrialRecord[], changes: Partial<WhyOptions> = {}): readonly string[] {
  const [summary] = summarise(records, { runId: 'r', k: 2, trials: 2 })
  if (summary === undefined) throw new Error('one summary is needed')
  return whyLines(summary, { flag: null, trial: null, otherModels: [], width: 100, color: false, ...changes })
}

describe('why', () => {
  it('says the reason of a lost flag, with the calls around the one it names and no others', () => {
    const text = why([sampleRecord(), lost()]).join('\n')
    expect(text).toContain('trial 2/2: failed, 9 tool calls in 4 turns')
    expect(text).toContain('✗ self_verify')
    expect(text).toContain(REASON)
    expect(text.match(/\bcall \d+ · turn/g)).toEqual(['call 3 · turn', 'call 4 · turn', 'call 5 · turn'])
    expect(text).toContain('command: step 4')
    expect(text).toContain('> result 4')
    expect(text).not.toContain('trial 1/2')
  })

  it('shows the last calls when the reason names none', () => {
    const text = why([failedRecord(0, 'self_verify', 'no test ran', { turn_logs: NINE })]).join('\n')
    expect(text.match(/\bcall \d+ · turn/g)).toEqual(['call 8 · turn', 'call 9 · turn'])
  })

  it('tells of a flag that is asked for in every trial, also when it was reached', () => {
    const text = why([sampleRecord({ turn_logs: NINE }), lost()], { flag: 'self_verify' }).join('\n')
    expect(text).toContain('self_verify was reached in 1 of 2')
    expect(text).toContain('✓ self_verify  reached in turn 3')
    expect(text).toContain('✗ self_verify')
    expect(text).not.toContain('read_before_write')
  })

  it('keeps to one trial', () => {
    const text = why([lost(0), lost(1)], { trial: 2 }).join('\n')
    expect(text).toContain('trial 2/2')
    expect(text).not.toContain('trial 1/2')
  })

  it('says that nothing was lost', () => {
    const both = [sampleRecord(), sampleRecord({ trial_index: 1 })]
    expect(why(both).at(-1)).toBe('Nothing was lost: every flag was reached in all 2 trials.')
  })

  it('says how the agent ended, what was tampered with, and that a fault is not a judgement', () => {
    const ended = lost(0, {
      failure_reason: 'max_turns',
      failure_detail: '12 turns were used up',
      tamper: [{ path: 'test_main.py', kind: 'modified' }],
    })
    const text = why([ended, infraRecord(1, 'server_5xx', 'HTTP 500\nremedy: Look at its log.')]).join('\n')
    expect(text).toContain('! max_turns: 12 turns were used up')
    expect(text).toContain('! tamper: modified protected test_main.py')
    expect(text).toContain('! server_5xx: HTTP 500')
    expect(text).toContain('remedy: Look at its log.')
  })

  it('says what the second run of a suite gave', () => {
    const session_checks = [{ call: 4, verdict: 'refuted' as const, reason: 'the same files fail 2 tests' }]
    expect(why([lost(0, { session_checks })]).join('\n')).toContain('refuted, the same files fail 2 tests')
  })

  it('shows long results and many calls in part, and says how much is left out', () => {
    const long = sampleCall(4, { delivered: Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n') })
    const text = why([lost(0, { turn_logs: [long] })]).join('\n')
    expect(text).toContain('… 492 more lines')
    const all = 'call 1, call 4, call 7'
    const many = failedRecord(0, 'self_verify', all, { turn_logs: NINE })
    expect(why([many]).join('\n')).toContain('and 2 more calls')
  })

  it('says what the model said in the turns that are shown and in the last one, and in no others', () => {
    const earlier = NINE.map(({ turn: number }) => turn(number, `now for ${number}`))
    const turns = [...earlier, turn(10, 'All of it is done.', 'hm')]
    const text = why([lost(0, { turns, turns_taken: 10 })]).join('\n')
    expect(text.match(/now for \d/g)).toEqual(['now for 3', 'now for 4', 'now for 5'])
    expect(text.indexOf('| now for 4')).toBeLessThan(text.indexOf('call 4 · turn'))
    expect(text.indexOf('call 3 · turn')).toBeLessThan(text.indexOf('| now for 4'))
    expect(text).toContain('final answer, turn 10, it said\n      | All of it is done.')
    expect(text).toContain('the agent ended with this answer')
    expect(text).not.toContain('hm')
  })

  it('shows what was thought where nothing was said, and what leaked where it stands', () => {
    const answer = `${'word '.repeat(2_000)}<tool_call>{"name": "read_file"}</tool_call>`
    const leaked = lost(0, {
      turns: [turn(4, '', `first ${'much more '.repeat(200)}`), turn(5, answer, 'I will call it')],
      ending: { reason: 'tool_markup_in_text', detail: 'a call in hermes' },
      failure_reason: 'tool_markup_in_text',
      failure_detail: 'a call in hermes',
    })
    const lines = why([leaked])
    const text = lines.join('\n')
    expect(text).toContain('turn 4, it thought\n      ~ first much more')
    expect(text).toContain('turn 5, a call written as text, so it was not run, it said')
    expect(text).toContain('</tool_call>')
    expect(text).toContain('~ I will call it')
    expect(text).toContain('… in all 10044 characters …')
    expect(lines.length, 'text of a model is bounded').toBeLessThan(60)
    expect(text.match(/a call in hermes/g), 'the ending is told once').toHaveLength(1)
  })

  it('says so when nothing was said at the end, and shows an answer whose turns are not on record', () => {
    const silent = lost(0, { turns: [turn(10, '', null)], ending: { reason: 'empty_reply', detail: null } })
    expect(why([silent]).join('\n')).toContain('last turn, 10, it said nothing')
    const scripted = why([lost(0, { final_text: 'I am done' })]).join('\n')
    expect(scripted).toContain('| I am done')
  })

  it('shows calls once for all flags, the named ones first, and the flags above them', () => {
    const both = sampleRecord({
      outcome: 'failed',
      passed: false,
      failure_reason: 'flags_lost',
      turn_logs: NINE,
      skill_results: ['read_before_write', 'self_verify'].map((skill_id, at) => {
        const reason = at === 0 ? 'call 2, call 5 and call 8' : 'call 5'
        return { skill_id, reached: false, reached_turn: null, elapsed_sec: null, reason }
      }),
    })
    const text = why([both]).join('\n')
    expect(text.match(/\bcall \d+ · turn/g)?.map(found => found[5])).toEqual([...'12345678'])
    expect(text).toContain('and 1 more call')
    expect(text).not.toContain('1 more calls')
    expect(text.indexOf('✗ self_verify')).toBeLessThan(text.indexOf('call 1 · turn'))
  })

  it('says what repair understood, and what came of it', () => {
    const repairs = [{ turn: 2, tool: 'read_file', grammar: 'hermes <tool_call>', repairs: ['a trailing comma'] }]
    const played = { status: 'played', score: 1, passed: true, outcome: 'passed', failure_reason: null } as const
    const text = why([lost(0, { repaired: { ...played, reason: null, repairs } })]).join('\n')
    expect(text).toContain('repaired: with 1 call understood it would have passed, score 1.00')
    expect(text).toContain('turn 2: read_file: written as text (hermes <tool_call>), a trailing comma')
    const unknown = { status: 'unknown', score: null, passed: null, outcome: null, failure_reason: null } as const
    const open = why([lost(0, { repaired: { ...unknown, reason: 'the server is gone', repairs: [] } })]).join('\n')
    expect(open).toContain('repaired: not known: the server is gone')
    const same = { status: 'same', score: 0.5, passed: false, outcome: 'failed', failure_reason: 'flags_lost' } as const
    expect(why([lost(0, { repaired: { ...same, reason: null, repairs: [] } })]).join('\n')).not.toContain('repaired')
  })

  it('names the other models there are', () => {
    const text = why([lost()], { otherModels: ['big-2b', 'small\u001b'] }).join('\n')
    expect(text).toContain('The newest result is shown; --model chooses another: big-2b, small\\x1b')
  })

  it.each([40, 80, 160])('stays within %i columns and lets no text of the model control the terminal', width => {
    const evil = `\u001b[2J\u202e${'x'.repeat(300)}\r\nPASS`
    const log = sampleCall(4, { tool_used: evil, args: { [evil]: evil }, delivered: evil })
    const repairs = [{ turn: 1, tool: evil, grammar: evil, repairs: [evil] }]
    const played = {
      status: 'played',
      score: 0,
      passed: false,
      outcome: 'failed',
      failure_reason: 'flags_lost',
    } as const
    const said = { turn_logs: [log], turns: [turn(4, evil), turn(5, evil.repeat(100), evil)] }
    const ending = { reason: 'tool_markup_in_text', detail: evil } as const
    const told = { ...said, ending, failure_detail: evil, repaired: { ...played, reason: evil, repairs } }
    const records = [failedRecord(0, 'self_verify', `call 4 ${evil}`, { model: evil, ...told })]
    for (const line of why(records, { width, otherModels: [evil] })) {
      expect(line).not.toMatch(/\p{Cc}|\u202e/u)
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }
  })
})
