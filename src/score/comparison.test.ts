import { describe, expect, it } from 'vitest'
import { type ComparedTask, compareArms } from './comparison.ts'

const trials = (n: number, c: number) => Array.from({ length: n }, (_, at) => at < c)
const arm = (n: number, c: number, cost: number | null = null) => ({
  outcomes: trials(n, c),
  seconds: cost,
  turns: cost,
  tokens: null,
})
/** Tasks of n trials by the passes of each arm. */
const tasks = (n: number, ...passes: (readonly number[])[]): ComparedTask[] =>
  passes.map((arms, at) => ({
    id: `t${String(at).padStart(2, '0')}`,
    module: at % 2 === 0 ? 'even' : 'odd',
    arms: arms.map(c => arm(n, c)),
  }))
const two = (of: readonly ComparedTask[], k = 3) => compareArms({ arms: ['old', 'new'], k, tasks: of })
const repeated = (count: number, passes: readonly number[]) => new Array<readonly number[]>(count).fill(passes)

describe('two arms', () => {
  it('are told apart where one wins nearly everywhere, and said to be on tasks like these', () => {
    const { pairs, arms } = two(tasks(3, ...repeated(9, [0, 3]), [3, 3], [3, 2]))
    expect(pairs[0]?.overall).toMatchObject({ wins: 1, losses: 9, isSeparable: true, tasks: 11, trials: 33 })
    expect(pairs[0]?.claim).toContain(
      'On tasks like these, new passes more often than old: −79 points for old over 11 tasks',
    )
    expect(pairs[0]?.notClaimed).toContain('better at every task')
    expect(arms.map(({ name, group }) => [name, group.letters, ...group.ranks])).toEqual([
      ['new', 'a', 1, 1],
      ['old', 'b', 2, 2],
    ])
  })

  it('stay one group where the interval and the exact test disagree: the test decides', () => {
    const passes = [
      [3, 0],
      [3, 1],
      [3, 1],
      [2, 1],
      [2, 1],
      [2, 1],
      [1, 2],
      [3, 3],
    ]
    const [pair] = two(tasks(5, ...passes)).pairs
    expect(pair?.overall.p).toBe(0.078125)
    expect(pair?.overall.likeThese.value?.low).toBeGreaterThan(0)
    expect(pair?.overall.isSeparable).toBe(false)
    expect(pair?.needed).toMatchObject({ wins: 8 })
  })

  it('on few tasks a claim is about these very tasks', () => {
    const [pair] = two(tasks(20, [20, 6], [18, 4])).pairs
    expect(pair?.overall).toMatchObject({ isSeparable: false, likeThese: { reason: 'too_few_tasks' } })
    expect(pair?.claim).toContain('On these 2 very tasks, old passes more often than new: +70 points')
    expect(pair?.notClaimed).toContain('other tasks of this kind')
  })

  it('that do alike are not called equal, and the most that may be there is said', () => {
    const [pair] = two(tasks(1, ...repeated(8, [1, 1]), [1, 0], [0, 1])).pairs
    expect(pair?.claim).toMatch(
      /^No difference is shown between old and new: 0 points for old over 10 tasks, 95 %: −\d+ to \+\d+ \(p = 1\)/,
    )
    expect(pair?.claim).toContain('Fewer than 6 tasks differ')
    expect(pair?.notClaimed).toContain('equally good')
  })

  it('are compared over the first trials that both have', () => {
    const more = tasks(3, [3, 3], [0, 0]).map(task => ({ ...task, arms: [arm(3, 2), { ...arm(9, 9) }] }))
    const { tasks: counted, pairs } = two(more)
    expect(counted[0]?.arms).toEqual([
      { n: 3, c: 2 },
      { n: 9, c: 9 },
    ])
    expect(pairs[0]?.tasks[0]).toMatchObject({ a: { n: 3, c: 2 }, b: { n: 3, c: 3 } })
  })

  it('a task of fewer trials than k is out of pass^k, never 0, and the bounds say so', () => {
    const short = [...tasks(3, [3, 3], [3, 3]), { id: 'x', module: 'even', arms: [arm(2, 2), arm(2, 2)] }]
    const [first] = two(short).arms
    expect(first?.passHat).toMatchObject({ value: 1, tasks: 2 })
    expect(first?.passHatBounds).toEqual({ low: 2 / 3, high: 1 })
  })

  it('different in more than one thing, no single cause is claimed', () => {
    const given = { arms: ['a', 'b'], k: 1, tasks: tasks(1, [1, 0]) }
    expect(compareArms({ ...given, differing: ['model', 'driver'] }).pairs[0]?.notClaimed).toContain(
      'differ in model, driver',
    )
    expect(compareArms({ ...given, differing: ['model'] }).pairs[0]?.notClaimed).not.toContain('differ in')
  })

  it('without a task in common nothing is claimed', () => {
    const { pairs, arms } = two([{ id: 'x', module: 'm', arms: [arm(3, 3), arm(0, 0)] }])
    expect(pairs[0]?.claim).toBe('Nothing: old and new have no task in common.')
    expect(arms[0]?.passRate.value).toBeNull()
  })

  it('modules are corrected among themselves, and costs are ratios', () => {
    const paid = tasks(3, [3, 0], [3, 3]).map(task => ({ ...task, arms: [arm(3, 3, 20), arm(3, 0, 10)] }))
    const [pair] = two(paid).pairs
    expect(pair?.modules.map(({ module, effect }) => [module, effect.tasks, effect.adjusted])).toEqual([
      ['even', 1, 1],
      ['odd', 1, 1],
    ])
    expect(pair?.cost).toMatchObject({ seconds: { geometric: 2, totals: 2, tasks: 2 }, tokens: null })
  })
})

it('of several arms each pair is corrected for all, and groups overlap', () => {
  const passes = [...repeated(8, [3, 2, 0]), ...repeated(4, [3, 3, 0]), [0, 3, 0], [0, 3, 0]]
  const { arms, pairs } = compareArms({ arms: ['a', 'b', 'c'], k: 3, tasks: tasks(3, ...passes) })
  expect(pairs).toHaveLength(3)
  expect(pairs.every(({ overall }) => overall.adjusted >= overall.p)).toBe(true)
  expect(arms.map(({ name, group }) => `${name} ${group.letters}`)).toEqual(['a a', 'b a', 'c b'])
})

it('a headline lacks what a module lacks', () => {
  const given = { arms: ['a', 'b'], k: 3, tasks: tasks(3, ...repeated(8, [3, 1])) }
  const whole = compareArms({ ...given, weights: { even: 0.5, odd: 0.5 } })
  expect(whole.arms[0]?.headline).toMatchObject({ value: { value: 1 }, letter: 'S', missing: [], problems: [] })
  const part = compareArms({ ...given, weights: { even: 0.4, odd: 0.4, tools: 0.2 } })
  expect(part.arms[0]?.headline).toMatchObject({ value: { value: null }, letter: null })
  expect(part.arms[0]?.headline?.bounds.low).toBeCloseTo(0.8, 12)
  expect(part.arms[0]?.headline?.bounds.high).toBeCloseTo(1, 12)
  expect(part.arms[0]?.headline?.problems).toEqual(['tools has 0 tasks, fewer than 4'])
})
