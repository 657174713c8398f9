/** The one line that installs the bench in a Vitest project: `plugins: [agentBench()]`. Runs in the main process. */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { inspect } from 'node:util'
import type { Plugin } from 'vite'
import type { TestProject, Vitest } from 'vitest/node'
import { printable } from '../../reporters/terminal.ts'
import { needsModel } from '../agents/index.ts'
import { ConfigError, explainError } from '../errors.ts'
import './provided.ts'
import { BenchReporter } from './bench-reporter.ts'
import { MergeReporter } from './merge-reporter.ts'
import { projectsOfModels } from './model-projects.ts'
import { nameOfSetting } from './model-settings.ts'
import { defaultOf, neighbour, SPEC_ALIAS, withModules } from './modules.ts'
import { withChosenModel } from './pick-model.ts'
import { collectOnlyOurs, takeFilters } from './select-files.ts'
import { type BenchConfig, readSettings, type Settings, skillLimitsOf } from './settings.ts'
import { watchedForks } from './silence-watch.ts'
import { skillModules } from './skill-modules.ts'
import { collectSkills } from './skills.ts'
import { SPEC_GLOB } from './spec-globs.ts'

export const CONFIG_FILE = 'bench.config.ts'

/** The default export of the project's `bench.config.ts`; undefined without one. @throws ConfigError code `config_file_broken` */
export async function loadConfigFile(root: string): Promise<unknown> {
  const file = join(root, CONFIG_FILE)
  if (!existsSync(file)) return undefined
  try {
    return defaultOf(await withModules(root, importModule => importModule(file)))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(
      `${CONFIG_FILE} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      {
        code: 'config_file_broken',
        remedy: `Correct ${CONFIG_FILE}; it exports \`defineConfig({ … })\` as its default.`,
        cause: error,
      },
    )
  }
}

/**
 * Ends Vitest's start with an error. It prints what was thrown with its stack; for a mistake of the user's, message and
 * remedy are all there is to say, and the exit status says that no run could be made.
 */
function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  process.exitCode = 2
  const text = printable(`agent-bench cannot run: ${explainError(error)}`)
  throw Object.assign(new Error(text), { stack: text, [inspect.custom]: () => text })
}

/** Ends a run of Vitest that has begun: it would print what is thrown as its own error, with status 1. */
function refuseToRun(error: ConfigError): never {
  process.stderr.write(`${printable(`agent-bench cannot run: ${explainError(error)}`)}\n`)
  process.exit(2)
}

/** A scripted agent runs once, however many models are set. */
function measuresModels({ agent }: Settings): boolean {
  return agent === null || needsModel(agent)
}

/** Reporters that show a run to somebody who reads our matrix, too; any other must itself show what was lost. */
const TERMINAL_REPORTERS = ['default', 'dot', 'tree', 'minimal']

function isOnlyTerminal({ config }: Vitest): boolean {
  return config.reporters.every(one => TERMINAL_REPORTERS.includes(String(Array.isArray(one) ? one[0] : one)))
}

/** Settings that make a project safe for trials whatever the command line says. */
function configureProject(project: TestProject, settings: Settings, endedWorkers: string[]): void {
  const { config } = project
  config.runner = neighbour('bench-runner')
  config.testTimeout = 0
  config.hookTimeout = 0
  config.retry = 0
  config.sequence.concurrent = false
  config.maxWorkers = settings.workers
  if (config.pool === 'forks') {
    config.poolRunner = watchedForks(why => endedWorkers.push(why))
    config.pool = config.poolRunner.name
  }
}

/**
 * Makes a Vitest project a bench: spec files (`*.bench.ts` unless `include` says otherwise) become tasks, their trials tests.
 * `options` are settings of the run; `bench.config.ts` and BENCH_* variables override them.
 * @example
 * // vitest.config.ts
 * export default defineConfig({ test: { projects: [{ plugins: [agentBench()], test: { name: 'bench' } }] } })
 */
export function agentBench(options: BenchConfig = {}): Plugin {
  const skills = new Set<string>()
  return {
    name: 'agent-bench',
    ...skillModules(skills),
    config: ({ test }) => ({
      resolve: { alias: SPEC_ALIAS },
      test: {
        ...(test?.include === undefined ? { include: [SPEC_GLOB] } : {}),
        pool: 'forks' as const,
        isolate: false,
        fileParallelism: false,
        sequence: { groupOrder: 1 },
      },
    }),
    async configureVitest({ vitest, project, injectTestProjects }) {
      try {
        if (vitest.config.mode === 'benchmark')
          return await collectOnlyOurs(vitest, project, { suite: null, profile: null, skills: [] })
        const { root } = vitest.config
        const config = await loadConfigFile(root)
        const merged = config === undefined ? options : typeof config === 'object' ? { ...options, ...config } : config
        const isMerge = vitest.config.mergeReports !== undefined
        const given = readSettings(merged, CONFIG_FILE, process.env)
        const settings = measuresModels(given) && !isMerge ? await withChosenModel(given) : given
        const models = measuresModels(settings) ? settings.models : settings.models.slice(0, 1)
        const endedWorkers: string[] = []
        const projects = await projectsOfModels(project, models, { vitest, injectProjects: injectTestProjects })
        for (const { project, setting } of projects) {
          configureProject(project, settings, endedWorkers)
          const files = await collectSkills(vitest, project, { root, skillDir: settings.skillDir })
          for (const file of files) skills.add(file)
          const { suite, profile } = settings
          await collectOnlyOurs(vitest, project, { suite, profile, skills: files })
          const model = projects.length > 1 ? nameOfSetting(setting) : null
          const { k, trials, mode, instance } = settings
          const choice = { mode, instance }
          const isBrief = isOnlyTerminal(vitest)
          const shared = { root, k, trials, isBrief, choice, skillLimits: skillLimitsOf(settings) }
          project.provide('agentBenchSettings', { ...shared, model })
        }
        if (isMerge) return void vitest.config.reporters.push(new MergeReporter() as never)
        const { suite } = settings
        takeFilters(
          vitest,
          projects.map(one => one.project),
          { suite, refuse: refuseToRun },
        )
        const resultsDir = isAbsolute(settings.resultsDir) ? settings.resultsDir : join(root, settings.resultsDir)
        vitest.config.reporters.push(new BenchReporter({ settings, projects, root, resultsDir, endedWorkers }) as never)
      } catch (error) {
        refuseToStart(error)
      }
    },
  }
}

export default agentBench
