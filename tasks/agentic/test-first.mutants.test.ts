import type { Expected, VerifyTools } from 'agent-bench'
import { expect, test } from 'vitest'
import { type Alteration, type Case, testsCatch } from './test-first.mutants.ts'

const CASES: readonly Case[] = [
  [1, 'one'],
  [2, 'two'],
  [3, 'three'],
]
const FILES: Readonly<Record<string, string>> = {
  'main.py': 'def name(n):\n    return {}[n]\n',
  'test_main.py': 'from main import name\n\n\ndef test_it():\n    assert name(1) == "one"\n',
}

/** What is asked of the sandbox, and what the host expects of it. */
async function asked(files = FILES, answer = (_round: number) => ({ ok: false, reason: 'it gave something else' })) {
  const seen: { alterations: readonly Alteration[]; expected: readonly Expected[] }[] = []
  const tools: VerifyTools = {
    python: () => ({
      call: (_name, [args]) => ({
        gives: async expected => {
          const space = args?.[1]
          const alterations =
            typeof space === 'object' && space !== null && 'alterations' in space ? space.alterations : []
          seen.push({ alterations: alterations as Alteration[], expected })
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
  const { alterations, expected } = seen[0] ?? { alterations: [], expected: [] }
  const wrong = alterations.filter(({ change: [, right, instead] }) => right !== instead)
  expect(wrong.map(({ change }) => change).sort()).toEqual([
    [1, 'one', 'onee'],
    [2, 'two', 'one'],
    [3, 'three', 'threee'],
  ])
  expect(expected).toEqual([alterations.map(one => (wrong.includes(one) ? 'fails' : 'passes'))])
  expect(alterations.length).toBe(4)
  expect(result.ok).toBe(false)
  for (const invented of ['onee', 'threee']) expect(result.reason).not.toContain(invented)
})

test('the right code is altered as well, and run with the same files', async () => {
  const one = (await asked()).seen[0]?.alterations ?? []
  expect(new Set(one.map(({ files }) => files.join()))).toEqual(new Set(['']))
  const two = (await asked({ ...FILES, 'test_more.py': '' })).seen[0]?.alterations ?? []
  expect(two.map(({ files }) => files.join()).sort()).toEqual(['', ...Array(4).fill('test_main.py')])
  for (const alterations of [one, two])
    expect(
      alterations.some(
        ({ change: [, right, instead], files }) =>
          right === instead && files.join() === (alterations === two ? 'test_main.py' : ''),
      ),
    ).toBe(true)
})

test('the order is another one from time to time', async () => {
  const orders = new Set<string>()
  for (let round = 0; round < 60; round += 1) orders.add(JSON.stringify((await asked()).seen[0]?.alterations))
  expect(orders.size).toBeGreaterThan(5)
})

test.each([
  ['no code', { ...FILES, 'main.py': undefined }],
  ['no tests', { ...FILES, 'test_main.py': undefined }],
  [
    'a test that compares nothing',
    { ...FILES, 'test_main.py': `from main import name\n\nCASES = {1: 'one'}\n\n\ndef test_it():\n    assert name\n` },
  ],
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
  expect(first.seen.slice(1).map(({ alterations }) => alterations)).toEqual(
    first.seen[0]?.alterations.map(one => [one]),
  )
  const second = await asked(FILES, round => (round === 1 || round === 3 ? slow : fine))
  expect([second.result.ok, second.seen.length]).toEqual([false, 3])
})
