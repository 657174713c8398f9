import { afterEach, describe, expect, it } from 'vitest'
import { entriesOfFiles, type FileMap, rootOf } from '../../src/sandbox/index.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { filesOf, lay, outputOf, python, run, textOf } from './fixture.ts'

const PLACES = '/workspace /home/agent /tmp /var/tmp /dev/shm /dev/mqueue'
/** All that can be listed of the writable places, with type, mode, owner, and time of change of the places. */
const LISTING = `for place in ${PLACES}; do [ -d $place ] && stat -c '%n %A %U %Y' $place; find $place -mindepth 1 2>&1; done; true`

export function resetContract(sandbox: TheSandbox): void {
  describe('a reset', () => {
    afterEach(() => lay(sandbox()))

    it('lays files with content, mode and owner, and its root is the one the host computed', async () => {
      const files: FileMap = new Map([
        ['run.sh', { bytes: Buffer.from('#!/bin/sh\necho ran\n'), mode: 0o755 }],
        ['deep/er/data.bin', { bytes: Buffer.from([0, 255, 10]), mode: 0o640 }],
        ['-dash "quote" \n newline ä', { bytes: Buffer.from('odd\n'), mode: 0o600 }],
      ])
      const { proof, baseline } = await sandbox().reset(files, { room: 'agent' })
      expect(proof).toMatchObject({ processesLeft: 0, leftovers: 0, expectedRoot: rootOf(entriesOfFiles(files)) })
      expect(proof.root).toBe(proof.expectedRoot)
      expect(baseline.entries).toEqual(new Map([...entriesOfFiles(files)].sort(([a], [b]) => (a < b ? -1 : 1))))
      expect(await outputOf(sandbox(), './run.sh; stat -c "%a %U" deep deep/er/data.bin; cat -- -dash*')).toBe(
        'ran\n755 agent\n640 agent\nodd\n',
      )
    })

    it('lays a setup that is larger than one frame', async () => {
      const large = { bytes: Buffer.alloc(20 * 1024 * 1024, 'ab'), mode: 0o644 }
      const files: FileMap = new Map([
        ['a.bin', large],
        ['folder/b.bin', large],
        ['folder/c.txt', { bytes: Buffer.from('end'), mode: 0o644 }],
      ])
      const { baseline } = await sandbox().reset(files, { room: 'agent' })
      expect(baseline.root).toBe(rootOf(entriesOfFiles(files)))
    })

    it('lets nothing of the trial before survive', async () => {
      await lay(sandbox())
      const asNew = await outputOf(sandbox(), LISTING)
      const result = await run(
        sandbox(),
        `
        for place in ${PLACES}; do
          [ -w $place ] || continue
          mkdir -p $place/closed/inner; echo x > $place/closed/inner/file; chmod 000 $place/closed/inner $place/closed
          mkfifo $place/pipe; ln -s /etc/passwd $place/link; ln -s . $place/loop; echo x > "$place/
newline"; echo x > $place/.hidden; mkdir "$place/.  "; touch -- $place/-rf
        done
        (setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' &) 
        sleep 1000 & kill -STOP $!
        ${python(`
import os, socket
os.chdir('/tmp')
for depth in range(3000):
    os.mkdir('d'); os.chdir('d')
socket.socket(socket.AF_UNIX).bind('/workspace/socket')
open(b'/workspace/not-utf8-\\xff', 'w').close()
os.setxattr('/workspace', 'user.note', b'remember me') if hasattr(os, 'setxattr') else None
`)}
        chmod 1777 /workspace; touch -d 2001-01-01 /workspace; chmod 700 /home/agent
        echo 'echo infected' > /home/agent/.bashrc; echo prepared`,
      )
      expect(textOf(result.stdout)).toBe('prepared\n')
      const { proof } = await sandbox().reset(new Map(), { room: 'agent' })
      expect(proof).toMatchObject({ processesLeft: 0, leftovers: 0 })
      expect(await outputOf(sandbox(), LISTING)).toBe(asNew)
      expect(await outputOf(sandbox(), python("import os; print(os.listxattr('/workspace'))"))).toBe('[]\n')
    })

    it('lets no shared memory, semaphore or message queue survive, as there are none to be had', async () => {
      const objects = (flags: string) =>
        python(`import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(4711, 4096, ${flags}), libc.semget(4711, 1, ${flags}), libc.msgget(4711, ${flags}))`)
      await lay(sandbox())
      await run(sandbox(), objects('0o1666'))
      await lay(sandbox())
      expect(await outputOf(sandbox(), objects('0'))).toBe('-1 -1 -1\n')
    })

    it('lets no key of the kernel survive, as there are none to be had', async () => {
      // Their numbers: add_key to the key ring of the user and of the session.
      const keys = python(`
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
number = {'x86_64': 248, 'aarch64': 217}[platform.machine()]
print([libc.syscall(number, b'user', b'note', b'text', 4, ring) for ring in (-4, -3)])`)
      await lay(sandbox())
      expect(await outputOf(sandbox(), keys)).toBe('[-1, -1]\n')
    })

    it('frees the ports of the trial before', async () => {
      const serve = python(`
import socket
server = socket.socket(); server.bind(('127.0.0.1', 8000)); server.listen()
client = socket.create_connection(('127.0.0.1', 8000)); accepted, _ = server.accept()
accepted.close(); client.close(); print('served')`)
      await lay(sandbox())
      expect(await outputOf(sandbox(), serve)).toBe('served\n')
      await lay(sandbox())
      expect(await outputOf(sandbox(), serve)).toBe('served\n')
    })

    it('for verify makes the workspace unwritable to what runs in it', async () => {
      const files = filesOf({ 'main.py': 'print("hi")\n', 'folder/secret.txt': 'x' })
      const private_ = new Map([...files].map(([path, file]) => [path, { ...file, mode: 0o700 }]))
      await sandbox().reset(private_, { room: 'verify' })
      const attempts =
        'echo x > new; echo x >> main.py; rm -f main.py; mv folder gone; chmod 777 .; touch folder/x; ln -s /tmp link'
      for (const attempt of attempts.split('; ')) expect((await run(sandbox(), attempt)).exitCode, attempt).not.toBe(0)
      expect(await outputOf(sandbox(), 'python3 main.py; cat folder/secret.txt; echo ok > /tmp/scratch')).toBe('hi\nx')
      const after = await sandbox().freeze()
      expect([...after.entries.keys()]).toEqual(['folder', 'folder/secret.txt', 'main.py'])
    })
  })
}
