import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTamper } from '../../src/evidence/tamper.ts'
import { artifactPathProblem, exportArtifacts } from '../../src/results/artifacts.ts'
import { decodeName } from '../../src/sandbox/index.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { lay, outputOf, python } from './fixture.ts'

/** The kernel takes any bytes but NUL and the slash, up to 255, and has two names of its own. */
const name = fc
  .oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map(text => Buffer.from(text)),
    fc
      .constantFrom('..a', '-rf', '...', 'C:x', 'a\\..\\b', 'x'.repeat(255), 'ä'.repeat(127))
      .map(text => Buffer.from(text)),
  )
  .map(bytes => Buffer.from(bytes).filter(byte => byte !== 0 && byte !== 0x2f))
  .filter(
    bytes => bytes.length > 0 && bytes.length <= 255 && !['.', '..'].includes(Buffer.from(bytes).toString('latin1')),
  )
  .map(bytes => Buffer.from(bytes).toString('hex'))

const MAKE = `
import os
for number, name in enumerate(NAMES):
    with open(os.path.join(b'/workspace', bytes.fromhex(name)), 'w') as file:
        file.write('content %d' % number)
`

export function nameContract(sandbox: TheSandbox): void {
  describe('any file name the kernel takes', () => {
    it('survives snapshot, tamper diff and export, or is refused with a reason', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), async hexNames => {
          await lay(sandbox())
          const baseline = await sandbox().freeze()
          await outputOf(sandbox(), python(`NAMES = ${JSON.stringify(hexNames)}\n${MAKE}`))
          const final = await sandbox().freeze()
          const paths = hexNames.map(hex => decodeName(Buffer.from(hex, 'hex')))
          expect(new Set(final.entries.keys())).toEqual(new Set(paths))
          const tamper = findTamper(baseline, final, [])
          expect(new Set(tamper.map(({ path }) => path))).toEqual(new Set(paths))
          expect(tamper.map(({ kind }) => kind)).toEqual(paths.map(() => 'new'))

          const bounds = { maxFileBytes: 1_000, maxTotalBytes: 100_000 }
          const { files, refused } = await sandbox().collect(paths, bounds)
          expect(refused).toEqual([])
          const dir = mkdtempSync(join(tmpdir(), 'agent-bench-names-'))
          try {
            const exported = exportArtifacts(join(dir, 'out'), files)
            const kept = paths.filter(path => artifactPathProblem(path) === null)
            expect(new Set(exported.written)).toEqual(new Set(kept))
            expect(exported.refused).toHaveLength(paths.length - kept.length)
            expect(exported.refused.every(({ reason }) => reason !== '')).toBe(true)
            for (const path of kept) {
              expect(readFileSync(join(dir, 'out', path), 'utf8')).toBe(`content ${paths.indexOf(path)}`)
            }
            const outside = readdirSync(dir).filter(entry => entry !== 'out')
            expect(outside).toEqual([])
          } finally {
            rmSync(dir, { recursive: true, force: true })
          }
        }),
        { numRuns: 40 },
      )
    })
  })
}
