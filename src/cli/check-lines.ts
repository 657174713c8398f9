/** How the finding of a check reads. */
import { stripVTControlCharacters } from 'node:util'
import { escapeForTerminal } from '../../reporters/terminal.ts'
import { counted } from '../../reporters/why-text.ts'
import type { TaskCheck } from '../check/check-task.ts'

/** Messages of other programs may be coloured for a terminal: the colours are left out, anything else of that kind is shown. */
const inPlain = (text: string) => escapeForTerminal(stripVTControlCharacters(text))

/** A file that gives no task, and below it why. */
export function brokenLines(file: string, explanation: string): readonly string[] {
  return [`FAIL ${file}`, ...explanation.split('\n').map(line => `     ${line}`)].map(inPlain)
}

/** One line for the task, and below it what disagreed. */
export function checkLines(check: TaskCheck): readonly string[] {
  const seconds = check.isKnown ? 'unchanged' : `${(check.durationMs / 1_000).toFixed(1)} s`
  const name = check.mode === null ? check.task : `${check.task} (${check.mode})`
  if (check.status === 'skipped') return [`skip ${name}  ${inPlain(check.reasons.join('; '))}`]
  const { reference, nopScore, cheats, honest, steps } = check
  const parts = [
    `reference ${reference.passed}/${reference.trials}`,
    `nop ${nopScore ?? '?'}`,
    counted(cheats, 'cheat'),
    `${honest} honest`,
    counted(steps, 'step'),
    ...(check.instances > 0 ? [counted(check.instances, 'other instance')] : []),
    ...(check.judgesAnswer === false ? ['answer not judged'] : []),
  ]
  const line = `${check.status === 'ok' ? 'ok  ' : 'FAIL'} ${name}  ${parts.join(', ')}  ${seconds}`
  return [line, ...check.problems.map(({ about, problem }) => `     ${inPlain(`${about}: ${problem}`)}`)]
}
