/** Records of trials as they are on disk. */
import { readAllJournals } from '../src/results/journal.ts'
import type { TrialRecord } from '../src/results/record-schema.ts'

/** All records below a results folder, whichever run wrote them; lines that are cut off are left out. */
export const recordsIn = (resultsDir: string): readonly TrialRecord[] => readAllJournals(resultsDir).records
