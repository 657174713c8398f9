/** Which suites are run: those of the project, those that come with this package, and the choice among them (BENCH_SUITE). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../errors.ts'
import { isSkillFile } from '../skill/index.ts'
import { didYouMean, didYouMeanOrAny, specError } from '../task/mistakes.ts'
import { SUITE_FILE, type Suite, suiteMistakes } from '../task/suite.ts'
import { suiteOf } from './collect.ts'
import { withModules } from './modules.ts'
import { skillFiles } from './skills.ts'
import { isSpecFile } from './spec-globs.ts'
import { taskIdIn } from './task-ids.ts'

/** Absolute path of this package. */
const PACKAGE = dirname(createRequire(import.meta.url).resolve('agent-bench/package.json'))

/** What to do in a project without a task. */
export const NO_TASK_REMEDY =
  'Write one (agent-bench new task my_task_v1), let `include` of the Vitest config name it, or run a suite that comes with this package (BENCH_SUITE=agentic).'

/** A task belongs to the suite of its folder, a skill to its own and to that of all skills beside it. */
function suitesOf(file: string): readonly string[] {
  const folder = dirname(file)
  return isSkillFile(file) ? [basename(folder), basename(dirname(folder))] : [basename(folder)]
}

/**
 * The spec files of the suites that are asked for.
 * @param files those of the project; a suite of theirs stands before one of this package with the same name
 * @param suite names separated by commas, `all`, or null for the project's own
 * @throws ConfigError code `suite_unknown`
 */
export async function filesOfSuites(files: readonly string[], suite: string | null): Promise<readonly string[]> {
  if (suite === null) return files
  const own = new Set(files.flatMap(suitesOf))
  const brought = (await filesOfPackage()).filter(file => !suitesOf(file).some(name => own.has(name)))
  const all = [...files, ...brought]
  if (suite === 'all') return all
  const names = suite.split(',').map(name => name.trim())
  const known = [...new Set(all.flatMap(suitesOf))].sort()
  for (const name of names) {
    if (known.includes(name)) continue
    const remedy = didYouMeanOrAny(name, known)
    throw new ConfigError(`BENCH_SUITE names the suite ${JSON.stringify(name)}, which is not here`, {
      code: 'suite_unknown',
      remedy,
    })
  }
  return all.filter(file => suitesOf(file).some(name => names.includes(name)))
}

/** The files of this package's suites and tasks of exactly this name, for a name that is none of the project's. */
export async function filesNamed(name: string): Promise<readonly string[]> {
  return (await filesOfPackage()).filter(file => suitesOf(file).includes(name) || taskIdIn(file) === name)
}

/** Whether the tasks of a file are run without being named, as the text of its suite says. */
export function runsByDefault(file: string): boolean {
  const path = join(dirname(file), SUITE_FILE)
  return !existsSync(path) || !/\bbyDefault:\s*false\b/.test(readFileSync(path, 'utf8'))
}

/**
 * Of suites that have this part, the files of its tasks; all files of the others.
 * @param profile null for whole suites
 * @throws ConfigError code `profile_unknown` when no suite has it; SpecError when a suite names what it does not hold
 */
export async function ofProfile(
  files: readonly string[],
  root: string,
  profile: string | null,
): Promise<readonly string[]> {
  if (profile === null) return files
  const suites = await suitesIn(new Set(files.map(file => dirname(file))), root)
  const known = [...suites.values()].flatMap(({ profiles }) => Object.keys(profiles))
  if (!known.includes(profile)) {
    throw new ConfigError(`BENCH_PROFILE is ${JSON.stringify(profile)}, and no suite of this run has such a part`, {
      code: 'profile_unknown',
      remedy: known.length === 0 ? 'Leave it out, or choose another suite.' : didYouMean(profile, known),
    })
  }
  for (const [folder, suite] of suites) {
    const tasks = files.filter(file => dirname(file) === folder).map(taskIdIn)
    // An id that is worked out is not known yet.
    const mistakes = tasks.includes(null)
      ? []
      : suiteMistakes(
          suite,
          tasks.filter(id => id !== null),
        )
    if (mistakes.length > 0) throw specError({ file: join(folder, SUITE_FILE), line: 1, column: 1 }, mistakes)
  }
  return files.filter(file => {
    const id = taskIdIn(file)
    return id === null || (suites.get(dirname(file))?.profiles[profile]?.includes(id) ?? true)
  })
}

/** The suites of folders that say something of theirs. */
function suitesIn(folders: ReadonlySet<string>, root: string): Promise<ReadonlyMap<string, Suite>> {
  return withModules(root, async importModule => {
    const suites = new Map<string, Suite>()
    for (const folder of folders) {
      const suite = await suiteOf(folder, root, importModule)
      if (suite !== null) suites.set(folder, suite)
    }
    return suites
  })
}

async function filesOfPackage(): Promise<readonly string[]> {
  const folder = join(PACKAGE, 'tasks')
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const specs = paths.filter(path => path.endsWith('.bench.ts')).map(path => join(folder, path))
  return [...specs.filter(isSpecFile).sort(), ...(await skillFiles({ root: PACKAGE, skillDir: null }))]
}
