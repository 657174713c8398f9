/** Which files are spec files: what a project includes and excludes, and what only looks like one. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadConfigFromFile, type PluginOption } from 'vite'
import type { ViteUserConfig as UserConfig } from 'vitest/config'
import { ConfigError } from '../errors.ts'

/** What a project collects that says nothing else. */
export const SPEC_GLOB = '**/*.bench.{ts,mts,js,mjs}'

/**
 * Files of this name may be Vitest's benchmarks as well: one that neither knows of agent-bench nor has a default export
 * is none of ours, and is left alone.
 */
export function isSpecFile(file: string): boolean {
  if (!/\.bench\.[cm]?[jt]s$/.test(file)) return true
  const text = readFileSync(file, 'utf8')
  return text.includes('agent-bench') || /\bexport\s+default\b|\bas\s+default\b/.test(text)
}

export interface SpecGlobs {
  /** Absolute path of the folder that the patterns are relative to. */
  readonly base: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

const CONFIG_FILES = ['vitest.config', 'vite.config'].flatMap(name =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(extension => `${name}.${extension}`),
)

/**
 * What the bench of a project collects, from its Vitest config: of the inline project that has our plugin, else of the root.
 * @throws ConfigError code `config_file_broken`
 */
export async function specGlobs(root: string): Promise<SpecGlobs> {
  const file = CONFIG_FILES.find(name => existsSync(join(root, name)))
  const config: UserConfig = file === undefined ? {} : await load(root, file)
  const own = (await projectWithPlugin(config.test?.projects ?? [])) ?? config
  return {
    base: resolve(root, own.root ?? config.root ?? '.', own.test?.dir ?? '.'),
    include: own.test?.include ?? [SPEC_GLOB],
    exclude: own.test?.exclude ?? [],
  }
}

async function load(root: string, file: string): Promise<UserConfig> {
  try {
    const env = { command: 'serve', mode: 'test' } as const
    // The usual loader writes into node_modules, which may belong to somebody else.
    const loaded = await loadConfigFromFile(env, join(root, file), root, 'silent', undefined, 'runner')
    return loaded?.config ?? {}
  } catch (error) {
    throw new ConfigError(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, {
      code: 'config_file_broken',
      remedy: `Correct ${file}; \`npx vitest list\` shows whether Vitest can read it.`,
      cause: error,
    })
  }
}

/** Projects that stand elsewhere (paths, functions) are not looked into. */
async function projectWithPlugin(projects: readonly unknown[]): Promise<UserConfig | null> {
  const isInline = (project: unknown): project is UserConfig => typeof project === 'object' && project !== null
  for (const project of projects) {
    if (isInline(project) && (await hasOurPlugin(project.plugins ?? []))) return project
  }
  return null
}

async function hasOurPlugin(option: PluginOption): Promise<boolean> {
  const plugin = await option
  if (!Array.isArray(plugin)) return typeof plugin === 'object' && plugin !== null && plugin.name === 'agent-bench'
  for (const one of plugin) if (await hasOurPlugin(one)) return true
  return false
}
