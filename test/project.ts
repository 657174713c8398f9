/** A throw-away project outside this repository, on which the real Vitest runs the real plugin. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readSummaries } from '../src/results/read-summaries.fixture.ts'
import type { Summary } from '../src/results/summary-schema.ts'

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')

const CONFIG = `import { defineConfig } from 'vitest/config'
import { agentBench } from '${REPOSITORY}src/runner/plugin.ts'
export default defineConfig({ test: { projects: [{ plugins: [agentBench()], test: { name: 'bench' } }] } })
`

export interface Run {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly process: ChildProcess
  readonly ended: Promise<Run>
}

export interface Project extends AsyncDisposable {
  readonly dir: string
  /** Runs Vitest to its end: `vitest run --project bench …args` unless args begin with a command of their own. */
  run(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>
  /** Starts Vitest without waiting; in its own process group. */
  start(args?: readonly string[], env?: Readonly<Record<string, string>>): Started
  write(files: Readonly<Record<string, string>>): Promise<void>
  summaries(): Promise<readonly Summary[]>
  /** Names of the files in the results folder. */
  results(): Promise<readonly string[]>
}

/** Only what a program needs: no variable of the machine may steer a test. */
function environment(over: Readonly<Record<string, string>>): Record<string, string> {
  const base: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    NO_COLOR: '1',
    CI: '1',
    // Scripted servers play one script; tests of the examination take the variable away.
    BENCH_EXAMINE: '0',
  }
  for (const name of ['DOCKER_HOST', 'TMPDIR', 'LANG']) {
    const value = process.env[name]
    if (value !== undefined) base[name] = value
  }
  return { ...base, ...over }
}

const COMMANDS = ['run', 'list', 'bench', 'watch', 'dev', 'related']

export async function createProject(files: Readonly<Record<string, string>>): Promise<Project> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-bench-project-'))
  await symlink(join(REPOSITORY, 'node_modules'), join(dir, 'node_modules'))
  const write = async (more: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(more)) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), text)
    }
  }
  await write({ 'package.json': '{"type":"module","private":true}', 'vitest.config.ts': CONFIG, ...files })

  const start = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Started => {
    const words = COMMANDS.includes(args[0] ?? '') ? [...args] : ['run', '--project', 'bench', ...args]
    const child = spawn(process.execPath, [VITEST, ...words], {
      cwd: dir,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const output = Promise.all([textOf(child.stdout), textOf(child.stderr)])
    const ended = once(child, 'close').then(async ([status, signal]): Promise<Run> => {
      const [stdout, stderr] = await output
      return { status, signal, stdout, stderr }
    })
    return { process: child, ended }
  }

  return {
    dir,
    write,
    start,
    run: (args, env) => start(args, env).ended,
    summaries: async () => readSummaries(join(dir, 'results')).summaries.map(({ summary }) => summary),
    results: async () => (await readdir(join(dir, 'results')).catch(() => [])).sort(),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

/** A minimal task that passes with its reference and needs nothing but bash. */
export const HELLO_TASK = `import { defineTask } from 'agent-bench'
export default defineTask({
  id: 'hello_v1',
  prompt: 'Read name.txt and write a greeting for that person to out.txt.',
  setup: { 'name.txt': 'Ada Lovelace lives here\\n' },
  allowedWrites: ['out.txt'],
  verify: { greets: ({ text, check }) => check((text('out.txt') ?? '').includes('Ada'), 'out.txt names the person') },
  flags: {
    read: run => run.sawContentOf('name.txt'),
    greeted: run => run.verified('greets') && run.firstChange('out.txt'),
  },
  reference: async ({ read, write }) => {
    await read('name.txt')
    await write('out.txt', 'Hello Ada\\n')
    return 'done'
  },
})
`

/** Reads a text file of a project. */
export function readText(project: Project, path: string): Promise<string> {
  return readFile(join(project.dir, path), 'utf8')
}
