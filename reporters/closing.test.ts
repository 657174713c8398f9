import { describe, expect, it } from 'vitest'
import type { TrialRecord } from '../src/results/record-schema.ts'
import { failedRecord, infraRecord, sampleRecord } from '../src/results/sample-record.fixture.ts'
import { exitStatus, summarise } from '../src/results/summary.ts'
import { closingLines } from './closing.ts'

type Ended = Parameters<typeof closingLines>[0]
const closing = (records: readonly TrialRecord[], over: Partial<Ended> = {}, trials = 1) => {
  const summaries = summarise(records, { runId: 'r', k: trials, trials })
  const ended = { stopped: null, isInterrupted: false, skipped: [], brokenFiles: 0, color: false }
  return closingLines({ summaries, ...ended, exitStatus: exitStatus(summaries), ...over })
}

describe('the last lines of a run', () => {
  it('say why a broken spec file makes it status 2, although every task passes', () => {
    const text = closing([sampleRecord()], { brokenFiles: 1, exitStatus: 2 }).join('\n')
    expect(text).toMatch(
      /^broken {3}1 spec file .*\n(.*\n)*exit 2 {3}no task fails, but not every spec file is a task/m,
    )
  })

  it.each(['reference', 'nop'])('end with NOT A MODEL RESULT for the agent %s', agent => {
    expect(closing([sampleRecord({ agent, model: agent })]).at(-1)).toBe(`NOT A MODEL RESULT: the agent was ${agent}`)
  })

  it('say nothing where a model passed everything', () => {
    expect(closing([sampleRecord()])).toEqual([])
  })

  it('name the command that shows why a flag was lost', () => {
    const lost = failedRecord(0, 'self_verify', 'no test session was seen')
    expect(closing([lost])).toContainEqual(expect.stringMatching(/npx agent-bench why debug_python\b/))
  })

  it('name the model in that command where the run had several', () => {
    const lost = (model: string) => failedRecord(0, 'self_verify', 'no test session was seen', { model })
    const command = (...models: string[]) =>
      /why debug_python(.*) shows/.exec(closing(models.map(lost)).join('\n'))?.[1]
    expect(command('/models/tiny-1b.gguf')).toBe('')
    expect(command('/models/tiny-1b.gguf', 'x-2b')).toBe(' --model tiny-1b')
    expect(command('/a/tiny.gguf', '/b/tiny.gguf')).toBe(' --model /a/tiny.gguf')
    expect(command("it's", 'x-2b')).toBe(" --model 'it'\\''s'")
  })

  it('advise to record again, and not to resume, where a recording lacks replies', () => {
    const text = closing([infraRecord(0, 'replay_missing', 'no reply to turn 1')]).join('\n')
    expect(text).toContain('the recording lacks replies for 1 trial')
    expect(text).toContain('BENCH_RECORD')
    expect(text).not.toContain('BENCH_RESUME')
    const both = closing([infraRecord(0, 'replay_missing', 'x'), infraRecord(1, 'sandbox_lost', 'y')], {}, 2).join('\n')
    expect(both).toContain('BENCH_RECORD')
    expect(both).toContain('BENCH_RESUME=1')
  })

  it('tell how to measure a model after the reference agent ran', () => {
    expect(closing([sampleRecord({ agent: 'reference' })]).join('\n')).toContain('BENCH_BASE_URL')
  })

  it('tell how to go on after an interruption, and how many trials are kept', () => {
    const text = closing([sampleRecord()], { isInterrupted: true }, 3).join('\n')
    expect(text).toContain('the 1 finished trial is kept')
    expect(text).toContain('BENCH_RESUME=1')
  })

  it('say in words what exit status 2 means, and name the tasks', () => {
    expect(closing([sampleRecord({ task_id: 'half_run' })], {}, 3).join('\n')).toMatch(/^exit 2 .*half_run/m)
  })

  it('do not name an observed task among those that are not judged', () => {
    const records = [sampleRecord({ task_id: 'half_run' }), sampleRecord({ task_id: 'only_seen', observed: true })]
    const text = closing(records, {}, 3).join('\n')
    expect(text).toContain('1 task is not judged: half_run')
    expect(text).not.toMatch(/judged: .*only_seen/)
    expect(text).toContain('npx agent-bench new skill tasks/coding adds a manifest and a proof to only_seen')
  })

  it('say why trials were skipped, and that a run of nothing else judged nothing', () => {
    const skipped = [{ reason: 'unproven: no solution\u001b', trials: 3 }]
    expect(closing([], { skipped, exitStatus: 2 })).toEqual([
      'skipped  3 trials: unproven: no solution\\x1b',
      'exit 2   nothing was judged: no trial was run to its end',
    ])
  })

  it('show what stopped a run, its remedy included, with control characters made visible', () => {
    const lines = closing([], { stopped: 'no server\u001b[2J\n  remedy: start it', exitStatus: 2 })
    expect(lines).toEqual(['stopped  no server\\x1b[2J', '         remedy: start it'])
  })
})
