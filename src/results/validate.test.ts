import { describe, expect, it } from 'vitest'
import { sampleRecord } from './sample-record.fixture.ts'
import { checkTrialRecord } from './validate.ts'

const BROKEN = { root: 'a', truncated: null, entries: [['x', { type: 'directory', mode: -1 }]] }
const reasonOf = (value: unknown) => {
  const checked = checkTrialRecord(value)
  return checked.ok ? null : checked.reason
}

describe('checkTrialRecord', () => {
  it('takes a record', () => {
    expect(reasonOf(sampleRecord())).toBeNull()
    expect(reasonOf(sampleRecord({ suite_title: 'Agentic work' }))).toBeNull()
  })

  it.each<[string, unknown, string]>([
    ['an array', [], 'it is not a JSON object'],
    ['an object of something else', { a: 1 }, 'it has no schema_version'],
    ['a record of the Python agent-bench', { schema_version: '1.1' }, 'its schema_version is "1.1", not 3'],
    ['a score above one', { ...sampleRecord(), score: 2 }, '/score must be <= 1'],
    ['an unknown field', { ...sampleRecord(), extra: 1 }, 'it must NOT have additional properties ("extra")'],
    ['a cut hash', { ...sampleRecord(), identity: 'abc' }, '/identity must match pattern "^[0-9a-f]{64}$"'],
    ['a broken entry', { ...sampleRecord(), baseline: BROKEN }, '/baseline/entries/0/1/mode must be >= 0'],
  ])('says what is wrong with %s', (_title, value, reason) => {
    expect(reasonOf(value)).toBe(reason)
  })

  it('needs every field', () => {
    const record = sampleRecord()
    for (const key of Object.keys(record)) {
      const { [key]: _left, ...rest } = { ...record } as Record<string, unknown>
      expect(reasonOf(rest), key).not.toBeNull()
    }
  })
})
