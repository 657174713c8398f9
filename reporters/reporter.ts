/** What a report over finished trials is. Reporters know results, never the runner. */
import type { Summary } from '../src/results/summary.ts'
import type { Entrant, Field } from './standings.ts'

/** A run that has ended, normally or by a signal, with everything that was recorded. */
export interface FinishedRun {
  /** Absolute path of the results folder. */
  readonly resultsDir: string
  readonly summaries: readonly Summary[]
  /** What could not be read from the journals; one sentence each. */
  readonly notes: readonly string[]
  /** False when the agent was `reference` or `nop`, or the model answered from a recording. */
  readonly isModelResult: boolean
  /** What stopped the run before its end, or null. */
  readonly stopped: string | null
  /** A signal, Ctrl-C or `--bail` ended the run before all its trials were run. */
  readonly isInterrupted: boolean
  /** Why trials were skipped, with their number, most frequent first. */
  readonly skipped: readonly { readonly reason: string; readonly trials: number }[]
  /** Spec files that gave no task. */
  readonly brokenFiles: number
  /** What the process is going to end with. */
  readonly exitStatus: 0 | 1 | 2
  /** What was said of the run before the last word: by those who wrote files, and of the server. */
  readonly said: readonly string[]
  /** Called when results could not be written: such a run has not passed. */
  readonly onNotKept: () => void
  /** Colours may be used. */
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
}

/**
 * A report. `onRunEnd` is synchronous, because it also runs while the process is ending, when nothing that waits is
 * waited for.
 */
export interface RunReporter {
  readonly name: string
  /** Gives back what is to be printed, line by line. */
  onRunEnd(run: FinishedRun): readonly string[]
}

/** A report over all results of a folder: `agent-bench report <name>`. */
export interface FolderReport {
  readonly name: string
  readonly description: string
  /** Its file in the results folder; null = it goes to the terminal. */
  readonly file: string | null
  /** The whole report; null when there is nothing to show. */
  render(given: {
    /** Absolute path of the results folder. */
    readonly dir: string
    readonly field: Field
    /** Entrants that were named; null = the report's own choice. */
    readonly chosen: readonly Entrant[] | null
    readonly width: number
    readonly color: boolean
  }): string | null
}
