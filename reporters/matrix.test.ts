import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { TrialRecord } from '../src/results/record-schema.ts'
import { failedRecord, infraRecord, sampleRecord } from '../src/results/sample-record.fixture.ts'
import { writeSummary } from '../src/results/store.ts'
import { type SummaryPlan, summarise } from '../src/results/summary.ts'
import { folderOfEachTest } from '../test/folder.ts'
import { finishedRun } from './finished-run.fixture.ts'
import { matrixLines, matrixReporter } from './matrix.ts'
import { formatTime } from './terminal.ts'

const plan: SummaryPlan = { runId: 'run1', k: 3, trials: 3 }
const NOT_RUN = 'main.py fixed, but no test session passed after the change'

type Options = { width?: number; color?: boolean } & Partial<SummaryPlan>
function matrix(records: readonly TrialRecord[], { width = 120, color = false, ...changes }: Options = {}) {
  return matrixLines(summarise(records, { ...plan, ...changes }), { width, color })
}

const passes = (task_id: string) => [0, 1, 2].map(trial => sampleRecord({ task_id, trial_index: trial }))

describe('the matrix', () => {
  it('shows a row a task, and below a failing one which flag was lost in which trial and why', () => {
    const records = [
      ...passes('debug_python'),
      sampleRecord({ task_id: 'tdd_order', trial_index: 0 }),
      failedRecord(1, 'self_verify', NOT_RUN, { task_id: 'tdd_order' }),
      sampleRecord({ task_id: 'tdd_order', trial_index: 2 }),
    ]
    expect(`\n${matrix(records).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      tiny-1b
      verdict  task          pass^3  passes (95 %)   score  turns    time  tamper  agent
      PASS     debug_python    1.00  3/3 (43–100 %)   1.00    4.0  2.50 s       –  tools · docker
      FAIL     tdd_order       0.00  2/3 (20–94 %)    0.83    4.0  2.50 s       –  tools · docker
          ✗ self_verify  trial 2/3  main.py fixed, but no test session passed after the change

      1 of 2 tasks pass · 1 fail
      "
    `)
  })

  it('shows of an observed task what its flags reached, no figures of a verdict, and does not count it', () => {
    const seen = { task_id: 'skill_seen', observed: true }
    const failure_detail = 'HTTP 500 from the server\nremedy: Look at its log.'
    const fault = { failure_reason: 'server_5xx', failure_detail }
    const records = [
      ...passes('debug_python'),
      sampleRecord({ ...seen, trial_index: 0 }),
      failedRecord(1, 'self_verify', NOT_RUN, seen),
      sampleRecord({ ...fault, ...seen, trial_index: 2, outcome: 'infra', passed: false }),
    ]
    expect(`\n${matrix(records).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      tiny-1b
      verdict   task          pass^3  passes (95 %)   score  turns    time  tamper  agent
      PASS      debug_python    1.00  3/3 (43–100 %)   1.00    4.0  2.50 s       –  tools · docker
      observed  skill_seen         –  –                   –    4.0  2.50 s       –  tools · docker
          ! server_5xx  trial 3/3  HTTP 500 from the server (not the model's failure)
              remedy: Look at its log.
          read_before_write reached in 2 of 2 trials
          self_verify reached in 1 of 2 trials
          no file was changed

      1 of 1 task passes · 1 observed
      "
    `)
  })

  it('says that there is no verdict where all tasks are observed', () => {
    const lines = matrix([sampleRecord({ observed: true })])
    expect(lines.at(-1)).toBe('1 observed only: without a manifest there is no verdict')
  })

  it('shows tasks against models when there are several', () => {
    const records = [
      ...passes('debug_python'),
      ...passes('tdd_order').map(record => ({ ...record, model: 'org/mid-4b.gguf' })),
      failedRecord(0, 'self_verify', NOT_RUN, { task_id: 'tdd_order' }),
    ]
    const lines = matrix(records)
    const at = lines.findIndex(line => line.startsWith('task '))
    expect(lines.slice(at - 1, at + 3)).toEqual([
      '',
      'task          tiny-1b   mid-4b',
      'debug_python  PASS 3/3  –',
      'tdd_order     FAIL 0/1  PASS 3/3',
    ])
    expect(matrix(passes('debug_python')).some(line => line.startsWith('task '))).toBe(false)
    const [name] = matrix(passes('debug_python').map(record => ({ ...record, model: '/home/me/models/tiny-1b.gguf' })))
    expect(name).toBe('tiny-1b')
  })

  it('tells equal reasons of several trials once, and different ones apart', () => {
    const text = matrix([
      failedRecord(0, 'self_verify', NOT_RUN),
      failedRecord(1, 'read_before_write', 'main.py was changed before it was read'),
      failedRecord(2, 'self_verify', NOT_RUN),
    ]).join('\n')
    expect(text).toContain(`✗ self_verify  trials 1, 3/3  ${NOT_RUN}`)
    expect(text).toContain('✗ read_before_write  trial 2/3  main.py was changed before it was read')
    const two = matrix([failedRecord(0, 'self_verify', 'one'), failedRecord(1, 'self_verify', 'another')]).join('\n')
    expect(two).toContain('✗ self_verify  trials 1, 2/3  trial 1: one; trial 2: another')
  })

  it('tells a rewritten file from a stray one, and names how the agent ended', () => {
    const tamper = [{ path: 'test_main.py', kind: 'modified' } as const, { path: 'main.py.bak', kind: 'new' } as const]
    const ended = { failure_reason: 'max_turns', failure_detail: '12 turns were used up' }
    const text = matrix([failedRecord(0, 'self_verify', NOT_RUN, { ...ended, tamper_detected: true, tamper })]).join(
      '\n',
    )
    expect(text).toContain(
      '✗ tamper  trial 1/3  modified protected test_main.py, left a file outside the allowed writes: main.py.bak',
    )
    expect(text).toContain('✗ max_turns  trial 1/3  12 turns were used up')
  })

  it('shows a fault with its code and remedy, and never as a failure', () => {
    const text = matrix([
      sampleRecord({ trial_index: 0 }),
      infraRecord(1, 'server_5xx', 'HTTP 500 from the server\nremedy: Look at the log of the server.'),
      sampleRecord({ trial_index: 2 }),
    ]).join('\n')
    expect(text).toContain('INCONCLUSIVE (2 of 3)')
    expect(text).toContain("! server_5xx  trial 2/3  HTTP 500 from the server (not the model's failure)")
    expect(text).toContain('remedy: Look at the log of the server.')
    expect(text).not.toContain('FAIL')
  })

  it.each([1, 2])('says incomplete, not PASS, when only %i of 3 trials were run', count => {
    const text = matrix(passes('debug_python').slice(0, count), { k: 1 }).join('\n')
    expect(text).toContain(`incomplete (${count} of 3)`)
    expect(text).not.toContain('PASS')
  })

  it('says when deterministic trials are one sample', () => {
    const same = { transcript_hash: 'd'.repeat(64) }
    const trials = (task_id: string) => [0, 1, 2].map(trial_index => sampleRecord({ task_id, trial_index, ...same }))
    const records = [...trials('a'), ...trials('b')]
    const text = matrix(records).join('\n')
    expect(text.match(/one sample:/g)).toHaveLength(1)
    expect(text).toContain('3/3 (one sample)')
    expect(text).toContain('in each row all transcripts are the same although the seeds differ')
    const script = [0, 1, 2].map(trial => sampleRecord({ agent: 'reference', trial_index: trial, ...same }))
    expect(matrix(script).join('\n')).not.toContain('one sample')
    const scored = matrix([...records, ...script.map(one => ({ ...one, task_id: 'c' }))]).join('\n')
    expect(scored).toContain('in each row')
  })

  it('says that trials were left out by an early stop', () => {
    expect(matrix([failedRecord(0, 'self_verify', NOT_RUN)], { earlyStop: true }).join('\n')).toContain('stopped early')
  })

  it('shows tokens only where the server said them for every turn', () => {
    const none = { prompt_tokens: null, cached_tokens: null, reasoning_tokens: null, first_token_ms: null }
    const rates = { prompt_tokens_per_second: null, decode_tokens_per_second: null }
    const turn = (completion_tokens: number | null) => {
      const stats = { ...none, ...rates, completion_tokens, elapsed_ms: 1, attempts: 1 }
      return { turn: 1, text: '', reasoning: null, finish_reason: 'stop', stats }
    }
    const known = matrix([sampleRecord({ turns: [turn(1_000), turn(500)] })])
    expect(known.join('\n')).toMatch(/tokens[\s\S]* 1\.5k /)
    expect(matrix([sampleRecord({ turns: [turn(1_000), turn(null)] })]).join('\n')).not.toContain('tokens')
  })

  it('lets text of models and files control nothing', () => {
    const evil = '\u001b[2J\u001b[1A\nPASS  everything \u202e'
    const tampered = { tamper_detected: true, tamper: [{ path: evil, kind: 'new' as const }] }
    const ended = { failure_reason: evil, failure_detail: evil }
    const lines = matrix([failedRecord(0, 'self_verify', evil, { model: evil, ...tampered, ...ended })])
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}|\u202e/u)
  })

  it.each([40, 60, 80, 100, 200])('keeps every line within %i columns', width => {
    const long = 'a reason that goes on and on '.repeat(30)
    const records = [
      ...passes('a_task_with_a_name_that_is_rather_long_for_a_terminal'),
      failedRecord(0, 'self_verify', long),
      infraRecord(1, 'server_5xx', `${long}\nremedy: ${long}`),
    ]
    for (const line of matrix(records, { width })) expect(stringWidth(line)).toBeLessThanOrEqual(width)
  })

  it('uses colours only when asked, and says the same with them', () => {
    const records = [...passes('a'), failedRecord(0, 'self_verify', NOT_RUN)]
    const colored = matrix(records, { color: true }).join('\n')
    expect(colored).toContain('\u001b[')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is taken out
    expect(colored.replace(/\u001b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(matrix(records).join('\n'))
  })

  it('says that there is nothing when no trial was finished', () => {
    expect(matrixLines([], { width: 80, color: false })).toEqual(['No trial was finished: there is nothing to report.'])
  })
})

describe('formatTime', () => {
  it.each([
    [null, '–'],
    [0.4249, '0.42 s'],
    [12.34, '12.3 s'],
    [119.94, '119.9 s'],
    [246, '4.1 min'],
  ])('shows %s as %s', (seconds, text) => {
    expect(formatTime(seconds)).toBe(text)
  })
})

describe('the matrix reporter', () => {
  const dir = folderOfEachTest()
  it('prints what could not be read before the matrix', () => {
    const lines = matrixReporter.onRunEnd(
      finishedRun({ summaries: summarise(passes('debug_python'), plan), notes: ['a.jsonl:3: the last line was cut'] }),
    )
    expect(lines[1]).toBe('a.jsonl:3: the last line was cut')
    expect(lines.at(-1)).toBe('1 of 1 task passes')
  })

  it.each([
    ['tools', true],
    ['reference', false],
  ])('shows tiers between table and totals for a model, and none for a script (%s)', (agent, hasTiers) => {
    const summaries = summarise([sampleRecord({ agent })], { runId: 'r', k: 1, trials: 1 })
    for (const summary of summaries) writeSummary(dir(), summary)
    const lines = matrixReporter.onRunEnd(finishedRun({ resultsDir: dir(), summaries, isModelResult: hasTiers }))
    expect(lines.some(line => line.includes('tier 1  tiny-1b'))).toBe(hasTiers)
    expect(lines.at(-1)).toBe('1 of 1 task passes')
  })
})
