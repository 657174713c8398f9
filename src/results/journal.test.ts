import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkResultsDir, openJournal, readJournal, readJournalsOfRun } from './journal.ts'
import { failedRecord, sampleRecord } from './sample-record.fixture.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-bench-journal-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('a journal', () => {
  it('holds each record as one line that is read back the same', () => {
    using journal = openJournal(dir, 'run1', 'worker1')
    const records = [0, 1, 2].map(trial =>
      journal.append(sampleRecord({ trial_index: trial, final_text: 'a\nb\u2028' })),
    )
    expect(readFileSync(journal.file, 'utf8').split('\n')).toHaveLength(4)
    expect(readJournal(journal.file)).toEqual({ records, notes: [] })
  })

  it('seals a record with the hash of what it holds', () => {
    using journal = openJournal(dir, 'run1', 'worker1')
    const changed = { ...sampleRecord(), score: 0.25 }
    expect(journal.append(changed).result_hash).not.toBe(changed.result_hash)
    expect(readJournal(journal.file).notes).toEqual([])
  })

  it('refuses a record that does not follow the schema and writes nothing of it', () => {
    using journal = openJournal(dir, 'run1', 'worker1')
    expect(() => journal.append(sampleRecord({ score: 3 }))).toThrow(
      expect.objectContaining({ code: 'record_invalid' }),
    )
    expect(statSync(journal.file).size).toBe(0)
  })

  it('is never shared: a second one of the same worker has a file of its own', () => {
    using first = openJournal(dir, 'run1', 'worker1')
    using second = openJournal(dir, 'run1', 'worker1')
    first.append(sampleRecord({ trial_index: 0 }))
    second.append(sampleRecord({ trial_index: 1 }))
    expect(second.file).not.toBe(first.file)
    expect(readJournalsOfRun(dir, 'run1').records.map(record => record.trial_index)).toEqual([0, 1])
  })

  it('keeps runs apart, also when the id of one begins with that of the other', () => {
    using one = openJournal(dir, 'run1', 'worker1')
    using other = openJournal(dir, 'run12', 'worker1')
    one.append(sampleRecord())
    other.append(sampleRecord({ trial_index: 5 }))
    expect(readJournalsOfRun(dir, 'run1').records.map(record => record.trial_index)).toEqual([0])
  })

  it('takes no name that leads out of its folder', () => {
    expect(() => openJournal(dir, '../run', 'w')).toThrow(expect.objectContaining({ code: 'journal_name' }))
    expect(() => openJournal(dir, '..', 'w')).toThrow(expect.objectContaining({ code: 'journal_name' }))
  })
})

describe('reading a damaged journal', () => {
  it.each([1, 100, 1_000])('keeps the records before a last line cut by %i bytes', cut => {
    const journal = openJournal(dir, 'run1', 'w')
    const first = journal.append(sampleRecord({ trial_index: 0 }))
    journal.append(sampleRecord({ trial_index: 1 }))
    journal.close()
    const bytes = readFileSync(journal.file)
    writeFileSync(journal.file, bytes.subarray(0, bytes.length - 1 - cut))
    expect(readJournal(journal.file)).toEqual({
      records: [first],
      notes: [`${journal.file}:2: the last line was cut while it was written; that trial counts as not run`],
    })
  })

  it('names foreign lines by file and line and reads on', () => {
    const journal = openJournal(dir, 'run1', 'w')
    journal.append(sampleRecord({ trial_index: 0 }))
    appendFileSync(journal.file, '{"schema_version":"1.1"}\nnot json\n')
    journal.append(sampleRecord({ trial_index: 1 }))
    journal.close()
    const { records, notes } = readJournal(journal.file)
    expect(records.map(record => record.trial_index)).toEqual([0, 1])
    expect(notes).toEqual([
      `${journal.file}:2: not a trial's record, left out: its schema_version is "1.1", not 3`,
      `${journal.file}:3: not a trial's record, left out: it is not JSON`,
    ])
  })

  it('leaves out a record that was changed by hand', () => {
    const journal = openJournal(dir, 'run1', 'w')
    journal.append(failedRecord(0, 'self_verify', 'no test session passed'))
    journal.close()
    writeFileSync(journal.file, readFileSync(journal.file, 'utf8').replace('"score":0.5', '"score":1'))
    const { records, notes } = readJournal(journal.file)
    expect(records).toEqual([])
    expect(notes).toEqual([
      expect.stringContaining(":1: not a trial's record, left out: its result_hash does not match"),
    ])
  })

  it('reads lines longer than its block, with characters on the border of two', () => {
    using journal = openJournal(dir, 'run1', 'w')
    const record = journal.append(sampleRecord({ final_text: 'é😀'.repeat(500_000) }))
    expect(readJournal(journal.file).records).toEqual([record])
  })
})

describe('two processes writing at once', () => {
  it('lose no record and mix no lines', async () => {
    // Node 20 runs no TypeScript by itself; Vite's module runner does.
    const script = `
      import { runnerImport } from 'vite'
      const load = async file => (await runnerImport(file)).module
      const { openJournal } = await load(${JSON.stringify(join(import.meta.dirname, 'journal.ts'))})
      const { sampleRecord } = await load(${JSON.stringify(join(import.meta.dirname, 'sample-record.fixture.ts'))})
      const journal = openJournal(process.env.JOURNAL_DIR, 'run1', 'same-worker')
      for (let trial = 0; trial < 20; trial++) journal.append(sampleRecord({ trial_index: trial, final_text: 'x'.repeat(100_000) }))
    `
    const children = [1, 2].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, JOURNAL_DIR: dir },
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    )
    const codes = await Promise.all(children.map(child => once(child, 'exit')))
    expect(codes.map(([code]) => code)).toEqual([0, 0])
    const { records, notes } = readJournalsOfRun(dir, 'run1')
    expect(notes).toEqual([])
    expect(records).toHaveLength(40)
    expect(readdirSync(join(dir, 'journal'))).toHaveLength(2)
  }, 30_000)
})

/** A file system of the given size, or the reason why none can be had. */
function mountTiny(path: string, size: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'mounting a tmpfs needs root on Linux'
  mkdirSync(path, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' })
    return null
  } catch (error) {
    return `mount: ${error instanceof Error ? error.message : String(error)}`
  }
}

describe('a full disk', () => {
  it('costs the trial that did not fit, keeps those before it, and takes the next one when there is room', context => {
    const disk = join(dir, 'disk')
    const missing = mountTiny(disk, '256k')
    if (missing !== null) context.skip(missing)
    try {
      const journal = openJournal(disk, 'run1', 'w')
      journal.append(sampleRecord({ trial_index: 0 }))
      const size = statSync(journal.file).size
      const tooLarge = sampleRecord({ trial_index: 1, final_text: 'x'.repeat(400_000) })
      expect(() => journal.append(tooLarge)).toThrow(
        expect.objectContaining({ code: 'results_not_writable', remedy: expect.stringContaining('Make room') }),
      )
      expect(statSync(journal.file).size).toBe(size)
      journal.append(sampleRecord({ trial_index: 2 }))
      const { records, notes } = readJournalsOfRun(disk, 'run1')
      expect([records.map(record => record.trial_index), notes]).toEqual([[0, 2], []])
      writeFileSync(join(disk, 'filler'), '')
      expect(() => appendFileSync(join(disk, 'filler'), Buffer.alloc(1_000_000))).toThrow('ENOSPC')
      expect(() => checkResultsDir(disk)).toThrow(expect.objectContaining({ code: 'results_not_writable' }))
      journal.close()
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

describe('checkResultsDir', () => {
  it('makes the folder and leaves nothing in it but the journal folder', () => {
    checkResultsDir(join(dir, 'a/b'))
    expect(readdirSync(join(dir, 'a/b'), { recursive: true })).toEqual(['journal'])
  })

  it('says with a remedy that a part of the path is a file', () => {
    writeFileSync(join(dir, 'file'), '')
    expect(() => checkResultsDir(join(dir, 'file/results'))).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        code: 'results_not_writable',
        remedy: expect.stringContaining('A part of that path is a file'),
      }),
    )
  })

  it('notices a folder that may not be written, also as root', context => {
    const locked = join(dir, 'locked')
    mkdirSync(join(locked, 'journal'), { recursive: true })
    try {
      execFileSync('chattr', ['+i', join(locked, 'journal')], { stdio: 'pipe' })
    } catch (error) {
      context.skip(`chattr: ${error instanceof Error ? error.message : String(error)}`)
    }
    try {
      expect(() => checkResultsDir(locked)).toThrow(expect.objectContaining({ code: 'results_not_writable' }))
    } finally {
      execFileSync('chattr', ['-i', join(locked, 'journal')])
    }
  })
})

it.runIf(process.platform === 'linux')(
  'a results folder where the system makes none is refused, not waited for',
  () => {
    expect(() => checkResultsDir('/proc/agent-bench-results')).toThrow(/results cannot be written/)
  },
)
