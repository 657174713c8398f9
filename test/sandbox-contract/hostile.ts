import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SandboxTraits, TheSandbox } from '../sandbox-contract.ts'
import { lay, outputOf, python, run } from './fixture.ts'

const MEBIBYTE = 1024 * 1024

export function hostileContract(sandbox: TheSandbox, traits: SandboxTraits): void {
  describe('a hostile command', () => {
    beforeEach(() => lay(sandbox()))
    afterEach(async () => {
      await lay(sandbox())
      expect(await outputOf(sandbox(), 'echo alive')).toBe('alive\n')
    })

    it('that prints for ever is stopped, and the harness keeps little of it', async () => {
      globalThis.gc?.()
      const before = process.memoryUsage().rss
      const result = await run(sandbox(), 'yes 0123456789012345678901234567890123456789', 30_000)
      expect(result.stopped).toBe('output')
      expect(process.memoryUsage().rss - before).toBeLessThan(50 * MEBIBYTE)
    })

    it.runIf(traits.limitsProcesses)('that is a fork bomb ends at its timeout', async () => {
      const begin = performance.now()
      const result = await run(sandbox(), ':(){ :|:& };: ; sleep 60', 1_000)
      expect(result.stopped).toBe('timeout')
      expect(performance.now() - begin).toBeLessThan(8_000)
    })

    it.runIf(traits.limitsProcesses)('whose processes hop from one id to the next ends', async () => {
      const hopper = python('import os\nwhile True:\n    if os.fork(): os._exit(0)\n    os.setsid()')
      const result = await run(sandbox(), `${hopper}; sleep 0.3`, 5_000)
      expect(result.stopped).toBeNull()
      expect(await outputOf(sandbox(), 'pgrep -u agent python3 || echo none')).toBe('none\n')
    })

    it('that deletes all it can reach changes nothing that lasts', async () => {
      await run(sandbox(), 'rm -rf /workspace /home/agent /tmp /bin/bash /usr/bin/python3 /etc/passwd 2>/dev/null')
      expect(await outputOf(sandbox(), 'id -un; python3 -c "print(1)"')).toBe('agent\n1\n')
    })

    it('that closes the door of its own workspace is not locked out', async () => {
      await run(sandbox(), 'chmod 000 /workspace /home/agent')
      expect(await outputOf(sandbox(), 'chmod 755 /workspace && ls')).toBe('')
    })

    it('that tries to kill or read process 1 is refused', async () => {
      const result = await run(
        sandbox(),
        'kill -9 1; kill -9 -1 2>/dev/null & wait; cat /proc/1/environ /proc/1/mem; ls /proc/1/fd && echo readable',
      )
      expect(result.stdout.totalBytes).toBe(0)
    })
  })
}
