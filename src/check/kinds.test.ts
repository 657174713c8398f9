/** Tasks that need no sandbox prove themselves without one. */
import { expect, test } from 'vitest'
import { defineTask, type TaskDefinition } from '../task/define-task.ts'
import { tool, toolError } from '../task/tool.ts'
import { TrialWorker } from '../trial/trial-worker.ts'
import { checkTask, planOfCheck, type TaskCheck } from './check-task.ts'

async function check(definition: TaskDefinition): Promise<TaskCheck> {
  const refuse = () => Promise.reject(new Error('a sandbox was opened'))
  await using worker = new TrialWorker(planOfCheck('kinds'), refuse)
  const numbers = definition.hasInstances ? [1, 2] : []
  const instances = await Promise.all(numbers.map(instance => definition.resolve({ instance })))
  const signal = AbortSignal.timeout(60_000)
  return checkTask(await definition.resolve(), { workers: [worker], k: 3, signal, instances })
}

interface Shop {
  readonly orders: Record<string, { status: string }>
}

const cancelOrder = tool({
  description: 'Cancels an order.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'integer' } },
    required: ['id'],
    additionalProperties: false,
  },
  run: ({ id }, { orders }: Shop) => {
    const order = orders[id] ?? toolError(`no order ${id}`)
    order.status = 'cancelled'
    return { cancelled: id }
  },
})

const shop = defineTask({
  id: 'shop',
  state: { orders: { 1: { status: 'open' }, 2: { status: 'open' } } } as Shop,
  tools: { cancel_order: cancelOrder },
  prompt: 'Cancel order 2.',
  flags: {
    done: run => run.state.orders[1]?.status === 'open' && run.state.orders[2]?.status === 'cancelled',
  },
  reference: async ({ call }) => {
    await call('cancel_order', { id: 2 })
  },
  honest: {
    'an error first': async ({ call }) => {
      expect(await call('cancel_order', { id: 9 })).toBe('Error: no order 9')
      expect(await call('cancel_order', { id: '2' })).toMatch(/"id" must be integer/)
      expect(await call('cancel_order', { id: 2, now: true })).toMatch(/additional properties \("now"\)/)
      expect(await call('cancel_order', { id: 2 })).toBe('{"cancelled":2}')
    },
  },
  cheats: {
    'both orders': {
      loses: ['done'],
      play: async ({ call }) => {
        for (const id of [1, 2]) await call('cancel_order', { id })
      },
    },
  },
})

const talk = defineTask({
  id: 'talk',
  tools: [],
  instance: ({ random }) => ({ number: random.integer(1_000, 9_999) }),
  prompt: ({ instance }) => `Remember ${instance.number}.`,
  turns: ['Which number?', ({ answers }) => (answers[1] === '' ? null : 'And once more, doubled?')],
  flags: {
    remembers: run => run.answers[1] === String(run.instance.number),
    doubles: run => run.answer === String(2 * run.instance.number),
  },
  points: { doubles: 3 },
  reference: async ({ answer, instance }) => {
    await answer('Yes.', String(instance.number), String(2 * instance.number))
  },
  honest: {
    'the last answer returned': async ({ answer, instance }) => {
      await answer('', String(instance.number))
      return String(2 * instance.number)
    },
  },
  cheats: {
    'silence after the first': { loses: ['remembers', 'doubles'], play: () => '1' },
    'no doubling': {
      loses: ['doubles'],
      play: ({ answer, instance }) => answer('Yes.', String(instance.number), String(instance.number)),
    },
  },
})

test.each([shop, talk])('$id', async definition => {
  const found = await check(definition)
  expect(found.problems).toEqual([])
  expect(found).toMatchObject({ status: 'ok', reference: { passed: 3 }, nopScore: 0 })
})

test('a tool that throws anything else is a fault of the task, by name', async () => {
  const found = await check(
    defineTask({
      id: 'broken',
      state: {},
      tools: { ask: tool({ description: 'Asks.', parameters: { type: 'object' }, run: () => JSON.parse('{') }) },
      prompt: 'Ask.',
      flags: { asked: run => run.calls('ask').length > 0 },
      reference: async ({ call }) => void (await call('ask', {})),
    }),
  )
  expect(found.problems[0]?.problem).toMatch(/the tool "ask" of the task threw .*JSON.* \(remedy: Correct tools.ask/)
})

test('reference and nop are proved on other instances too', async () => {
  const found = await check(
    defineTask({
      id: 'fixed',
      tools: [],
      instance: ({ seed }) => ({ seed }),
      prompt: 'Which number?',
      flags: { right: run => run.finalAnswer === String(run.instance.seed) || run.instance.seed === 2 },
      reference: () => '0',
    }),
  )
  expect(found.problems.map(({ about, problem }) => `${about}: ${problem}`)).toEqual([
    'nop of instance 2: flag right was reached but must be lost',
    'nop of instance 2: doing nothing scores 1 instead of 0',
    expect.stringMatching(/^reference of instance 1: flag right was lost but must be reached/),
  ])
})
