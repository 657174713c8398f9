/** Folders of results, and what to say when they cannot be used. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError, type ErrorDetails } from '../errors.ts'

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC:
    'Make room on that disk, or set BENCH_RESULTS_DIR to a folder on another one; then run again with BENCH_RESUME=1.',
  EDQUOT: 'The quota is used up: make room, or set BENCH_RESULTS_DIR to a folder elsewhere.',
  EROFS: 'That file system is read-only: set BENCH_RESULTS_DIR to a folder that can be written.',
  EACCES: 'Give yourself the right to write there, or set BENCH_RESULTS_DIR to another folder.',
  EPERM: 'Give yourself the right to write there, or set BENCH_RESULTS_DIR to another folder.',
  ENOTDIR: 'A part of that path is a file: set BENCH_RESULTS_DIR to a folder.',
  EEXIST: 'There is a file of that name: set BENCH_RESULTS_DIR to a folder.',
}

/** The system's name of a fault, for example `ENOSPC`; null for errors that are not the system's. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Message and details for an error of code `results_not_writable`; the caller chooses the class. */
export function notWritable(path: string, error: unknown): [message: string, details: ErrorDetails] {
  const code = systemCode(error)
  const cause = error instanceof Error ? error.message : String(error)
  return [
    `results cannot be written to ${path}: ${cause}`,
    {
      code: 'results_not_writable',
      remedy: REMEDIES[code ?? ''] ?? 'Set BENCH_RESULTS_DIR to a folder that can be written.',
      cause: error,
    },
  ]
}

/**
 * Makes a folder and what is missing above it, one by one: Node's own recursive mkdir never returns where a folder cannot
 * be made because the system says ENOENT (below /proc), and hides that a disk is read-only.
 * @throws the system's error of the topmost folder that cannot be made.
 */
export function makeFolders(dir: string): void {
  const missing: string[] = []
  for (let folder = dir; !existsSync(folder); folder = dirname(folder)) missing.push(folder)
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder)
    } catch (error) {
      // Another worker may have made it meanwhile.
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
}

/**
 * Names of the regular files of a folder, in order; none when there is no such folder.
 * @throws ConfigError code `results_not_readable` when it is not a folder, or may not be read
 */
export function fileNamesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => entry.name)
      .sort()
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return []
    if (code === null) throw error
    throw new ConfigError(`results cannot be read from ${dir}: ${code === 'ENOTDIR' ? 'it is a file' : code}`, {
      code: 'results_not_readable',
      remedy: 'Name a folder that can be read: BENCH_RESULTS_DIR, or --results-dir of a command.',
      cause: error,
    })
  }
}
