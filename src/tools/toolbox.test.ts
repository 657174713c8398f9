import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { LoggedCall } from '../evidence/log.ts'
import { NOTHING_RUN, type ToolSet } from './tool-set.ts'
import { createToolbox } from './toolbox.ts'

const never = new AbortController().signal

/** Any tool set: its one tool takes its time and says how many calls are under way. */
function slowTools(): ToolSet {
  let underWay = 0
  return {
    definitions: [{ name: 'wait', description: 'Waits.', parameters: { type: 'object' } }],
    async call(name) {
      if (name !== 'wait') return { ...NOTHING_RUN, invalid: 'unknown_tool', delivered: 'Error: no such tool' }
      underWay += 1
      await sleep(1)
      const delivered = `${underWay} under way`
      underWay -= 1
      return { ...NOTHING_RUN, delivered }
    },
  }
}

it('runs the calls of any tool set one after another, and logs each with what was observed', async () => {
  const log: LoggedCall[] = []
  const toolbox = createToolbox(slowTools(), call => log.push(call))
  const call = (name: string, turn: number) =>
    toolbox.call(name, { valid: true, value: { n: turn } }, { turn, signal: never })
  const outcomes = await Promise.all([call('wait', 1), call('wait', 1), call('mirage', 2)])
  expect(outcomes.map(({ delivered }) => delivered)).toEqual(['1 under way', '1 under way', 'Error: no such tool'])
  expect(log.map(({ call, turn, tool, invalid }) => [call, turn, tool, invalid])).toEqual([
    [1, 1, 'wait', null],
    [2, 1, 'wait', null],
    [3, 2, 'mirage', 'unknown_tool'],
  ])
})

it('keeps arguments that did not parse as they came', async () => {
  const log: LoggedCall[] = []
  const toolbox = createToolbox(slowTools(), call => log.push(call))
  await toolbox.call('wait', { valid: false, raw: '{"n":', problem: 'cut' }, { turn: 1, signal: never })
  expect(log[0]?.args).toEqual({ raw: '{"n":' })
})
