import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numRuns } from '../../test/property-runs.ts'
import { checkGlob, compileGlobs, matchesAny } from './globs.ts'

/** The rules once more, as slow and plain as can be: the oracle of the property tests. */
function oracle(glob: readonly string[], path: readonly string[]): boolean {
  const [segment, ...rest] = glob
  if (segment === undefined) return path.length === 0
  const [name, ...below] = path
  if (segment === '**') {
    if (rest.length === 0) return path.length > 0
    return oracle(rest, path) || (name !== undefined && oracle(glob, below))
  }
  return name !== undefined && matchesSegment([...segment], [...name]) && oracle(rest, below)
}

function matchesSegment(glob: readonly string[], name: readonly string[]): boolean {
  const [char, ...rest] = glob
  if (char === undefined) return name.length === 0
  if (char === '*') return matchesSegment(rest, name) || (name.length > 0 && matchesSegment(glob, name.slice(1)))
  return name.length > 0 && (char === '?' || char === name[0]) && matchesSegment(rest, name.slice(1))
}

const name = fc.stringMatching(/^[ab.()[\]+!@\n]{1,4}$/).filter(text => text !== '.' && text !== '..')
const path = fc.array(name, { minLength: 1, maxLength: 4 })
const segment = fc.oneof(
  fc.constant('**'),
  fc.constant('*'),
  fc.constant('a*'),
  fc.constant('*b'),
  fc.constant('?'),
  name,
)
const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).filter(parts => checkGlob(parts.join('/')) === null)

describe('matchesAny', () => {
  it.each([
    ['output/*', 'output/a.txt', true],
    ['output/*', 'output/.hidden', true],
    ['output/*', 'output/deep/a.txt', false],
    ['output/*', 'output', false],
    ['output/**', 'output/deep/a.txt', true],
    ['output/**', 'output2/a', false],
    ['services/*.py', 'services/Invoice.PY', false],
    ['**/*.py', 'main.py', true],
    ['test_*.py', 'sub/test_main.py', false],
    ['output/*', 'output/two\nlines', true],
    ['pages/[id].tsx', 'pages/[id].tsx', true],
    ['a(1).txt', 'a(1).txt', true],
    ['output/*', 'output/../secret', false],
    ['**', '/etc/passwd', false],
    ['**', '', false],
  ])('%j against %j is %j', (pattern, file, expected) => {
    expect(matchesAny([pattern], file)).toBe(expected)
  })

  it('agrees with a plain recursive matcher on any glob and path', () => {
    fc.assert(
      fc.property(glob, path, (pattern, file) => {
        expect(matchesAny([pattern.join('/')], file.join('/'))).toBe(oracle(pattern, file))
      }),
      { numRuns },
    )
  })

  it('never matches a path that leaves the workspace', () => {
    fc.assert(
      fc.property(glob, path, fc.nat(4), (pattern, file, at) => {
        const leaving = [...file.slice(0, at), '..', ...file.slice(at)].join('/')
        expect(matchesAny([pattern.join('/'), '**', '**/*'], leaving)).toBe(false)
        expect(matchesAny([pattern.join('/'), '**', '**/*'], `/${file.join('/')}`)).toBe(false)
      }),
    )
  })
})

describe('mayMatchBelow', () => {
  it.each([
    ['output/*', 'output', true],
    ['output/*', 'output/deep', false],
    ['a/b/c.txt', 'a/b', true],
    ['a/b/c.txt', 'a/b/c.txt', false],
    ['a/**/b', 'a/x/y', true],
    ['a/**', 'b', false],
    ['**/*.py', 'anything/at/all', true],
    ['main.py', 'main.py', false],
  ])('%j below %j is %j', (pattern, directory, expected) => {
    expect(compileGlobs([pattern]).mayMatchBelow(directory)).toBe(expected)
  })

  it('is true for every directory above a match', () => {
    fc.assert(
      fc.property(glob, path, (pattern, file) => {
        const matcher = compileGlobs([pattern.join('/')])
        fc.pre(matcher.matches(file.join('/')))
        for (let length = 1; length < file.length; length++) {
          expect(matcher.mayMatchBelow(file.slice(0, length).join('/'))).toBe(true)
        }
      }),
    )
  })
})

describe('checkGlob', () => {
  it.each(['main.py', 'output/*', '**/*.py', 'src/**', 'a b/ä?.txt', 'pages/[id].tsx', '.hidden/*', '*'])(
    'accepts %j',
    good => {
      expect(checkGlob(good)).toBeNull()
    },
  )

  it.each([
    ['', /empty/],
    ['/etc/*', /absolute/],
    ['C:/x', /absolute/],
    ['a/../b', /outside/],
    ['./a', /segment/],
    ['a//b', /\/\//],
    ['output/', /output|DIRECTORY/],
    ['a\\b', /backslash/],
    ['a\0b', /NUL/],
    ['!a', /exclusions/],
    ['a.{js,ts}', /alternative/],
    ['src/**.py', /whole segment/],
  ])('refuses %j', (bad, problem) => {
    expect(checkGlob(bad)).toMatch(problem)
    expect(matchesAny([bad], bad)).toBe(false)
  })
})
