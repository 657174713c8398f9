import { expect, it } from 'vitest'
import type { ResultHead } from './folder.ts'
import { matchArms } from './matching.ts'
import type { TrialRecord } from './record-schema.ts'
import { failedRecord, infraRecord, sampleRecord } from './sample-record.fixture.ts'
import { summarise } from './summary.ts'

const headsOf = (records: readonly TrialRecord[], plan: { earlyStop?: boolean } = {}): ResultHead[] =>
  summarise(records, { runId: 'r', k: 3, trials: 3, ...plan }).map((summary, at) => ({
    ...summary,
    file: `result_${at}.json`,
    is_model_result: true,
    trials: summary.trials.map(trial => ({ ...trial, tool_calls: 0 })),
  }))
const three = (changes: Partial<TrialRecord> = {}) =>
  [0, 1, 2].map(trial_index => sampleRecord({ trial_index, ...changes }))
const match = (a: readonly ResultHead[], b: readonly ResultHead[]) =>
  matchArms([
    { name: 'a', heads: a },
    { name: 'b', heads: b },
  ])

it('brings together tasks of the same version, and names the others', () => {
  const a = headsOf([
    ...three(),
    ...three({ task_id: 'only_a' }),
    ...three({ task_id: 'edited' }),
    ...three({ task_id: 'faults' }),
  ])
  const b = headsOf([
    ...three({ model: 'big-2b' }),
    ...three({ model: 'big-2b', task_id: 'edited', task_fingerprint: 'e'.repeat(64) }),
    { ...infraRecord(0, 'server_error', ''), task_id: 'faults', model: 'big-2b' },
  ])
  const { input, dropped } = match(a, b)
  expect(input.tasks.map(({ id, module }) => [id, module])).toEqual([['debug_python', 'coding']])
  expect(input).toMatchObject({ k: 3, arms: ['a', 'b'], differing: ['model'] })
  expect(dropped).toEqual([
    { task: 'edited', reason: 'version', arms: ['b'] },
    { task: 'faults', reason: 'missing', arms: ['b'] },
    { task: 'only_a', reason: 'missing', arms: ['b'] },
  ])
})

it('takes trials that count in the order of their index, with what they cost', () => {
  const records = [
    sampleRecord({ trial_index: 0 }),
    failedRecord(1, 'self_verify', ''),
    infraRecord(2, 'server_error', ''),
  ]
  const [task] = match(headsOf(records), headsOf(three())).input.tasks
  expect(task?.arms[0]).toEqual({ outcomes: [true, false], seconds: 2.5, turns: 4, tokens: null })
})

it('counts one trial of one sample, and of a task that its results stopped', () => {
  const same = three({ transcript_hash: 'a'.repeat(64) })
  const early = [sampleRecord({ trial_index: 0 }), failedRecord(1, 'self_verify', '')]
  const { input, notes } = match(headsOf(same), headsOf(early, { earlyStop: true }))
  expect(input.tasks[0]?.arms.map(({ outcomes }) => outcomes)).toEqual([[true], [true]])
  expect(notes).toEqual([expect.stringContaining('one sample'), expect.stringContaining('stopped early')])
})

it('names every setting that differs, the ones of a model only where it is the same', () => {
  const parts = sampleRecord().identity_parts
  const cold = { temperature: 0, top_p: null, max_tokens: 100, extra_body: null }
  const a = headsOf(three())
  const b = headsOf(three({ identity_parts: { ...parts, driver: 'namespace', sampling: cold } }))
  const { settings, input } = match(a, b)
  expect(settings).toEqual([
    { setting: 'driver', values: ['docker', 'namespace'], tasks: 1 },
    { setting: 'sampling.temperature', values: ['none', '0'], tasks: 1 },
    { setting: 'sampling.max_tokens', values: ['none', '100'], tasks: 1 },
  ])
  expect(input.differing).toEqual(['driver', 'sampling.temperature', 'sampling.max_tokens'])
  expect(match(a, headsOf(three({ model: 'big-2b' }))).settings).toEqual([])
  const more = match(
    a,
    a.map(head => ({ ...head, k: 2 })),
  )
  expect([more.input.k, more.settings.length, more.input.differing]).toEqual([2, 1, []])
})
