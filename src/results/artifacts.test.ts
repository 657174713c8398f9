import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { numRuns } from '../../test/property-runs.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { ARTIFACT_LIMITS, artifactPathProblem, artifactsDirOf, exportArtifacts } from './artifacts.ts'

const folder = folderOfEachTest()
let [outside, dir] = ['', '']
beforeEach(() => {
  outside = folder()
  dir = folder('results/trial-1')
})

const filesOf = (texts: Readonly<Record<string, string>>): FileMap =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o755 }]))

/** Paths below a folder, links as themselves. Node's own recursive listing follows links, and here some lead in a circle. */
function pathsBelow(root: string, prefix = ''): readonly string[] {
  return readdirSync(join(root, prefix), { withFileTypes: true }).flatMap(entry => {
    const path = join(prefix, entry.name)
    return entry.isDirectory() ? [path, ...pathsBelow(root, path)] : [path]
  })
}
/** Everything below `outside` that is not below `dir`. */
const strayFiles = () =>
  pathsBelow(outside).filter(path => path !== 'results' && !`${path}/`.startsWith('results/trial-1/'))

describe('exportArtifacts', () => {
  it('writes files with their folders, none of them executable', () => {
    const exported = exportArtifacts(dir, filesOf({ 'a.txt': 'A', 'deep/er/b.py': 'B', 'naïve 模型.md': 'C' }))
    expect(exported).toEqual({ written: ['a.txt', 'deep/er/b.py', 'naïve 模型.md'], refused: [] })
    expect(readFileSync(join(dir, 'deep/er/b.py'), 'utf8')).toBe('B')
    expect(lstatSync(join(dir, 'a.txt')).mode & 0o111).toBe(0)
  })

  it('makes no folder for a trial that left nothing', () => {
    expect(exportArtifacts(dir, new Map())).toEqual({ written: [], refused: [] })
    expect(existsSync(dir)).toBe(false)
  })

  it.each([
    ['the path has the segment ".."', '../escape'],
    ['the path is absolute', '/etc/cron.d/x'],
    ['the path has the segment ""', 'a//b'],
    ['the path has the segment "."', './a'],
    ['the path is empty', ''],
    ['the path has a control character', 'a\u0000b'],
    ['the path has a backslash', '..\\..\\x'],
    ['the path begins with a drive', 'C:x'],
    ['the path is not valid UTF-8', 'a\ud800'],
    ['a name in it is longer than 140 bytes', 'x'.repeat(141)],
    ['the path is deeper than 32 folders', 'a/'.repeat(40).concat('b')],
    ['the path is longer than 1024 bytes', 'abcdefghijklmno/'.repeat(70).concat('b')],
  ])('refuses a file because %s', (reason, path) => {
    const told = path.length > 200 ? `${path.slice(0, 200)}…` : path
    const exported = exportArtifacts(dir, filesOf({ [path]: 'x', 'ok.txt': 'y' }))
    expect(exported).toEqual({ written: ['ok.txt'], refused: [{ path: told, reason }] })
    expect(strayFiles()).toEqual([])
  })

  it('writes through no symbolic link, neither as a folder nor as a file', () => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(outside, 'victim'), 'intact')
    symlinkSync(outside, join(dir, 'link'))
    symlinkSync(join(outside, 'victim'), join(dir, 'file'))
    symlinkSync(join(outside, 'fresh'), join(dir, 'dangling'))
    const { written, refused } = exportArtifacts(dir, filesOf({ 'link/x': '1', file: '2', dangling: '3' }))
    expect(written).toEqual([])
    expect(refused.map(entry => entry.reason)).toEqual([
      'a symbolic link is in the way',
      'there is something of that name already',
      'there is something of that name already',
    ])
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('intact')
    expect(strayFiles()).toEqual(['victim'])
  })

  it('does not follow a link that stands where the folder itself should be', () => {
    mkdirSync(join(outside, 'results'))
    mkdirSync(join(outside, 'elsewhere'))
    symlinkSync(join(outside, 'elsewhere'), dir)
    expect(exportArtifacts(dir, filesOf({ a: '1' })).written).toEqual([])
    expect(readdirSync(join(outside, 'elsewhere'))).toEqual([])
  })

  it('refuses a file where a folder is, and a folder where a file is', () => {
    const { written, refused } = exportArtifacts(dir, filesOf({ a: '1', 'a/b': '2', 'c/d': '3', c: '4' }))
    expect(written).toEqual(['a', 'c/d'])
    expect(refused.map(entry => entry.reason)).toEqual([
      'a file is where a folder should be',
      'there is something of that name already',
    ])
  })

  it('bounds count, size of a file and size of all', () => {
    const limits = { ...ARTIFACT_LIMITS, files: 3, fileBytes: 10, totalBytes: 15 }
    const ten = 'x'.repeat(10)
    const files = filesOf({ a: ten, b: `${ten}x`, c: ten, d: '1', e: '2', f: '3' })
    const { written, refused } = exportArtifacts(dir, files, limits)
    expect(written).toEqual(['a', 'd', 'e'])
    expect(refused).toEqual([
      { path: 'b', reason: 'it is larger than 10 bytes' },
      { path: 'c', reason: 'the files are larger than 15 bytes' },
      { path: 'f', reason: 'there are more than 3 files' },
    ])
  })

  it('stays inside its folder for any set of paths', () => {
    const segment = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'b', 'link', '~', '\\', 'a\u0000', '%2e%2e', '\ud800', 'C:'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    )
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map(segments => segments.join('/'))
    let run = 0
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), paths => {
        const target = join(dir, `case-${run++}`)
        mkdirSync(target, { recursive: true })
        symlinkSync(outside, join(target, 'link'))
        const files: FileMap = new Map(paths.map(name => [name, { bytes: Buffer.from('x'), mode: 0o644 }]))
        const { written, refused } = exportArtifacts(target, files)
        expect(written.length + refused.length).toBe(files.size)
        for (const name of written) expect(lstatSync(join(target, name)).isFile()).toBe(true)
        const found = pathsBelow(target).filter(name => lstatSync(join(target, name)).isFile())
        expect(found).toHaveLength(written.length)
        expect(strayFiles()).toEqual([])
      }),
      { numRuns },
    )
  })
})

describe('artifactsDirOf', () => {
  it('is a path that may hold artifacts itself', () => {
    const path = artifactsDirOf({ run_id: 'run 1', task_id: '../x', identity: 'abcdef0123', trial_index: 0 })
    expect(path).toBe('artifacts/run-1/x-abcdef01/trial-1')
    expect(artifactPathProblem(path)).toBeNull()
  })
})
