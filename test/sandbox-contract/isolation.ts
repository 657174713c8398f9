import { beforeEach, describe, expect, it } from 'vitest'
import type { TheSandbox } from '../sandbox-contract.ts'
import { lay, outputOf, python, run } from './fixture.ts'

export function isolationContract(sandbox: TheSandbox): void {
  describe('isolation', () => {
    beforeEach(() => lay(sandbox()))

    it('has no network but its own loopback', async () => {
      const connect = python(`
import socket
for address in [('1.1.1.1', 53), ('10.0.0.1', 80), ('172.17.0.1', 22)]:
    try: socket.create_connection(address, 2); print('connected')
    except OSError as error: print(error.errno)
try: socket.getaddrinfo('example.com', 80); print('resolved')
except OSError: print('unknown')`)
      expect(await outputOf(sandbox(), connect)).toBe('101\n101\n101\nunknown\n')
    })

    it('lets a command write only to workspace, HOME and temporary places', async () => {
      for (const path of ['/x', '/etc/x', '/usr/bin/x', '/opt/x', '/root/x', '/run/x', '/run/bench/x', '/dev/x']) {
        expect((await run(sandbox(), `echo x > ${path}`)).exitCode, path).not.toBe(0)
      }
      const places = '/workspace/x /home/agent/x /tmp/x /var/tmp/x'
      expect(await outputOf(sandbox(), `for f in ${places}; do echo x > $f || exit 1; done`)).toBe('')
    })

    it('gives a command no capability and no way to get one', async () => {
      const status = await outputOf(sandbox(), 'grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)" /proc/self/status')
      expect(status.replaceAll('\t', ' ')).toBe(
        'CapInh: 0000000000000000\nCapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapAmb: 0000000000000000\nNoNewPrivs: 1\n',
      )
      const attempts = ['unshare -Ur true', 'mount -t tmpfs none /tmp', 'su root -c true </dev/null', 'chroot / true']
      for (const attempt of attempts) expect((await run(sandbox(), attempt)).exitCode, attempt).not.toBe(0)
    })

    it('shows only processes of the sandbox, and nothing of the harness in the environment', async () => {
      expect(Number(await outputOf(sandbox(), 'ls /proc | grep -c "^[0-9]"'))).toBeLessThan(6)
      expect(await outputOf(sandbox(), 'env | grep -iE "bench_(api|model|base)|openai|node" || echo none')).toBe(
        'none\n',
      )
    })

    it('is recorded with the limits that are in force', () => {
      const { info } = sandbox()
      expect(info.limits).toMatchObject({ uid: 1000, network: false, readonly_root: true })
      expect(info.limits['bytes /workspace']).toBeGreaterThan(1_000_000)
      expect(info.id).not.toBe('')
    })
  })
}
