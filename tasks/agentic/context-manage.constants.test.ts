import { describe, expect, it } from 'vitest'
import { constantsOf } from './context-manage.constants.ts'

const valuesOf = (source: string) => constantsOf(source).map(({ value }) => Number(value.toFixed(9)))

describe('a value that stands in a file', () => {
  it.each([
    ['RATE = 0.12', 0.12],
    ['RATE = 3 / 25', 0.12],
    ['RATE = (1 + 2) / (5 * 5)', 0.12],
    ['RATE = -(-0.12)', 0.12],
    ['RATE = 12_0 / 1_000', 0.12],
    ['RATE = 12 * 10 ** -2', 0.12],
    ['RATE = 12e-2', 0.12],
    ['RATE = "0.12"', 0.12],
    ['RATE = " 12 % "', 0.12],
    ["RATE = Fraction('3/25')", 0.12],
    ['RATE = fractions.Fraction(3, 25)', 0.12],
    ['RATE = float(r"0.12")', 0.12],
    ['RATE = Decimal("12") / 100', 0.12],
    ['def total(amount, rate=0.12): pass', 0.12],
    ['try:\n    from config import RATE\nexcept ImportError:\n    RATE = 3 / 25', 0.12],
    ['RATES = {"old": [1, (0.12,)]}', 0.12],
  ])('%s', (source, value) => {
    expect(valuesOf(source)).toContain(value)
  })

  it.each([
    'x = RATE / 100',
    '# 0.12',
    '"""Was 0.12 in the first season."""',
    'x = rate0 + f(a)',
    'x = 1 / 0',
    'x = "V-12"',
  ])('not in %s', source => {
    expect(valuesOf(source)).not.toContain(0.12)
    for (const value of valuesOf(source)) expect(Number.isFinite(value)).toBe(true)
  })
})

describe('places of round', () => {
  it.each([
    ['round(x, 8)', [true]],
    ['round(x, ndigits=8)', [true]],
    ['round(8, n)', [false]],
    ['around(x, 8)', [false]],
    ['x * 8', [false]],
  ])('%s', (source, expected) => {
    expect(constantsOf(source).map(({ isPlaces }) => isPlaces)).toEqual(expected)
  })
})
