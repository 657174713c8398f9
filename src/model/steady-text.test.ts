import { expect, it } from 'vitest'
import { steadyText } from './steady-text.ts'

it.each([
  ['2 passed in 0.03s', '2 passed in 1.27s'],
  ['Ran 3 tests in 0.001s', 'Ran 3 tests in 12.5s'],
  ['real\t0m0.012s', 'real\t0m1.512s'],
  ['-rw-r--r-- 1 agent agent 12 Nov 29 20:35 main.py', '-rw-r--r-- 1 agent agent 12 Dec  1 08:01 main.py'],
  ['Sun Nov 29 20:35:01 UTC 2026', 'Mon Nov 30 00:00:59 UTC 2026'],
  ['2026-11-29T20:35:01.123Z done', '2027-01-01T00:00:00Z done'],
  ['2026-11-29 20:35:01.000000000 +0000', '2026-11-30 21:35:01.500000000 +0000'],
  ['[20:35:01] start', '[08:00:00] start'],
  ['<main.Thing object at 0x7f2b3c4d5e60>', '<main.Thing object at 0x7fffaabbccdd>'],
])('%j and %j are the same result', (one, other) => {
  expect(steadyText(one)).toBe(steadyText(other))
})

it.each([
  ['2 passed in 0.03s', '3 passed in 0.03s'],
  ['TOTAL=22706', 'TOTAL=22707'],
  ['-rw-r--r-- 1 agent agent 12 Nov 29 20:35 main.py', '-rw-r--r-- 1 agent agent 13 Nov 29 20:35 main.py'],
  ['color: #3b82f6', 'color: #e11d48'],
  ['3 s01 items', '4 s01 items'],
  ['0x10', '0x11'],
])('%j and %j are not', (one, other) => {
  expect(steadyText(one)).not.toBe(steadyText(other))
})
