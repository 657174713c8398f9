import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSandbox, type PreparedSandbox } from '../../src/sandbox/index.ts'
import { run } from './fixture.ts'

/** How a driver's sandboxes are seen from outside, by container or process id. */
export interface SeenFromOutside {
  readonly prepared: () => PreparedSandbox
  readonly isThere: (id: string) => Promise<boolean>
  /** Ids of what belongs to a run, whose harness has this process id. */
  readonly idsOf: (runId: string, harness: number) => Promise<readonly string[]>
  readonly kill: (id: string) => unknown
}

const SETTLE = { timeout: 2_000 }
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export function lifeContract({ prepared, isThere, idsOf, kill }: SeenFromOutside): void {
  describe('the life of a sandbox', () => {
    const runIdOf = (name: string) => `life-${process.pid}-${name}`

    it('ends when it is disposed', async () => {
      const sandbox = await openSandbox(prepared(), { runId: runIdOf('disposed') })
      expect(await isThere(sandbox.info.id)).toBe(true)
      await sandbox[Symbol.asyncDispose]()
      await expect.poll(() => isThere(sandbox.info.id), SETTLE).toBe(false)
    })

    it('ends with a clear error when somebody else ends it', async () => {
      await using sandbox = await openSandbox(prepared(), { runId: runIdOf('killed') })
      const running = run(sandbox, 'sleep 30', 30_000)
      setTimeout(() => kill(sandbox.info.id), 200)
      await expect(running).rejects.toMatchObject({ code: 'sandbox_lost_during_command' })
      await expect(run(sandbox, 'true')).rejects.toThrow('the sandbox is lost')
    })

    it('ends when opening it is aborted', async () => {
      const [runId, reason] = [runIdOf('aborted'), new Error('stop')]
      const controller = new AbortController()
      setTimeout(() => controller.abort(reason), 30)
      await expect(openSandbox(prepared(), { runId, signal: controller.signal })).rejects.toBe(reason)
      await expect.poll(() => idsOf(runId, process.pid), SETTLE).toEqual([])
    })

    it('ends two seconds after its harness was killed, with what runs in it', async () => {
      const runId = runIdOf('orphaned')
      const words = [fileOf('../../scripts/run-ts.mjs'), fileOf('../sandbox-holder.ts')]
      const holder = spawn(process.execPath, [...words, JSON.stringify(prepared()), runId])
      onTestFinished(() => void holder.kill('SIGKILL')) // also when an expectation fails
      expect(String((await once(holder.stdout, 'data'))[0])).toBe('running\n')
      const ids = await idsOf(runId, holder.pid ?? 0)
      expect(ids).not.toEqual([])
      holder.kill('SIGKILL')
      const left = async () => (await Promise.all(ids.map(isThere))).filter(Boolean)
      await expect.poll(left, SETTLE).toEqual([])
    })
  })
}
