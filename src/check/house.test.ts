/** What holds for the proofs of every task of the suites that run by default: each flag has near misses, and proofs are samples. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadSpec } from '../runner/collect.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEAST_HONEST_WAYS = 5
const MOST_HONEST_WAYS = 12
const MOST_CHEATS_OF_A_FLAG = 3
/** Besides: changes of what is to be left alone, and work that is only pretended. */
const MOST_OTHER_CHEATS = 5

const all = await Promise.all(
  readdirSync(`${ROOT}tasks`, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.bench.ts') && existsSync(`${ROOT}tasks/${dirname(file)}/suite.ts`))
    .map(async file => (await loadSpec(`${ROOT}tasks/${file}`, ROOT, path => import(path))).resolve()),
)
const tasks = all.filter(({ suite }) => suite?.byDefault === true)

test('every task has an id of its own', () => {
  expect(new Set(all.map(task => task.id)).size).toBe(all.length)
})

describe.each(tasks.map(task => [task.id, task] as const))('%s', (_id, task) => {
  const cheats = [...task.cheats.values()]

  test('loses each flag by a near miss, which keeps another flag', () => {
    const nearMisses = cheats.filter(cheat => cheat.loses.length < task.flags.size)
    expect([...new Set(nearMisses.flatMap(cheat => cheat.loses))].sort()).toEqual([...task.flags.keys()].sort())
  })

  test('samples its proof', () => {
    expect(task.reference).not.toBe(null)
    expect(task.honest.size).toBeGreaterThanOrEqual(LEAST_HONEST_WAYS)
    expect(task.honest.size).toBeLessThanOrEqual(MOST_HONEST_WAYS)
    expect(cheats.length).toBeLessThanOrEqual(MOST_CHEATS_OF_A_FLAG * task.flags.size + MOST_OTHER_CHEATS)
  })
})
