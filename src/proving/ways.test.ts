import { expect, test } from 'vitest'
import { combineWays, type Way } from './ways.ts'

const way = (name: string): Way => ({ name, act: async ({ sh }) => void (await sh(name)) })
const steps = [
  [way('a'), way('b'), way('c')],
  [way('x'), way('y')],
]

async function commandsOf(play: ReturnType<typeof combineWays>[string]): Promise<string[]> {
  const commands: string[] = []
  const sh = async (command: string) => {
    commands.push(command)
    return ''
  }
  expect(await play({ sh } as never)).toBe('Done.')
  return commands
}

test('every way of every step is in a solution, one way for each step in order', async () => {
  const plays = Object.values(combineWays(steps, 'Done.'))
  expect(await Promise.all(plays.map(commandsOf))).toEqual([
    ['a', 'y'],
    ['b', 'x'],
    ['c', 'y'],
  ])
})

test('solutions are named by their ways', () => {
  expect(Object.keys(combineWays(steps, 'Done.'))).toEqual(['a · y', 'b · x', 'c · y'])
})
