import type { Expected, VerifyTools } from 'agent-bench'
import { expect, test } from 'vitest'
import { type Case, testsCatch } from './test-first.mutants.ts'

const CASES: readonly Case[] = [
  [1, 'one'],
  [2, 'two'],
  [3, 'three'],
]
const FILES: Readonly<Record<string, string>> = {
  'main.py': 'def name(n):\n    return {}[n]\n',
  'test_main.py': 'from main import name\n\n\ndef test_it():\n    assert name(1)\n',
}

/** What is asked of the sandbox, and what the host expects of it. */
async function asked(files = FILES, answer = (_round: number) => ({ ok: false, reason: 'it gave something else' })) {
  const seen: { changes: unknown; expected: readonly Expected[] }[] = []
  const tools: VerifyTools = {
    python: () => ({
      call: (_name, [args]) => ({
        gives: async expected => {
          const space = args?.[1]
          const changes = typeof space === 'object' && space !== null && 'changes' in space ? space.changes : null
          seen.push({ changes, expected })
          return answer(seen.length)
        },
      }),
    }),
    tests: () => Promise.reject(new Error('not asked')),
    text: path => files[path] ?? null,
    size: () => null,
    files: Object.keys(files),
    check: (ok, reason) => ({ ok, reason }),
  }
  return { result: await testsCatch(tools, 'name', CASES), seen }
}

test('every case is made wrong once, the right code is among them, and only that must pass', async () => {
  const { result, seen } = await asked()
  const { changes, expected } = seen[0] ?? { changes: null, expected: [] }
  if (!Array.isArray(changes)) throw new Error('no changes')
  expect([...changes].sort()).toEqual([
    [null, null],
    [1, 'one.'],
    [2, 'one'],
    [3, 'three.'],
  ])
  expect(expected).toEqual([changes.map(([input]) => (input === null ? 'passes' : 'fails'))])
  expect(result.ok).toBe(false)
  for (const [, text] of CASES) expect(result.reason).not.toContain(`${text}.`)
})

test('the order is another one from time to time', async () => {
  const orders = new Set<string>()
  for (let round = 0; round < 60; round += 1) orders.add(JSON.stringify((await asked()).seen[0]?.changes))
  expect(orders.size).toBeGreaterThan(5)
})

test.each([
  ['no code', { ...FILES, 'main.py': undefined }],
  ['no tests', { ...FILES, 'test_main.py': undefined }],
  ['tests of something else', { ...FILES, 'test_main.py': 'def test_it():\n    assert 1\n' }],
])('nothing is run where there is %s', async (_what, files) => {
  const given = Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const { result, seen } = await asked(given)
  expect(result.ok).toBe(false)
  expect(seen).toEqual([])
})

test('what did not end in time is run one by one, and all of it must be as expected', async () => {
  const slow = { ok: false, reason: 'builtins.eval: the code did not end in time' }
  const fine = { ok: true, reason: '' }
  const first = await asked(FILES, round => (round === 1 ? slow : fine))
  expect(first.result.ok).toBe(true)
  expect(first.seen.slice(1).map(({ changes }) => changes)).toEqual(
    [first.seen[0]?.changes].flat().map(change => [change]),
  )
  const second = await asked(FILES, round => (round === 1 || round === 3 ? slow : fine))
  expect([second.result.ok, second.seen.length]).toEqual([false, 3])
})
