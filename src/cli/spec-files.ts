/** Finds the spec files of a project and makes their tasks, without a Vitest run. */
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import picomatch from 'picomatch'
import { BenchError, SpecError } from '../errors.ts'
import { loadSpec, type Spec } from '../runner/collect.ts'
import { withModules } from '../runner/modules.ts'
import type { Settings } from '../runner/settings.ts'
import { skillFiles } from '../runner/skills.ts'
import { isSpecFile, specGlobs } from '../runner/spec-globs.ts'
import { filesOfSuites } from '../runner/suites.ts'
import type { FileMap } from '../sandbox/index.ts'
import { MANIFEST_NAME, type SkillLimits } from '../skill/index.ts'
import { readSkillDirectory } from '../skill/read-directory.ts'
import type { Task } from '../task/task.ts'

/** Folders that hold no spec files of a project. */
const SKIPPED = new Set(['node_modules', 'dist', 'results', 'coverage'])
const MAX_DEPTH = 20

/** What was made of one spec file. */
export interface LoadedSpec {
  /** Relative to the project. */
  readonly file: string
  readonly spec: Spec
  /** Its usual instance, in its first mode. */
  readonly task: Task
  /** The files of the skill's directory; empty for a task. */
  readonly skillFiles: FileMap
}

/** A spec file that gives no task. */
export interface BrokenSpec {
  readonly file: string
  readonly error: BenchError
}

/** What the bench of a project collects, by the `include` and `exclude` of its Vitest config, then the skills; absolute paths, sorted. */
export async function findSpecFiles(
  root: string,
  { skillDir, suite }: Pick<Settings, 'skillDir' | 'suite'> = { skillDir: null, suite: null },
): Promise<readonly string[]> {
  const { base, include, exclude } = await specGlobs(root)
  const isIncluded = picomatch([...include], { dot: true })
  const isExcluded = picomatch([...exclude], { dot: true })
  const isOut = (path: string) => isExcluded(path) || isExcluded(relative(base, path))
  const found: string[] = []
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        const isSkipped = SKIPPED.has(entry.name) || entry.name.startsWith('.') || depth >= MAX_DEPTH
        if (!isSkipped) await walk(path, depth + 1)
      } else if ((isIncluded(relative(base, path)) || isIncluded(path)) && isSpecFile(path)) found.push(path)
    }
  }
  await walk(base, 0)
  const own = [...found.sort(), ...(await skillFiles({ root, skillDir }))].filter(path => !isOut(path))
  return filesOfSuites(own, suite)
}

/**
 * Loads spec files as the bench does, in one module graph. A file that is broken does not keep the others from being
 * loaded.
 */
export async function loadSpecFiles(
  files: readonly string[],
  root: string,
  limits?: SkillLimits,
): Promise<{ readonly loaded: readonly LoadedSpec[]; readonly broken: readonly BrokenSpec[] }> {
  const loaded: LoadedSpec[] = []
  const broken: BrokenSpec[] = []
  await withModules(root, async importModule => {
    for (const path of files) {
      const file = relative(root, path)
      try {
        const spec = await loadSpec(path, root, importModule, limits)
        const task = await spec.resolve()
        const isSkill = task.source.file.endsWith(MANIFEST_NAME)
        const skillFiles: FileMap = isSkill ? (await readSkillDirectory(dirname(path), limits)).files : new Map()
        loaded.push({ file, spec, task, skillFiles })
      } catch (error) {
        broken.push({ file, error: asBenchError(file, error) })
      }
    }
  })
  return { loaded, broken }
}

/** Errors of the imported copy of this package are of other classes, so they are known by what they carry. */
export function asBenchError(file: string, error: unknown): BenchError {
  if (error instanceof BenchError) return error
  const message = error instanceof Error ? error.message : String(error)
  const { code, remedy } = { code: undefined, remedy: undefined, ...(typeof error === 'object' ? error : {}) }
  if (typeof code === 'string' && typeof remedy === 'string') {
    return new SpecError(message, { code, remedy, cause: error })
  }
  return new SpecError(`${file} cannot be loaded: ${message}`, {
    code: 'spec_broken',
    remedy: 'Correct the file; it is a TypeScript module that exports `defineTask({ … })` as its default.',
    cause: error,
  })
}
