import { createHash } from 'node:crypto'
import { rmSync, symlinkSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import type { TrialRecord } from '../results/record-schema.ts'
import { infraRecord, sampleRecord } from '../results/sample-record.fixture.ts'
import { enterCommand } from '../sandbox/enter.ts'
import { checkEnterable, checkTerminal, filesLeftBy, lastTrialOf, untilEnter } from './keep.ts'

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
const file = (content: string, mode = 0o644) =>
  ({ type: 'file', mode, size: content.length, sha256: sha256(content) }) as const

const leaving = (entries: NonNullable<TrialRecord['final']>['entries'], changes: Partial<TrialRecord> = {}) =>
  sampleRecord({ final: { root: 'b', entries, truncated: null }, ...changes })

const shown = ({ files }: ReturnType<typeof filesLeftBy>) =>
  [...files].map(([path, { bytes, mode }]) => [path, Buffer.from(bytes).toString(), mode])

describe('the files of a kept workspace', () => {
  const dir = folderOfEachTest()
  const IMAGE = 'artifacts/t/image.bin'
  const exported = { artifacts_dir: 'artifacts/t', artifacts: ['image.bin'] }

  it('are those of the setup, what the agent wrote, and what was exported, with their modes', () => {
    dir.write({ [IMAGE]: 'binary' })
    const record = leaving(
      [
        ['same.txt', file('same')],
        ['run.sh', file('changed', 0o755)],
        ['image.bin', file('binary')],
        ['folder', { type: 'directory', mode: 0o755 }],
      ],
      {
        setup_text: [
          ['same.txt', 'same'],
          ['gone.txt', 'gone'],
        ],
        contents: { [sha256('changed')]: 'changed' },
        ...exported,
      },
    )
    const left = filesLeftBy(record, dir())
    expect(shown(left)).toEqual([
      ['same.txt', 'same', 0o644],
      ['run.sh', 'changed', 0o755],
      ['image.bin', 'binary', 0o644],
    ])
    expect(left.missing).toEqual([])
  })

  it('name what only a hash is known of, and links', () => {
    const record = leaving([
      ['big', file('big')],
      ['link', { type: 'symlink', target: '/etc/passwd' }],
    ])
    expect(filesLeftBy(record, dir())).toEqual({ files: new Map(), missing: ['big', 'link'] })
  })

  it('are never read through a link, nor taken when they were changed afterwards', () => {
    dir.write({ secret: 'binary', [IMAGE]: 'binary' })
    rmSync(dir(IMAGE))
    symlinkSync(dir('secret'), dir(IMAGE))
    const record = leaving([['image.bin', file('binary')]], exported)
    expect(filesLeftBy(record, dir()).missing).toEqual(['image.bin'])
    rmSync(dir(IMAGE))
    dir.write({ [IMAGE]: 'other' })
    expect(filesLeftBy(record, dir()).missing).toEqual(['image.bin'])
  })
})

describe('keeping', () => {
  it('is about the trial that began last and left a workspace', () => {
    const records = [sampleRecord({ trial_index: 1 }), sampleRecord({ trial_index: 0 }), infraRecord(2, 'lost', '')]
    expect(lastTrialOf(records)?.trial_index).toBe(1)
    expect(lastTrialOf([infraRecord(0, 'lost', '')])).toBeNull()
  })

  it('is refused without a terminal, and for sandboxes that cannot be entered', () => {
    const refusal = (code: string) => expect.objectContaining({ code })
    expect(() => checkTerminal(false)).toThrow(refusal('keep_without_terminal'))
    expect(() => checkTerminal(true)).not.toThrow()
    expect(() => checkEnterable({ driver: 'namespace' })).toThrow(refusal('keep_unsupported'))
    expect(() => checkEnterable({ driver: 'docker' })).not.toThrow()
  })

  it('says the command that enters as the user of the agent', () => {
    const info = { driver: 'docker' as const, id: 'c0ffee'.repeat(10), engine: { name: 'docker', version: '20' } }
    expect(enterCommand(info)).toBe(
      'docker exec -it -u 1000:1000 -w /workspace -e HOME=/home/agent c0ffeec0ffee /bin/bash',
    )
    expect(enterCommand({ ...info, engine: { name: 'podman', version: '5' } })).toMatch(/^podman exec/)
    expect(enterCommand({ ...info, driver: 'namespace' })).toBeNull()
  })

  it.each([
    ['Enter', (input: PassThrough) => input.write('\n')],
    ['the end of input', (input: PassThrough) => input.end()],
  ])('lasts until %s', async (_title, act) => {
    const input = new PassThrough()
    const waiting = untilEnter(input).then(() => 'over')
    const later = new Promise(resolve => setTimeout(resolve, 20, 'waiting'))
    expect(await Promise.race([waiting, later])).toBe('waiting')
    act(input)
    await waiting
    expect(input.listenerCount('data')).toBe(0)
  })
})
