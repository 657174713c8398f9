import { describe, expect, test } from 'vitest'
import { InfraError, SpecError } from '../errors.ts'
import type { Evaluation, FunctionCall } from '../sandbox/sandbox.ts'
import type { Expected } from './verify.ts'
import { workOf } from './verify-tools.fixture.ts'
import { checkedResult, createVerifyTools, type Overlay } from './verify-tools.ts'

const file = (text: string | Uint8Array) => ({
  bytes: typeof text === 'string' ? Buffer.from(text) : text,
  mode: 0o644,
})

/** Tools over an evaluator that answers every call with the next of these results. */
function toolsGiving(evaluation: Evaluation, seen: FunctionCall[] = []) {
  const evaluate = async (calls: readonly FunctionCall[]) => {
    seen.push(...calls)
    return evaluation
  }
  return createVerifyTools(workOf({ evaluate }), new Map())
}
const ints = (...values: string[]): Evaluation => ({
  kind: 'values',
  results: values.map(v => ({ ok: true, value: { t: 'int', v } })),
})

/** What `python('main').call(name, args).gives(expected)` says of these results. */
const gives = (
  evaluation: Evaluation,
  args: readonly (readonly unknown[])[],
  expected: readonly Expected[],
  name = 'add',
) => toolsGiving(evaluation).python('main').call(name, args).gives(expected)

describe('python(module).call(name, args).gives(expected)', () => {
  test('sends all calls at once and holds when every value is right', async () => {
    const seen: FunctionCall[] = []
    const { python } = toolsGiving(ints('5', '0'), seen)
    const held = await python('main')
      .call('add', [[2], [-1]])
      .gives([5, 0])
    expect(held).toEqual({ ok: true, reason: 'main.add: 2 calls gave what is expected' })
    expect(seen).toEqual([2, -1].map(n => ({ module: 'main', name: 'add', args: [n] })))
  })

  test('javascript(file) does the same for a file of JavaScript, and takes no other', async () => {
    const seen: FunctionCall[] = []
    const { javascript } = toolsGiving(ints('5'), seen)
    const call = javascript('src/main.mjs').call('add', [[2, 3]])
    const result = await call.gives([5])
    expect(result).toEqual({ ok: true, reason: 'src/main.mjs.add: 1 calls gave what is expected' })
    expect(seen).toEqual([{ module: 'src/main.mjs', language: 'javascript', name: 'add', args: [2, 3] }])
    for (const file of ['main', 'main.ts', '../main.js', '/main.js', 'm*.js'])
      expect(() => javascript(file)).toThrow(SpecError)
  })

  test('hands over the files that are to stand in the workspace meanwhile', async () => {
    const seen: unknown[] = []
    const noting =
      <Answer>(answer: Answer) =>
      async (_asked: unknown, over: Overlay): Promise<Answer> => {
        seen.push([...over].map(([path, file]) => [path, file && Buffer.from(file.bytes).toString()]))
        return answer
      }
    const result = { ok: true, reason: 'passes', passed: 1, failed: 0 }
    const ran = { stdout: 'a.py', stderr: '', exitCode: 0 }
    const suites = (each: readonly Overlay[]) => Promise.all(each.map(over => noting(result)(null, over)))
    const work = workOf({ evaluate: noting(ints('1')), run: noting(ran), suites })
    const { python, run, tests } = createVerifyTools(work, new Map())
    await python('main', { 'config.py': 'RATE = 2\n' }).call('f', [[]]).gives([1])
    await python('main').call('f', [[]]).gives([1])
    expect(await run('ls', { 'a.txt': null })).toEqual(ran)
    expect(await tests({ 'b.txt': 'b' })).toEqual(result)
    expect(await tests()).toEqual(result)
    expect(await tests([{ 'c.txt': '1' }, { 'c.txt': null }])).toEqual([result, result])
    expect(seen).toEqual([
      [['config.py', 'RATE = 2\n']],
      [],
      ...[[['a.txt', null]], [['b.txt', 'b']], []],
      ...[[['c.txt', '1']], [['c.txt', null]]],
    ])
  })

  test.each([['../config.py'], ['*.py'], ['/config.py']])('refuses %s as the path of such a file', async path => {
    expect(() => toolsGiving(ints('1')).python('main', { [path]: '' })).toThrow(SpecError)
    await expect(toolsGiving(ints('1')).tests([{ [path]: null }])).rejects.toThrow(SpecError)
  })

  test.each(['', ' ', 'a\0b', 3])('refuses %j as a command', async command => {
    await expect(Reflect.apply(toolsGiving(ints('1')).run, null, [command])).rejects.toThrow(/is not a command/)
  })

  test('names the first call that is wrong, without the hidden value', async () => {
    const result = await gives(ints('5', '7'), [[2], [40]], [5, 42])
    expect(result).toEqual({ ok: false, reason: 'main.add: call 2 of 2 gave int 7: not what is expected' })
  })

  test('fewer or more values than calls do not hold', async () => {
    expect((await gives(ints('5'), [[1], [2]], [5, 5], 'f')).ok).toBe(false)
    expect((await gives(ints('5', '5', '5'), [[1], [2]], [5, 5], 'f')).ok).toBe(false)
  })

  test.each(['no-frame', 'bad-frame', 'extra-bytes', 'too-big', 'timeout'] as const)(
    'an evaluation that ends in %s is a check that does not hold, with the reason',
    async kind => {
      const reason = expect.stringMatching(/^main\.add: .{10,}/)
      expect(await gives({ kind }, [[1, 2]], [3])).toEqual({ ok: false, reason })
    },
  )

  test('a fault of the sandbox passes through', async () => {
    const fault = new InfraError('the sandbox is gone', { code: 'sandbox_lost', remedy: 'Run it again.' })
    const { python } = createVerifyTools(workOf({ evaluate: () => Promise.reject(fault) }), new Map())
    const call = python('main').call('add', [[1, 2]])
    await expect(call.gives([3])).rejects.toBe(fault)
  })

  test('a mistake of the check is thrown, never counted as false', async () => {
    const { python } = toolsGiving(ints('1'))
    expect(() => python('main.py!')).toThrow(SpecError)
    const mistakes: readonly [string, readonly (readonly unknown[])[], readonly Expected[], string][] = [
      ['a b', [[1]], [1], 'not a function name'],
      ['f', [], [], 'no list of arguments'],
      ['f', [[1]], [1, 2], '2 values are expected'],
      ['f', [[Number.NaN]], [1], 'not a list of JSON values'],
      ['f', [[new Date(0)]], [1], 'not a list of JSON values'],
      ['f', [[1]], [{ tuple: [{ raises: 'E' }] }], 'can raise'],
    ]
    for (const [name, args, expected, problem] of mistakes) {
      await expect(gives(ints('1'), args, expected, name)).rejects.toThrow(problem)
    }
  })
})

test('text gives what the agent left as UTF-8, and null where there is nothing of that kind', () => {
  const files = new Map([
    ['b.txt', file('zwei\n')],
    ['a.bin', file(Uint8Array.of(0xff, 0xfe))],
  ])
  const tools = createVerifyTools(workOf(), files)
  expect(tools.text('b.txt')).toBe('zwei\n')
  expect(tools.text('a.bin')).toBeNull()
  expect(tools.text('c.txt')).toBeNull()
  expect(tools.files).toEqual(['a.bin', 'b.txt'])
  expect(tools.check(false, 'it holds')).toEqual({ ok: false, reason: 'not so: it holds' })
  expect(tools.check(true, 'it holds')).toEqual({ ok: true, reason: 'it holds' })
})

describe('a check that is written wrongly is refused', () => {
  const { check } = toolsGiving(ints())

  test.each<[string, readonly unknown[], RegExp, RegExp]>([
    [
      'arguments that are swapped',
      ['it holds', true],
      /^check\("it holds", true\) takes true or false and a text: the first is a text, the second is true$/,
      /^Swap the two/,
    ],
    ['a text that counts as true', ['yes', 'it holds'], /: the first is a text$/, /Boolean\(…\)/],
    ['an undefined that counts as false', [undefined, 'it holds'], /: the first is undefined$/, /Boolean\(…\)/],
    ['a promise', [Promise.resolve(true), 'it holds'], /: the first is an object of another kind$/, /check\(ok/],
    ['no statement', [true], /^check\(true, undefined\) .*: the second is undefined$/, /check\(ok, statement\)/],
  ])('%s', (_, args, message, remedy) => {
    const call = () => Reflect.apply(check, undefined, args)
    expect(call).toThrow(SpecError)
    expect(call).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) }),
    )
  })

  test.each<[unknown, string]>([
    [undefined, 'nothing back'],
    [true, 'true back'],
    ['fine', 'a text back'],
    [{ ok: 'yes', reason: '' }, 'an object of another kind back'],
    [{ ok: true, reason: 1 }, 'an object of another kind back'],
  ])('a result that is none: %j', (result, given) => {
    expect(() => checkedResult('right', result)).toThrow(
      expect.objectContaining({
        message: `the verify check "right" gave ${given} instead of { ok, reason }`,
        remedy: expect.stringContaining('verify["right"]'),
      }),
    )
  })
})
