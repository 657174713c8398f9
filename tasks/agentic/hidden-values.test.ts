import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findLeaks, placesOf } from '../../src/check/leaks.ts'
import { loadTask } from '../../src/runner/collect.ts'

/** What these expect stands in the workspace, or is a word of the prompt or the input itself. */
const WITHOUT = new Set(['doc_trap_v1', 'tdd_order_v1'])

const files = readdirSync(import.meta.dirname).filter(name => name.endsWith('.bench.ts'))
const tasks = await Promise.all(
  files.map(name => loadTask(join(import.meta.dirname, name), import.meta.dirname, path => import(path))),
)
const fileOf = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 })

describe.each(tasks.filter(({ id }) => !WITHOUT.has(id)).map(task => [task.id, task] as const))('%s', (_id, task) => {
  const leaks = (
    more: Partial<typeof task>,
    environment = '',
    directory = new Map<string, ReturnType<typeof fileOf>>(),
  ) => findLeaks(task.hidden, placesOf({ ...task, ...more }, environment, directory))

  test('declares what it expects, and shows none of it', () => {
    expect(task.hidden.length).toBeGreaterThanOrEqual(3)
    expect(leaks({})).toEqual([])
  })

  test.each(task.hidden.map((value, index) => [index, value] as const))(
    'finds its hidden value %i wherever it is planted',
    (index, value) => {
      const text = `something before ${value.toUpperCase()} and after`
      expect(leaks({ prompt: text })).toContain(`hidden[${index}] is in the prompt`)
      expect(leaks({ system: text })).toContain(`hidden[${index}] is in the prompt`)
      expect(leaks({}, `NOTE=${text}`)).toContain(`hidden[${index}] is in the environment`)
      const planted = new Map([...task.setup, ['notes/planted.txt', fileOf(text)]])
      expect(leaks({ setup: planted })).toContain(`hidden[${index}] is in the file notes/planted.txt`)
      const named = new Map([...task.setup, [value, fileOf('')]])
      expect(leaks({ setup: named })).toContain(`hidden[${index}] is in the name of the file ${value}`)
      const directory = new Map([['run.sh', fileOf(text)]])
      expect(leaks({}, '', directory)).toContain(`hidden[${index}] is in the skill directory's file run.sh`)
    },
  )
})
