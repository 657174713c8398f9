import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleRecord } from '../src/results/sample-record.ts'
import { readSummaries } from '../src/results/store.ts'
import { summarise } from '../src/results/summary.ts'
import { createJsonReporter, writeSummaries } from './json.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-bench-json-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const summaries = summarise([sampleRecord(), sampleRecord({ task_id: 'tdd_order' })], { runId: 'r', k: 1, trials: 1 })

function finished(resultsDir: string, lines: string[]) {
  const print = (line: string) => lines.push(line)
  const ended = { stopped: null, isInterrupted: false, skipped: [], brokenFiles: 0, exitStatus: 0 } as const
  return { resultsDir, summaries, notes: [], isModelResult: true, ...ended, print, color: false, width: 80 }
}

it('tells its caller when a file could not be written', () => {
  let problems = 0
  const reporter = createJsonReporter(() => {
    problems += 1
  })
  reporter.onRunEnd(finished(dir, []))
  expect(problems).toBe(0)
  writeFileSync(join(dir, 'a-file'), '')
  reporter.onRunEnd(finished(join(dir, 'a-file'), []))
  expect(problems).toBe(1)
})

describe('writeSummaries', () => {
  it('writes a file for each summary and returns the paths', () => {
    const { files, problems } = writeSummaries(dir, summaries)
    expect(problems).toEqual([])
    expect(
      readSummaries(dir)
        .summaries.map(stored => stored.file)
        .sort(),
    ).toEqual([...files].sort())
  })

  it('writes the others when one does not follow the schema', () => {
    const [first, second] = summaries
    if (first === undefined || second === undefined) throw new Error('two summaries are needed')
    const { files, problems } = writeSummaries(dir, [{ ...first, k: 0 }, second])
    expect(files).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining('debug_python: ')])
  })
})

describe('the json reporter', () => {
  it('says how many files are where', () => {
    const lines: string[] = []
    createJsonReporter().onRunEnd(finished(dir, lines))
    expect(lines).toEqual([expect.stringMatching(/^results: 2 files in .*agent-bench-json-/)])
  })

  it('says with a remedy that nothing can be written, and does not throw: other reports are still to come', () => {
    writeFileSync(join(dir, 'file'), '')
    const lines: string[] = []
    createJsonReporter().onRunEnd(finished(join(dir, 'file'), lines))
    expect(lines.join('\n')).toContain('remedy: ')
    expect(lines.at(-1)).toContain('journal')
  })
})
