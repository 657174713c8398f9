import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { RecordedTurnLog, TrialRecord } from '../src/results/record-schema.ts'
import { failedRecord, infraRecord, sampleRecord } from '../src/results/sample-record.ts'
import { summarise } from '../src/results/summary.ts'
import { type WhyOptions, whyLines } from './why.ts'

function call(number: number, changes: Partial<RecordedTurnLog> = {}): RecordedTurnLog {
  return {
    turn: number,
    call: number,
    tool_used: 'execute_command',
    args: { command: `step ${number}` },
    delivered: `result ${number}`,
    exit_code: 0,
    stopped: null,
    elapsed_sec: 0.25,
    invalid_tool_call: false,
    invalid_kind: null,
    test_reports: [],
    stub_reports: [],
    delta: null,
    ...changes,
  }
}

const NINE = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(number => call(number))
const REASON = 'test_main.py was never shown in 9 calls: it was named in call 4 (`step 4`)'
const lost = (trial = 1, changes: Partial<TrialRecord> = {}) =>
  failedRecord(trial, 'self_verify', REASON, { turn_logs: NINE, ...changes })

function why(records: readonly TrialRecord[], changes: Partial<WhyOptions> = {}): readonly string[] {
  const [summary] = summarise(records, { runId: 'r', k: 2, trials: 2 })
  if (summary === undefined) throw new Error('one summary is needed')
  return whyLines(summary, { flag: null, trial: null, width: 100, color: false, ...changes })
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
    expect(why([sampleRecord(), sampleRecord({ trial_index: 1 })]).at(-1)).toBe(
      'Nothing was lost: every flag was reached in all 2 trials.',
    )
  })

  it('says how the agent ended, what was tampered with, and that a fault is no judgement', () => {
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
    const long = call(4, { delivered: Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n') })
    const text = why([lost(0, { turn_logs: [long] })]).join('\n')
    expect(text).toContain('… 492 more lines')
    const all = 'call 1, call 4, call 7'
    const many = failedRecord(0, 'self_verify', all, { turn_logs: NINE })
    expect(why([many]).join('\n')).toContain('and 2 more calls')
  })

  it.each([40, 80, 160])('stays within %i columns and lets no text of the model control the terminal', width => {
    const evil = `\u001b[2J\u202e${'x'.repeat(300)}\r\nPASS`
    const log = call(4, { tool_used: evil, args: { [evil]: evil }, delivered: evil })
    const records = [
      failedRecord(0, 'self_verify', `call 4 ${evil}`, { turn_logs: [log], model: evil, failure_detail: evil }),
    ]
    for (const line of why(records, { width })) {
      expect(line).not.toMatch(/\p{Cc}|\u202e/u)
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }
  })
})
