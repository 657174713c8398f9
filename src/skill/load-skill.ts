/** Finds skills and makes tasks of them. */
import { existsSync, lstatSync, statSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { SpecError } from '../errors.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { createTask, type TaskDefinition, type TaskOrigin } from '../task/define-task.ts'
import type { SourcePosition } from '../task/position.ts'
import type { TaskSpec } from '../task/task.ts'
import { proofOf, type SkillProof } from './proof.ts'
import { PROOF_NAME, readSkillDirectory, type SkillLimits } from './read-directory.ts'
import { type ReadManifest, readManifest } from './read-manifest.ts'
import { readSkillDocument } from './skill-document.ts'
import { type SkillSpec, skillSpec } from './skill-task.ts'
import { DOCUMENT_NAME, MANIFEST_NAME, specFileOf } from './spec-file.ts'
import { placedError } from './text-position.ts'

/** What a skill can show: a verdict that is proved, a verdict nobody proved, or only what was observed. */
type SkillStanding = 'proved' | 'unproven' | 'observed'

export interface SkillDefinition extends TaskDefinition {
  /** Absolute path of the skill's directory. */
  readonly directory: string
  /** `observed`: no manifest, so no verdict. `unproven`: no `bench_proof.ts`, so the reference agent has nothing to play. */
  readonly standing: SkillStanding
  /** Oddities that were found but do not prevent mounting. */
  readonly warnings: readonly string[]
  readonly notApplicable: SkillSpec['notApplicable']
}

export interface LoadOptions {
  /** Imports `bench_proof.ts`; without it a skill with a proof is loaded as unproven. */
  readonly importModule?: (path: string) => unknown
  readonly limits?: SkillLimits
}

/** A skill as it lies there, and the task its manifest describes, with the mistakes that keep it from being mounted. */
export interface SkillReading extends SkillSpec {
  readonly read: ReadManifest | null
  readonly files: FileMap
  readonly warnings: readonly string[]
}

/**
 * Reads a skill as mounting does.
 * @param directory its real path
 * @throws SpecError when a file cannot be mounted, or the form of the manifest is wrong
 */
export async function readSkill(directory: string, limits?: SkillLimits): Promise<SkillReading> {
  const manifestPath = join(directory, MANIFEST_NAME)
  const { files, warnings } = await readSkillDirectory(directory, limits)
  const read = existsSync(manifestPath)
    ? readManifest(new Uint8Array(await readFile(manifestPath)), manifestPath)
    : null
  return { ...skillSpec({ name: basename(directory), files, read }), read, files, warnings }
}

/**
 * Makes the task of a skill from its directory, or from the path of its manifest or SKILL.md.
 * @throws SpecError when it cannot be mounted or its manifest has mistakes: with file, line, column, field and remedy.
 */
export async function loadSkill(path: string, options: LoadOptions = {}): Promise<SkillDefinition> {
  const directory = await directoryOf(path)
  const manifestPath = join(directory, MANIFEST_NAME)
  const { spec, mistakes, notApplicable, read, files, warnings } = await readSkill(directory, options.limits)
  if (files.size === 0) {
    throw new SpecError([`${directory}: the skill has no files`, ...warnings].join('; '), {
      code: 'skill_missing',
      remedy: `Name a directory that holds ${DOCUMENT_NAME}.`,
    })
  }
  if (mistakes.length > 0) throw placedError(manifestPath, mistakes)

  const proofPath = join(directory, PROOF_NAME)
  const hasProof = read !== null && options.importModule !== undefined && existsSync(proofPath)
  const proof = hasProof ? proofOf(await options.importModule?.(proofPath), proofPath) : null
  const source = { file: specFileOf(directory), line: 1, column: 1 }
  const standing = read === null ? 'observed' : proof === null ? 'unproven' : 'proved'
  const origin = { sources: hasProof ? [proofPath] : [], isObserved: standing === 'observed' }
  const definition =
    proof === null
      ? createTask(spec, source, origin)
      : createProved(spec, withProof(spec, proof, manifestPath), { source, origin, proofPath })
  return Object.freeze({
    ...definition,
    directory,
    standing,
    warnings: [...warnings, ...documentWarnings(files.get(DOCUMENT_NAME)?.bytes)],
    notApplicable,
  })
}

async function directoryOf(path: string): Promise<string> {
  const status = await stat(path).catch((error: unknown) => {
    if (isThere(path)) {
      const remedy = 'Replace the link with the file that it should point to.'
      throw new SpecError(`${path}: it is a link that leads nowhere`, { code: 'skill_missing', remedy })
    }
    throw new SpecError(`${path}: there is no such skill`, {
      code: 'skill_missing',
      remedy: `Name the directory that holds ${DOCUMENT_NAME}, or a directory of such directories.`,
      cause: error,
    })
  })
  return realpath(status.isDirectory() ? resolve(path) : dirname(resolve(path)))
}

/** The manifest's task with what its proof adds. A flag or check that both have is a mistake. */
function withProof(spec: TaskSpec, proof: SkillProof, manifestPath: string): TaskSpec {
  const { flags = {}, verify = {}, ...plays } = proof
  const twice = [
    ...Object.keys(flags).filter(id => Object.hasOwn(spec.flags, id)),
    ...Object.keys(verify).filter(id => Object.hasOwn(spec.verify ?? {}, id)),
  ]
  if (twice.length > 0) {
    const problem = `${twice.map(id => JSON.stringify(id)).join(', ')} comes from the manifest and from ${PROOF_NAME}`
    const mistake = { field: 'flags', problem, remedy: 'Give each flag and check its own id.' }
    throw placedError(manifestPath, [{ ...mistake, place: { line: 1, column: 1 } }])
  }
  return { ...spec, ...plays, verify: { ...spec.verify, ...verify }, flags: { ...spec.flags, ...flags } }
}

/** The task with its proof. A mistake that is not the manifest's is the proof's, and is reported there. */
function createProved(
  spec: TaskSpec,
  whole: TaskSpec,
  at: { readonly source: SourcePosition; readonly origin: TaskOrigin; readonly proofPath: string },
): TaskDefinition {
  try {
    return createTask(whole, at.source, at.origin)
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    createTask(spec, at.source, at.origin)
    return createTask(whole, { file: at.proofPath, line: 1, column: 1 }, at.origin)
  }
}

/** Mounting is lenient: what the linter would call an error is a warning here. */
function documentWarnings(bytes: Uint8Array | undefined): string[] {
  if (bytes === undefined)
    return [`there is no ${DOCUMENT_NAME} (write one that begins with ---, name, description, and --- again)`]
  return readSkillDocument(bytes)
    .findings.filter(({ level }) => level === 'error')
    .map(({ line, message, remedy }) => `${DOCUMENT_NAME}:${line}: ${message} (${remedy})`)
}

/**
 * The skills at a path: the directory itself when it is one, else its sub-directories that are; and those of {@link skillsOf}.
 * SKILL.md files further below belong to a skill and are not skills themselves.
 * @throws SpecError code `skill_missing` when the path is not a directory, or there is no skill.
 */
export async function findSkills(path: string): Promise<readonly string[]> {
  const directory = await directoryOf(path)
  const beside = isSkill(directory) ? [] : (await foldersIn(directory)).filter(isSkill)
  const found = [...new Set([...beside, ...(await skillsOf(directory))])].sort()
  if (found.length > 0) return found
  throw new SpecError(`${directory}: there is no skill in it`, {
    code: 'skill_missing',
    remedy: `Name a directory that holds ${DOCUMENT_NAME} or ${MANIFEST_NAME}, or a directory of such directories.`,
  })
}

/** The skills of a repository: its root, and those where agents and collections of plugins keep them. Sorted by path. */
export async function skillsOf(root: string): Promise<readonly string[]> {
  const plugins = await foldersIn(join(root, 'plugins'))
  const places = [
    ...['skills', '.claude/skills'].map(place => join(root, place)),
    ...plugins.map(one => join(one, 'skills')),
  ]
  const below = await Promise.all(places.map(foldersIn))
  return [root, join(root, 'skills'), ...below.flat()].filter(isSkill).sort()
}

/** Directories and links to directories in a folder; none where there is no such folder. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return []
  const entries = await readdir(folder, { withFileTypes: true })
  const below = entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink())
  return below.map(entry => join(folder, entry.name)).filter(path => existsSync(path) && statSync(path).isDirectory())
}

/** A SKILL.md that is a link to nowhere stands for a skill, too: whoever loads it says what is wrong. */
function isSkill(directory: string): boolean {
  return isThere(specFileOf(directory))
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
