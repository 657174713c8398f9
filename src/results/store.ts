/** Summary files: written whole or not at all, never over another one; read with suspicion. Synchronous, see `journal.ts`. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { BenchError } from '../errors.ts'
import { verifyResultHash } from './hash.ts'
import { syncDirectory } from './journal.ts'
import { fileNamesIn, makeFolders, notWritable, systemCode } from './not-writable.ts'
import type { Summary } from './summary-schema.ts'
import { checkSummary } from './validate.ts'

/** Characters of the task and of the model in a file name: together with time and id they stay under the 255 bytes of a name. */
const NAME_CHARACTERS = 80
/** Bytes of a summary file that are read at most. */
const MAX_SUMMARY_BYTES = 400_000_000
/** Names of summary files. */
export const SUMMARY_NAME = /^result_[\w.-]+\.json$/
const NAMES_TRIED = 20

/** `text` as part of a file name: ASCII letters, digits, `.`, `_` and `-`; what else there is becomes `-`. */
export function fileNamePart(text: string): string {
  const part = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+/, '')
    .slice(0, NAME_CHARACTERS)
    .replace(/[-.]+$/, '')
  return part === '' ? 'unnamed' : part
}

/** Name of a summary file: `result_<task>_<model>_<UTC yyyymmddThhmmssZ>_<id>.json`. */
export function summaryFileName(summary: Pick<Summary, 'task_id' | 'model'>, now: Date, id: string): string {
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '')
  return `result_${fileNamePart(summary.task_id)}_${fileNamePart(summary.model)}_${time}_${id}.json`
}

/**
 * Writes a summary under a new name and returns its path. A reader sees the whole file or none; an existing file is never
 * replaced.
 * @throws BenchError code `results_not_writable`, or `record_invalid` when the summary does not follow the schema.
 */
export function writeSummary(dir: string, summary: Summary, now = new Date()): string {
  const checked = checkSummary(summary)
  if (!checked.ok) {
    throw new BenchError(`the summary of ${summary.task_id} does not follow the schema: ${checked.reason}`, {
      code: 'record_invalid',
      remedy: 'This is a fault of the harness: please report it. The trials themselves are in the journal.',
    })
  }
  try {
    makeFolders(dir)
    const temporary = join(dir, `.summary-${process.pid}-${randomBytes(6).toString('hex')}`)
    try {
      writeSynced(temporary, `${JSON.stringify(summary, null, 1)}\n`)
      const file = publish(temporary, dir, summary, now)
      syncDirectory(dir)
      return file
    } finally {
      rmSync(temporary, { force: true })
    }
  } catch (error) {
    throw new BenchError(...notWritable(dir, error))
  }
}

function writeSynced(file: string, content: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
  try {
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Gives the finished file its name. A hard link fails where the name is taken, a rename would replace what is there. */
function publish(temporary: string, dir: string, summary: Summary, now: Date): string {
  for (let attempt = 0; attempt < NAMES_TRIED; attempt++) {
    const file = join(dir, summaryFileName(summary, now, randomBytes(4).toString('hex')))
    try {
      linkSync(temporary, file)
      return file
    } catch (error) {
      const code = systemCode(error)
      if (code === 'EEXIST') continue
      if (code === null || ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(code)) throw error
      // No hard links on this file system.
      if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) continue
      renameSync(temporary, file)
      return file
    }
  }
  throw new Error(`no free name in ${dir} for the summary of ${summary.task_id}`)
}

/** Paths of the regular files of a folder that are named like summaries, by name. A folder that is not there holds none. */
export function summaryFiles(dir: string): readonly string[] {
  return fileNamesIn(dir)
    .filter(name => SUMMARY_NAME.test(name))
    .map(name => join(dir, name))
}

/** Reads one summary file, or says why it cannot be used. Follows no symbolic link. */
export function readSummary(
  file: string,
): { readonly ok: true; readonly summary: Summary } | { readonly ok: false; readonly reason: string } {
  try {
    const text = readBounded(file)
    if (text === null) return { ok: false, reason: `it is not a regular file of at most ${MAX_SUMMARY_BYTES} bytes` }
    const checked = checkSummary(JSON.parse(text))
    if (!checked.ok) return { ok: false, reason: checked.reason }
    if (!verifyResultHash(checked.value)) {
      return { ok: false, reason: 'its result_hash does not match: it was changed after it was written' }
    }
    return { ok: true, summary: checked.value }
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: 'it is not JSON' }
    const code = systemCode(error)
    if (code === null) throw error
    return {
      ok: false,
      reason: code === 'ELOOP' ? 'it is a symbolic link' : `${basename(file)} cannot be read (${code})`,
    }
  }
}

function readBounded(file: string): string | null {
  // Non-blocking, or a FIFO that was put there would hold us for ever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    return stat.isFile() && stat.size <= MAX_SUMMARY_BYTES ? readFileSync(descriptor, 'utf8') : null
  } finally {
    closeSync(descriptor)
  }
}
