import { describe, expect, it } from 'vitest'
import { InfraError } from '../errors.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { SandboxLease } from './lease.ts'

/** A sandbox that only knows whether it was disposed. */
function fakeSandboxes(): { open: () => Promise<Sandbox>; opened: { disposed: boolean }[] } {
  const opened: { disposed: boolean }[] = []
  const open = async () => {
    const state = { disposed: false }
    opened.push(state)
    return {
      [Symbol.asyncDispose]: async () => {
        state.disposed = true
      },
    } as unknown as Sandbox
  }
  return { open, opened }
}

const lease = (open: () => Promise<Sandbox>, fresh = false) => new SandboxLease({ runId: 'r', fresh }, open)

describe('SandboxLease', () => {
  it('lends the same sandbox to one trial after another', async () => {
    const { open, opened } = fakeSandboxes()
    await using leased = lease(open)
    const first = await leased.take()
    await first[Symbol.asyncDispose]()
    const second = await leased.take()
    expect(second.sandbox).toBe(first.sandbox)
    await second[Symbol.asyncDispose]()
    expect(opened).toHaveLength(1)
  })

  it('lets the second trial wait until the first has given the sandbox back', async () => {
    const { open } = fakeSandboxes()
    await using leased = lease(open)
    const first = await leased.take()
    let isTaken = false
    const second = leased.take().then(taken => {
      isTaken = true
      return taken
    })
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(isTaken).toBe(false)
    await first[Symbol.asyncDispose]()
    await (await second)[Symbol.asyncDispose]()
  })

  it('opens a new sandbox after the old one was discarded, and for each trial when asked for fresh ones', async () => {
    const { open, opened } = fakeSandboxes()
    await using leased = lease(open)
    const first = await leased.take()
    await first.discard()
    await first[Symbol.asyncDispose]()
    await (await leased.take())[Symbol.asyncDispose]()
    expect(opened.map(state => state.disposed)).toEqual([true, false])

    const each = fakeSandboxes()
    await using fresh = lease(each.open, true)
    for (let i = 0; i < 3; i++) await (await fresh.take())[Symbol.asyncDispose]()
    expect(each.opened.map(state => state.disposed)).toEqual([true, true, true])
  })

  it('tries again after an opening that failed, and does not block the next trial', async () => {
    const { open } = fakeSandboxes()
    let isBroken = true
    await using leased = lease(async () => {
      if (!isBroken) return open()
      throw new InfraError('no container', { code: 'sandbox_lost', remedy: '' })
    })
    await expect(leased.take()).rejects.toThrow('no container')
    isBroken = false
    await (await leased.take())[Symbol.asyncDispose]()
  })
})
