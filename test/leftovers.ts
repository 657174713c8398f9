/** What a run leaves behind on the machine: containers by the run's label, processes by a mark in their environment. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Name of a variable that marks all processes of one test; not of the product's own, which would refuse it. */
const MARK = 'AGENT_BENCH_TEST_MARK'

export const markedWith = (mark: string): Readonly<Record<string, string>> => ({ [MARK]: mark })

/** Ids of all runs that opened a journal below a results folder. */
export function runIdsIn(resultsDir: string): ReadonlySet<string> {
  return new Set(namesIn(join(resultsDir, 'journal')).map(name => name.split('.')[0] ?? name))
}

/** Names in a folder; none when it is not there. */
function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Ids of containers, in whatever state, of the given runs. */
export function containersOf(runIds: Iterable<string>): readonly string[] {
  const wanted = new Set(runIds)
  const format = '{{.ID}} {{.Label "agent-bench.run"}}'
  const text = execFileSync('docker', ['ps', '-a', '--filter', 'label=agent-bench.run', '--format', format], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return text
    .split('\n')
    .filter(line => wanted.has(line.split(' ')[1] ?? ''))
    .map(line => line.split(' ')[0] ?? '')
}

/** Ids of living processes that carry a mark; zombies, which only wait for their parent, are none. */
export function processesWith(mark: string): readonly number[] {
  return namesIn('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      const environment = readGone(`/proc/${pid}/environ`)
      return environment.includes(`${MARK}=${mark}`) && !/^\d+ \(.*\) Z /s.test(readGone(`/proc/${pid}/stat`))
    })
    .map(Number)
}

/** Text of a file of /proc; empty when its process has just gone, or belongs to somebody else. */
function readGone(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code)))
      return ''
    throw error
  }
}

/** Whether a condition comes to hold within so many milliseconds. */
export async function eventually(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await condition()) return true
    await sleep(50)
  }
  return condition()
}

/** What is left of runs after at most `withinMs`; both empty when everything has gone. */
export async function leftovers(
  options: { readonly resultsDir: string; readonly mark: string },
  withinMs: number,
): Promise<{ readonly containers: readonly string[]; readonly processes: readonly number[] }> {
  const look = () => ({
    containers: containersOf(runIdsIn(options.resultsDir)),
    processes: processesWith(options.mark),
  })
  const isClean = () => {
    const { containers, processes } = look()
    return containers.length + processes.length === 0
  }
  await eventually(isClean, withinMs)
  return look()
}
