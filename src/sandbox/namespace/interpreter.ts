/** Finding a Python on the host that can run the executor and the agent's programs, best one that has pytest. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError } from '../../errors.ts'
import type { HostInterpreter } from '../sandbox.ts'

const PROBE_DEADLINE_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_CANDIDATES = 24
/** Directories that are looked into besides those of PATH. */
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/home/linuxbrew/.linuxbrew/bin']
const OLDEST = 10

/**
 * The interpreter to use: the first on PATH that has pytest, else the first that is new enough.
 * @throws ConfigError `no_python`
 */
export async function findInterpreter(environment: NodeJS.ProcessEnv = process.env): Promise<HostInterpreter> {
  const candidates = candidatesOf(environment)
  let fallback: HostInterpreter | null = null
  for (const candidate of candidates) {
    const found = await probe(candidate)
    if (found === null) continue
    if (found.pytest !== null) return found
    fallback ??= found
  }
  if (fallback !== null) return fallback
  throw new ConfigError(
    `no Python 3.${OLDEST} or newer was found (looked at ${candidates.length === 0 ? 'nothing' : candidates.join(', ')})`,
    {
      code: 'no_python',
      remedy: `Install Python 3.${OLDEST} or newer, best with pytest, and put it on PATH.`,
    },
  )
}

/** Programs called python3 or python3.N, in the order in which they are tried; links to one program count once. */
export function candidatesOf(environment: NodeJS.ProcessEnv): readonly string[] {
  const folders = [
    ...(environment.PATH ?? '').split(delimiter).filter(folder => folder.startsWith('/')),
    ...USUAL_FOLDERS,
  ]
  const plain: string[] = []
  const versioned: string[] = []
  const seen = new Set<string>()
  for (const folder of folders) {
    for (const name of pythonsIn(folder)) {
      const path = join(folder, name)
      const real = programAt(path)
      if (real === null || seen.has(real)) continue
      seen.add(real)
      ;(name === 'python3' ? plain : versioned).push(path)
    }
  }
  return [...plain, ...versioned].slice(0, MAX_CANDIDATES)
}

function pythonsIn(folder: string): readonly string[] {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    // PATH often names directories that are absent or closed.
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
  const isNewEnough = (name: string) => Number(/^python3\.(\d+)$/.exec(name)?.[1] ?? -1) >= OLDEST
  const versioned = names.filter(isNewEnough).sort((a, b) => Number(b.split('.')[1]) - Number(a.split('.')[1]))
  return names.includes('python3') ? ['python3', ...versioned] : versioned
}

/** Where a program really is. A start script (of pyenv, say) is not a link: it counts for itself. */
function programAt(path: string): string | null {
  try {
    const real = realpathSync(path)
    if (!statSync(real).isFile()) return null
    // A link `python3` beside one `python3.12` may belong to a virtual environment, which has other packages.
    return path.includes('/bin/') && isInEnvironment(path) ? path : real
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}

function isInEnvironment(path: string): boolean {
  return statSync(join(path, '../../pyvenv.cfg'), { throwIfNoEntry: false }) !== undefined
}

const run = promisify(execFile)

/** What an interpreter says of itself; null when it does not work or is too old. */
async function probe(path: string): Promise<HostInterpreter | null> {
  const source = readFileSync(new URL('probe.py', import.meta.url), 'utf8')
  try {
    const { stdout } = await run(path, ['-c', source], {
      cwd: '/',
      timeout: PROBE_DEADLINE_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_ANSWER_BYTES,
    })
    return parseAnswer(stdout)
  } catch (error) {
    // A start script without its interpreter, a broken installation, a program for another machine: the next one is tried.
    if (error instanceof Error) return null
    throw error
  }
}

/** Reads the line that probe.py prints; null when the interpreter is too old. */
export function parseAnswer(line: string): HostInterpreter | null {
  const answer: unknown = JSON.parse(line)
  if (typeof answer !== 'object' || answer === null) return null
  const { version, executable, prefix, pytest, packages }: Record<string, unknown> = { ...answer }
  if (!isVersion(version) || version[0] !== 3 || version[1] < OLDEST) return null
  if (typeof executable !== 'string' || typeof prefix !== 'string') return null
  if (pytest !== null && typeof pytest !== 'string') return null
  if (!Array.isArray(packages)) return null
  return {
    version: version.join('.'),
    executable,
    prefix,
    pytest,
    packages: packages.filter(folder => typeof folder === 'string'),
  }
}

function isVersion(value: unknown): value is [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every(part => Number.isInteger(part))
}
