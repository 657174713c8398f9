/**
 * Reads a skill's directory into files of a setup. The directory is only read, never written; it comes from anywhere, so
 * every entry is looked at before it is believed to be a plain file.
 */
import { isUtf8 } from 'node:buffer'
import { type Dirent, existsSync } from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SpecError } from '../errors.ts'
import type { FileContent, FileMap } from '../sandbox/snapshot.ts'
import { messageOf } from '../task/mistakes.ts'
import { DOCUMENT_NAME, documentNameIn } from './spec-file.ts'

export const PROOF_NAME = 'bench_proof.ts'

/** What a model must never see: the manifest, the proof and the modules and tests that belong to it. */
const NEVER_MOUNTED = /^bench_(?:manifest\.json|proof(?:\.[\w.-]+)?\.ts)$/
/** What tools leave in a directory and no skill is made of. */
const JUNK = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.pytest_cache', '.venv', '.DS_Store'])

/** How large a skill may be; it is written again before every trial. */
export interface SkillLimits {
  readonly files: number
  readonly bytes: number
}

const SKILL_LIMITS: SkillLimits = { files: 5_000, bytes: 64 * 1024 * 1024 }
const MAX_DEPTH = 64

export interface SkillFiles {
  /** By path inside the skill. Modes are 0o755 where the owner may execute, else 0o644: what git keeps of them. */
  readonly files: FileMap
  /** What was left out and why, for people. */
  readonly warnings: readonly string[]
}

interface Reading {
  readonly root: string
  readonly limits: SkillLimits
  readonly files: Map<string, FileContent>
  readonly warnings: string[]
  bytes: number
}

/**
 * Reads all files of a skill. Links inside the skill become what they point at; a link out of it is left out, since
 * the skill would be another one on another machine. A `skill.md` is mounted as SKILL.md.
 * @throws SpecError code `skill_unreadable` when something cannot be mounted, with the path and the reason.
 */
export async function readSkillDirectory(directory: string, limits = SKILL_LIMITS): Promise<SkillFiles> {
  const root = await realpath(directory)
  const reading: Reading = { root, limits, files: new Map(), warnings: [], bytes: 0 }
  await readFolder(reading, root, '', [root])
  const document = documentNameIn([...reading.files.keys()])
  const content = reading.files.get(document ?? '')
  if (document !== undefined && document !== DOCUMENT_NAME && content !== undefined) {
    reading.warnings.push(`${document} is mounted as ${DOCUMENT_NAME}: most clients look for that name`)
    reading.files.delete(document)
    reading.files.set(DOCUMENT_NAME, content)
  }
  return { files: reading.files, warnings: reading.warnings }
}

function refused(path: string, reason: string, remedy: string, cause?: unknown): SpecError {
  return new SpecError(`${path}: ${reason}`, { code: 'skill_unreadable', remedy, cause })
}

async function readFolder(reading: Reading, folder: string, prefix: string, above: readonly string[]): Promise<void> {
  if (above.length > MAX_DEPTH)
    throw refused(folder, `lies more than ${MAX_DEPTH} directories deep`, 'Make it flatter.')
  let entries: Dirent<Buffer>[]
  try {
    entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  } catch (error) {
    throw refused(folder, `cannot be listed (${messageOf(error)})`, 'Give yourself the right to read it.', error)
  }
  const names = entries.map(entry => nameOf(entry.name, folder)).sort()
  for (const name of names) {
    const path = prefix === '' ? name : `${prefix}/${name}`
    if (prefix === '' && existsSync(join(folder, name, 'journal'))) {
      reading.warnings.push(`${path} is not mounted: it holds results of the bench`)
    } else if (JUNK.has(name)) reading.warnings.push(`${path} is not mounted: it is not part of a skill`)
    else if (prefix !== '' || !NEVER_MOUNTED.test(name)) await readEntry(reading, join(folder, name), path, above)
  }
}

function nameOf(name: Buffer, folder: string): string {
  if (!isUtf8(name)) {
    throw refused(`${folder}/${name.toString('latin1')}`, 'has a name that is not UTF-8', 'Rename it.')
  }
  return name.toString('utf8')
}

async function readEntry(reading: Reading, place: string, path: string, above: readonly string[]): Promise<void> {
  let target = place
  if ((await lstat(place)).isSymbolicLink()) {
    const inside = await resolveLink(reading, place, path)
    if (inside === null) return
    target = inside
  }
  const status = await stat(target)
  if (status.isDirectory()) {
    if (above.includes(target)) {
      throw refused(place, 'is a link to a directory that it lies in', 'Remove the link: it would repeat without end.')
    }
    await readFolder(reading, target, path, [...above, target])
  } else if (status.isFile()) {
    await addFile(reading, target, path, status)
  } else {
    reading.warnings.push(`${path} is not mounted: it is neither a file nor a directory`)
  }
}

/** Where a link leads, or null for one that leads nowhere. */
async function resolveLink(reading: Reading, place: string, path: string): Promise<string | null> {
  let target: string
  try {
    target = await realpath(place)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')) {
      reading.warnings.push(`${path} is not mounted: it is a link that leads nowhere`)
      return null
    }
    throw refused(place, `is a link that cannot be followed (${messageOf(error)})`, 'Replace it by a file.', error)
  }
  if (target !== reading.root && !target.startsWith(reading.root + sep)) {
    reading.warnings.push(
      `${path} is not mounted: it is a link out of the skill, to ${target} (copy what it points at)`,
    )
    return null
  }
  const inside = target.slice(reading.root.length + 1)
  if (NEVER_MOUNTED.test(inside)) {
    throw refused(place, `is a link to ${inside}, which a model must not see`, 'Remove the link.')
  }
  return target
}

async function addFile(
  reading: Reading,
  place: string,
  path: string,
  status: { readonly size: number; readonly mode: number },
): Promise<void> {
  reading.bytes += status.size
  const { files, bytes } = reading.limits
  if (reading.files.size >= files || reading.bytes > bytes) {
    throw refused(
      reading.root,
      `holds more than ${files} files or ${bytes} bytes (reached at ${path})`,
      'Make the skill smaller (it is written before every trial), or set BENCH_SKILL_MAX_FILES or BENCH_SKILL_MAX_MEGABYTES.',
    )
  }
  try {
    const mode = (status.mode & 0o100) === 0 ? 0o644 : 0o755
    reading.files.set(path, { bytes: new Uint8Array(await readFile(place)), mode })
  } catch (error) {
    throw refused(place, `cannot be read (${messageOf(error)})`, 'Give yourself the right to read it.', error)
  }
}
