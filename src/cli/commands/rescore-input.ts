/** The results that a path means: one file, the tasks of a journal, or every result file of a folder. */
import { lstatSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { ConfigError } from '../../errors.ts'
import { readJournal } from '../../results/journal.ts'
import { systemCode } from '../../results/not-writable.ts'
import { readSummary, summaryFiles } from '../../results/store.ts'
import { type Summary, summarise } from '../../results/summary.ts'

export type ResultRead =
  | {
      readonly ok: true
      readonly file: string
      /** The folder that artifacts are relative to. */
      readonly resultsDir: string
      readonly summary: Summary
    }
  | { readonly ok: false; readonly file: string; readonly reason: string }

/**
 * Reads results one after another. In a folder, a file that cannot be used is named and the others are read.
 * @throws ConfigError code `result_unreadable` when the path itself cannot be used
 */
export function* resolveResults(result: string, directory: string): Generator<ResultRead> {
  const path = isAbsolute(result) ? result : join(directory, result)
  if (isFolder(path, result)) {
    for (const file of summaryFiles(path)) yield readOne(file)
  } else if (path.endsWith('.jsonl')) {
    yield* fromJournal(path)
  } else {
    const read = readOne(path)
    if (!read.ok) throw unreadable(result, read.reason)
    yield read
  }
}

function isFolder(path: string, given: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    throw unreadable(given, code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`)
  }
}

function unreadable(path: string, reason: string): ConfigError {
  return new ConfigError(`${path} cannot be used: ${reason}`, {
    code: 'result_unreadable',
    remedy:
      'Name a task, a file result_*.json, a journal of the results folder, or the folder itself. Results of another schema version can only be made anew.',
  })
}

function readOne(file: string): ResultRead {
  const read = readSummary(file)
  return read.ok ? { ok: true, file, resultsDir: dirname(file), summary: read.summary } : { ...read, file }
}

/** A journal lies in the folder `journal` of the results; its records become one summary per task and model. */
function* fromJournal(file: string): Generator<ResultRead> {
  const { records, notes } = readJournal(file)
  for (const reason of notes) yield { ok: false, file, reason }
  const [first] = records
  if (first === undefined) return
  const plan = { runId: first.run_id, k: first.k, trials: first.trials_planned }
  for (const summary of summarise(records, plan)) yield { ok: true, file, resultsDir: dirname(dirname(file)), summary }
}
