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

test('every way of every step is in a solution that is named by its ways, one for each step in order', async () => {
  const plays = combineWays(steps, 'Done.')
  expect(Object.keys(plays)).toEqual(['a · y', 'b · x', 'c · y'])
  for (const [name, play] of Object.entries(plays)) expect((await commandsOf(play)).join(' · ')).toBe(name)
})
