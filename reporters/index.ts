/** The reports of a run and of a results folder, in order. A new one is a row here and a file beside it. */
import { closingReporter } from './closing.ts'
import { jsonReporter } from './json.ts'
import { matrixReport, matrixReporter } from './matrix.ts'
import { radarReport, radarReporter } from './radar.ts'
import type { FolderReport, RunReporter } from './reporter.ts'

/**
 * They write files, before anything is printed: printing may fail when whoever reads us is gone, and the matrix reads
 * what the others wrote.
 */
export const WRITERS: readonly RunReporter[] = [jsonReporter, radarReporter]

/** They only say something. The last one also repeats what the writers said. */
export const PRINTERS: readonly RunReporter[] = [matrixReporter, closingReporter]

/** What `agent-bench report` shows of a results folder. */
export const REPORTS: readonly FolderReport[] = [radarReport, matrixReport]
