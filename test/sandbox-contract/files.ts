import { beforeEach, describe, expect, it } from 'vitest'
import { FileRefusedError } from '../../src/sandbox/index.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { lay, outputOf, run } from './fixture.ts'

export function fileContract(sandbox: TheSandbox): void {
  const read = (path: string, options: { offset?: number; limit?: number; maxBytes?: number } = {}) =>
    sandbox().readLines(path, { maxBytes: 100_000, ...options })
  const readText = async (path: string, options?: Parameters<typeof read>[1]) =>
    Buffer.from((await read(path, options)).bytes).toString()
  const write = (path: string, text: string) => sandbox().writeFile(path, Buffer.from(text))

  describe('reading lines', () => {
    beforeEach(() => lay(sandbox(), { 'notes.txt': 'one\ntwo\nthree', 'empty.txt': '', 'folder/a.txt': 'a\n' }))

    it('gives a range of whole lines, and how many there are', async () => {
      expect(await read('notes.txt')).toMatchObject({ firstLine: 1, lineCount: 3, totalLines: 3, totalBytes: 13 })
      expect(await readText('notes.txt', { offset: 2, limit: 1 })).toBe('two\n')
      expect(await readText('./folder/../notes.txt', { offset: 3 })).toBe('three')
      expect(await readText('/workspace/folder/a.txt')).toBe('a\n')
      expect(await read('notes.txt', { offset: 9 })).toMatchObject({ firstLine: 9, lineCount: 0, totalLines: 3 })
      expect(await read('empty.txt')).toMatchObject({ lineCount: 0, totalLines: 0, totalBytes: 0 })
    })

    it('gives as many whole lines as fit, and cuts a line that alone is too long', async () => {
      expect(await read('notes.txt', { maxBytes: 9 })).toMatchObject({ lineCount: 2, totalLines: 3 })
      expect(await readText('notes.txt', { offset: 3, maxBytes: 2 })).toBe('th')
    })

    it('is refused with a reason for what is not a readable file', async () => {
      const odd = 'mkfifo pipe; ln -s /etc/shadow shadow; echo x > closed; chmod 000 closed; truncate -s 1G big'
      await run(sandbox(), odd)
      const reasons: [string, RegExp][] = [
        ['missing.txt', /No such file/],
        ['folder', /directory/],
        ['pipe', /not a regular file/],
        ['shadow', /Permission denied/],
        ['closed', /Permission denied/],
        ['/dev/zero', /not a regular file/],
        ['/proc/self/environ', /kernel|Permission/],
        ['/proc/1/environ', /kernel|Permission/],
        ['big', /1073741824 bytes/],
        ['', /name/],
        ['a\0b', /name/],
        ['\u{d800}', /name/],
        [`${'d/'.repeat(3_000)}x`, /longer/],
      ]
      for (const [path, reason] of reasons) {
        const error = await read(path).catch((caught: unknown) => caught)
        expect(error, path).toBeInstanceOf(FileRefusedError)
        expect(String(error)).toMatch(reason)
      }
    })
  })

  describe('writing a file', () => {
    beforeEach(() => lay(sandbox(), { 'old.txt': 'a long old text\n' }))

    it('creates directories, replaces what was there, and belongs to the agent', async () => {
      const delta = await write('new/folder/file.txt', 'x\n')
      expect([...delta.changed.keys()]).toEqual(['new', 'new/folder', 'new/folder/file.txt'])
      expect([...(await write('old.txt', 'new\n')).contents.values()]).toEqual(['new\n'])
      expect((await write('/tmp/scratch', 'y')).changed.size).toBe(0)
      expect(await outputOf(sandbox(), 'cat old.txt /tmp/scratch; stat -c "%a %U" new new/folder/file.txt')).toBe(
        'new\ny755 agent\n644 agent\n',
      )
    })

    it('is refused outside of what the agent can write, and changes nothing there', async () => {
      await run(sandbox(), 'ln -s /etc/passwd link; ln -s /etc folder; mkdir dir; mkfifo pipe; chmod 444 old.txt')
      const away = '/etc/new ../etc/new ../../../../usr/bin/bash /proc/self/oom_score_adj /proc/self/comm'.split(' ')
      const odd = ['link', 'folder/new', 'dir', 'pipe', 'old.txt', 'old.txt/below', '', `${'d/'.repeat(3_000)}x`]
      for (const path of [...away, ...odd]) {
        const error = await write(path, 'evil').catch((caught: unknown) => caught)
        expect(error, path).toBeInstanceOf(FileRefusedError)
      }
      expect(await outputOf(sandbox(), 'cat old.txt; grep -c evil /etc/passwd || true')).toBe('a long old text\n0\n')
    })

    it('takes a nest of a thousand directories', async () => {
      const path = `${'d/'.repeat(1_000)}x`
      expect((await write(path, 'deep')).truncated).toBe('depth')
    })

    it('is refused when nothing is left to write to', async () => {
      await run(sandbox(), 'cat /dev/zero > full 2>/dev/null')
      await expect(write('more.txt', 'x'.repeat(100_000))).rejects.toThrow(/No space/)
    })

    it('is refused in the verify room', async () => {
      await sandbox().reset(new Map(), { room: 'verify' })
      await expect(write('x', 'x')).rejects.toBeInstanceOf(FileRefusedError)
    })
  })

  describe('collecting', () => {
    const collect = (paths: readonly string[], bounds: { maxFileBytes?: number; maxTotalBytes?: number } = {}) =>
      sandbox().collect(paths, { maxFileBytes: 1_000_000, maxTotalBytes: 50_000_000, ...bounds })

    beforeEach(() => lay(sandbox(), { 'a.txt': 'a', 'folder/b.txt': 'bb' }))

    it('gives bytes and mode of regular files', async () => {
      await run(sandbox(), "printf '\\377\\0' > odd; chmod 700 odd; chmod 000 a.txt")
      const { files, refused } = await collect(['a.txt', 'folder/b.txt', 'odd'])
      expect(refused).toEqual([])
      expect(files.get('odd')).toMatchObject({ mode: 0o700 })
      expect([...(files.get('odd')?.bytes ?? [])]).toEqual([255, 0])
      expect(files.get('a.txt')?.mode).toBe(0)
    })

    it('goes through no link, and takes nothing but regular files of the workspace', async () => {
      await run(sandbox(), 'ln -s /etc/passwd link; ln -s folder way; mkfifo pipe; ln -s /etc etc')
      const paths = ['link', 'way/b.txt', 'etc/passwd', 'pipe', 'folder', 'missing', '/etc/passwd', '../etc/passwd', '']
      const { files, refused } = await collect([...paths, './a.txt', 'folder//b.txt'])
      expect([...files.keys()]).toEqual([])
      expect(refused.map(({ path }) => path)).toEqual([...paths, './a.txt', 'folder//b.txt'])
      expect(refused.find(({ path }) => path === 'way/b.txt')?.reason).toMatch(/symbolic link|not a directory/)
    })

    it('refuses what is beyond its bounds, and goes on with the rest', async () => {
      await run(sandbox(), 'truncate -s 2M big; for i in 1 2 3; do head -c 900 /dev/zero > f$i; done')
      const { files, refused } = await collect(['big', 'f1', 'f2', 'f3', 'a.txt'], { maxTotalBytes: 2_000 })
      expect([...files.keys()]).toEqual(['f1', 'f2', 'a.txt'])
      expect(refused.map(({ path }) => path)).toEqual(['big', 'f3'])
    })

    it('gives more than one frame holds', async () => {
      await run(sandbox(), 'for i in $(seq 30); do head -c 900000 /dev/urandom > f$i; done')
      const paths = Array.from({ length: 30 }, (_, index) => `f${index + 1}`)
      const { files, refused } = await collect(paths)
      expect([files.size, refused.length]).toEqual([30, 0])
      expect([...files.values()].every(file => file.bytes.length === 900_000)).toBe(true)
    })
  })
}
