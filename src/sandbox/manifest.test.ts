import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { decodeEntries, encodeEntries, entriesOfFiles, rootOf } from './manifest.ts'
import type { Entry, FileMap } from './snapshot.ts'

const MODE = fc.constantFrom(0o644, 0o600, 0o755, 0o700)
const NAME = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.constantFrom(' ', 'a b', 'new\nline', ...'-rf|"quoted"|\'|ä|\u{1f600}|.hidden|$(x)|a|a.b|A'.split('|')),
  )
  .map(name => name.replaceAll('/', '_').replaceAll('\0', '_'))
  .filter(name => name !== '.' && name !== '..')
const FILES: fc.Arbitrary<FileMap> = fc
  .array(
    fc.record({
      path: fc.array(NAME, { minLength: 1, maxLength: 4 }).map(names => names.join('/')),
      bytes: fc.uint8Array({ maxLength: 200 }),
      mode: MODE,
    }),
    { maxLength: 12 },
  )
  .map(list => {
    const files = new Map(list.map(({ path, bytes, mode }) => [path, { bytes, mode }]))
    // A path cannot be a file and the directory of another.
    for (const path of files.keys()) {
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) files.delete(folder)
    }
    return files
  })

const ENTRY: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    type: fc.constant('file' as const),
    mode: fc.nat(0o7777),
    size: fc.nat(),
    sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  }),
  fc.record({ type: fc.constant('directory' as const), mode: fc.nat(0o7777) }),
  fc.record({ type: fc.constant('symlink' as const), target: NAME }),
  fc.record({ type: fc.constant('special' as const), mode: fc.nat(0o7777) }),
)

describe('the canonical encoding', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.dictionary(NAME, ENTRY), entries => {
        const map = new Map(Object.entries(entries))
        expect(decodeEntries(encodeEntries(map))).toEqual(map)
      }),
    )
  })

  it('orders by bytes, not by UTF-16 code units', () => {
    const names = ['\u{ffff}', '\u{10000}', 'a/b', 'a.b', 'B']
    const entries = new Map(names.map(name => [name, { type: 'directory', mode: 0 } as const]))
    expect([...decodeEntries(encodeEntries(entries)).keys()]).toEqual(['B', 'a.b', 'a/b', '\u{ffff}', '\u{10000}'])
  })

  it.each([
    ['no NUL at the end', 'a'],
    ['a field too few', 'a\0d\x00755\x000\0'],
    ['an unknown kind', 'a\0x\x00755\x000\0\0'],
    ['no hash', 'a\0f\x00644\x001\0abc\0'],
    ['a mode that is not a number', 'a\0d\0rwx\x000\0\0'],
  ])('with %s is refused', (_title, bytes) => {
    expect(() => decodeEntries(Buffer.from(bytes))).toThrow(TypeError)
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)('host and executor (skipped without python3)', () => {
  const folder = folderOfEachTest()

  it('compute the same root for the same files', () => {
    const setups = fc.sample(FILES, { numRuns: 80, seed: 1 })
    setups.forEach((files, index) => {
      mkdirSync(folder(String(index)))
      for (const [path, { bytes, mode }] of files) {
        folder.write({ [`${index}/${path}`]: bytes })
        chmodSync(folder(String(index), path), mode)
      }
    })
    const source = fileURLToPath(new URL('image/executor/4-manifest.py', import.meta.url))
    const sizes = { snapshotBytes: 1e9, pathBytes: 1e6, textFileBytes: 0, textTrialBytes: 0 }
    const bounds = { depth: 128, entries: 1_000, ...sizes }
    const program = `import sys
exec(compile(open(${JSON.stringify(source)}).read(), 'manifest', 'exec'))
for index in range(${setups.length}):
    print(Manifest(${JSON.stringify(folder())} + '/%d' % index, ${JSON.stringify(bounds)}).whole()[0]['root'])`
    const { stdout, stderr } = spawnSync('python3', ['-I', '-S', '-c', program], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n')).toEqual(setups.map(files => rootOf(entriesOfFiles(files))))
  })
})
