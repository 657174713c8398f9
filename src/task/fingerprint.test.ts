import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createTask } from './define-task.ts'
import { codeText, type Question, questionOf } from './fingerprint.ts'
import type { TaskSpec } from './task.ts'

const directory = mkdtempSync(join(tmpdir(), 'fingerprint-'))
afterAll(() => rmSync(directory, { recursive: true }))

const spec: TaskSpec<'fine'> = {
  id: 'task',
  prompt: 'Do it.',
  setup: { 'a.txt': 'a' },
  allowedWrites: ['b.txt', 'a.txt'],
  verify: { fine: ({ check }) => check(true, 'fine') },
  flags: { done: run => run.verified('fine'), read: run => run.sawContentOf('a.txt') },
}
const NO_FILE = join(directory, 'absent.bench.ts')

async function fingerprint(changes: Partial<TaskSpec<'fine'>> = {}, file = NO_FILE): Promise<string> {
  const task = await createTask({ ...spec, ...changes }, { file, line: 1, column: 1 }).resolve()
  return task.fingerprint
}

test('the same task gives the same fingerprint, in whatever order its parts are written', async () => {
  const { done, read } = spec.flags
  if (done === undefined || read === undefined) throw new Error('the spec has both flags')
  expect(await fingerprint()).toMatch(/^[0-9a-f]{64}$/)
  expect(await fingerprint({ flags: { read, done }, allowedWrites: ['a.txt', 'b.txt'] })).toBe(await fingerprint())
})

/** A change, and the parts of the question that it changes. */
const CHANGES: readonly (readonly [string, Partial<TaskSpec<'fine'>>, readonly (keyof Question)[]])[] = [
  ['the prompt', { prompt: 'Do it now.' }, ['prompt']],
  ['the system prompt', { system: 'Be quick.' }, ['prompt']],
  ['a file', { setup: { 'a.txt': 'b' } }, ['setup']],
  ['a mode', { setup: { 'a.txt': { content: 'a', mode: 0o600 } } }, ['setup']],
  ['the allowed writes', { allowedWrites: ['a.txt'] }, []],
  ['a limit', { maxTurns: 3 }, ['limits']],
  ['a requirement', { requires: ['git'] }, []],
  ['ends that say nothing', { inconclusiveWhen: ['cut'] }, []],
  ['points', { points: { done: 2 } }, []],
  ['tokens', { maxTokens: 9 }, []],
  ['the tools', { tools: ['read_file'] }, ['prompt']],
  ['what the user says next', { turns: ['And now?'] }, ['prompt']],
  ['an instance', { instance: () => 1 }, ['prompt']],
  ['the code of a flag', { flags: { ...spec.flags, done: run => !run.verified('fine') } }, []],
  ['the code of a check', { verify: { fine: ({ check }) => check(false, 'fine') } }, []],
]
test.each(CHANGES)('a change of %s changes it, and just that part of the question', async (_, changes, expected) => {
  const made = async (more: Partial<TaskSpec<'fine'>>) => {
    const task = await createTask({ ...spec, ...more }, { file: NO_FILE, line: 1, column: 1 }).resolve()
    return { ...questionOf(task), fingerprint: task.fingerprint }
  }
  const [before, after] = [await made({}), await made(changes)]
  expect(after.fingerprint).not.toBe(before.fingerprint)
  expect((['prompt', 'setup', 'limits'] as const).filter(part => before[part] !== after[part])).toEqual(expected)
})

test('a constant beside a check, or in a module that the spec imports, changes it', async () => {
  const file = join(directory, 'x.bench.ts')
  writeFileSync(file, "import { SUM } from './sum.ts'\nconst EXPECTED = 5\n")
  writeFileSync(join(directory, 'sum.ts'), 'export const SUM = 1\n')
  const before = await fingerprint({}, file)
  expect(await fingerprint({}, file)).toBe(before)
  writeFileSync(join(directory, 'sum.ts'), 'export const SUM = 2\n')
  const imported = await fingerprint({}, file)
  writeFileSync(file, "import { SUM } from './sum.ts'\nconst EXPECTED = 6\n")
  expect(new Set([before, imported, await fingerprint({}, file)]).size).toBe(3)
})

test('where the project lies does not change it', async () => {
  const [here, there] = [mkdtempSync(join(directory, 'a-')), mkdtempSync(join(directory, 'b-'))]
  for (const place of [here, there]) writeFileSync(join(place, 'x.bench.ts'), 'const A = 1\n')
  expect(await fingerprint({}, join(here, 'x.bench.ts'))).toBe(await fingerprint({}, join(there, 'x.bench.ts')))
})

test('names of hoisted imports and counters of coverage do not change it', () => {
  const text = (source: string) => codeText(Object.assign(() => 1, { toString: () => source }))
  expect(text('run => __vi_import_3__.ask(run)')).toBe(text('run => __vi_import_0__.ask(run)'))
  expect(text('run => {cov_1ab2c().f[0]++;cov_1ab2c().s[3]++;return run.ok}')).toBe('run => {return run.ok}')
})
