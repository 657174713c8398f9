/**
 * Test sessions of a trial: what the pytest witness reported, and when the model could see it.
 * The witness runs with the model's own rights, so a session is corroborated, not proved: see `SessionCheck`.
 */
import { posix } from 'node:path'
import type { TestReport } from '../sandbox/sandbox.ts'
import type { Moment } from '../task/run.ts'
import { normaliseText } from './lines.ts'
import { type LoggedCall, momentOf, type TrialLog } from './log.ts'
import { stringsIn } from './reading.ts'
import { viewsOfTyped } from './views.ts'
import { WORKSPACE } from './workspace.ts'

/** `broken`: interrupted, usage error or internal error without a failing test; `empty`: no test ran; `died`: never finished. */
type SessionOutcome = 'passed' | 'failed' | 'empty' | 'broken' | 'died'

/** One session of a call, as its reports tell it. */
export interface CallSession {
  readonly outcome: SessionOutcome
  /** null when it died before it finished. */
  readonly finish: TestReport | null
  /** Position of its last report in the call's test reports. */
  readonly position: number
  /** Directory it was about: the workspace, or another, which may be a copy of it. */
  readonly place: string
}

export interface TestSession extends CallSession {
  /** When it ran. */
  readonly ran: Moment
  /** When the outcome was visible to the model: this call, a later one, or null for never. Only for passed and failed. */
  readonly seen: Moment | null
  /** Was its claim checked and found wrong, and why? Then it does not count. */
  readonly refutation: string | null
  /** What it did, as text. */
  readonly summary: string
}

function outcomeOf(finish: TestReport | null): SessionOutcome {
  if (finish === null) return 'died'
  const failing = finish.failed + finish.errors
  if (finish.status === 1 || failing > 0) return 'failed'
  if (finish.status === 0) return finish.passed >= 1 ? 'passed' : 'empty'
  return finish.status === 5 ? 'empty' : 'broken'
}

function summaryOf(call: number, finish: TestReport | null): string {
  if (finish === null) return `the test session in call ${call} died before it finished`
  const counts = (['failed', 'errors', 'passed', 'skipped'] as const)
    .filter(name => finish[name] > 0)
    .map(name => `${finish[name]} ${name}`)
  return `tests ran in call ${call}: ${counts.length > 0 ? counts.join(', ') : 'none'} (status ${finish.status})`
}

const isBelowWorkspace = (directory: string) => {
  const clean = posix.normalize(directory)
  return clean === WORKSPACE || clean.startsWith(`${WORKSPACE}/`)
}

interface PairedReports {
  readonly first: TestReport
  finish: TestReport | null
  position: number
}

/** Pairs the reports of one call by process; a finish without a start counts, a start without a finish died. */
function pairReports(reports: readonly TestReport[]): readonly PairedReports[] {
  const sessions: PairedReports[] = []
  const open = new Map<number, PairedReports>()
  for (const [position, report] of reports.entries()) {
    if (!mayRunPytest(report.sender)) continue
    const pid = report.sender.pid
    const started = open.get(pid)
    if (report.event === 'finish' && started !== undefined) {
      started.finish = report
      started.position = position
      open.delete(pid)
      continue
    }
    const session = { first: report, finish: report.event === 'finish' ? report : null, position }
    sessions.push(session)
    if (report.event === 'start') open.set(pid, session)
  }
  return sessions
}

/** The test sessions of a call: those about `/workspace`, and failing ones elsewhere, which may have run in a copy of it. */
function callSessions(call: LoggedCall): readonly CallSession[] {
  return pairReports(call.testReports)
    .map(({ first, finish, position }) => ({ outcome: outcomeOf(finish), finish, position, place: placeOf(first) }))
    .filter(({ outcome, place }) => place === WORKSPACE || outcome === 'failed')
}

// --- What the model could see -----------------------------------------------------------------------------------

/** Lines that pytest prints about failures, recognisable wherever they are shown. */
const FAILURE_LINES: readonly RegExp[] = [
  /\b[1-9]\d* (?:failed|errors?)\b/,
  /^=+ (?:FAILURES|ERRORS) =+$/,
  /\bshort test summary info\b/,
  /^(?:FAILED|ERROR) \S*(?:\.py|::)/,
  /::\S+ (?:FAILED|ERROR)\b/,
  /^E {1,}\S/,
  /^(?:\S+\.py )?(?=[.sxX]*[FE])[.FEsxX]+ \[ ?\d+%\]$/,
]
/** In the result of the test run itself any word of failure will do (wrappers and make print their own). */
const FAILURE_WORD = /\b(?:fail(?:ed|ures?|ing)?|errors?)\b/i
const NO_FAILURE = /\b(?:0|no) (?:fail(?:ed|ures?)|errors?)\b/i
const PASS_LINES = [/\b[1-9]\d* passed\b/, /::\S+ PASSED\b/, /^(?:\S+\.py )?[.sxX]*\.[.sxX]* \[ ?\d+%\]$/]
/** What a command line prints by the outcome of the tests alone: `pytest … && echo TEXT`, `if … then`, `|| echo`, `else`. */
const MESSAGES = {
  passed: /py\.?test[\s\S]*?(?:&&|\bthen\b)\s*(?:echo|printf)\s+['"]?([^'"\n;|&]+)/,
  failed: /py\.?test[\s\S]*?(?:\|\||\belse\b)\s*(?:echo|printf)\s+['"]?([^'"\n;|&]+)/,
}
const PRINTS_STATUS = /py\.?test[\s\S]*\b(?:echo|printf)\b[^;\n]*\$\?/

/** Does the result of the call that ran the tests show how they ended by what the command line makes of their status? */
function showsStatus({ args, delivered }: LoggedCall, outcome: 'passed' | 'failed'): boolean {
  const command = typeof args.command === 'string' ? args.command : ''
  const message = MESSAGES[outcome].exec(command)?.[1]?.trim()
  return PRINTS_STATUS.test(command) || (message !== undefined && delivered.includes(message))
}

/**
 * Had the exit status been another if tests had failed? The last command decides it, unless `||`, a pipe or `&` hides what
 * the tests did: of `pytest || true` a status of 0 says nothing.
 */
function decidesStatus({ args }: LoggedCall): boolean {
  const command = typeof args.command === 'string' ? args.command : ''
  const statements = command
    .replace(/\d*>&\d?|&>>?/g, '>')
    .split(/[;\n]/)
    .filter(part => part.trim() !== '')
  const last = statements.at(-1) ?? ''
  return !/\||(?<!&)&(?!&)/.test(last) && (statements.length < 2 || /py\.?test|\bmake\b|\.sh\b/.test(last))
}

/** Does the result hold such a line that the model has not typed itself? */
function shows(delivered: string, isSuch: (line: string) => boolean, isTyped: (line: string) => boolean): boolean {
  return normaliseText(delivered)
    .split('\n')
    .some(line => isSuch(line) && !isTyped(line))
}

const isFailureLine = (line: string) => FAILURE_LINES.some(pattern => pattern.test(line))
const isFailureWord = (line: string) => FAILURE_WORD.test(line) && !NO_FAILURE.test(line)
const isPassLine = (line: string) => PASS_LINES.some(pattern => pattern.test(line))

// --- Where it ran, and who reported ------------------------------------------------------------------------------

/** Arguments of pytest in a command line, or null when it was started in another way. */
function pytestArguments(argv: readonly string[] | null): readonly string[] | null {
  const at = argv?.findIndex(argument => ['pytest', 'py.test'].includes(posix.basename(argument))) ?? -1
  return argv === null || at === -1 ? null : argv.slice(at + 1)
}

/** The workspace where the session started in it or was given a path of it; else the directory that it was about. */
function placeOf({ cwd, sender }: TestReport): string {
  const targets = (pytestArguments(sender.argv) ?? [])
    .filter(argument => !argument.startsWith('-'))
    .map(argument => posix.resolve(cwd, argument.replace(/::.*$/, '')))
  if (targets.some(isBelowWorkspace)) return WORKSPACE
  const given = targets.find(target => !isBelowWorkspace(target) && !target.startsWith(`${posix.normalize(cwd)}/`))
  if (given !== undefined) return given.endsWith('.py') ? posix.dirname(given) : given
  return isBelowWorkspace(cwd) ? WORKSPACE : posix.normalize(cwd)
}

/**
 * Can this process have run pytest? Its command line names pytest, or it runs a script file (which may call
 * `pytest.main()`); code piped into an interpreter or given with -c that never says pytest does not. A command line that
 * could not be read, or is empty because the process was already gone, is taken in its favour. This only raises the price of a forged report, see docs/evidence.md.
 */
function mayRunPytest({ argv }: TestReport['sender']): boolean {
  if (argv === null || argv.length === 0 || argv.some(argument => /py\.?test/.test(argument))) return true
  const script = argv.slice(1).find(argument => argument === '-c' || argument === '-' || !argument.startsWith('-'))
  return script !== undefined && script !== '-c' && script !== '-'
}

// ----------------------------------------------------------------------------------------------------------------

/**
 * Lists the test sessions of a trial in the order they ran. Of those about other places than `/workspace` only failing ones
 * are listed: an error may well be seen in a copy.
 *
 * Failed: status 1, or any failing or broken test (collection errors come with status 2). Passed: status 0, at least
 * one test passed and none failed. A usage error or a run without tests is neither.
 * What pytest was asked to run is not looked at: expressions, node ids and variables may leave tests out or not. Whether a
 * session was one of the given suite, and of all of it, is found out by running that again (`SessionCheck`).
 * Seen: by the exit status of the call where that tells, or by a line of pytest's in its result or in that of a later
 * call, if the model has not typed the line itself.
 */
export function testSessions(log: TrialLog): readonly TestSession[] {
  const sessions: TestSession[] = []
  if (!log.calls.some(call => call.testReports.length > 0)) return []

  const typedBefore = viewsOfTyped(log.prompt)
  const typedIn = log.calls.map(call => stringsIn(call.args).flatMap(viewsOfTyped))
  const isTypedUpTo = (index: number) => (line: string) =>
    [typedBefore, ...typedIn.slice(0, index + 1)].some(views => views.some(view => view.includes(line)))

  const seenFrom = (from: number, outcome: SessionOutcome): Moment | null => {
    if (outcome !== 'failed' && outcome !== 'passed') return null
    for (let index = from; index < log.calls.length; index++) {
      const call = log.calls[index]
      if (call === undefined) break
      const isOwn = index === from
      const exit = isOwn && call.stopped === null ? call.exitCode : null
      const wanted = outcome === 'passed' ? isPassLine : isFailureLine
      const isSeen =
        (exit !== null && (outcome === 'passed' ? exit === 0 && decidesStatus(call) : exit > 0)) ||
        (isOwn && showsStatus(call, outcome)) ||
        shows(
          call.delivered,
          line => wanted(line) || (isOwn && outcome === 'failed' && isFailureWord(line)),
          isTypedUpTo(index),
        )
      if (isSeen) return momentOf(call)
    }
    return null
  }

  for (const [index, call] of log.calls.entries()) {
    const check = log.sessionChecks.get(call.call)
    for (const session of callSessions(call)) {
      const { outcome, finish, position } = session
      const isRefuted = check?.refuted?.includes(position) ?? check?.verdict === 'refuted'
      sessions.push({
        ...session,
        ran: momentOf(call),
        seen: seenFrom(index, outcome),
        refutation: isRefuted && check ? check.reason : null,
        summary: summaryOf(call.call, finish),
      })
    }
  }
  return sessions
}
