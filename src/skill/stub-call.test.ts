import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsCall } from './stub-call.ts'

const SUM = {
  script: 'scripts/sum.py',
  options: { '--input': { path: 'skill/data/sales.csv' }, '--column': 'number sold', '--verbose': true },
} as const

const wordsOf = (line: string) => line.split(' ').map(word => word.replace('_', ' '))
const fits = (line: string, cwd = '/workspace') => fitsCall(SUM, wordsOf(line), cwd)

describe('a call with options', () => {
  it.each([
    ['--input skill/data/sales.csv --column number_sold --verbose', '/workspace'],
    ['--verbose --column=number_sold --input=./skill/data//sales.csv', '/workspace'],
    ['--input /workspace/skill/data/sales.csv --col number_sold --verb', '/tmp'],
    ['--input ../data/sales.csv --column number_sold --verbose', '/workspace/skill/scripts'],
    ['--input old.csv --input data/sales.csv --column number_sold --verbose', '/workspace/skill'],
  ])('fits %s from %s', (line, cwd) => {
    expect(fits(line, cwd)).toBe(true)
  })

  it.each([
    ['--input skill/data/sales.csv --column number_sold', '/workspace'],
    ['--input skill/data/sales.csv --column number_sold --verbose --help', '/workspace'],
    ['--input skill/data/sales.csv --column number_sold --verbose more', '/workspace'],
    ['--input other/skill/data/sales.csv --column number_sold --verbose', '/workspace'],
    ['--input skill/data/sales.csv --column number_sold --verbose', '/tmp'],
    ['--input skill/data/sales.csv --column number sold --verbose', '/workspace'],
    ['--input skill/data/sales.csv --input old.csv --column number_sold --verbose', '/workspace'],
    ['--input skill/data/sales.csv --verbose --column', '/workspace'],
    ['--input skill/data/sales.csv --column number_sold --verbose=no', '/workspace'],
    ['-- --input skill/data/sales.csv --column number_sold --verbose', '/workspace'],
    ['--i skill/data/sales.csv --colum numbers --verbose', '/workspace'],
  ])('does not fit %s from %s', (line, cwd) => {
    expect(fits(line, cwd)).toBe(false)
  })
})

describe('an optional option', () => {
  const wanted = { script: 'x.sh', options: { '--title': 'A title', '--quiet': { optional: true } } } as const

  it.each([
    [['--title', 'A title'], true],
    [['--quiet', '--title', 'A title'], true],
    [['--title=A title', '--quiet'], true],
    [['--quiet'], false],
    [['--quiet=yes', '--title', 'A title'], false],
    [['--quiet', 'yes', '--title', 'A title'], false],
    [['--loud', '--title', 'A title'], false],
    [['--title', 'A', 'title'], false],
    [['--title=A', 'title'], false],
    [['--titl', 'A title'], true],
  ])('%j: %s', (args, expected) => {
    expect(fitsCall(wanted, args, '/workspace')).toBe(expected)
  })
})

describe('a script that knows no short forms', () => {
  it('is not called by one', () => {
    const wanted = { script: 'x.sh', options: { '--title': 'A title' } }
    expect(fitsCall(wanted, ['--titl', 'A title'], '/workspace', false)).toBe(false)
    expect(fitsCall(wanted, ['--title', 'A title'], '/workspace', false)).toBe(true)
  })
})

describe('a call with arguments', () => {
  const wanted = { script: 'x.sh', arguments: [{ path: 'output/a.txt' }, 'A title', { matches: 'v\\d+' }] }

  it('compares each by itself', () => {
    const fitting = (line: string) => fitsCall(wanted, wordsOf(line), '/workspace')
    expect(fitting('output/a.txt A_title v12')).toBe(true)
    const others = ['A title v12', 'A_title v12b', 'A_title'].map(rest => `output/a.txt ${rest}`)
    for (const line of [...others, 'output/a.txt_A title v12', 'A_title output/a.txt v12'])
      expect(fitting(line), line).toBe(false)
  })

  it('fits any texts given unchanged, and none other', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (one, other) => {
        expect(fitsCall({ script: 'x', arguments: one }, one, '/')).toBe(true)
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        expect(fitsCall({ script: 'x', arguments: one }, other, '/')).toBe(isSame)
      }),
    )
  })
})
