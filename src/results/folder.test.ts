import { readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { ResultsFolder } from './folder.ts'
import { sampleCall, sampleRecord } from './sample-record.fixture.ts'
import { writeSummary } from './store.ts'
import { summarise } from './summary.ts'

const dir = folderOfEachTest()

function write(task: string, day = 1): string {
  const record = sampleRecord({ task_id: task, turn_logs: [sampleCall(1), sampleCall(2)] })
  const [summary] = summarise([record], { runId: 'r', k: 1, trials: 1 })
  if (summary === undefined) throw new Error('a record gives a summary')
  return writeSummary(dir(), summary, new Date(Date.UTC(2026, 0, day)))
}

describe('ResultsFolder', () => {
  it('has heads without transcripts, the newest first, and the whole of a file when asked', () => {
    write('old_task', 1)
    const file = basename(write('new_task', 2))
    const folder = new ResultsFolder(dir())
    expect(folder.refresh()).toBe(0)
    expect(folder.heads.map(head => head.task_id)).toEqual(['new_task', 'old_task'])
    const [head] = folder.heads
    expect(head?.trials[0]).toMatchObject({ outcome: 'passed', tool_calls: 2, skill_results: [{ reached: true }, {}] })
    expect(Object.keys(head?.trials[0] ?? {})).not.toContain('turn_logs')
    expect(folder.whole(file)?.trials[0]?.turn_logs).toHaveLength(2)
  })

  it('lists what cannot be used: edited, cut, linked and foreign files', () => {
    const edited = write('edited_task')
    writeFileSync(edited, readFileSync(edited, 'utf8').replace('"passes": 1', '"passes": 0'))
    const cut = write('cut_task')
    writeFileSync(cut, readFileSync(cut, 'utf8').slice(0, 500))
    symlinkSync(edited, dir('result_link_m_20260101T000000Z_1.json'))
    dir.write({ 'other.json': '{}' })
    const folder = new ResultsFolder(dir())
    folder.refresh()
    expect(folder.heads).toEqual([])
    expect(folder.unusable.map(({ file, reason }) => [file.slice(0, 12), reason]).sort()).toEqual([
      ['other.json', 'its name is not that of a result file'],
      ['result_cut_t', 'it is not JSON'],
      ['result_edite', 'its result_hash does not match: it was changed after it was written'],
    ])
    expect(folder.whole(basename(edited))).toBeNull()
    expect(folder.whole('../other.json')).toBeNull()
  })

  it('reads a file again only when it changed, and forgets one that is gone', () => {
    const [kept, gone] = [write('kept_task'), write('gone_task')]
    const folder = new ResultsFolder(dir())
    folder.refresh()
    const before = folder.version
    folder.refresh()
    expect(folder.version).toBe(before)
    rmSync(gone)
    writeFileSync(kept, '{}')
    utimesSync(kept, 1, 1)
    folder.refresh()
    expect(folder.version).toBe(before + 2)
    expect(folder.heads).toEqual([])
    expect(folder.unusable).toHaveLength(1)
  })

  it('leaves what is beyond its limits to the next call', () => {
    for (const task of ['a_task', 'b_task', 'c_task']) write(task)
    const folder = new ResultsFolder(dir())
    expect(folder.refresh({ files: 1 })).toBe(2)
    expect(folder.heads).toHaveLength(1)
    expect(folder.refresh()).toBe(0)
    expect(folder.heads).toHaveLength(3)
  })
})
