import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedArguments, canonicalJson, identityHash, resultHash, transcriptHash, verifyResultHash } from './hash.ts'
import { sampleRecord } from './sample-record.fixture.ts'

describe('canonicalJson', () => {
  it('sorts keys at every level and keeps the order of arrays', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 'é' }, 2], a: null })).toBe('{"a":null,"b":[{"c":"é","d":1},2]}')
  })

  it('is parsed back to the same value, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}')
  })

  it('refuses what JSON cannot hold', () => {
    for (const value of [{ a: undefined }, Number.NaN, Number.POSITIVE_INFINITY, () => 1])
      expect(() => canonicalJson(value)).toThrow(TypeError)
  })
})

describe('identityHash', () => {
  const parts = sampleRecord().identity_parts

  it('is the same for all trials and seeds of one task and model', () => {
    expect(sampleRecord({ trial_index: 0 }).identity).toBe(sampleRecord({ trial_index: 2, seed: 7 }).identity)
  })

  it.each([
    { task_fingerprint: 'e'.repeat(64) },
    { model: 'tiny-2b' },
    { agent: 'direct' },
    { driver: 'namespace' },
    { image_digest: 'sha256:1' },
    { sampling: { temperature: 0, top_p: null, max_tokens: 100, extra_body: null } },
    { limits: { ...parts.limits, max_turns: 3 } },
  ])('changes with $0', change => {
    expect(identityHash({ ...parts, ...change })).not.toBe(identityHash(parts))
  })
})

describe('resultHash', () => {
  it('covers every field of a record', () => {
    const record = sampleRecord()
    expect(verifyResultHash(record)).toBe(true)
    for (const key of Object.keys(record)) {
      if (key === 'result_hash') continue
      expect(verifyResultHash({ ...record, [key]: 'changed' }), key).toBe(false)
    }
  })

  it('does not cover itself, and survives writing and reading', () => {
    const record = sampleRecord()
    expect(resultHash({ ...record, result_hash: '0'.repeat(64) })).toBe(record.result_hash)
    expect(verifyResultHash(JSON.parse(JSON.stringify(record)))).toBe(true)
  })
})

describe('transcriptHash', () => {
  const transcript = {
    turns: [{ turn: 1, text: 'look', reasoning: null }],
    calls: [{ turn: 1, tool: 'read_file', args: { path: 'a' } }],
    finalText: 'done',
  }

  it('changes with what the model said and with what it called', () => {
    expect(transcriptHash({ ...transcript })).toBe(transcriptHash(transcript))
    expect(transcriptHash({ ...transcript, finalText: 'Done' })).not.toBe(transcriptHash(transcript))
    const otherCall = { turn: 1, tool: 'read_file', args: { path: 'b' } }
    expect(transcriptHash({ ...transcript, calls: [otherCall] })).not.toBe(transcriptHash(transcript))
  })
})

describe('boundedArguments', () => {
  it('makes arguments of a hundred thousand levels recordable', () => {
    const args = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    expect(() => JSON.stringify(args)).toThrow(RangeError)
    expect(canonicalJson(boundedArguments(args))).toContain('nested too deeply')
  })

  it('leaves ordinary arguments as they are', () => {
    const args = { path: 'a/b', __proto__x: 1, list: [1, { two: null }] }
    expect(boundedArguments(args)).toEqual(args)
  })
})
