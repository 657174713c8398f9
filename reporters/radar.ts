/** Keeps the radar of a results folder up to date. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { BenchError, explainError } from '../src/errors.ts'
import { notWritable } from '../src/results/not-writable.ts'
import { readField } from './folder-standings.ts'
import { MOST_MODELS, radarSvg } from './radar-svg.ts'
import type { FolderReport, RunReporter } from './reporter.ts'
import { narrowed, newestEntrants } from './standings.ts'
import { escapeForTerminal } from './terminal.ts'

/**
 * Writes text so that a reader sees the old file or the new one, never a part.
 * @throws BenchError code `results_not_writable`.
 */
export function writeReport(file: string, text: string): void {
  const temporary = join(dirname(file), `.report-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, text, { flag: 'wx' })
    renameSync(temporary, file)
  } catch (error) {
    throw new BenchError(...notWritable(file, error))
  } finally {
    rmSync(temporary, { force: true })
  }
}

export const radarReport: FolderReport = {
  name: 'radar',
  description: 'draws up to four models over the tasks of their suites (SVG)',
  file: 'radar.svg',
  render: ({ field, chosen }) => radarSvg(narrowed(field, chosen ?? newestEntrants(field, MOST_MODELS))),
}

/** The reporter that draws what is in the results folder after each run; a run that measured no model leaves the file as it is. */
export const radarReporter: RunReporter = {
  name: 'radar',
  onRunEnd(run) {
    if (!run.isModelResult || run.summaries.length === 0) return []
    const field = readField(run.resultsDir)
    const shown = newestEntrants(field, MOST_MODELS)
    const svg = radarReport.render({ ...run, dir: run.resultsDir, field, chosen: shown })
    if (svg === null) return []
    const file = join(run.resultsDir, 'radar.svg')
    try {
      writeReport(file, svg)
    } catch (error) {
      if (!(error instanceof BenchError)) throw error
      return explainError(error).split('\n').map(escapeForTerminal)
    }
    const left = field.entrants.length - shown.length
    const others = left === 0 ? '' : ` (the ${shown.length} newest models of ${field.entrants.length})`
    return [`radar: ${escapeForTerminal(relative(process.cwd(), file))}${others}`]
  },
}
