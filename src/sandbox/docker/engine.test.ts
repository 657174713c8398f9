import { describe, expect, it } from 'vitest'
import { connectEngine, within } from './engine.ts'

describe('connecting to an engine', () => {
  it('refuses addresses it cannot use, with what to do', () => {
    for (const address of ['ssh://host', 'nonsense']) {
      expect(() => connectEngine(address)).toThrow(expect.objectContaining({ code: 'engine_address' }))
    }
    expect(() => connectEngine('tcp://10.0.0.2:2375')).not.toThrow()
  })
})

describe('a deadline', () => {
  it('names what did not answer', async () => {
    await expect(within(5, 'the engine', new Promise(() => undefined))).rejects.toThrow(
      'the engine did not answer within 5 ms',
    )
    await expect(within(1_000, 'the engine', Promise.resolve(1))).resolves.toBe(1)
  })
})
