export { examine, PROBES, quickExamination, statusOf, verdictLine } from './examine.ts'
export { examineForRun } from './examine-for-run.ts'
export { ALARM, type Examination, findingLine, type Verdict } from './finding.ts'
export { findExamination, keepExamination, serverDigest } from './report-file.ts'
