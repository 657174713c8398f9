import { eachWayTwice, waysToEdit, waysToRead, waysToRunTests } from 'agent-bench/proving'
import { expect, test } from 'vitest'
import definition from './debug-python.bench.ts'

const steps = [
  waysToRead('main.py'),
  waysToRunTests(),
  waysToEdit({ path: 'main.py', before: 'x', after: 'y', text: 'y\n' }),
  waysToRunTests(),
]

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

test('in honest solutions every way of every step appears at least twice, beside other ways', () => {
  const solutions = Object.keys(eachWayTwice(steps, 'Done.')).map(name => name.split(' · '))
  steps.forEach((ways, step) => {
    for (const { name } of ways) {
      const others = solutions.filter(names => names[step] === name).map(names => names.toSpliced(step, 1))
      expect(others.length, name).toBeGreaterThanOrEqual(2)
      for (const place of [0, 1, 2]) expect(new Set(others.map(names => names[place])).size).toBeGreaterThanOrEqual(2)
    }
  })
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
