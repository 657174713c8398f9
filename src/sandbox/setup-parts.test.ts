import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partsOf, verifyMode } from './setup-parts.ts'

const MEBIBYTE = 1024 * 1024

describe('the parts of a setup', () => {
  it('hold every byte once, in order, within the bound of a frame', () => {
    const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(12 * MEBIBYTE)), { maxLength: 6 })
    fc.assert(
      fc.property(sizes, lengths => {
        const files = new Map(
          lengths.map((length, index) => [`f${index}`, { bytes: new Uint8Array(length).fill(index + 1), mode: 0o644 }]),
        )
        const parts = partsOf(files)
        expect(parts.filter(part => part.isFirst)).toEqual([parts[0]])
        expect(parts.filter(part => part.isLast)).toEqual([parts.at(-1)])
        const seen = new Map<string, number>()
        for (const { part, body } of parts) {
          expect(body.length).toBeLessThanOrEqual(8 * MEBIBYTE)
          expect(part.reduce((sum, [, , length]) => sum + length, 0)).toBe(body.length)
          for (const [path, , length, isContinued] of part) {
            expect(isContinued).toBe(seen.has(path))
            seen.set(path, (seen.get(path) ?? 0) + length)
          }
        }
        expect([...seen]).toEqual(lengths.map((length, index) => [`f${index}`, length]))
      }),
      { numRuns: 20 },
    )
  })

  it('are at least one, so that an empty setup is a reset too', () => {
    expect(partsOf(new Map())).toMatchObject([{ part: [], isFirst: true, isLast: true }])
  })
})

describe('modes in the verify room', () => {
  it('let everybody read, execute what its owner could, and write nothing', () => {
    expect([0o600, 0o644, 0o700, 0o000, 0o777].map(verifyMode)).toEqual([0o644, 0o644, 0o755, 0o644, 0o755])
  })
})
