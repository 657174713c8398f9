/** The log of the failing run that `tdd_strict_v1` asks for: is it what a session of pytest printed? */
import { stripVTControlCharacters } from 'node:util'
import type { Moment, Run } from 'agent-bench'
import { CODE, callBefore, redBeforeCode, type TestedFunction, testsBeforeCode } from './test-first.ts'

export const LOG = 'red.log'

/** Lines that pytest prints about tests that fail or cannot be collected, in whatever part of its output was kept. */
const LINES_OF_A_FAILURE: readonly RegExp[] = [
  /^(?:=+ )?(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in \d[\d.]*s/,
  /^=+ (?:FAILURES|ERRORS) =+$/,
  /^_+ ERROR collecting test_\w+\.py _+$/,
  /^(?:FAILED|ERROR) test_\w+\.py/,
  /^E {2,}\w*(?:ModuleNotFound|Import|Name|Assertion)Error\b/,
]
const linesOf = (text: string): string[] => stripVTControlCharacters(text).split(/\r?\n/)
const failureLines = (text: string): string[] =>
  linesOf(text).filter(line => LINES_OF_A_FAILURE.some(pattern => pattern.test(line)))

/** Without white space, escapes and how long it took, so that a line can be found again wherever it was typed or shown. */
const bare = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\\[nt]/g, '')
    .replace(/ in \d[\d.]*s/g, '')
    .replace(/[\s\\]+/g, '')
const holdsLine = (text: string, line: string): boolean => bare(text).includes(bare(line))

/**
 * When the output of a failing run was kept: a run of tests that were there before the code, seen up to the call that left
 * the log, or seen by reading the log itself. All of it in earlier calls than the code, and the log as it is in the end.
 */
export function failureLogged(run: Run, tested: TestedFunction): Moment | false {
  const tests = testsBeforeCode(run, tested)
  const code = tests && run.firstExists(CODE)
  if (!tests || !code || !redBeforeCode(run, tested)) return false
  const final = run.finalText(LOG) ?? ''
  if (failureLines(final).length === 0) return run.because(`${LOG} holds no failure of pytest in the end`)
  const log = run.firstText(LOG, text => text === final)
  if (!log) return false
  if (log.call >= code.call) return run.because(`${LOG} was written or changed in no earlier call than ${CODE}`)
  if (run.firstCall(({ written }) => changes(written, final), { after: code }))
    return run.because(`${LOG} was changed after ${CODE} was there`)
  const seen =
    run.sawTestsFail({ after: tests, before: log }) || run.sawContentOf(LOG, { after: log, before: callBefore(code) })
  return seen && isPrinted(run, final, tests, log) && log
}

const changes = (written: ReadonlyMap<string, string>, final: string): boolean =>
  written.has(LOG) && written.get(LOG) !== final

/**
 * Is the log what was printed? No line of a failure in it was typed before it had been shown; and where results showed the
 * failure, rather than that the output went into a file, the log has a line in common with them.
 */
function isPrinted(run: Run, log: string, tests: Moment, logged: Moment): boolean {
  const lines = failureLines(log)
  const shown = (line: string) =>
    run.firstCall(({ result }) => holdsLine(result, line), { after: tests, before: logged })
  for (const line of lines) {
    const typed = run.firstCall(({ sent }) => sent.some(text => holdsLine(text, line)), { before: logged })
    const printed = typed && shown(line)
    if (typed && !(printed && printed.call < typed.call))
      return run.because(`${LOG} holds what was typed in call ${typed.call} and not printed before: ${line}`)
  }
  const failure = run.firstCall(({ result }) => failureLines(result).length > 0, { after: tests, before: logged })
  if (failure && !lines.some(line => shown(line)))
    return run.because(`${LOG} has no line in common with the failure that call ${failure.call} showed`)
  return true
}
