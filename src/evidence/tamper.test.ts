import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry, Snapshot } from '../sandbox/snapshot.ts'
import { findTamper } from './tamper.ts'

const file = (content: string, mode = 0o644): Entry => ({ type: 'file', mode, size: content.length, sha256: content })
const directory = (mode = 0o755): Entry => ({ type: 'directory', mode })
const symlink = (target: string): Entry => ({ type: 'symlink', target })
const special: Entry = { type: 'special', mode: 0o644 }

const snapshot = (entries: Readonly<Record<string, Entry>>, truncated: Snapshot['truncated'] = null): Snapshot => ({
  root: '',
  entries: new Map(Object.entries(entries)),
  truncated,
})

const sources = { 'main.py': file('buggy'), 'test_main.py': file('tests') }
const setup = { ...sources, output: directory(), link: symlink('main.py') }
const tamperOf = (changes: Readonly<Record<string, Entry | null>>, allowed: readonly string[]) => {
  const entries = Object.entries({ ...setup, ...changes }).filter((pair): pair is [string, Entry] => pair[1] !== null)
  return findTamper(snapshot(setup), snapshot(Object.fromEntries(entries)), allowed)
}

describe('findTamper', () => {
  it('finds nothing in an unchanged workspace', () => {
    expect(tamperOf({}, [])).toEqual([])
  })

  it.each<[string, Record<string, Entry | null>, string, string]>([
    ['a rewritten test', { 'test_main.py': file('weaker') }, 'test_main.py', 'modified'],
    ['a test made executable', { 'test_main.py': file('tests', 0o755) }, 'test_main.py', 'modified'],
    ['a deleted test', { 'test_main.py': null }, 'test_main.py', 'deleted'],
    ['a conftest.py that is a link', { 'conftest.py': symlink('/tmp/x') }, 'conftest.py', 'new'],
    ['a link that points elsewhere', { link: symlink('/etc/passwd') }, 'link', 'modified'],
    ['a test that became a link', { 'test_main.py': symlink('/tmp/x') }, 'test_main.py', 'type-changed'],
    ['a stray directory', { stray: directory() }, 'stray', 'new'],
    ['a changed mode of a directory', { output: directory(0o777) }, 'output', 'modified'],
    ['an allowed file that became a link', { 'main.py': symlink('/tmp/x') }, 'main.py', 'type-changed'],
    ['an allowed new path that is a link', { 'output/report.txt': symlink('/etc/passwd') }, 'output/report.txt', 'new'],
    ['a cache that is a link', { __pycache__: symlink('/tmp') }, '__pycache__', 'new'],
    ['a special file in a cache', { '__pycache__/x': special }, '__pycache__/x', 'new'],
    ['a path that leaves the workspace', { '../x': file('x') }, '../x', 'new'],
    ['a directory that only looks like an allowed place', { output2: directory() }, 'output2', 'new'],
  ])('reports %s', (_what, changes, path, kind) => {
    expect(tamperOf(changes, ['main.py', 'output/*'])).toEqual([{ path, kind }])
  })

  it.each<[string, Record<string, Entry | null>]>([
    ['an allowed edit', { 'main.py': file('fixed') }],
    ['an allowed edit that changes the mode', { 'main.py': file('fixed', 0o755) }],
    ['an allowed file that was deleted', { 'main.py': null }],
    ['an allowed new file', { 'output/report.txt': file('x') }],
    ['directories above an allowed file', { deep: directory(), 'deep/er': directory(), 'deep/er/a.txt': file('x') }],
    ['a removed directory that held only allowed files', { output: null }],
    [
      'caches at any depth',
      { '.pytest_cache': directory(), 'output/__pycache__': directory(), 'output/__pycache__/a.pyc': file('x') },
    ],
  ])('lets pass %s', (_what, changes) => {
    expect(tamperOf(changes, ['main.py', 'output/*', 'deep/er/*.txt'])).toEqual([])
  })

  it('reports a workspace too large to look at, and calls nothing deleted that was only not reached', () => {
    const final = snapshot({ 'main.py': file('fixed'), 'a.txt': file('x') }, 'entries')
    expect(findTamper(snapshot(setup), final, ['main.py'])).toEqual([
      { path: '', kind: 'new' },
      { path: 'a.txt', kind: 'new' },
    ])
  })

  it('refuses a baseline that is not whole', () => {
    expect(() => findTamper(snapshot(setup, 'bytes'), snapshot(setup), [])).toThrow(/not whole/)
  })

  const name = fc.stringMatching(/^[abé\u{1F600}]{1,2}$/u)
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'))
  const entry = fc.oneof(
    fc.constantFrom('x', 'y').map(content => file(content)),
    fc.constantFrom(0o755, 0o700).map(mode => directory(mode)),
    fc.constantFrom('x', 'y').map(symlink),
    fc.constant(special),
  )
  const entries = fc.dictionary(path, entry, { maxKeys: 8 })

  it('with nothing allowed reports exactly the differing paths, each once, in the order of their bytes', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const found = findTamper(snapshot(before), snapshot(after), [])
        const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
          key => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
        )
        expect(new Set(found.map(tamper => tamper.path))).toEqual(new Set(differing))
        const bytes = found.map(tamper => Buffer.from(tamper.path))
        expect(bytes).toEqual([...bytes].sort(Buffer.compare))
        expect(found).toHaveLength(differing.length)
      }),
    )
  })
})
