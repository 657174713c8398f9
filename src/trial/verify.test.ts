import { describe, expect, it } from 'vitest'
import { InfraError } from '../errors.ts'
import { makeLog } from '../evidence/log.fixture.ts'
import { createRun } from '../evidence/run.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { defineTask } from '../task/define-task.ts'
import type { Task } from '../task/task.ts'
import type { VerifyCheck, VerifyTools } from '../task/verify.ts'
import { workOf } from '../task/verify-tools.fixture.ts'
import { createVerifyTools } from '../task/verify-tools.ts'
import { KnownResults, type Reuse } from './known-results.ts'
import { verifyAll, verifyFiles } from './verify.ts'

const never = new AbortController().signal
const files = (text: string): FileMap => new Map([['a.txt', { bytes: Buffer.from(text), mode: 0o644 }]])

const past = createRun(makeLog({})).run
/** What an agent left that did nothing worth to be noted. */
const left = (room: FileMap, log = makeLog({})) => ({ files: room, log })

/** A task whose check counts how often it is asked. */
async function countingTask(): Promise<{ task: Task; count: () => number }> {
  let count = 0
  const definition = defineTask({
    id: 'counting',
    prompt: 'x',
    setup: { 'a.txt': 'as laid' },
    allowedWrites: ['a.txt'],
    verify: {
      kept: ({ text, check }) => {
        count += 1
        return check(text('a.txt') === 'as laid', `number ${count}`)
      },
    },
    flags: { kept: run => run.verified('kept') },
  })
  return { task: await definition.resolve(), count: () => count }
}

/** A sandbox that can only be reset. */
const resettable = () => {
  const proof = { processesLeft: 0, leftovers: 0, root: 'r', expectedRoot: 'r', durationMs: 1 }
  return {
    reset: async () => ({ proof, baseline: { root: 'r', entries: new Map(), truncated: null } }),
  } as unknown as Sandbox
}

/** Verifies texts one after another; how often the check was asked. */
async function timesAsked(reuse: Reuse, texts: readonly string[]): Promise<number> {
  const { task, count } = await countingTask()
  const known = new KnownResults(reuse).of(task)
  for (const text of texts) {
    const { results } = await verifyFiles(task, left(files(text)), resettable(), known, never)
    expect(results.get('kept')?.ok).toBe(text === 'as laid')
  }
  return count()
}

describe('verifications that are known', () => {
  it('are used again where nothing was changed', async () => {
    expect(await timesAsked('setup', ['as laid', 'as laid', 'as laid'])).toBe(1)
  })

  it('of what a model left are made in each trial: its code may work only sometimes', async () => {
    expect(await timesAsked('setup', ['changed', 'changed'])).toBe(2)
  })

  it('of what a script left are used again for the same files only', async () => {
    expect(await timesAsked('all', ['changed', 'as laid', 'changed', 'other', 'as laid'])).toBe(3)
  })

  it('tell files apart by mode as well', async () => {
    const { task, count } = await countingTask()
    const known = new KnownResults('all').of(task)
    for (const mode of [0o644, 0o755, 0o644]) {
      const room = new Map([['a.txt', { bytes: Buffer.from('x'), mode }]])
      await verifyFiles(task, left(room), resettable(), known, never)
    }
    expect(count()).toBe(2)
  })

  it('are not used again where a check asks what happened', async () => {
    const { task } = await countingTask()
    const asked: (string | null)[] = []
    const asks: VerifyCheck = ({ check }, run) => {
      asked.push(run.textBefore('a.txt', run.firstExists('b.txt')))
      return check(true, 'asked')
    }
    const verify = new Map([['kept', asks]])
    const known = new KnownResults('all').of(task)
    for (const earlier of ['one', 'two']) {
      const calls = [
        { sh: 'x', writes: { 'a.txt': earlier } },
        { sh: 'y', writes: { 'b.txt': 'new', 'a.txt': 'last' } },
      ]
      await verifyFiles({ ...task, verify }, left(files('last'), makeLog({ calls })), resettable(), known, never)
    }
    expect(asked).toEqual(['one', 'two'])
  })

  it('are kept apart by task', async () => {
    const known = new KnownResults('all')
    expect(known.of({ fingerprint: 'a' })).toBe(known.of({ fingerprint: 'a' }))
    expect(known.of({ fingerprint: 'a' })).not.toBe(known.of({ fingerprint: 'b' }))
  })
})

describe('a check that does not hold', () => {
  const reasonOf = async (text: string) => {
    const { task } = await countingTask()
    const opposite = new Map([['kept', ({ check }: VerifyTools) => check(false, 'a.txt is new')]])
    const known = new KnownResults('setup').of(task)
    const opposed = { ...task, verify: opposite }
    const { results } = await verifyFiles(opposed, left(files(text)), resettable(), known, never)
    return results.get('kept')?.reason
  }

  it('says where nothing was changed that may be, and only there', async () => {
    expect(await reasonOf('as laid')).toBe('no file that may be written was changed, so not so: a.txt is new')
    expect(await reasonOf('changed')).toBe('not so: a.txt is new')
  })
})

describe('checks that are written wrongly', () => {
  const wrong = (check: unknown) => {
    const tools = createVerifyTools(workOf(), files('as laid'))
    return verifyAll(new Map([['right', check as VerifyCheck]]), tools, past, { signal: never })
  }

  it.each<[string, (tools: VerifyTools) => unknown, RegExp]>([
    ['give nothing back', () => undefined, /"right" gave nothing back/],
    ['give a call without gives(…)', ({ python }) => python('main').call('f', [[1]]), /of another kind back/],
    [
      'swap the arguments of check',
      ({ check }) => Reflect.apply(check, null, ['text', true]),
      /verify\["right"\]: check/,
    ],
    ['ask for no tool', tools => Reflect.get(tools, 'txt'), /verify\["right"\]: there is no tool "txt"/],
  ])('because they %s are a fault of the task, with a remedy', async (_what, check, message) => {
    const fault = await wrong(check).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(InfraError)
    expect(fault).toMatchObject({ code: 'verify_invalid', message: expect.stringMatching(message) })
    expect(fault).toMatchObject({ remedy: expect.stringMatching(/\S/) })
  })
})

describe('checks that do not come to an end', () => {
  const tools = createVerifyTools(workOf({ evaluate: async () => ({ kind: 'timeout' }) }), files('as laid'))
  const forever = () => {
    for (;;);
  }
  const fine: VerifyCheck = ({ check }) => check(true, 'fine')
  const verify = (endless: VerifyCheck, signal = never) =>
    verifyAll(new Map(Object.entries({ fine, endless })), tools, past, { signal, limitMs: 300 })

  it.each<[string, () => unknown]>([
    ['loops at once', forever],
    ['is async and loops at once', async () => forever()],
  ])('are a fault of the task, by name, and never of the model: one that %s', async (_what, endless) => {
    const error = await verify(endless as VerifyCheck).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InfraError)
    expect(error).toMatchObject({
      code: 'verify_timeout',
      message: 'the verify check "endless" ran for 0.3 s without an end',
      remedy: expect.stringContaining('verify["endless"]'),
    })
  })

  it('that wait for what never comes are given up with the time for verifying', async () => {
    const reason = new InfraError('verify took longer than 120 s', { code: 'phase_timeout', remedy: 'x' })
    await expect(verify(() => new Promise(() => undefined), AbortSignal.abort(reason))).rejects.toMatchObject({
      code: 'verify_timeout',
      message: expect.stringContaining('"endless" was still waiting'),
    })
  })

  it('end with the reason of a trial that is cancelled', async () => {
    const cancelled = new Error('cancelled')
    await expect(verify(() => new Promise(() => undefined), AbortSignal.abort(cancelled))).rejects.toBe(cancelled)
  })
})
