/**
 * Writes the files an agent left to the host. Their names come out of the sandbox: each is checked before anything is
 * opened, nothing is written through a link or over a file, and count and size are bounded.
 */
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { FileMap } from '../sandbox/snapshot.ts'
import { makeFolders, systemCode } from './not-writable.ts'
import { fileNamePart } from './store.ts'

export const ARTIFACT_LIMITS = {
  files: 1_000,
  fileBytes: 16_000_000,
  totalBytes: 64_000_000,
  pathBytes: 1_024,
  /** The file systems in use allow 255 bytes; some (encrypted folders) only about 140. */
  nameBytes: 140,
  depth: 32,
} as const

export type ArtifactLimits = { readonly [Name in keyof typeof ARTIFACT_LIMITS]: number }

export interface ExportedArtifacts {
  /** Paths written, relative to the folder, with `/`. */
  readonly written: readonly string[]
  /** Files that were not written, and why; long paths are cut here. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/** What the disk refuses with when nothing more fits. */
const FULL = ['ENOSPC', 'EDQUOT']

/**
 * Folder of a trial's artifacts, relative to the results folder, with `/`. The identity keeps models and settings of one
 * run apart.
 */
export function artifactsDirOf(trial: {
  readonly run_id: string
  readonly task_id: string
  readonly identity: string
  /** From 0. */
  readonly trial_index: number
}): string {
  const task = `${fileNamePart(trial.task_id)}-${trial.identity.slice(0, 8)}`
  return ['artifacts', fileNamePart(trial.run_id), task, `trial-${trial.trial_index + 1}`].join('/')
}

/** Why a path out of a sandbox cannot name an artifact, or null when it can. */
export function artifactPathProblem(path: string, limits: ArtifactLimits = ARTIFACT_LIMITS): string | null {
  if (path === '') return 'the path is empty'
  if (!path.isWellFormed()) return 'the path is not valid UTF-8'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'the path has a control character'
  if (path.includes('\\')) return 'the path has a backslash'
  if (path.startsWith('/')) return 'the path is absolute'
  if (/^[A-Za-z]:/.test(path)) return 'the path begins with a drive'
  if (Buffer.byteLength(path) > limits.pathBytes) return `the path is longer than ${limits.pathBytes} bytes`
  const segments = path.split('/')
  if (segments.length > limits.depth) return `the path is deeper than ${limits.depth} folders`
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') return `the path has the segment "${segment}"`
    if (Buffer.byteLength(segment) > limits.nameBytes) return `a name in it is longer than ${limits.nameBytes} bytes`
  }
  return null
}

/**
 * Writes files below `dir`, which is made when it is missing. Modes are not kept: nothing on the host should run what a
 * model wrote. Whatever cannot be written is refused and costs nothing but itself; where the disk is full, all of it is
 * given up, so that the trial's record still fits.
 */
export function exportArtifacts(
  dir: string,
  files: FileMap,
  limits: ArtifactLimits = ARTIFACT_LIMITS,
): ExportedArtifacts {
  const written: string[] = []
  const refused: { path: string; reason: string }[] = []
  let totalBytes = 0
  const unmade = files.size > 0 ? problemOf(() => makeFolders(dir)) : null
  for (const [path, { bytes }] of files) {
    const reason =
      unmade ??
      artifactPathProblem(path, limits) ??
      (bytes.length > limits.fileBytes ? `it is larger than ${limits.fileBytes} bytes` : null) ??
      (written.length >= limits.files ? `there are more than ${limits.files} files` : null) ??
      (totalBytes + bytes.length > limits.totalBytes ? `the files are larger than ${limits.totalBytes} bytes` : null) ??
      writeBelow(dir, path, bytes)
    if (reason === null) {
      written.push(path)
      totalBytes += bytes.length
    } else if (reason === DISK_FULL) {
      rmSync(dir, { recursive: true, force: true })
      return { written: [], refused: [...files.keys()].map(name => refusal(name, DISK_FULL)) }
    } else {
      refused.push(refusal(path, reason))
    }
  }
  return { written, refused }
}

const DISK_FULL = 'there is no room on the disk for what the trial left'

function refusal(path: string, reason: string): ExportedArtifacts['refused'][number] {
  return { path: path.length > 200 ? `${path.slice(0, 200)}…` : path, reason }
}

/** Why the system refused something, as text; null when it was done. */
function problemOf(act: () => void): string | null {
  try {
    act()
    return null
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    if (FULL.includes(code)) return DISK_FULL
    return code === 'EEXIST' ? 'there is something of that name already' : `it cannot be written (${code})`
  }
}

/** Writes one file whose path is checked; a reason when its place is taken. */
function writeBelow(dir: string, path: string, bytes: Uint8Array): string | null {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  let parent = dir
  let blocked = notAFolder(parent)
  for (const segment of segments) {
    if (blocked !== null) return blocked
    parent = join(parent, segment)
    blocked = problemOf(() => makeFolder(parent)) ?? notAFolder(parent)
  }
  return blocked ?? problemOf(() => writeNew(join(parent, name), bytes))
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

function notAFolder(path: string): string | null {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return 'a symbolic link is in the way'
  return stat.isDirectory() ? null : 'a file is where a folder should be'
}

function writeNew(file: string, bytes: Uint8Array): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const descriptor = openSync(file, flags, 0o644)
  let isWhole = false
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    isWhole = true
  } finally {
    closeSync(descriptor)
    if (!isWhole) rmSync(file, { force: true })
  }
}
