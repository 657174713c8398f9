/** What the watching thread of a worker leaves for the main process when it has to end the worker. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const prefixOf = (runId: string) => `.ended-${runId}-`

/** Where a worker's note lies. */
export function noteOfWorker(resultsDir: string, runId: string, pid: number): string {
  return join(resultsDir, `${prefixOf(runId)}${pid}.json`)
}

/** Why workers of a run were ended, in words for who runs it; null when none was. The notes are gone afterwards. */
export function whyWorkersEnded(run: { readonly resultsDir: string; readonly runId: string }): string | null {
  const notes = readdirSync(run.resultsDir)
    .filter(name => name.startsWith(prefixOf(run.runId)))
    .sort()
    .map(name => takeNote(join(run.resultsDir, name)))
  if (notes.length === 0) return null
  return notes.map(({ problem, remedy }) => `${problem}, and its worker was ended\nremedy: ${remedy}`).join('\n')
}

function takeNote(path: string): { readonly problem: string; readonly remedy: string } {
  const note: unknown = JSON.parse(readFileSync(path, 'utf8'))
  rmSync(path, { force: true })
  const { problem, remedy } = { problem: '', remedy: '', ...(typeof note === 'object' ? note : {}) }
  return { problem: String(problem), remedy: String(remedy) }
}
