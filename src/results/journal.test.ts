import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { checkResultsDir, openJournal, readJournal, readJournalsOfRun } from './journal.ts'
import type { TrialRecord } from './record-schema.ts'
import { failedRecord, sampleRecord } from './sample-record.fixture.ts'

const dir = folderOfEachTest()
const refusal = (code: string, remedy = '') =>
  expect.objectContaining({ code, remedy: expect.stringContaining(remedy) })
const trialsOf = (records: readonly TrialRecord[]) => records.map(({ trial_index }) => trial_index)
/** A journal with these records, and its text changed. */
function damaged(records: readonly TrialRecord[], change: (text: string) => string): string {
  using journal = openJournal(dir(), 'run1', 'w')
  for (const record of records) journal.append(record)
  writeFileSync(journal.file, change(readFileSync(journal.file, 'utf8')))
  return journal.file
}

describe('a journal', () => {
  it('holds each record as one line that is read back the same', () => {
    using journal = openJournal(dir(), 'run1', 'worker1')
    const records = [0, 1, 2].map(trial =>
      journal.append(sampleRecord({ trial_index: trial, final_text: 'a\nb\u2028' })),
    )
    expect(readFileSync(journal.file, 'utf8').split('\n')).toHaveLength(4)
    expect(readJournal(journal.file)).toEqual({ records, notes: [] })
  })

  it('seals a record with the hash of what it holds', () => {
    using journal = openJournal(dir(), 'run1', 'worker1')
    const changed = { ...sampleRecord(), score: 0.25 }
    expect(journal.append(changed).result_hash).not.toBe(changed.result_hash)
    expect(readJournal(journal.file).notes).toEqual([])
  })

  it('refuses a record that does not follow the schema and writes nothing of it', () => {
    using journal = openJournal(dir(), 'run1', 'worker1')
    expect(() => journal.append(sampleRecord({ score: 3 }))).toThrow(refusal('record_invalid'))
    expect(statSync(journal.file).size).toBe(0)
  })

  it('is never shared: a second one of the same worker has a file of its own', () => {
    using first = openJournal(dir(), 'run1', 'worker1')
    using second = openJournal(dir(), 'run1', 'worker1')
    first.append(sampleRecord({ trial_index: 0 }))
    second.append(sampleRecord({ trial_index: 1 }))
    expect(second.file).not.toBe(first.file)
    expect(trialsOf(readJournalsOfRun(dir(), 'run1').records)).toEqual([0, 1])
  })

  it('keeps runs apart, also when the id of one begins with that of the other', () => {
    using one = openJournal(dir(), 'run1', 'worker1')
    using other = openJournal(dir(), 'run12', 'worker1')
    one.append(sampleRecord())
    other.append(sampleRecord({ trial_index: 5 }))
    expect(trialsOf(readJournalsOfRun(dir(), 'run1').records)).toEqual([0])
  })

  it('takes no name that leads out of its folder', () => {
    for (const run of ['../run', '..']) expect(() => openJournal(dir(), run, 'w')).toThrow(refusal('journal_name'))
  })
})

describe('reading a damaged journal', () => {
  it.each([1, 100, 1_000])('keeps the records before a last line cut by %i bytes', cut => {
    const [first, second] = [sampleRecord({ trial_index: 0 }), sampleRecord({ trial_index: 1 })]
    const file = damaged([first, second], text => text.slice(0, -1 - cut))
    expect(readJournal(file)).toEqual({
      records: [first],
      notes: [`${file}:2: the last line was cut while it was written; that trial counts as not run`],
    })
  })

  it('names foreign lines by file and line and reads on', () => {
    const both = [sampleRecord({ trial_index: 0 }), sampleRecord({ trial_index: 1 })]
    const file = damaged(both, text => text.replace('\n', '\n{"schema_version":"1.1"}\nnot json\n'))
    const { records, notes } = readJournal(file)
    expect(trialsOf(records)).toEqual([0, 1])
    expect(notes).toEqual([
      `${file}:2: not a trial's record, left out: its schema_version is "1.1", not 3`,
      `${file}:3: not a trial's record, left out: it is not JSON`,
    ])
  })

  it('leaves out a record that was changed by hand', () => {
    const lost = failedRecord(0, 'self_verify', 'no test session passed')
    const note = expect.stringContaining(":1: not a trial's record, left out: its result_hash does not match")
    const file = damaged([lost], text => text.replace('"score":0.5', '"score":1'))
    expect(readJournal(file)).toEqual({ records: [], notes: [note] })
  })

  it('reads lines longer than its block, with characters on the border of two', () => {
    using journal = openJournal(dir(), 'run1', 'w')
    const record = journal.append(sampleRecord({ final_text: 'é😀'.repeat(500_000) }))
    expect(readJournal(journal.file).records).toEqual([record])
  })
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
    const disk = dir('disk')
    const missing = mountTiny(disk, '256k')
    if (missing !== null) context.skip(missing)
    try {
      const journal = openJournal(disk, 'run1', 'w')
      journal.append(sampleRecord({ trial_index: 0 }))
      const size = statSync(journal.file).size
      const tooLarge = sampleRecord({ trial_index: 1, final_text: 'x'.repeat(400_000) })
      expect(() => journal.append(tooLarge)).toThrow(refusal('results_not_writable', 'Make room'))
      expect(statSync(journal.file).size).toBe(size)
      journal.append(sampleRecord({ trial_index: 2 }))
      const { records, notes } = readJournalsOfRun(disk, 'run1')
      expect([trialsOf(records), notes]).toEqual([[0, 2], []])
      writeFileSync(join(disk, 'filler'), '')
      expect(() => appendFileSync(join(disk, 'filler'), Buffer.alloc(1_000_000))).toThrow('ENOSPC')
      expect(() => checkResultsDir(disk)).toThrow(refusal('results_not_writable'))
      journal.close()
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

describe('checkResultsDir', () => {
  it('makes the folder and leaves nothing in it but the journal folder', () => {
    checkResultsDir(dir('a/b'))
    expect(readdirSync(dir('a/b'), { recursive: true })).toEqual(['journal'])
  })

  it('says with a remedy that a part of the path is a file', () => {
    dir.write({ file: '' })
    const check = () => checkResultsDir(dir('file/results'))
    expect(check).toThrow(refusal('results_not_writable', 'A part of that path is a file'))
  })
})

it.runIf(process.platform === 'linux')(
  'a results folder where the system makes none is refused, not waited for',
  () => {
    expect(() => checkResultsDir('/proc/agent-bench-results')).toThrow(/results cannot be written/)
  },
)
