/** What the proofs of all tasks keep to, and what the difficulty of the long ones rests on. */
import { readdirSync } from 'node:fs'
import type { TaskDefinition } from 'agent-bench'
import { expect, test } from 'vitest'
import { PAGE } from './big-file-edit.page.ts'
import { EXPECTED, PROCEDURE } from './long-procedure.files.ts'

const files = readdirSync(import.meta.dirname).filter(name => name.endsWith('.bench.ts'))
const definitions: readonly { readonly default: TaskDefinition }[] = await Promise.all(
  files.map(name => import(`./${name}`)),
)
const tasks = await Promise.all(definitions.map(({ default: definition }) => definition.resolve()))
const named = tasks.map(task => [task.id, task] as const)
const textIn = (id: string, path: string) =>
  new TextDecoder().decode(tasks.find(task => task.id === id)?.setup.get(path)?.bytes)

test.each(named)('%s loses each flag by a near miss, a cheat that keeps another flag', (_id, { cheats, flags }) => {
  const nearMisses = [...cheats.values()].filter(({ loses }) => loses.length < flags.size)
  expect([...new Set(nearMisses.flatMap(({ loses }) => loses))].toSorted()).toEqual([...flags.keys()].toSorted())
})

test.each(named)('%s has a reference, and a sample of honest ways', (_id, { reference, honest }) => {
  expect(reference).not.toBe(null)
  expect(honest.size).toBeGreaterThanOrEqual(5)
  expect(honest.size).toBeLessThanOrEqual(12)
})

test('the page of big_file_edit_v1 takes several calls of read_file', () => {
  const page = textIn('big_file_edit_v1', PAGE)
  expect(page.length).toBeGreaterThan(28_000)
  expect(page.length).toBeLessThan(30_000)
})

test('the procedure of long_procedure_v1 is long, fits into one result and leads to one order', () => {
  const procedure = textIn('long_procedure_v1', PROCEDURE)
  expect(procedure.length).toBeGreaterThan(5_500)
  expect(procedure.length).toBeLessThanOrEqual(6_000)
  expect(new Set(EXPECTED.all.map(row => row.split(',')[3])).size).toBe(EXPECTED.all.length)
})

test('the guide of doc_trap_v1 is named nowhere, so whoever names it has looked', () => {
  const task = tasks.find(({ id }) => id === 'doc_trap_v1')
  const texts = [...(task?.setup.values() ?? [])].map(({ bytes }) => new TextDecoder().decode(bytes))
  expect(task?.setup.has('notes/relay-install.txt')).toBe(true)
  for (const text of [task?.prompt, ...texts]) expect(text).not.toMatch(/\bnotes\b|relay-install/)
})
