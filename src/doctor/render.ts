import { stripVTControlCharacters } from 'node:util'
import type { Examination } from './examine.ts'
import { doubtOf, type Finding } from './finding.ts'

/** Words of a server are data: no escape sequence of theirs reaches a terminal, and a finding stays one line. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ')
}

/** One line: verdict, probe, what was found, what it does to results, and the fix. */
export function findingLine(finding: Finding): string {
  const effect = finding.effect === null ? '' : ` → ${finding.effect}`
  const remedy = finding.remedy === null ? '' : ` | fix: ${finding.remedy}`
  return `${finding.verdict.padEnd(8)}  ${finding.probe.padEnd(16)}  ${plain(`${finding.found}${effect}${remedy}`)}`
}

/** What the findings come to, one line. */
export function verdictLine(examination: Examination): string {
  const count = (verdict: Finding['verdict']): number =>
    examination.findings.filter(finding => finding.verdict === verdict).length
  const numbers = `${count('ok')} ok, ${count('degraded')} degraded, ${count('broken')} broken, ${count('unclear')} unclear`
  const doubt = examination.findings.map(doubtOf).find(text => text !== null)
  const meaning =
    doubt !== undefined
      ? `not fit to be measured until it is fixed: ${doubt}, and not about the model`
      : {
          ok: 'fit to be measured',
          degraded: 'can be measured; mind what is said above',
          broken: 'not fit to be measured: its results would be about the server until it is fixed',
          unclear: 'nothing could be found out',
        }[examination.verdict]
  return `${plain(examination.model)} at ${plain(examination.baseUrl)}: ${meaning} (${numbers}; ${(examination.elapsedMs / 1_000).toFixed(1)} s)`
}
