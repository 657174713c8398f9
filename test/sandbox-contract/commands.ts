import { beforeEach, describe, expect, it } from 'vitest'
import type { TheSandbox } from '../sandbox-contract.ts'
import { lay, outputOf, run, textOf } from './fixture.ts'

export function commandContract(sandbox: TheSandbox): void {
  describe('a command', () => {
    beforeEach(() => lay(sandbox()))

    it('gives its exit status, or the negative number of the signal that ended it', async () => {
      const ends = { 'exit 7': 7, true: 0, 'no-such-program': 127, 'kill -SEGV $$': -11 }
      for (const [command, status] of Object.entries(ends))
        expect((await run(sandbox(), command)).exitCode, command).toBe(status)
    })

    it('runs in the workspace, as an ordinary user, with HOME and PATH set and nothing of the harness', async () => {
      const lines = (await outputOf(sandbox(), 'pwd; id -u; echo $HOME; command -v python3; env | wc -l')).split('\n')
      expect(lines.slice(0, 3)).toEqual(['/workspace', '1000', '/home/agent'])
      expect(lines[3]).toMatch(/\/python3$/)
      expect(Number(lines[4])).toBeLessThan(20)
    })

    it('finds no standard input and no terminal', async () => {
      expect(await outputOf(sandbox(), 'cat; tty || true')).toBe('not a tty\n')
    })

    it('keeps the first and the last bytes of a long output and counts all of it', async () => {
      const { stdout } = await run(sandbox(), 'echo first; yes 0123456789 | head -n 300000; echo last')
      expect(stdout.totalBytes).toBe(6 + 300_000 * 11 + 5)
      expect(stdout.head.length + stdout.tail.length).toBeLessThanOrEqual(128 * 1024)
      expect(Buffer.from(stdout.head).toString().startsWith('first\n')).toBe(true)
      expect(Buffer.from(stdout.tail).toString().endsWith('\nlast\n')).toBe(true)
    })

    it('keeps bytes that are not text', async () => {
      const { stdout } = await run(sandbox(), "printf '\\377\\000\\200'")
      expect([...stdout.head]).toEqual([255, 0, 128])
    })

    it('keeps what a process substitution prints at the end', async () => {
      expect(await outputOf(sandbox(), 'echo late > >(sleep 0.01; cat)')).toBe('late\n')
    })

    it('is stopped at its timeout, and the next one runs', async () => {
      const begin = performance.now()
      const result = await run(sandbox(), 'echo before; trap "" TERM INT; sleep 60', 300)
      expect(result.stopped).toBe('timeout')
      expect(textOf(result.stdout)).toBe('before\n')
      expect(performance.now() - begin).toBeLessThan(3_000)
      expect(await outputOf(sandbox(), 'echo alive')).toBe('alive\n')
    })

    it('ends at once with the reason of its signal when that aborts, and the sandbox stays usable', async () => {
      const controller = new AbortController()
      const reason = new Error('the user pressed Ctrl-C')
      const begin = performance.now()
      setTimeout(() => controller.abort(reason), 100)
      const options = { timeoutMs: 60_000, signal: controller.signal, snapshot: true }
      await expect(sandbox().exec('sleep 60', options)).rejects.toBe(reason)
      expect(performance.now() - begin).toBeLessThan(2_000)
      expect(await outputOf(sandbox(), 'ps -e --no-headers | wc -l').then(Number)).toBeLessThan(7)
    })

    it('waits for the one before when several are asked for at once', async () => {
      const results = await Promise.all(
        ['a', 'b', 'c'].map(name => outputOf(sandbox(), `echo ${name} >> log; cat log`)),
      )
      expect(results).toEqual(['a\n', 'a\nb\n', 'a\nb\nc\n'])
    })

    it('leaves no process behind: a daemon dies with its call', async () => {
      await run(sandbox(), '(setsid sleep 1000 >/dev/null 2>&1 &) ; nohup sleep 1000 >/dev/null 2>&1 & disown')
      expect(await outputOf(sandbox(), 'pgrep sleep || echo none')).toBe('none\n')
    })

    it('returns although a daemon holds its output open', async () => {
      const begin = performance.now()
      expect(await outputOf(sandbox(), 'sleep 1000 & echo done')).toBe('done\n')
      expect(performance.now() - begin).toBeLessThan(2_000)
    })
  })
}
