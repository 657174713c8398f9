import { expect, test } from 'vitest'
import definition from './debug-python.bench.ts'
import { everyCombination, pairwiseCombinations, waysToEdit, waysToRead, waysToRunTests } from './variants.ts'

const steps = {
  read: waysToRead('main.py'),
  test: waysToRunTests(),
  edit: waysToEdit({ path: 'main.py', before: 'x', after: 'y', text: 'y\n' }),
}

test('each flag is lost by a cheat that loses nothing else, or only what depends on the same check', async () => {
  const { cheats } = await definition.resolve()
  const losses = new Set([...cheats.values()].map(cheat => [...cheat.loses].sort().join('+')))
  expect([...losses].sort()).toEqual([
    '',
    'error_interpret',
    'error_interpret+file_read',
    'file_edit+self_verify',
    'file_read',
    'self_verify',
  ])
  expect([...cheats.values()].some(cheat => cheat.tampers === true)).toBe(true)
})

test('the prompt shows no line of the code, so that a line of it in a result proves reading', async () => {
  const task = await definition.resolve()
  const code = new TextDecoder().decode(task.setup.get('main.py')?.bytes)
  for (const line of code.trim().split('\n')) expect(task.prompt).not.toContain(line.trim())
})

test('honest solutions let every two ways of different steps meet', () => {
  const names = Object.keys(pairwiseCombinations(steps)).map(name => name.split(' · '))
  const met = new Set(names.flatMap(([r, t, e]) => [`${r}|${t}`, `${r}|${e}`, `${t}|${e}`]))
  const { read, test: run, edit } = steps
  for (const r of read) for (const t of run) expect(met).toContain(`${r.name}|${t.name}`)
  for (const r of read) for (const e of edit) expect(met).toContain(`${r.name}|${e.name}`)
  for (const t of run) for (const e of edit) expect(met).toContain(`${t.name}|${e.name}`)
})

test('every combination has a name of its own', () => {
  expect(Object.keys(everyCombination(steps))).toHaveLength(steps.read.length * steps.test.length * steps.edit.length)
})

test('the fix changes the length of the file: Python’s bytecode cache would hide an edit of the same length', async () => {
  const task = await definition.resolve()
  const before = task.setup.get('main.py')?.bytes.length
  const written: string[] = []
  await task.reference?.({
    read: async () => '',
    sh: async () => '',
    call: async () => '',
    callMalformed: async () => '',
    turn: async calls => calls(),
    optional: async (_, calls) => calls(),
    write: async (_, content) => {
      written.push(content)
      return ''
    },
  })
  expect(written).toHaveLength(1)
  expect(written[0]?.length).not.toBe(before)
})
