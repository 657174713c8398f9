import { expect, it } from 'vitest'
import { modelQuestion } from './model-question.ts'
import { readSettings } from './settings.ts'

function questionFor(env: Readonly<Record<string, string>>) {
  const settings = readSettings(undefined, 'bench.config.ts', env)
  const [setting] = settings.models
  if (setting === undefined) throw new Error('no model')
  return modelQuestion(settings, setting)
}

it('asks for streams, and leaves deadlines that are not set to their defaults', () => {
  expect(questionFor({})).toMatchObject({ idleTimeoutMs: 600_000, deadlines: {} })
  expect(questionFor({})).not.toHaveProperty('stream')
})

it('hands on each deadline in milliseconds, and whether whole replies are wanted', () => {
  const question = questionFor({
    BENCH_REQUEST_TIMEOUT: '4',
    BENCH_CONNECT_TIMEOUT: '1.5',
    BENCH_FIRST_TOKEN_TIMEOUT: '2',
    BENCH_REPLY_TIMEOUT: '3',
    BENCH_STREAM: '0',
  })
  expect(question).toMatchObject({
    idleTimeoutMs: 4_000,
    deadlines: { connectMs: 1_500, firstTokenMs: 2_000, totalMs: 3_000 },
    stream: false,
  })
})

it('leaves the seed out where it is off, beside what else is in the extra body', () => {
  const { sampling } = questionFor({ BENCH_SEED: 'off', BENCH_EXTRA_BODY: '{"top_k": 20}' })
  expect(sampling.extraBody).toEqual({ top_k: 20, seed: null })
  expect(questionFor({}).sampling.extraBody).toBeNull()
})
