/** Skills as spec files of the bench: those of the project (`skills/`, `.claude/skills/`, `plugins/*\/skills/`, its root), and those of BENCH_SKILL_DIR from anywhere. */
import { dirname, resolve } from 'node:path'
import type { TestProject, Vitest } from 'vitest/node'
import { ConfigError, SpecError } from '../errors.ts'
import { literalPattern } from '../evidence/words.ts'
import { findSkills, skillsOf, specFileOf } from '../skill/index.ts'

/** The path as a glob that matches nothing else. */
const literalGlob = (path: string) => path.replace(/[\\!()*+?@[\]{|}]/g, '\\$&')

/** What skills there are to collect. */
export interface SkillPlaces {
  /** Absolute path of the project. */
  readonly root: string
  /** A skill's directory or a directory of them, absolute or relative to `root`; null for none. */
  readonly skillDir: string | null
}

/**
 * The files that stand for the skills of a project and of BENCH_SKILL_DIR, as absolute paths.
 * @throws ConfigError code `skill_dir` when the latter holds no skill.
 */
export async function skillFiles({ root, skillDir }: SkillPlaces): Promise<readonly string[]> {
  const directories = [...(await skillsOf(root)), ...(await skillsOfSetting(root, skillDir))]
  return [...new Set(directories.map(specFileOf))]
}

/**
 * Adds the skills to what a project collects, makes an edit of any file of a skill run that skill again, and gives the
 * files that stand for them.
 * @throws ConfigError as {@link skillFiles}
 */
export async function collectSkills(
  vitest: Vitest,
  project: TestProject,
  places: SkillPlaces,
): Promise<readonly string[]> {
  const specFiles = await skillFiles(places)
  project.config.include.push(...specFiles.map(literalGlob))
  vitest.config.watchTriggerPatterns ??= []
  for (const file of specFiles) {
    const directory = `${dirname(file)}/`
    vitest.config.watchTriggerPatterns.push({
      pattern: new RegExp(`^${literalPattern(directory)}`),
      testsToRun: () => file,
    })
    vitest.vite.watcher.add(directory)
  }
  return specFiles
}

async function skillsOfSetting(root: string, skillDir: string | null): Promise<readonly string[]> {
  if (skillDir === null) return []
  try {
    return await findSkills(resolve(root, skillDir))
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    throw new ConfigError(`BENCH_SKILL_DIR: ${error.message}`, {
      code: 'skill_dir',
      remedy: error.remedy,
      cause: error,
    })
  }
}
