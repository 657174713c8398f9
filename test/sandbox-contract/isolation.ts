import { beforeEach, describe, expect, it } from 'vitest'
import type { SandboxTraits, TheSandbox } from '../sandbox-contract.ts'
import { lay, outputOf, python, run } from './fixture.ts'

export function isolationContract(sandbox: TheSandbox, traits: SandboxTraits): void {
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
      const status = await outputOf(sandbox(), 'grep -E "^(Cap|NoNewPrivs)" /proc/self/status')
      expect(status.replaceAll('\t', ' ')).toBe(
        'CapInh: 0000000000000000\nCapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nCapAmb: 0000000000000000\nNoNewPrivs: 1\n',
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

    it('shows nothing of the machine: hypervisor, keys, place among control groups', async () => {
      const families = python(`
import socket
for family in (socket.AF_PACKET, 38, 40):
    try: socket.socket(family, socket.SOCK_STREAM); print('opened')
    except OSError as error: print(error.errno)`)
      expect(await outputOf(sandbox(), families)).toBe('1\n1\n1\n')
      expect(
        await outputOf(
          sandbox(),
          'cat /proc/keys /proc/timer_list 2>/dev/null | wc -c; grep -vc ":/$" /proc/self/cgroup || true',
        ),
      ).toBe('0\n0\n')
    })

    it('lets programs write to what is not a file: their own streams and devices', async () => {
      const command =
        'echo a > /dev/stdout; echo b >> /proc/self/fd/1; echo c > /dev/null; echo d | tee /dev/stderr 2>&1'
      expect(await outputOf(sandbox(), command)).toBe('a\nb\nd\nd\n')
      expect((await run(sandbox(), 'echo x > /proc/self/comm')).exitCode).not.toBe(0)
    })

    if (traits.renewsCounters) {
      it('counts processes and bytes of the network from the beginning in each trial', async () => {
        const counters = "sh -c 'echo $$'; grep lo: /proc/net/dev"
        const first = await outputOf(sandbox(), counters)
        const traffic = python(
          'import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nfor _ in range(50): s.sendto(b"x" * 99, ("127.0.0.1", 9))',
        )
        await outputOf(sandbox(), `${traffic}\nfor i in $(seq 50); do /bin/true; done`)
        await lay(sandbox())
        expect(await outputOf(sandbox(), counters)).toBe(first)
      })
    }

    it('is recorded with the limits that are in force', () => {
      const { info } = sandbox()
      expect(info.limits).toMatchObject({ uid: 1000, network: false, readonly_root: true })
      expect(info.limits['bytes /workspace']).toBeGreaterThan(1_000_000)
      expect(info.id).not.toBe('')
    })
  })
}
