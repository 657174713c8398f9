import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { readSummaries } from './read-summaries.fixture.ts'
import { sampleRecord } from './sample-record.fixture.ts'
import { summaryFileName, writeSummary } from './store.ts'
import { type Summary, summarise } from './summary.ts'

const dir = folderOfEachTest()

const NOW = new Date('2026-02-03T04:05:06.789Z')

function sampleSummary(model = 'tiny-1b'): Summary {
  const [summary] = summarise([sampleRecord({ model })], { runId: 'run1', k: 1, trials: 1 })
  if (summary === undefined) throw new Error('no summary')
  return summary
}

describe('summaryFileName', () => {
  it('holds task, model, time and id', () => {
    expect(summaryFileName(sampleSummary(), NOW, 'abcd')).toBe('result_debug_python_tiny-1b_20260203T040506Z_abcd.json')
  })

  it.each([
    ['org/Model 7B:Q4', 'org-Model-7B-Q4'],
    ['../../etc/passwd', 'etc-passwd'],
    ['模型', 'unnamed'],
    ['naïve', 'nai-ve'],
    ['a\u0000b\n', 'a-b'],
    ['x'.repeat(500), 'x'.repeat(80)],
  ])('makes a plain name of the model %j', (model, part) => {
    expect(summaryFileName({ task_id: 't', model }, NOW, 'id')).toBe(`result_t_${part}_20260203T040506Z_id.json`)
  })

  it('is a name every file system takes and that readers know again, whatever the model is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), model => {
        const name = summaryFileName({ task_id: 't', model }, NOW, '0123abcd')
        expect(name).toMatch(/^result_[\w.-]+\.json$/)
        expect(name).not.toContain('..')
        expect(name.length).toBeLessThan(255)
      }),
    )
  })
})

describe('writeSummary', () => {
  it('is read back the same, and leaves no other file', () => {
    const summary = sampleSummary()
    const file = writeSummary(dir('new/folder'), summary, NOW)
    expect(readSummaries(dir('new/folder'))).toEqual({ summaries: [{ file, summary }], broken: [] })
    expect(readdirSync(dir('new/folder'))).toHaveLength(1)
  })

  it('never overwrites: the same summary in the same second makes another file', () => {
    const files = [1, 2, 3].map(() => writeSummary(dir(), sampleSummary(), NOW))
    expect(new Set(files).size).toBe(3)
    expect(readSummaries(dir()).summaries).toHaveLength(3)
  })

  it('says with a remedy that the folder cannot be made', () => {
    dir.write({ file: '' })
    expect(() => writeSummary(dir('file'), sampleSummary())).toThrow(
      expect.objectContaining({ code: 'results_not_writable', remedy: expect.stringContaining('BENCH_RESULTS_DIR') }),
    )
  })

  it('refuses a summary that does not follow the schema', () => {
    expect(() => writeSummary(dir(), { ...sampleSummary(), k: 0 })).toThrow(
      expect.objectContaining({ code: 'record_invalid' }),
    )
    expect(readdirSync(dir())).toEqual([])
  })
})

describe('readSummaries', () => {
  it('ignores other files, folders and links, and names broken summaries with the reason', () => {
    const file = writeSummary(dir(), sampleSummary(), NOW)
    const text = readFileSync(file, 'utf8')
    dir.write({
      'result_cut.json': text.slice(0, 1_000),
      'result_list.json': '[]',
      'result_python.json': '{"schema_version":"1.1","task_id":"x"}',
      'result_edited.json': text.replace('"passes": 1', '"passes": 0'),
      'notes.json': '{}',
    })
    mkdirSync(dir('result_folder.json'))
    symlinkSync(file, dir('result_link.json'))
    execFileSync('mkfifo', [dir('result_fifo.json')])
    const { summaries, broken } = readSummaries(dir())
    expect(summaries.map(stored => stored.file)).toEqual([file])
    expect(Object.fromEntries(broken.map(entry => [entry.file.slice(dir().length + 1), entry.reason]))).toEqual({
      'result_cut.json': 'it is not JSON',
      'result_list.json': 'it is not a JSON object',
      'result_python.json': 'its schema_version is "1.1", not 3',
      'result_edited.json': 'its result_hash does not match: it was changed after it was written',
    })
  })

  it('finds nothing in a folder that is not there', () => {
    expect(readSummaries(dir('none'))).toEqual({ summaries: [], broken: [] })
  })
})
