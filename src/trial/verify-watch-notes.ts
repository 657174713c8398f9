/** What the watching thread of a worker leaves for the main process when it has to end the worker. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const prefixOf = (runId: string) => `.ended-${runId}-`

/** Where a worker's note lies. */
export function noteOfWorker(resultsDir: string, runId: string, pid: number): string {
  return join(resultsDir, `${prefixOf(runId)}${pid}.txt`)
}

/** Why workers of a run were ended, in words for who runs it; null when none was. The notes are gone afterwards. */
export function whyWorkersEnded({ resultsDir, runId }: { resultsDir: string; runId: string }): string | null {
  if (!existsSync(resultsDir)) return null
  const notes = readdirSync(resultsDir)
    .filter(name => name.startsWith(prefixOf(runId)))
    .sort()
    .map(name => takeNote(join(resultsDir, name)))
  return notes.length === 0 ? null : notes.join('\n')
}

/** Two lines: what happened, and the remedy. */
function takeNote(path: string): string {
  const note = readFileSync(path, 'utf8')
  rmSync(path, { force: true })
  return note.trim()
}
