/** Was a stub or a command run? Stubs by their own reports, other commands by the command lines that were executed. */
import { posix } from 'node:path'
import type { StubReport } from '../sandbox/sandbox.ts'
import type { CommandQuestion, StubQuestion } from '../task/run.ts'
import { type ExecutedCommand, executedCommands } from './commands.ts'
import type { LoggedCall, TrialLog } from './log.ts'
import { describeCall, quoted } from './words.ts'
import { statesOf } from './workspace.ts'

/** A report of a stub that is the setup's own file, unchanged. */
interface StubRun {
  readonly call: LoggedCall
  readonly report: StubReport
}

export interface CommandRun {
  readonly call: LoggedCall
  /** The command as words with single spaces. */
  readonly text: string
}

/** A command that could be what was asked for, and where in its text the program ends. */
interface Candidate extends CommandRun {
  readonly programEnd: number
  readonly script: string | null
}

/** Reports of stubs; one whose file is not as in the setup is the agent's own script. */
function stubRuns(log: TrialLog): readonly StubRun[] {
  return log.calls.flatMap(call =>
    call.stubReports
      .filter(({ path, sha256 }) => {
        const entry = log.baseline.entries.get(path)
        return entry?.type === 'file' && entry.sha256 === sha256
      })
      .map(report => ({ call, report })),
  )
}

/** Has the script done its work, as far as that is witnessed? One that is replaced has none to do. */
const hasSucceeded = ({ report }: StubRun) => report.status === undefined || report.status === 0

/** The commands of every call in order, each worked out once. */
export interface CommandHistory {
  readonly stubs: readonly StubRun[]
  /** Scripts that keep their work, and were started but not seen to end with status 0. */
  readonly broken: readonly StubRun[]
  readonly executed: readonly { readonly call: LoggedCall; readonly commands: readonly ExecutedCommand[] }[]
}

/** Works out the commands of a trial. Pure over the log. */
export function commandHistory(log: TrialLog): CommandHistory {
  const executed = [...statesOf(log)].map(({ call, before, after }) => {
    // A script made and run in one command is known afterwards only.
    const textOf = (path: string) => after.texts.get(path) ?? before.texts.get(path) ?? null
    const line = call.tool === 'execute_command' && call.invalid === null ? call.args.command : undefined
    return { call, commands: typeof line === 'string' ? executedCommands(line, textOf) : [] }
  })
  const reported = stubRuns(log)
  return {
    stubs: reported.filter(hasSucceeded),
    broken: reported.filter(run => !hasSucceeded(run)),
    executed,
  }
}

/** Are a script's arguments those a question asks for? */
export function fitsArguments({ args, cwd }: StubReport, wanted: StubQuestion['args']): boolean {
  if (wanted === undefined) return true
  if (typeof wanted === 'function') return wanted(args, cwd)
  return new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, '')).test(args.join(' '))
}

/**
 * Does the command start something called like a stub, wherever that is? Stubs report by themselves: a line whose path is
 * wrong, unset (`$DIR/x.py`) or a copy's ran no stub.
 */
function namesStub({ words, programWords, script }: ExecutedCommand, stubs: readonly string[]): boolean {
  const names = stubs.map(path => posix.basename(path))
  return [...words.slice(0, programWords), script ?? ''].some(word => names.includes(posix.basename(word)))
}

/** Everything in the history that may fit, in order of the calls. */
function candidatesOf(history: CommandHistory, question: CommandQuestion): Candidate[] {
  const { stubs = [], scripts = [] } = question
  const fromStubs = history.stubs.flatMap(({ call, report }) =>
    [report.path, `${report.interpreter} ${report.path}`].map(program => ({
      call,
      text: [program, ...report.args].join(' '),
      programEnd: program.length,
      script: report.path,
    })),
  )
  const fromLines = history.executed.flatMap(({ call, commands }) =>
    commands
      .filter(command => !namesStub(command, stubs) && mayBeOneOf(command.script, scripts))
      .flatMap(({ words, programWords, script, args }) => {
        const programs = [words.slice(0, programWords).join(' '), ...(script === null ? [] : [script])]
        return programs.map(program => ({
          call,
          text: [program, ...args].join(' '),
          programEnd: program.length,
          script,
        }))
      }),
  )
  return [...fromStubs, ...fromLines].sort((a, b) => a.call.call - b.call.call)
}

/** A script whose name is, or ends in, the name of a file that is meant must be that file. */
function mayBeOneOf(script: string | null, scripts: readonly string[]): boolean {
  if (script === null || scripts.includes(script)) return true
  const name = posix.basename(script)
  return !scripts.some(meant => name.endsWith(posix.basename(meant)))
}

/** `.*make` means the same as `make` in a search, but would begin its match in front of the program. */
function searchFor(pattern: RegExp): RegExp {
  const flags = pattern.flags.replace(/[gy]/g, '')
  return new RegExp(pattern.source.replace(/^\^?\.\*\??/, ''), flags)
}

/** Does the pattern match, beginning in the program? */
function fits(pattern: RegExp, candidate: Candidate): boolean {
  const match = pattern.exec(candidate.text)
  return match !== null && match.index < candidate.programEnd
}

/** The commands that fit, in order of the calls. */
export function commandRuns(history: CommandHistory, pattern: RegExp, question: CommandQuestion): CommandRun[] {
  const search = searchFor(pattern)
  return candidatesOf(history, question).filter(candidate => fits(search, candidate))
}

/** The nearest thing to a command that was not run, as text. */
export function nearestCommand(log: TrialLog, history: CommandHistory, pattern: RegExp): string {
  const search = searchFor(pattern)
  const stub = history.stubs.at(-1)
  const typed = log.calls.find(call => typeof call.args.command === 'string' && search.test(call.args.command))
  if (typed !== undefined) return `${describeCall(typed)} names it, but did not run it`
  if (stub !== undefined) {
    const line = quoted([stub.report.path, ...stub.report.args].join(' '))
    return `${line} was run in call ${stub.call.call}`
  }
  const commands = log.calls.filter(call => call.tool === 'execute_command').length
  return `no command of ${commands} fits`
}
