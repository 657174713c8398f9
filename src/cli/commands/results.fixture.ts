/** Commands that read results, called on a folder of their own. For tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import type { TrialRecord } from '../../results/record-schema.ts'
import { writeSummary } from '../../results/store.ts'
import { summarise } from '../../results/summary.ts'
import type { AddCommand } from '../command.ts'

export interface ResultsFixture extends Disposable {
  /** A new folder; its results are in `results`. */
  readonly dir: string
  /** Writes the summaries of these trials (into `results`, if no other folder is named) and gives back their paths. */
  write(records: readonly TrialRecord[], folder?: string): readonly string[]
  /** Calls the program with these arguments. */
  call(...args: string[]): Promise<{ readonly out: string; readonly err: string; readonly status: number }>
}

/** @param env variables the command sees; none by default */
export function resultsFixture(add: AddCommand, env: Readonly<Record<string, string>> = {}): ResultsFixture {
  const dir = mkdtempSync(join(tmpdir(), 'agent-bench-command-'))
  return {
    dir,
    write: (records, folder = 'results') =>
      summarise(records, { runId: 'r', k: 1, trials: 1 }).map(summary => writeSummary(join(dir, folder), summary)),
    async call(...args) {
      let out = ''
      let err = ''
      let status = 0
      const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
      add(program, {
        directory: dir,
        env,
        write: text => {
          out += text
        },
        writeError: text => {
          err += text
        },
        signal: new AbortController().signal,
        setStatus: next => {
          status = next
        },
      })
      await program.parseAsync(args, { from: 'user' })
      return { out, err, status }
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}
