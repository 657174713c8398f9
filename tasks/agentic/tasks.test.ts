import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadTask } from '../../src/runner/collect.ts'
import type { Task } from '../../src/task/task.ts'

const files = readdirSync(import.meta.dirname).filter(name => name.endsWith('.bench.ts'))
const tasks: Task[] = await Promise.all(
  files.map(name => loadTask(join(import.meta.dirname, name), import.meta.dirname, path => import(path))),
)

test('every task has an id of its own, and flags', () => {
  expect(new Set(tasks.map(task => task.id)).size).toBe(tasks.length)
  for (const task of tasks) expect(task.flags.size).toBeGreaterThan(0)
})

test.each(tasks.map(task => [task.id, task] as const))(
  '%s has a reference, five cheats and five honest ways',
  (_id, task) => {
    expect(task.reference).not.toBe(null)
    expect(task.cheats.size).toBeGreaterThanOrEqual(5)
    expect(task.honest.size).toBeGreaterThanOrEqual(5)
  },
)

test.each(tasks.map(task => [task.id, task] as const))(
  '%s has a cheat that loses each flag, and each cheat names flags of it',
  (_id, task) => {
    const lost = new Set([...task.cheats.values()].flatMap(cheat => cheat.loses))
    expect([...lost].sort()).toEqual([...task.flags.keys()].sort())
  },
)

test.each(tasks.map(task => [task.id, task] as const))(
  '%s loses each flag by a near miss: a cheat that keeps another flag',
  (_id, task) => {
    const nearMisses = [...task.cheats.values()].filter(cheat => cheat.loses.length < task.flags.size)
    expect([...new Set(nearMisses.flatMap(cheat => cheat.loses))].sort()).toEqual([...task.flags.keys()].sort())
  },
)
