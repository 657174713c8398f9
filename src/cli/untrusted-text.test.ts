/** Text from outside in every field that has any, and every output that shows one. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { closingLines } from '../../reporters/closing.ts'
import { readField } from '../../reporters/folder-standings.ts'
import { matrixLines } from '../../reporters/matrix.ts'
import { printable, printableJson, printableLine } from '../../reporters/terminal.ts'
import { tierLines } from '../../reporters/tiers.ts'
import { agentBench } from '../../test/agent-bench.ts'
import { folderOfEachTest } from '../../test/folder.ts'
import type { FlagResult } from '../evidence/log.ts'
import { sealed } from '../results/hash.ts'
import type { TrialRecord } from '../results/record-schema.ts'
import { failedRecord, infraRecord, sampleCall, sampleRecord } from '../results/sample-record.fixture.ts'
import { writeSummary } from '../results/store.ts'
import { summarise } from '../results/summary.ts'
import { checkTrialRecord } from '../results/validate.ts'
import { FlagsFailedError, RecordedFailureError, TrialNotJudgedError } from '../runner/failures.ts'

const HOSTILE = [
  ['a cleared screen and a command in a second line', 'a\u001b[2Jb\n::error::x'],
  ['a link, a bell, a return, text from right to left', 'm\u001b]8;;x\u0007\r\u202e'],
  ['a command alone', '::error::x'],
  ['a command of another build server', '##vso[task.complete result=Succeeded;]'],
  ['a command behind blanks in a second line', 'x\n   ::set-output name=a::b'],
  ['control characters of eight bits', 'a\u009b2Jb\u0085::warning::c'],
  ['line and paragraph separators', 'a\u2028::error::b\u2029c'],
  ['hidden colours', 'a\u001b[8mPASS\u001b[0m'],
  ['marks without width', 'a\u200f\u2066b\u2069\ufeff\u200b'],
] as const

/** What must not be in an output: no field may move the cursor, reorder text, or begin a line. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\u200b\ufeff]/u
const COMMAND = /^\s*::|##\w*\[/
function expectHarmless(output: string): void {
  const wrong = output.split('\n').filter(line => CONTROL.test(line) || COMMAND.test(line))
  expect(wrong).toEqual([])
}

/** The record with `text` in each of its fields that the schema lets hold any text. */
function planted(record: TrialRecord, text: string): TrialRecord {
  const copy: TrialRecord = structuredClone(record)
  const plant = (node: object): void => {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === 'object' && value !== null) plant(value)
      if (typeof value !== 'string' || ['run_id', 'started_at', 'identity', 'result_hash'].includes(key)) continue
      Object.assign(node, { [key]: text })
      if (!checkTrialRecord(copy).ok) Object.assign(node, { [key]: value })
    }
  }
  plant(copy)
  return sealed(copy)
}

function records(text: string): readonly TrialRecord[] {
  const entry = [text, { type: 'directory', mode: 0o755 }] as [string, { type: 'directory'; mode: number }]
  const delta = { changed: [entry], deleted: [text], content_hashes: [], root: 'a', truncated: null }
  const call = sampleCall(1, { args: { command: 'x', [text]: 'x' }, delta })
  const lost = failedRecord(0, 'self_verify', 'see call 1', {
    turn_logs: [call],
    turns: [{ turn: 1, text: 'x', reasoning: 'x', finish_reason: 'stop', stats: null }],
    tamper_detected: true,
    tamper: [{ path: 'x', kind: 'new' }],
    failure_detail: 'x',
  })
  return [lost, sampleRecord({ trial_index: 1 }), infraRecord(2, 'server_error', 'x\nremedy: x')].map(record =>
    planted(record, text),
  )
}

const [width, color] = [100, false]
const folder = folderOfEachTest()

describe.each(HOSTILE)('%s', (_what, text) => {
  const summaries = summarise(records(text), { runId: 'r', k: 3, trials: 3 })

  it('is planted where it is looked for', () => {
    const [summary] = summaries
    expect(summary?.model).toBe(text)
    expect(summary?.trials[0]?.skill_results[1]?.reason).toBe(text)
  })

  it('is one line in the reports of a run', () => {
    const skipped = [{ reason: text, trials: 1 }]
    const ended = { stopped: text, isInterrupted: false, skipped, brokenFiles: 0, exitStatus: 2 } as const
    const run = { summaries, ...ended, color }
    for (const line of [...matrixLines(summaries, { width, color }), ...closingLines(run)]) {
      expect(line).not.toContain('\n')
      expectHarmless(printableLine(line, { isStyled: color }))
    }
  })

  it('is harmless in what the commands print, and JSON stays JSON', async () => {
    const files = summaries.map(summary => writeSummary(folder(), summary))
    folder.write({ 'result_x_y_20260101T000000Z_0.json': JSON.stringify({ schema_version: text }) })
    expect(tierLines(readField(folder()), { width, color }).join('\n')).not.toBe('')
    const call = async (...args: string[]) => {
      const { status, out, error } = await agentBench(folder(), args, { env: { BENCH_RESULTS_DIR: folder() } })
      expectHarmless(out + error)
      return status
    }
    for (const file of files) expect(await call('why', file)).toBe(0)
    for (const report of ['matrix', 'radar']) expect(await call('report', report)).toBe(0)
    const unknown = `${text}?`
    for (const wrong of [['why'], ['why', files[0] ?? ''], ['report', 'matrix', '--models']])
      expect(await call(...wrong, unknown)).toBe(2)
    expectHarmless(readFileSync(folder('radar.svg'), 'utf8'))
    expectHarmless(printableJson({ [text]: [text] }))
    expect(JSON.parse(printableJson({ [text]: [text] }))).toEqual({ [text]: [text] })
  })

  it('is harmless in the errors that stock reporters print', () => {
    const source = { file: '/p/x.bench.ts', line: 1, column: 1 }
    const flag: FlagResult = { id: text, reached: false, turn: null, reason: text, stack: text }
    const lost = { flags: [flag], tamper: [{ path: text, kind: 'new' }], ending: text } as const
    const errors = [
      new FlagsFailedError({ ...lost, isBrief: false }, source),
      new FlagsFailedError({ ...lost, isBrief: true }, source),
      new RecordedFailureError(text, source),
      new TrialNotJudgedError(text, source),
    ]
    for (const error of errors) expectHarmless(`${error.message}\n${error.stack}`)
  })
})

it('colours of ours are kept where they are asked for, and no others', () => {
  expect(printableLine('\u001b[31mFAIL\u001b[39m \u001b[8mx', { isStyled: true })).toBe(
    '\u001b[31mFAIL\u001b[39m \\x1b[8mx',
  )
  expect(printable('\u001b[31mx\n  y')).toBe('\\x1b[31mx\n  y')
})
