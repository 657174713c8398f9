/** Which file stands for a skill: its manifest, or its SKILL.md when it has none and is only observed. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'

export const MANIFEST_NAME = 'bench_manifest.json'
export const DOCUMENT_NAME = 'SKILL.md'

/** How a skill's document is written among these names (`skill.md` is one, too); undefined when there is none. */
export function documentNameIn(names: readonly string[]): string | undefined {
  return names.find(name => name === DOCUMENT_NAME) ?? names.find(isDocumentName)
}

const isDocumentName = (name: string) => name.toLowerCase() === 'skill.md'

/** The path of the file that stands for the skill of a directory. */
export function specFileOf(directory: string): string {
  const manifest = join(directory, MANIFEST_NAME)
  return existsSync(manifest) ? manifest : join(directory, documentNameIn(namesIn(directory)) ?? DOCUMENT_NAME)
}

/** None where there is no such directory, or it is not for us to read. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

/** Does the file stand for a skill, and is not a module? */
export const isSkillFile = (file: string): boolean => basename(file) === MANIFEST_NAME || isDocumentName(basename(file))

/**
 * `skill_run_v1_<directory>`, with what an id cannot hold replaced. Letters that are not ASCII would all become one: names
 * with such letters are kept apart by a part of their hash.
 */
export function defaultId(name: string): string {
  const id = `skill_run_v1_${name.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}`
  if (!/[^\p{ASCII}]/u.test(name)) return id.slice(0, 100)
  return `${id.slice(0, 91)}_${createHash('sha256').update(name.normalize()).digest('hex').slice(0, 8)}`
}

/** The id of the skill that a file stands for, as far as its text shows. @throws an error of the system when it cannot be read */
export function skillIdIn(file: string): string {
  const usual = defaultId(basename(dirname(file)))
  if (basename(file) !== MANIFEST_NAME) return usual
  const manifest: unknown = parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })
  const id = typeof manifest === 'object' && manifest !== null && 'id' in manifest ? manifest.id : undefined
  return typeof id === 'string' ? id : usual
}
