/** Which suites are run: those of the project, those that come with this package, and the choice among them (BENCH_SUITE). */
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../errors.ts'
import { isSkillFile } from '../skill/index.ts'
import { didYouMeanOrAny } from '../task/mistakes.ts'
import { skillFiles } from './skills.ts'
import { isSpecFile } from './spec-globs.ts'

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

async function filesOfPackage(): Promise<readonly string[]> {
  const folder = join(PACKAGE, 'tasks')
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const specs = paths.filter(path => path.endsWith('.bench.ts')).map(path => join(folder, path))
  return [...specs.filter(isSpecFile).sort(), ...(await skillFiles({ root: PACKAGE, skillDir: null }))]
}
