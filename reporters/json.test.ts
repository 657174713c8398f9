import { describe, expect, it, vi } from 'vitest'
import { readSummaries } from '../src/results/read-summaries.fixture.ts'
import { sampleRecord } from '../src/results/sample-record.fixture.ts'
import { summarise } from '../src/results/summary.ts'
import { folderOfEachTest } from '../test/folder.ts'
import { finishedRun } from './finished-run.fixture.ts'
import { jsonReporter, writeSummaries } from './json.ts'
import type { FinishedRun } from './reporter.ts'

const dir = folderOfEachTest()

const summaries = summarise([sampleRecord(), sampleRecord({ task_id: 'tdd_order' })], { runId: 'r', k: 1, trials: 1 })

const run = (resultsDir: string, changes: Partial<FinishedRun> = {}) =>
  finishedRun({ resultsDir, summaries, ...changes })

describe('writeSummaries', () => {
  it('writes a file for each summary and returns the paths', () => {
    const { files, problems } = writeSummaries(dir(), summaries)
    expect(problems).toEqual([])
    const written = readSummaries(dir()).summaries.map(({ file }) => file)
    expect(written.sort()).toEqual([...files].sort())
  })

  it('writes the others when one does not follow the schema', () => {
    const [first, second] = summaries
    if (first === undefined || second === undefined) throw new Error('two summaries are needed')
    const { files, problems } = writeSummaries(dir(), [{ ...first, k: 0 }, second])
    expect(files).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining('debug_python: ')])
  })
})

describe('the json reporter', () => {
  it('says how many files are where', () => {
    const lines = jsonReporter.onRunEnd(run(dir(), { onNotKept: () => expect.unreachable() }))
    expect(lines).toEqual([expect.stringMatching(/^results: 2 files in .*agent-bench/)])
  })

  it('says with a remedy that nothing can be written, tells its caller, and does not throw: other reports are to come', () => {
    dir.write({ file: '' })
    const onNotKept = vi.fn()
    const lines = jsonReporter.onRunEnd(run(dir('file'), { onNotKept }))
    expect(lines.join('\n')).toContain('remedy: ')
    expect(lines.at(-1)).toContain('journal')
    expect(onNotKept).toHaveBeenCalledOnce()
  })
})
