import { describe, expect, it } from 'vitest'
import { failedRecord, sampleRecord } from '../../results/sample-record.fixture.ts'
import { resultsFixture } from './results.fixture.ts'
import { addWhy } from './why.ts'

const lost = (reason: string, changes: Parameters<typeof failedRecord>[3] = {}) =>
  failedRecord(0, 'self_verify', reason, changes)

describe('agent-bench why', () => {
  it('answers for a result file', async () => {
    using bench = resultsFixture(addWhy)
    const [file = ''] = bench.write([lost('no test session ran')])
    expect((await bench.call('why', file)).out).toContain('no test session ran')
  })

  it('answers for the newest result of a model and names the other models, or for one when asked', async () => {
    using bench = resultsFixture(addWhy)
    bench.write([lost('the old reason', { model: '/models/old.gguf', started_at: '2026-01-01T00:00:00.000Z' })])
    bench.write([lost('the new reason', { model: 'new', started_at: '2026-01-02T00:00:00.000Z' })])
    const { out } = await bench.call('why', 'debug_python', 'self_verify')
    expect(out).toContain('the new reason')
    expect(out).toContain('debug_python, new (tools')
    expect(out).toContain('--model chooses another: old\n')
    const old = (await bench.call('why', 'debug_python', '--model', 'OLD')).out
    expect(old).toContain('the old reason')
    expect(old).not.toContain('chooses another')
    bench.write([
      lost('the reason of a script', { model: 'nop', agent: 'nop', started_at: '2026-01-03T00:00:00.000Z' }),
    ])
    expect((await bench.call('why', 'debug_python')).out).toContain('the new reason')
    expect((await bench.call('why', 'debug_python', '--model', 'nop')).out).toContain('the reason of a script')
  })

  it('names the models of a task when another is asked for, and the whole names of models that share the short one', async () => {
    using bench = resultsFixture(addWhy)
    const models = ['/a/tiny.gguf', '/b/tiny.gguf', '/b/big.gguf']
    const [file = ''] = models.map(model => bench.write([lost('x', { model })])[0])
    await expect(bench.call('why', 'debug_python', '--model', 'nope')).rejects.toMatchObject({
      code: 'result_unknown',
      message: expect.stringContaining('the model nope'),
      remedy: 'Name a model with results of this task: big, /a/tiny.gguf, /b/tiny.gguf.',
    })
    await expect(bench.call('why', file, '--model', 'big')).rejects.toMatchObject({
      remedy: expect.stringContaining('why debug_python --model big'),
    })
  })

  it.each([
    [['debug_pyton'], 'result_unknown', 'debug_python'],
    [['debug_python', 'self_verfy'], 'flag_unknown', 'self_verify, read_before_write'],
    [['debug_python', '--trial', '9'], 'trial_unknown', 'Choose one of: 1'],
    [['nowhere/result_x.json'], 'result_unreadable', 'result_*.json'],
  ])('refuses %j with what there is', async (args, code, remedy) => {
    using bench = resultsFixture(addWhy)
    bench.write([sampleRecord()])
    await expect(bench.call('why', ...args)).rejects.toMatchObject({ code, remedy: expect.stringContaining(remedy) })
  })

  it('says that a folder is empty', async () => {
    using bench = resultsFixture(addWhy)
    await expect(bench.call('why', 'debug_python')).rejects.toMatchObject({
      remedy: expect.stringContaining('Run the bench first'),
    })
  })
})
