import { describe, expect, it } from 'vitest'
import type { Hands, Play } from '../task/task.ts'
import { omissionsOf, omitSteps, recordSteps, type Step } from './steps.ts'

/** Plays, and gives the calls that were really made. */
async function callsOf(play: Play): Promise<string[]> {
  const calls: string[] = []
  const make = async (call: string) => {
    calls.push(call)
    return `result of ${call}`
  }
  const hands: Hands = {
    read: path => make(`read ${path}`),
    write: (path, content) => make(`write ${path} ${content}`),
    sh: command => make(command),
    call: tool => make(tool),
    callMalformed: tool => make(`malformed ${tool}`),
    instance: undefined,
    answer: async () => undefined,
    turn: calls => calls(),
    optional: (_, calls) => calls(),
  }
  await play(hands)
  return calls
}

async function stepsOf(play: Play): Promise<Step[]> {
  const steps: Step[] = []
  await callsOf(recordSteps(play, steps))
  return steps
}

const PLAY: Play = async ({ read, sh, turn, write, optional }) => {
  const text = await read('a.txt')
  await turn(async () => {
    await write('b.txt', text)
    await optional('to see it', async () => {
      await sh('cat b.txt')
      await sh('ls')
    })
  })
  await optional('to be sure', async () => void (await sh('true')))
}

describe('steps of a reference', () => {
  it('are its calls, in order, with the groups that are optional', async () => {
    expect(await stepsOf(PLAY)).toEqual([
      { number: 1, call: 'read a.txt', group: null },
      { number: 2, call: 'write b.txt', group: null },
      { number: 3, call: 'run cat b.txt', group: 1 },
      { number: 4, call: 'run ls', group: 1 },
      { number: 5, call: 'run true', group: 2 },
    ])
  })

  it('are left out one by one, optional ones by group', async () => {
    const omissions = omissionsOf(PLAY, await stepsOf(PLAY))
    expect(omissions.map(({ steps, isOptional }) => [steps.map(({ number }) => number), isOptional])).toEqual([
      [[1], false],
      [[2], false],
      [[3, 4], true],
      [[5], true],
    ])
    const third = omissions[2]
    expect(third && (await callsOf(third.play))).toEqual(['read a.txt', 'write b.txt result of read a.txt', 'true'])
  })

  it('give an empty text where they are left out', async () => {
    expect(await callsOf(omitSteps(PLAY, ({ number }) => number === 1))).toContain('write b.txt ')
  })

  it('are counted anew each time a play is played', async () => {
    const play = omitSteps(PLAY, ({ number }) => number === 1)
    expect(await callsOf(play)).toEqual(await callsOf(play))
  })
})
