import { expect, it } from 'vitest'
import { steadyText } from './steady-text.ts'

it.each([
  ['2 passed in 0.03s', '2 passed in 1.27s'],
  ['=== 1 failed, 2 passed, 1 warning in 0.03s ===', '=== 1 failed, 2 passed, 1 warning in 61.27s (0:01:01) ==='],
  ['no tests ran in 0.00s', 'no tests ran in 0.01s'],
  ['0.01s call     test_main.py::test_a', '2.50s call     test_main.py::test_a'],
  ['Ran 3 tests in 0.001s', 'Ran 3 tests in 12.5s'],
  ['real\t0m0.012s\nuser\t0m0.000s', 'real\t0m1.512s\nuser\t0m0.010s'],
  ['-rw-r--r-- 1 agent agent 12 Nov 29 20:35 main.py', '-rw-r--r-- 1 agent agent 12 Dec  1 08:01 main.py'],
  ['drwxr-xr-x 2 agent agent 4.0K Nov 29 20:35 src', 'drwxr-xr-x 2 agent agent 4.0K Nov 29  2025 src'],
  [
    '-rw-r--r-- 1 agent agent 12 2026-11-29 20:35:01.000000000 +0000 a',
    '-rw-r--r-- 1 agent agent 12 2026-11-30 21:35:01.500000000 +0000 a',
  ],
  ['<main.Thing object at 0x7f2b3c4d5e60>', '<main.Thing object at 0x7fffaabbccdd>'],
])('%j and %j are the same result', (one, other) => {
  expect(steadyText(one)).toBe(steadyText(other))
})

it.each([
  ['2 passed in 0.03s', '3 passed in 0.03s'],
  ['-rw-r--r-- 1 agent agent 12 Nov 29 20:35 main.py', '-rw-r--r-- 1 agent agent 13 Nov 29 20:35 main.py'],
  // Facts of a file are what a task may be about.
  ['sails on Nov 29 21:00', 'sails on Dec 1 09:30'],
  ['timeout = 5s', 'timeout = 60s'],
  ['2026-11-29T20:35:01Z', '2027-01-01T00:00:00Z'],
  ['color: #3b82f6', 'color: #e11d48'],
  ['mask 0xdeadbeef', 'mask 0xcafebabe'],
  ['the run took 3 ms', 'the run took 9 ms'],
])('%j and %j are not', (one, other) => {
  expect(steadyText(one)).not.toBe(steadyText(other))
})
