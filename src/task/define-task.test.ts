import { describe, expect, test } from 'vitest'
import { SpecError } from '../errors.ts'
import { checkFlagIds } from './check-spec.ts'
import { createTask, defineTask, isTaskDefinition, type TaskDefinition } from './define-task.ts'
import { probeFlag, readsOf } from './probe.ts'
import type { Setup, SourcePosition, TaskSpec } from './task.ts'

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
const flag = (answer: unknown) => ({ flags: { ...GOOD.flags, odd: answer } })

/** The questions as a file without types may ask them. */
type Loose = Readonly<
  Record<'sawContentOf' | 'sawTestsFail' | 'ranCommand' | 'firstChange' | 'unchanged', (...args: unknown[]) => unknown>
>

/** What is wrong, the message after `tasks/x.bench.ts: `, the remedy. */
const BAD: readonly (readonly [string, Readonly<Record<string, unknown>>, string, RegExp])[] = [
  ['an unknown field', { allowedWrite: [] }, 'allowedWrite: is no field of a task', /Did you mean "allowedWrites"\?/],
  ['a field nobody can guess', { zzzzzzzzz: 1 }, 'zzzzzzzzz: is no field of a task', /Use one of: "id"/],
  ['a hidden value that is no text', { hidden: [12345] }, 'hidden[0]: is 12345, not a text', /at least 4 characters/],
  ['a short hidden value', { hidden: ['long enough', ' 42 '] }, 'hidden[1]: is empty or too short', /by chance/],
  ['hidden values without a list', { hidden: '1724.50' }, 'hidden: is "1724.50", not a list', /list of texts/],
  ['a missing id', { id: undefined }, 'id: is missing', /part of file names/],
  ['an id with a slash', { id: 'a/b' }, 'id: is "a/b"', /letters, digits/],
  ['an empty prompt', { prompt: ' \n' }, 'prompt: is empty', /Say what/],
  [
    'a broken prompt',
    { prompt: 'x\ud800' },
    'prompt: is not well-formed text (a NUL or half of a surrogate pair)',
    /Remove/,
  ],
  [
    'an absolute path',
    file('/etc/passwd'),
    'setup["/etc/passwd"]: the path is absolute; paths are relative to the workspace',
    /relative/,
  ],
  ['a path upwards', file('a/../b'), 'setup["a/../b"]: the path has the segment ".."', /plain/],
  ['an empty segment', file('a//b'), 'setup["a//b"]: the path has an empty segment (// or a / at the end)', /plain/],
  ['a directory as a file', file('a/'), 'setup["a/"]: the path has an empty segment (// or a / at the end)', /plain/],
  ['a backslash', file('a\\b'), 'setup["a\\\\b"]: the path holds a backslash; use /', /plain/],
  ['a NUL', file('a\0b'), 'setup["a\\u0000b"]: the path holds a NUL character', /plain/],
  [
    'half a surrogate pair',
    file('a\udc00'),
    'setup["a\\udc00"]: the path is not well-formed text (half of a surrogate pair)',
    /plain/,
  ],
  [
    'a file below a file',
    file('main.py/x'),
    'setup["main.py"]: is a file, but "main.py/x" needs a directory there',
    /Rename/,
  ],
  [
    'a mode with setuid',
    file('a', { content: '', mode: 0o4755 }),
    'setup["a"].mode: is 2541, not permission bits from 0 to 0o777',
    /octal/,
  ],
  ['a file of no kind', file('a', 5), 'setup["a"]: is neither text, nor bytes, nor { content, mode }', /string/],
  ['a setup that is a list', { setup: ['main.py'] }, 'setup: is not an object of paths and contents', /function/],
  ['no allowedWrites', { allowedWrites: undefined }, 'allowedWrites: is missing', /\[\] for none/],
  [
    'a glob upwards',
    { allowedWrites: ['main.py', '../x'] },
    'allowedWrites[1]: "../x": it contains ..; a task can not reach outside the workspace',
    /relative/,
  ],
  ['no turns', { maxTurns: 0 }, 'maxTurns: is 0', /whole number of turns from 1/],
  ['half a second', { commandTimeout: 0.5 }, 'commandTimeout: is 0.5', /seconds/],
  ['endless trials', { trialTimeout: Number.POSITIVE_INFINITY }, 'trialTimeout: is Infinity', /seconds/],
  [
    'a requirement that is none',
    { requires: ['pytst'] },
    'requires[0]: "pytst" is nothing a sandbox can be asked for',
    /"pytest"/,
  ],
  ['a flag id with a space', { flags: { 'a b': () => true } }, 'flags["a b"]: is no flag id', /_ : \. \/ -/],
  ['no flag', { flags: {} }, 'flags: has no flag', /at least one/],
  ['a flag that is no function', { flags: { a: true } }, 'flags.a: is true, not a function', /run =>/],
  ['a check that is no function', { verify: { adds: 1 } }, 'verify.adds: is 1, not a function', /tools =>/],
  ['a cheat that loses no flag', cheat({ loses: [] }), 'cheats["c"].loses: is empty', /tampers: true/],
  [
    'a cheat that loses an unknown flag',
    cheat({ loses: ['file_raed'] }),
    'cheats["c"].loses: "file_raed" is no flag of this task',
    /"file_read"/,
  ],
  ['a cheat without a play', cheat({ play: undefined }), 'cheats["c"].play: is missing', /async hands/],
  ['an honest play without a name', { honest: { '': play } }, 'honest[""]: is no name', /Name it/],
  [
    'a flag that asks for a check that is not there',
    flag((run: { verified(name: string): boolean }) => run.verified('add')),
    'flags.odd: asks for verified("add"), but verify has no such check',
    /Did you mean "adds"\?/,
  ],
  [
    'a check asked for only after everything else held',
    flag(
      (run: { callCount: number; unchanged(p: string): boolean; verified(n: string): boolean }) =>
        run.unchanged('main.py') && !run.unchanged('src/app.py') && run.verified('never'),
    ),
    'flags.odd: asks for verified("never"), but verify has no such check',
    /"adds"/,
  ],
  [
    'a flag that throws',
    flag((run: { finalText(p: string): string }) => run.finalText('main.py').length > 3),
    "flags.odd: threw TypeError: Cannot read properties of null (reading 'length') when asked about an invented trial",
    /answers for every trial/,
  ],
  ['a flag that answers later', flag(async () => true), 'flags.odd: answered with a promise', /at once/],
  ['a flag that answers with a number', flag(() => 3), 'flags.odd: answered with a number', /moment/],
  [
    'a file that can never be there',
    flag((run: { sawContentOf(p: string): boolean }) => run.sawContentOf('src/ap.py')),
    'flags.odd: asks about "src/ap.py", which is neither in the setup nor allowed to be written',
    /Did you mean "src\/app\.py"\? If the flag is right, correct setup or allowedWrites\./,
  ],
  [
    'a question that does not exist',
    flag((run: { sawContent(p: string): boolean }) => run.sawContent('main.py')),
    'flags.odd: there is no question "sawContent"',
    /^Did you mean "sawContentOf"\?$/,
  ],
  [
    'a question that does not exist, asked only when others found something',
    flag((run: { verified(n: string): boolean; fistChange(p: string): boolean }) =>
      run.verified('adds') ? run.fistChange('main.py') : false,
    ),
    'flags.odd: there is no question "fistChange"',
    /^Did you mean "firstChange"\?$/,
  ],
  [
    'an option that does not exist',
    flag((run: Loose) => run.sawContentOf('main.py', { befor: run.firstChange('main.py') })),
    'flags.odd: sawContentOf has no option "befor"',
    /^Did you mean "before"\?$/,
  ],
  [
    'a moment in place of options',
    flag((run: Loose) => run.sawTestsFail(run.firstChange('main.py'))),
    'flags.odd: sawTestsFail has no option "turn"',
    /^Write \{ before: … \}/,
  ],
  [
    'a bound that is no moment',
    flag((run: Loose) => run.ranCommand(/x/, { after: run.unchanged('main.py') })),
    'flags.odd: the option "after" of ranCommand is true, which is no moment',
    /firstChange/,
  ],
  [
    'a flag without a return',
    flag((run: { callCount: number; unchanged(p: string): boolean }) => {
      if (run.callCount > 0) run.unchanged('main.py')
    }),
    'flags.odd: gives nothing back, so it can never be reached',
    /Is a "return" missing\?/,
  ],
  [
    'a method without a return',
    {
      flags: {
        odd(run: { unchanged(p: string): boolean }) {
          run.unchanged('main.py')
        },
      },
    },
    'flags.odd: gives nothing back, so it can never be reached',
    /Is a "return" missing\?/,
  ],
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

describe('a mistake in a spec is reported with file, field and remedy', () => {
  test.each(BAD)('%s', async (_, changes, message, remedy) => {
    const error = await mistakesOf(() => define(changes))
    expect(error.message).toBe(`tasks/x.bench.ts: ${message}`)
    expect(error.remedy).toMatch(remedy)
    expect(error.code).toBe('spec_invalid')
  })
})

test('all mistakes are reported at once', async () => {
  const error = await mistakesOf(() => define({ id: '', prompt: '', maxTurns: -1, flags: {} }))
  expect(error.message.split('\n').map(line => line.split(': ')[1])).toEqual(['id', 'prompt', 'maxTurns', 'flags'])
  expect(error.remedy.split('\n')).toHaveLength(4)
})

test('mistakes of setup and flags are reported together', async () => {
  const error = await mistakesOf(() => define({ ...file('/x'), ...flag(() => 'yes') }))
  expect(error.message).toContain('setup["/x"]')
  expect(error.message).toContain('flags.odd: answered with a string')
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
    inconclusiveWhenCut: false,
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
    const makeFiles = (): Setup => {
      throw cause
    }
    const error = await mistakesOf(() => define({ setup: makeFiles }).resolve())
    expect(error.message).toBe('tasks/x.bench.ts: setup (makeFiles): the function threw RangeError: no such seed')
    expect(error.cause).toBe(cause)
  })

  test('is checked like any other, and flags are held against it', async () => {
    const bad = await mistakesOf(() => define({ setup: () => ({ '../x': '' }) }).resolve())
    expect(bad.message).toContain('setup["../x"]')
    const missing = await mistakesOf(() =>
      define({
        ...flag((run: { unchanged(p: string): boolean }) => run.unchanged('src/app.py')),
        setup: () => ({}),
      }).resolve(),
    )
    expect(missing.message).toContain('flags.odd: asks about "src/app.py"')
  })
})

test('files of allowed writes, their directories and matching globs may be asked about', async () => {
  const asks = (run: {
    firstExists(p: string): unknown
    firstChange(p: string): unknown
    finalText(p: string): unknown
  }) => {
    run.firstExists('output')
    run.firstChange('output/*.txt')
    run.firstChange('src/*.py')
    return run.finalText('output/deep/report.txt') !== null
  }
  expect((await define(flag(asks)).resolve()).flags.has('odd')).toBe(true)
})

test.each<[string, (run: { finalText(p: string): string | null }) => unknown]>([
  [
    'that returns only when a file holds what no invented trial has',
    run => {
      if (run.finalText('main.py') === 'x = 2\n') return true
    },
  ],
  ['that asks for a part of a text', run => run.finalText('main.py')?.match(/never there/)?.length],
])('a flag %s may give nothing in the dry run', async (_, odd) => {
  expect((await define(flag(odd)).resolve()).flags.has('odd')).toBe(true)
})

test('readsOf names the files that each flag must have been shown', async () => {
  const both = (run: { sawContentOf(p: string): unknown; timesRead(p: string): number }) =>
    run.sawContentOf('src/app.py') !== false && run.timesRead('main.py') < 3
  const task = await define(flag(both)).resolve()
  expect(readsOf(task)).toEqual(
    new Map([
      ['file_read', ['main.py']],
      ['odd', ['main.py', 'src/app.py']],
    ]),
  )
})

test('a repeated flag id in a list is found', () => {
  expect(checkFlagIds(['a', 'b', 'a']).map(mistake => `${mistake.field} ${mistake.problem}`)).toEqual([
    'flags.a is there twice',
  ])
})

describe('a flag that does not come to an end', () => {
  const hasWords = (text: string) => /^(?:\w+ ?)+$/.test(text)

  test('is given up when it is examined, with what it asked until then', () => {
    const probe = probeFlag(
      run => {
        run.sawContentOf('main.py')
        for (;;);
      },
      () => null,
      20,
    )
    expect(probe).toMatchObject({ endlessAfterMs: 20, thrown: null, wrongAnswer: null })
    expect([...probe.reads]).toEqual(['main.py'])
  })

  test('is a mistake of the spec, by name', { timeout: 20_000 }, async () => {
    const changes = {
      ...file('main.py', `${'word '.repeat(20)}!`),
      ...flag((run: { finalText(path: string): string | null }) => hasWords(run.finalText('main.py') ?? '')),
    }
    const error = await mistakesOf(() => define(changes))
    expect(error.message).toContain('flags.odd: gave no answer for 3 s when asked about invented trials')
    expect(error.remedy).toContain('a repetition inside a repetition')
  })
})
