/** What the difficulty of the long tasks rests on. */
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
const textIn = (id: string, path: string) =>
  new TextDecoder().decode(tasks.find(task => task.id === id)?.setup.get(path)?.bytes)

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
