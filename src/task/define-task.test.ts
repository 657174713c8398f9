import { describe, expect, test } from 'vitest'
import { explainError, SpecError } from '../errors.ts'
import { checkFlagIds } from './check-spec.ts'
import { createTask, defineTask, isTaskDefinition, type TaskDefinition } from './define-task.ts'
import type { SourcePosition } from './position.ts'
import { readsOf } from './probe.ts'
import type { Run } from './run.ts'
import type { Setup, TaskSpec } from './task.ts'

const SOURCE: SourcePosition = { file: `${process.cwd()}/tasks/x.bench.ts`, line: 7, column: 3 }

const GOOD: TaskSpec<'adds'> = {
  id: 'good_task',
  prompt: 'Do it.',
  setup: { 'main.py': 'x = 1\n', 'src/app.py': 'print()\n' },
  allowedWrites: ['main.py', 'output/**'],
  verify: { adds: ({ check }) => check(true, 'adds') },
  flags: {
    file_read: run => run.sawContentOf('main.py'),
    file_edit: run => run.verified('adds') && run.firstChange('main.py'),
  },
}

/** The spec as a file would hand it over: nothing is known about its fields. */
function define(changes: Readonly<Record<string, unknown>>): TaskDefinition {
  return createTask(Object.assign({}, GOOD, changes), SOURCE)
}

async function mistakesOf(make: () => unknown): Promise<SpecError> {
  try {
    await make()
  } catch (error) {
    if (error instanceof SpecError) return error
    throw error
  }
  throw new Error('no mistake was found')
}

const play = async (): Promise<undefined> => undefined
const cheat = (fields: Readonly<Record<string, unknown>>) => ({
  cheats: { c: { loses: ['file_read'], play, ...fields } },
})
const file = (path: string, content: unknown = 'text') => ({ setup: { ...GOOD.setup, [path]: content } })

/** The questions as a file without types may ask them. */
type Asked = Exclude<keyof Run, 'callCount'> | 'sawContent' | 'fistChange'
type Loose = Readonly<Record<Asked, (...args: unknown[]) => string>> & { readonly callCount: number }
const flag = (odd: (run: Loose) => unknown) => ({ flags: { ...GOOD.flags, odd } })

/** Changes of the good spec as JSON => the message after `tasks/x.bench.ts: ` => a pattern of the remedy. */
const BAD = `
{"allowedWrite":[]} => allowedWrite: is not a field of a task => Did you mean "allowedWrites"\\?
{"zzzzzzzzz":1} => zzzzzzzzz: is not a field of a task => Use one of: "id"
{"hidden":[12345]} => hidden[0]: is 12345, not a text => at least 4 characters
{"hidden":"1724.50"} => hidden: is "1724.50", not a list => list of texts
{"id":"a/b"} => id: is "a/b" => letters, digits
{"prompt":"x\\ud800"} => prompt: is not well-formed text (a NUL or half of a surrogate pair) => Remove
{"files":{"/etc/passwd":"text"}} => setup["/etc/passwd"]: the path is absolute; paths are relative to the workspace => relative
{"files":{"a//b":"text"}} => setup["a//b"]: the path has an empty segment (// or a / at the end) => plain
{"files":{"a\\udc00":"text"}} => setup["a\\udc00"]: the path is not well-formed text (half of a surrogate pair) => plain
{"files":{"main.py/x":"text"}} => setup["main.py"]: is a file, but "main.py/x" needs a directory there => Rename
{"files":{"a":{"content":"","mode":2541}}} => setup["a"].mode: is 2541, not permission bits from 0 to 0o777 => octal
{"files":{"a":5}} => setup["a"]: is neither text, nor bytes, nor { content, mode } => string
{"setup":["main.py"]} => setup: is not an object of paths and contents => function
{"allowedWrites":["main.py","../x"]} => allowedWrites[1]: "../x": it contains ..; a task can not reach outside the workspace => relative
{"maxTurns":0} => maxTurns: is 0 => whole number of turns from 1
{"requires":["pytst"]} => requires[0]: "pytst" is nothing a sandbox can be asked for => "pytest"
{"flags":{}} => flags: has no flag => at least one
{"verify":{"adds":1}} => verify.adds: is 1, not a function => tools =>
`
  .trim()
  .split('\n')
  .map(row => row.split(' => ') as [string, string, string])

/** The same for what JSON cannot say: what is wrong, the changes, the message, the remedy. */
const BAD_CODE: readonly (readonly [string, Readonly<Record<string, unknown>>, string, RegExp])[] = [
  ['a flag id with a space', { flags: { 'a b': () => true } }, 'flags["a b"]: is not a flag id', /_ : \. \/ -/],
  ['a missing id', { id: undefined }, 'id: is missing', /part of file names/],
  ['no allowedWrites', { allowedWrites: undefined }, 'allowedWrites: is missing', /\[\] for none/],
  ['endless trials', { trialTimeout: Number.POSITIVE_INFINITY }, 'trialTimeout: is Infinity', /seconds/],
  ['a flag that is not a function', { flags: { a: true } }, 'flags.a: is true, not a function', /run =>/],
  ['a cheat that loses no flag', cheat({ loses: [] }), 'cheats["c"].loses: is empty', /tampers: true/],
  [
    'a cheat that loses an unknown flag',
    cheat({ loses: ['file_raed'] }),
    'cheats["c"].loses: "file_raed" is not a flag of this task',
    /"file_read"/,
  ],
  ['a cheat without a play', cheat({ play: undefined }), 'cheats["c"].play: is missing', /async hands/],
  ['an honest play without a name', { honest: { '': play } }, 'honest[""]: is not a name', /Name it/],
  [
    'a path of the setup, without repeating it for the flag that asks about the file',
    {
      setup: { '/main.py': 'x = 1\n' },
      allowedWrites: ['output/**'],
      flags: { odd: (run: { sawContentOf(p: string): boolean }) => run.sawContentOf('main.py') },
    },
    'setup["/main.py"]: the path is absolute; paths are relative to the workspace',
    /relative/,
  ],
]

/** Flags that are wrong, the message after `flags.odd: `, the remedy. */
const ODD_FLAGS: readonly (readonly [(run: Loose) => unknown, string, RegExp])[] = [
  [run => run.verified('add'), 'asks for verified("add"), but verify has no such check', /mean "adds"\?/],
  [
    run => run.unchanged('main.py') && !run.unchanged('src/app.py') && run.verified('never'),
    'asks for verified("never"), but verify has no such check',
    /"adds"/,
  ],
  [
    run => run.finalText('main.py').length > 3,
    "threw TypeError: Cannot read properties of null (reading 'length') when asked about an invented trial",
    /answers for every trial/,
  ],
  [async () => true, 'answered with a promise', /at once/],
  [() => 3, 'answered with the number 3, which is not from 0 to 1', /moment/],
  [
    run => run.sawContentOf('src/ap.py'),
    'asks about "src/ap.py", which is neither in the setup nor allowed to be written',
    /mean "src\/app\.py"\? If the flag is right, correct setup or allowedWrites\./,
  ],
  [run => run.sawContent('main.py'), 'there is no question "sawContent"', /^Did you mean "sawContentOf"\?$/],
  // Asked only when other questions found something.
  [run => run.verified('adds') && run.fistChange('main.py'), 'there is no question "fistChange"', /"firstChange"/],
  [run => run.sawContentOf('main.py', { befor: false }), 'sawContentOf has no option "befor"', /mean "before"\?$/],
  [run => run.sawTestsFail(run.firstChange('main.py')), 'sawTestsFail has no option "turn"', /^Write \{ before: … \}/],
  [
    run => run.ranCommand(/x/, { after: run.unchanged('main.py') }),
    'the option "after" of ranCommand is true, which is not a moment',
    /firstChange/,
  ],
  [
    run => {
      run.unchanged('main.py')
    },
    'gives nothing back, so it can never be reached',
    /Is a "return" missing\?/,
  ],
]

describe('a mistake in a spec is reported with file, field and remedy', () => {
  async function expectMistake(changes: Readonly<Record<string, unknown>>, message: string, remedy: RegExp) {
    const error = await mistakesOf(() => define(changes))
    expect(error.message).toBe(`tasks/x.bench.ts: ${message}`)
    expect(error.remedy).toMatch(remedy)
    expect(error.code).toBe('spec_invalid')
  }

  test.each(BAD)('%s', (json, message, remedy) => {
    const { files, ...changes } = JSON.parse(json)
    const setup = files === undefined ? {} : { setup: { ...GOOD.setup, ...files } }
    return expectMistake({ ...setup, ...changes }, message, new RegExp(remedy))
  })

  test.each(ODD_FLAGS)('%s', (odd, message, remedy) => expectMistake(flag(odd), `flags.odd: ${message}`, remedy))

  test.each(BAD_CODE)('%s', (_, changes, message, remedy) => expectMistake(changes, message, remedy))
})

test('all mistakes are reported at once', async () => {
  const error = await mistakesOf(() => define({ id: '', prompt: '', maxTurns: -1, flags: {} }))
  expect(error.message.split('\n').map(line => line.split(': ')[1])).toEqual(['id', 'prompt', 'maxTurns', 'flags'])
  expect(error.remedy.split('\n')).toHaveLength(4)
})

test('a broken field hides no mistake of another, and each mistake is told with its remedy', async () => {
  const bad = {
    ...flag(run => {
      run.firstChange('output/x.txt')
    }),
    allowedWrites: undefined,
    setup: { '/etc/x': '' },
    verify: { adds: 1 },
    state: () => {
      throw new Error('two\nlines')
    },
  }
  const lines = explainError(await mistakesOf(() => define(bad))).split('\n')
  expect(lines.map(line => line.replace('tasks/x.bench.ts: ', '').split(': ')[0])).toEqual(
    ['allowedWrites', 'verify.adds', 'setup["/etc/x"]', 'state'].flatMap(field => [field, '  remedy']),
  )
  const { state: _, ...rest } = bad
  const told = explainError(await mistakesOf(() => define(rest)))
  expect(told).toMatch(/flags\.odd: gives nothing back.*\n {2}remedy: Is a "return" missing/)
  expect(told).not.toMatch(/asks about|asks for/)
})

test('a thousand mistakes are counted, not printed', async () => {
  const setup: Record<string, string> = {}
  for (let index = 0; index < 1_000; index += 1) setup[`/${index}`] = ''
  const error = await mistakesOf(() => define({ setup, flags: { a: () => true } }))
  expect(error.message.split('\n')).toHaveLength(31)
  expect(error.message).toContain('and 970 more mistakes')
})

test('the stack of a mistake is the place in the spec file and nothing else', async () => {
  const error = await mistakesOf(() => defineTask({ ...GOOD, id: '?' }))
  const frames = error.stack?.split('\n').filter(line => line.startsWith('    at ')) ?? []
  expect(frames).toHaveLength(1)
  expect(frames[0]).toMatch(/define-task\.test\.ts:\d+:\d+$/)
  expect(error.stack).toContain(error.message)
})

test('a task has its defaults, limits in milliseconds, and files as bytes', async () => {
  const script = { content: Uint8Array.of(1, 2), mode: 0o755 }
  const task = await define({ ...file('run.sh', script), commandTimeout: 30, prompt: '\nDo it.\n' }).resolve()
  expect(task).toMatchObject({
    title: 'good_task',
    prompt: 'Do it.',
    system: null,
    maxTurns: 20,
    commandTimeoutMs: 30_000,
    trialTimeoutMs: null,
    contextTokens: null,
    inconclusiveWhen: [],
    reference: null,
    source: SOURCE,
  })
  expect(task.setup.get('run.sh')).toEqual({ bytes: Uint8Array.of(1, 2), mode: 0o755 })
  expect(task.setup.get('main.py')).toEqual({ bytes: new TextEncoder().encode('x = 1\n'), mode: 0o644 })
})

test('the position is that of the defineTask call', () => {
  const { source } = defineTask(GOOD)
  expect(source.file).toMatch(/src\/task\/define-task\.test\.ts$/)
  expect(source.line).toBeGreaterThan(100)
})

test('definitions are told from other exports', () => {
  expect(isTaskDefinition(defineTask(GOOD))).toBe(true)
  for (const other of [null, undefined, {}, GOOD, () => 1, 'task']) expect(isTaskDefinition(other)).toBe(false)
})

describe('a setup made by a function', () => {
  test('runs once, and only when the task is resolved', async () => {
    let calls = 0
    const definition = define({
      setup: async () => {
        calls += 1
        return { 'main.py': 'made\n' }
      },
    })
    expect(calls).toBe(0)
    const [first, second] = await Promise.all([definition.resolve(), definition.resolve()])
    expect(first).toBe(second)
    expect(calls).toBe(1)
    expect(new TextDecoder().decode(first.setup.get('main.py')?.bytes)).toBe('made\n')
  })

  test('that throws is a mistake of the spec, with the cause', async () => {
    const cause = new RangeError('no such seed')
    const makeFiles = (): Promise<Setup> => Promise.reject(cause)
    const error = await mistakesOf(() => define({ setup: makeFiles }).resolve())
    expect(error.message).toBe('tasks/x.bench.ts: setup (makeFiles): the function threw RangeError: no such seed')
    expect(error.cause).toBe(cause)
  })

  test('is checked like any other, and flags are held against it', async () => {
    const bad = await mistakesOf(() => define({ setup: () => ({ '../x': '' }) }).resolve())
    expect(bad.message).toContain('setup["../x"]')
    const asks = flag(run => run.unchanged('src/app.py'))
    const missing = await mistakesOf(() => define({ ...asks, setup: () => ({}) }).resolve())
    expect(missing.message).toContain('flags.odd: asks about "src/app.py"')
  })
})

test('files of allowed writes, their directories and matching globs may be asked about', async () => {
  const asks = (run: Loose) => {
    run.firstExists('output')
    run.firstChange('output/*.txt')
    run.firstChange('src/*.py')
    return run.finalText('output/deep/report.txt') !== null
  }
  expect((await define(flag(asks)).resolve()).flags.has('odd')).toBe(true)
})

test('a flag that asks for a part of a text may give nothing in the dry run', async () => {
  const odd = (run: Pick<Run, 'finalText'>) => run.finalText('main.py')?.match(/never there/)?.length
  expect((await define({ flags: { odd } }).resolve()).flags.has('odd')).toBe(true)
})

test('readsOf names the files that each flag must have been shown', async () => {
  const both = (run: Loose) => [run.sawContentOf('src/app.py'), run.timesRead('main.py')].length > 3
  const task = await define(flag(both)).resolve()
  expect(Object.fromEntries(readsOf(task))).toEqual({ file_read: ['main.py'], odd: ['main.py', 'src/app.py'] })
})

test('a repeated flag id in a list is found', () => {
  expect(checkFlagIds(['a', 'b', 'a']).map(mistake => `${mistake.field} ${mistake.problem}`)).toEqual([
    'flags.a is there twice',
  ])
})

test('a flag that does not come to an end is a mistake of the spec, by name', { timeout: 20_000 }, async () => {
  const hasWords = (text: string) => /^(?:\w+ ?)+$/.test(text)
  const text = file('main.py', `${'word '.repeat(20)}!`)
  const error = await mistakesOf(() => define({ ...text, ...flag(run => hasWords(run.finalText('main.py') ?? '')) }))
  expect(error.message).toContain('flags.odd: gave no answer for 3 s when asked about invented trials')
  expect(error.remedy).toContain('a repetition inside a repetition')
})
