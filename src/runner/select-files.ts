/** Which spec files a run collects: by the project, BENCH_SUITE, BENCH_PROFILE, and the filters of the command line. */
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { TestProject, Vitest } from 'vitest/node'
import { ConfigError } from '../errors.ts'
import { didYouMeanOrAny } from '../task/mistakes.ts'
import type { Settings } from './settings.ts'
import { isSpecFile } from './spec-globs.ts'
import { filesNamed, filesOfSuites, NO_TASK_REMEDY, ofProfile, runsByDefault } from './suites.ts'
import { asFileFilter, taskIdIn } from './task-ids.ts'

/**
 * Files that only have the name of spec files are not collected, and no other files in benchmark mode; of ours, the suites
 * and the profile that are asked for.
 * @throws ConfigError code `benchmark_mode` when there is no benchmark either; as {@link filesOfSuites} and {@link ofProfile}
 */
export async function collectOnlyOurs(
  vitest: Vitest,
  project: TestProject,
  { suite, profile, skills }: Pick<Settings, 'suite' | 'profile'> & { readonly skills: readonly string[] },
): Promise<void> {
  // The list is the project's own: what is taken out of it is not collected.
  const { testFiles } = await project.globTestFiles()
  const isBenchmark = vitest.config.mode === 'benchmark'
  // A glob passes over links to nowhere, of which the user has to hear.
  const linked = skills.filter(file => !existsSync(file))
  const named = [...testFiles, ...linked].filter(file => isSpecFile(file) !== isBenchmark)
  const kept = isBenchmark ? named : await ofProfile(await filesOfSuites(named, suite), vitest.config.root, profile)
  testFiles.splice(0, testFiles.length, ...kept)
  if (!isBenchmark || kept.length > 0) return
  throw new ConfigError('`vitest bench` measures the speed of functions; this project measures models', {
    code: 'benchmark_mode',
    remedy: `Run \`npx vitest run --project bench\` instead.`,
  })
}

/**
 * Vitest's filters are parts of paths; ours may be ids of tasks, too, as they stand in every table, and what this package
 * brings. Without filters, suites that run only when they are named are left out. A filter that nothing fits ends the run,
 * and so does a project in which there is nothing to run.
 * @param refuse ends a run of Vitest that has begun
 */
export function takeFilters(
  vitest: Vitest,
  projects: readonly TestProject[],
  { suite, refuse }: { readonly suite: string | null; readonly refuse: (error: ConfigError) => never },
): void {
  const { passWithNoTests, changed, related } = vitest.config
  // What was edited is chosen by that, whatever its suite says.
  const leavesOut = suite === null && (changed === undefined || changed === false) && related === undefined
  const isThere = async (filters: string[]) => {
    const found = await Promise.all(vitest.projects.map(one => one.globTestFiles(filters)))
    return found.some(({ testFiles, typecheckTestFiles }) => testFiles.length + typecheckTestFiles.length > 0)
  }
  const asFiles = async (filters: readonly string[] = []) => {
    const lists = await Promise.all(projects.map(async project => (await project.globTestFiles()).testFiles))
    const [known = []] = lists
    const include = projects[0]?.config.include ?? []
    if (filters.length === 0) {
      const files = [...known]
      if (leavesOut) for (const list of lists) list.splice(0, list.length, ...list.filter(runsByDefault))
      if (!passWithNoTests && !(await isThere([]))) refuse(nothingHere({ include, files }))
      return []
    }
    const asked: string[] = []
    for (const given of filters) {
      const filter = asFileFilter(given, known)
      const isKnown = await isThere([filter.replace(/:\d+$/, '')])
      const brought = isKnown ? [] : await filesNamed(given)
      for (const files of lists) files.push(...brought.filter(file => !files.includes(file)))
      if (!isKnown && brought.length === 0 && !passWithNoTests) refuse(noSuchTask(given, { include, files: known }))
      asked.push(...(brought.length > 0 ? brought : [filter]))
    }
    return asked
  }
  const start = vitest.start.bind(vitest)
  vitest.start = async filters => start(await asFiles(filters))
  const collect = vitest.collect.bind(vitest)
  vitest.collect = async (filters, options) => collect(await asFiles(filters), options)
  const list = vitest.getRelevantTestSpecifications.bind(vitest)
  vitest.getRelevantTestSpecifications = async filters => list(await asFiles(filters))
}

function noSuchTask(filter: string, { include, files }: Here): ConfigError {
  const ids = files.map(taskIdIn).filter(id => id !== null)
  const message = `no task is called ${JSON.stringify(filter)}, and no file has that in its path`
  const remedy = ids.length === 0 ? noTaskRemedy(include) : didYouMeanOrAny(filter, ids)
  return new ConfigError(message, { code: 'no_task', remedy })
}

/** Nothing is run without being named. */
function nothingHere({ include, files: [first] }: Here): ConfigError {
  if (first === undefined) {
    return new ConfigError('there is no task here', { code: 'no_task', remedy: noTaskRemedy(include) })
  }
  const suite = basename(dirname(first))
  return new ConfigError('every suite here runs only when it is named', {
    code: 'no_task',
    remedy: `Name one, for example BENCH_SUITE=${suite}; \`all\` runs every suite.`,
  })
}

/** What there is in a project, suites that are run only when they are named included. */
interface Here {
  readonly include: readonly string[]
  readonly files: readonly string[]
}

const noTaskRemedy = (include: readonly string[]) => `${NO_TASK_REMEDY} Now \`include\` is ${include.join(', ')}.`
