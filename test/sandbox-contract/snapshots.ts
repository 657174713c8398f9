import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { decodeName, rootOf, type SnapshotDelta } from '../../src/sandbox/index.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { filesOf, lay, python } from './fixture.ts'

const SETUP = { 'main.py': 'a = 1\n', 'keep.txt': 'same\n', 'folder/inner.txt': 'inner\n' }

export function snapshotContract(sandbox: TheSandbox): void {
  const change = async (command: string): Promise<SnapshotDelta> =>
    (await sandbox().exec(command, { timeoutMs: 30_000, snapshot: true })).delta

  describe('a snapshot', () => {
    beforeEach(() => lay(sandbox(), SETUP))

    it('names what a command changed, and only that', async () => {
      const command = 'echo "b = 2" > main.py; rm -r folder; mkdir new; echo n > new/file; chmod 600 keep.txt'
      const delta = await change(command)
      expect([...delta.changed.keys()]).toEqual(['keep.txt', 'main.py', 'new', 'new/file'])
      expect(delta.deleted).toEqual(['folder', 'folder/inner.txt'])
      expect(delta.changed.get('keep.txt')).toMatchObject({ type: 'file', mode: 0o600 })
      const text = 'b = 2\n'
      const sha256 = createHash('sha256').update(text).digest('hex')
      expect(delta.changed.get('main.py')).toMatchObject({ sha256, size: 6 })
      expect(delta.contents.get(sha256)).toBe(text)
      expect((await change('true')).changed.size).toBe(0)
    })

    it('is the difference to the one before, also when calls without one lie between', async () => {
      const baseline = await sandbox().freeze()
      const without = await sandbox().exec('echo 1 > first', { timeoutMs: 5_000 })
      expect(without.delta).toMatchObject({ root: baseline.root, deleted: [] })
      expect(without.delta.changed.size).toBe(0)
      expect([...(await change('echo 2 > second')).changed.keys()]).toEqual(['first', 'second'])
    })

    it('has a root that follows from its entries', async () => {
      await change("ln -s ../target link; mkfifo pipe; chmod 4755 main.py; printf x > $'\\377\\n'")
      const snapshot = await sandbox().freeze()
      expect(rootOf(snapshot.entries)).toBe(snapshot.root)
      expect(snapshot.entries.get('link')).toEqual({ type: 'symlink', target: '../target' })
      expect(snapshot.entries.get('pipe')).toMatchObject({ type: 'special' })
      expect(snapshot.entries.get('main.py')).toMatchObject({ mode: 0o4755 })
      expect([...snapshot.entries.keys()]).toContain(decodeName(Uint8Array.of(0xff, 0x0a)))
    })

    it('sees a change that keeps size and time', async () => {
      const delta = await change('touch -r main.py /tmp/when; printf "a = 2\\n" > main.py; touch -r /tmp/when main.py')
      expect([...delta.changed.keys()]).toEqual(['main.py'])
    })

    it('sees what is behind a closed directory, and does not follow links', async () => {
      const delta = await change('mkdir shut; echo x > shut/in; chmod 000 shut/in shut; ln -s / root')
      expect([...delta.changed.keys()]).toEqual(['root', 'shut', 'shut/in'])
    })

    it('says so when it is beyond a bound', async () => {
      const deep = python("import os\nfor _ in range(300): os.mkdir('d'); os.chdir('d')")
      expect((await change(deep)).truncated).toBe('depth')
      await lay(sandbox())
      expect((await change('truncate -s 100G sparse || truncate -s 4G sparse')).truncated).toBe('bytes')
      await lay(sandbox())
      const many = python("for n in range(50_010): open('f%d' % n, 'w').close()")
      expect((await change(many)).truncated).toBe('entries')
    })

    it('sees the mode of the workspace itself, and attributes', async () => {
      const note = python("import os\nfor name in ('main.py', 'folder'): os.setxattr(name, 'user.note', b'x')")
      const delta = await change(`chmod 777 .; ${note}`)
      expect([...delta.changed].map(([path, entry]) => [path, 'mode' in entry && entry.mode.toString(8)])).toEqual([
        ['.', '777'],
        ['folder', '10755'],
        ['main.py', '10644'],
      ])
      expect([...(await change('chmod 755 .')).deleted]).toEqual(['.'])
    })

    it('carries text within bounds, and no binary', async () => {
      const delta = await change(
        "printf '\\377' > binary; head -c 70000 /dev/zero | tr '\\0' x > large; printf '\\357\\273\\277mark' > bom",
      )
      expect([...delta.contents.values()]).toEqual(['\u{feff}mark'])
      const many = await change('for i in $(seq 40); do yes $i | head -c 60000 > f$i; done')
      const total = [...many.contents.values()].reduce((sum, text) => sum + text.length, 0)
      expect(total).toBeGreaterThan(900_000)
      expect(total).toBeLessThanOrEqual(1024 * 1024)
    })

    it('belongs to its trial: after a reset the texts are sent again', async () => {
      await change('echo again > file')
      await sandbox().reset(filesOf(SETUP), { room: 'agent' })
      expect([...(await change('echo again > file')).contents.values()]).toEqual(['again\n'])
    })
  })
}
