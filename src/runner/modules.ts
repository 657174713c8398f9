/** TypeScript modules of a project, imported the way Vitest does, with `agent-bench` meaning this package. */
import { fileURLToPath } from 'node:url'
import { createRunnableDevEnvironment, isRunnableDevEnvironment, resolveConfig } from 'vite'

/** A neighbour of this file, as source (`.ts`) or built (`.js`). */
export function neighbour(name: string): string {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  return fileURLToPath(new URL(`${name}${extension}`, import.meta.url))
}

/** `agent-bench`, as spec files and `bench.config.ts` import it, is this very package. Longer names first: an alias matches what stands below it, too. */
export const SPEC_ALIAS = {
  'agent-bench/checks': neighbour('../checks/index'),
  'agent-bench/proving': neighbour('../proving/index'),
  'agent-bench': neighbour('../index'),
}

/** @param path absolute */
type ImportModule = (path: string) => Promise<unknown>

/** Opens one graph of modules, in which what two of them import is the same, for as long as `work` takes. */
export async function withModules<Result>(
  root: string,
  work: (importModule: ImportModule) => Promise<Result>,
): Promise<Result> {
  const config = await resolveConfig(
    {
      root,
      configFile: false,
      envDir: false,
      logLevel: 'error',
      resolve: { alias: SPEC_ALIAS },
      // Older Node versions know no `using`, which our own source has.
      oxc: { target: 'node20' },
      environments: {
        spec: { consumer: 'server', dev: { moduleRunnerTransform: true }, resolve: { external: true } },
      },
    },
    'serve',
  )
  const environment = createRunnableDevEnvironment('spec', config, {
    runnerOptions: { hmr: { logger: false } },
    hot: false,
  })
  await environment.init()
  if (!isRunnableDevEnvironment(environment)) throw new Error('Vite gave an environment that runs nothing')
  try {
    return await work(path => environment.runner.import(path))
  } finally {
    await environment.close()
  }
}

/** The default export of what a module gave; undefined without one. */
export function defaultOf(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
}
