/** Which file stands for a skill: its manifest, or its SKILL.md when it has none and is only observed. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'

export const MANIFEST_NAME = 'bench_manifest.json'
export const DOCUMENT_NAME = 'SKILL.md'

/** The path of the file that stands for the skill of a directory. */
export function specFileOf(directory: string): string {
  const manifest = join(directory, MANIFEST_NAME)
  return existsSync(manifest) ? manifest : join(directory, DOCUMENT_NAME)
}

/** Does the file stand for a skill, and is no module? */
export const isSkillFile = (file: string): boolean => [MANIFEST_NAME, DOCUMENT_NAME].includes(basename(file))

/** `skill_run_v1_<directory>`, with what an id cannot hold replaced. */
export function defaultId(name: string): string {
  return `skill_run_v1_${name.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, 100)
}

/** The id of the skill that a file stands for, as far as its text shows. @throws an error of the system when it cannot be read */
export function skillIdIn(file: string): string {
  const usual = defaultId(basename(dirname(file)))
  if (basename(file) !== MANIFEST_NAME) return usual
  const manifest: unknown = parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })
  const id = typeof manifest === 'object' && manifest !== null && 'id' in manifest ? manifest.id : undefined
  return typeof id === 'string' ? id : usual
}
