/** Reads all results of a folder, for tests. */
import { readSummary, summaryFiles } from './store.ts'
import type { Summary } from './summary.ts'

interface ReadSummaries {
  readonly summaries: readonly { readonly file: string; readonly summary: Summary }[]
  /** Files named like summaries that cannot be used, with the reason. */
  readonly broken: readonly { readonly file: string; readonly reason: string }[]
}

/** Oldest run first. */
export function readSummaries(dir: string): ReadSummaries {
  const summaries: { file: string; summary: Summary }[] = []
  const broken: { file: string; reason: string }[] = []
  for (const file of summaryFiles(dir)) {
    const read = readSummary(file)
    if (read.ok) summaries.push({ file, summary: read.summary })
    else broken.push({ file, reason: read.reason })
  }
  const place = ({ file, summary }: { file: string; summary: Summary }) => `${summary.started_at} ${file}`
  summaries.sort((one, other) => (place(one) < place(other) ? -1 : 1))
  return { summaries, broken }
}
