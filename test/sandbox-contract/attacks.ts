/** What a command does to the process that watches it: make it hold something over a reset, or end it. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { SandboxTraits, TheSandbox } from '../sandbox-contract.ts'
import { filesOf, lay, outputOf, python } from './fixture.ts'

const PRELUDE = `
import array, fcntl, os, socket, struct, subprocess, time
kept = []
def rights(fds): return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', fds))] if fds else []
def witness(*fds, text=b'{}'):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s: s.sendmsg([text], rights(fds), 0, '/run/bench/witness')
def stub(*fds, text=b'x', waits=True):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.settimeout(5 if waits else 0)
    kept.append(s); s.connect('/run/bench/calls'); s.sendmsg([text], rights(fds))
    if waits: s.recv(1)
def note():
    fd = os.memfd_create('n'); os.write(fd, b'NOTE'); return fd
def lock(name, kind, start): return fcntl.fcntl(0, name, struct.pack('hhqqi4x', kind, 0, start, 1, 0))
`

/** Programs that give process 1 something to keep. */
const LEFT: readonly (readonly [what: string, program: string])[] = [
  ['a note, by the socket of the witness', 'witness(note())'],
  ['a note, by the socket of the stubs', 'stub(note())'],
  ['a note, by connections that nobody accepts', 'for _ in range(200):\n    try: stub(note(), waits=False)\n    except OSError: pass'],
  ['a note, with a message that is too long', "witness(note(), text=b'x' * 20000)"],
  ['as many notes as one message takes', 'witness(*[note() for _ in range(253)])'],
  ['a note in a socket in a socket', 'a, b = socket.socketpair()\na.sendmsg([b"x"], rights([note(), b.fileno()]))\nwitness(a.fileno(), b.fileno())'],
  ['a file that was deleted', "fd = os.open('/workspace/big', os.O_RDWR | os.O_CREAT)\nos.posix_fallocate(fd, 0, 300 << 20)\nos.unlink('/workspace/big')\nwitness(fd)\nstub(fd)"],
  ['a bound port', "s = socket.socket(); s.bind(('127.0.0.1', 8000)); s.listen()\nwitness(s.fileno())"],
  ['a directory', "fd = os.open('/workspace', os.O_RDONLY)\nwitness(fd)\nstub(fd)"],
  ['a pipe with a note in it', "r, w = os.pipe(); os.write(w, b'NOTE')\nwitness(r, w)"],
  ['a lock on its standard input', 'lock(fcntl.F_OFD_SETLK, fcntl.F_RDLCK, 4711)'],
  ['a signal and flags of its standard input', 'fcntl.fcntl(0, fcntl.F_SETSIG, 12); fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)'],
] // biome-ignore format: one a line

/** What can be seen of it: descriptors, space taken, the port, locks. */
const SEEN = python(`${PRELUDE}
print(sorted(map(int, os.listdir('/proc/self/fd'))))
s = os.statvfs('/workspace'); print(s.f_blocks - s.f_bfree)
s = socket.socket(); s.bind(('127.0.0.1', 8000)); s.listen()
print(' 4711 4711' in open('/proc/locks').read())
`)
const STDIN_STATE = `python3 -c 'import fcntl; print(fcntl.fcntl(0, fcntl.F_GETSIG), fcntl.fcntl(0, fcntl.F_GETFL) & 0o6000)'`

/** Programs that try to end process 1, whether a report of theirs must have been dropped, and their time in seconds. */
const ENDING: readonly (readonly [what: string, program: string, drops: boolean])[] = [
  ['sends a number of 5,000 digits', "stub(text=b'x\\0' + b'9' * 5000)", true],
  ['sends statuses that are none', "for end in (b'', b'?', b'999', b'-1', b'\\xb2', b'9' * 5000): stub(text=b'x\\0000\\0' + end)", true],
  ['sends nothing, and rubbish', "for text in (b'', b'\\0', b'\\0' * 8192, bytes(range(256)) * 40): stub(text=text, waits=False)", true],
  ['goes through 1,500 links', "os.symlink('s.sh', 'l0')\nfor n in range(1500): os.symlink('l%d' % n, 'l%d' % (n + 1))\nsubprocess.run(['bash', '-c', 'python3 -I -S /run/bench/log l1500 0; :', 'x'])", true],
  ['goes through links of many links', "os.symlink('.', 'd')\nfor n in range(60): os.symlink(('d/' * 2000) + ('l%d' % (n - 1) if n else 's.sh'), 'l%d' % n)\nsubprocess.run(['bash', '-c', 'python3 -I -S /run/bench/log l59 0; :', 'x'])", true],
  ['has 100,000 options', "subprocess.run(['bash', *['-x'] * 100000, '-c', 'python3 -I -S /run/bench/log s.sh 0; :', 's.sh'])", true],
  ['reports 256 times what grows when it is encoded', "for _ in range(256): witness(text=b'\\x01' * 16000)", true],
  ['reports 256 times what is not text', "for _ in range(256): witness(text=b'\\xff' * 16000)", true],
  ['calls a stub with all the arguments it can', "for _ in range(70): subprocess.run(['bash', 's.sh', *['\\U0001f4a5' * 30000] * 2])", true],
  ['sends 35,000 descriptors', 'fds = [note() for _ in range(250)]\nfor _ in range(140):\n    try: witness(*fds)\n    except OSError: pass', true],
  ['sends descriptors on every connection', 'fds = [note() for _ in range(250)]\nfor _ in range(140):\n    try: stub(*fds, waits=False)\n    except OSError: pass', false],
  ['is gone when its report is read', "for _ in range(50):\n    if os.fork() == 0: witness(); stub(waits=False); os._exit(0)\n    os.wait()", true],
  ['renames more than a reply holds', "os.mkdir('a')\nfor n in range(47000): os.symlink('x', 'a/%0118d' % n)\nsubprocess.run(['true'])", false],
] // biome-ignore format: one a line

export function attackContract(sandbox: TheSandbox, traits: SandboxTraits): void {
  describe('over a reset, process 1 does not keep', () => {
    it.each(LEFT)('%s', async (_what, program) => {
      await lay(sandbox())
      await outputOf(sandbox(), python(`${PRELUDE}\n${program}`))
      const { proof } = await sandbox().reset(new Map(), { room: 'agent' })
      expect(proof.leftovers).toBe(0)
      // 3 is that of the listing.
      expect(await outputOf(sandbox(), SEEN)).toBe('[0, 1, 2, 3]\n0\nFalse\n')
      expect(await outputOf(sandbox(), STDIN_STATE)).toBe('0 0\n')
    })

    it('what a module of the verify room sent: the hidden arguments', async () => {
      const main = `${PRELUDE}\ndef f(x):\n    fd = os.memfd_create('n'); os.write(fd, x.encode()); witness(0, fd); stub(0, fd)\n    return len(os.listdir('/proc/self/fd'))`
      await sandbox().reset(filesOf({ 'main.py': main }), { room: 'verify' })
      const calls = [{ module: 'main', name: 'f', args: ['HIDDEN'] }]
      for (const _ of [1, 2]) {
        const evaluation = await sandbox().evaluate(calls, { timeoutMs: 10_000 })
        expect(evaluation).toMatchObject({ kind: 'values', results: [{ ok: true }] })
      }
      await lay(sandbox())
      expect(await outputOf(sandbox(), SEEN)).toBe('[0, 1, 2, 3]\n0\nFalse\n')
    })

    it('a way to write in the verify room', async () => {
      await lay(sandbox())
      await outputOf(sandbox(), python(`${PRELUDE}\nfd = os.open('/workspace', os.O_RDONLY)\nwitness(fd)\nstub(fd)`))
      const main = 'import os\ndef f(x):\n    return sorted(map(int, os.listdir("/proc/self/fd")))'
      await sandbox().reset(filesOf({ 'main.py': main }), { room: 'verify' })
      const given = await sandbox().evaluate([{ module: 'main', name: 'f', args: [0] }], { timeoutMs: 10_000 })
      expect(JSON.stringify(given)).toMatch(/"v":"3"\},\{"t":"int","v":"4"\}\]/)
    })
  })

  describe('a command does not end process 1 that', () => {
    beforeEach(() => lay(sandbox(), { 's.sh': '#!/bin/bash\npython3 -I -S /run/bench/log "$0" "$#"\n' }))

    it.each(ENDING)('%s', async (_what, program, drops) => {
      const options = { timeoutMs: 30_000, snapshot: true }
      const result = await sandbox().exec(python(`${PRELUDE}\n${program}`), options)
      expect([result.exitCode, result.stopped]).toEqual([0, null])
      if (drops) expect(result.droppedReports).toBeGreaterThan(0)
      // In its own trial, not only after a reset.
      expect((await sandbox().exec('mv a b; echo alive', options)).stdout.totalBytes).toBe(6)
      expect((await sandbox().freeze()).truncated).toBeNull()
    })

    it('leaves files whose names fill a request', async () => {
      const program = `import os\nfolder = b'/'.join([b'\\xff' * 250] * 14)\nos.makedirs(folder)
for n in range(1000): open(folder + b'/%d' % n + b'\\xff' * 240, 'w').close()`
      await outputOf(sandbox(), python(program))
      const { entries } = await sandbox().freeze()
      const paths = [...entries].flatMap(([path, { type }]) => (type === 'file' ? [path] : []))
      const { files } = await sandbox().collect(paths, { maxFileBytes: 100, maxTotalBytes: 100_000 })
      expect(files.size).toBe(1_001)
    })

    it('wants to be spared when memory runs out', async ({ skip }) => {
      if (sandbox().info.limits.landlock !== true) skip('this kernel has no Landlock')
      const lower = 'echo 0 > /proc/self/oom_score_adj || echo refused; cat /proc/self/oom_score_adj'
      expect(await outputOf(sandbox(), lower)).toBe('refused\n1000\n')
    })

    if (traits.limitsMemory) {
      it('fills all memory by many small processes, and all places with text', async () => {
        const fill = `${PRELUDE}
for place in ('/workspace', '/home/agent', '/tmp', '/var/tmp', '/dev/shm'):
    try:
        for n in range(6000):
            with open('%s/%d' % (place, n), 'w') as file: file.write('%060000d' % n)
    except OSError: pass
for _ in range(200):
    if os.fork() == 0:
        try: open('/proc/self/oom_score_adj', 'w').write('0')
        except OSError: pass
        x = bytearray(7 << 20); time.sleep(4)
time.sleep(2)`
        await sandbox().exec(python(fill), { timeoutMs: 15_000, snapshot: true })
        expect(await outputOf(sandbox(), 'echo alive')).toBe('alive\n')
      })
    }
  })
}
