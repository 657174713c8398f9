import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { defineTask } from '../spec/define-task.ts'
import type { Task } from '../spec/task.ts'
import { KnownResults, type Reuse } from './known-results.ts'
import { verifyFiles } from './verify.ts'

const never = new AbortController().signal
const files = (text: string): FileMap => new Map([['a.txt', { bytes: Buffer.from(text), mode: 0o644 }]])

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
    const { results } = await verifyFiles(task, files(text), resettable(), known, never)
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
      await verifyFiles(task, new Map([['a.txt', { bytes: Buffer.from('x'), mode }]]), resettable(), known, never)
    }
    expect(count()).toBe(2)
  })

  it('are kept apart by task', async () => {
    const known = new KnownResults('all')
    expect(known.of({ fingerprint: 'a' })).toBe(known.of({ fingerprint: 'a' }))
    expect(known.of({ fingerprint: 'a' })).not.toBe(known.of({ fingerprint: 'b' }))
  })
})
