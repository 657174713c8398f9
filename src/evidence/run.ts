/**
 * The questions a flag asks, answered from the log of one trial. Each question is kept with its answer, what was found
 * in words, and where it was asked, so that a lost flag can say what was looked for and the nearest thing there was.
 *
 * Order is by tool call, never by turn. Two things of one call (`pytest; sed -i …`) have no order among themselves, so
 * both bounds include the call itself: `before: m` is up to and including `m.call`, `after: m` is from `m.call` on.
 */

import { posix } from 'node:path'
import { checkGlob, compileGlobs } from '../task/globs.ts'
import { knownOnly } from '../task/mistakes.ts'
import type { CallView, CommandQuestion, Moment, Order, Run, StubQuestion } from '../task/run.ts'
import { type FirstChange, firstChanges, firstExistence, firstFitting, textBefore } from './changes.ts'
import { findDiscovery } from './discovery.ts'
import {
  type Answer,
  describeBound,
  type Found,
  findReading,
  findSession,
  impossibleBound,
  isWithin,
} from './finding.ts'
import { type LoggedCall, momentOf, type TrialLog } from './log.ts'
import { type CommandHistory, commandHistory, commandRuns, fitsArguments, nearestCommand } from './ran.ts'
import { createReader, type Reader, stringsIn } from './reading.ts'
import { type TestSession, testSessions } from './sessions.ts'
import { counted, describeCall, describeMoment, literalPattern, quoted } from './words.ts'
import { hasSameContent, textsByHash } from './workspace.ts'

/** Questions that are read like a value, so that no function of theirs stands in a stack. */
const VALUES: ReadonlySet<keyof Run> = new Set(['callCount', 'finalAnswer', 'answer', 'answers', 'state', 'tokens'])

/** A question as it was asked and answered. */
export interface Question {
  readonly name: keyof Run
  readonly answer: Answer
  /** What was found, as text: the reason when the answer is false or null. */
  readonly finding: string
  /** The finding without the nearest thing there was. */
  readonly brief: string
  /** Its stack begins at the line of the flag. */
  readonly asked: Error
  /** The test session the answer rests on. */
  readonly session: TestSession | null
}

function requirePath(path: string): void {
  const problem = checkGlob(path)
  if (problem !== null) throw new Error(`"${quoted(path)}" can not be asked about: ${problem}`)
}

/** A call with the texts it sent and wrote. */
function callView(
  { turn, call, tool, args, invalid, delivered, delta }: LoggedCall,
  texts: ReadonlyMap<string, string>,
): CallView {
  const written = [...(delta?.changed ?? [])].flatMap(([path, entry]) => {
    const text = entry.type === 'file' ? texts.get(entry.sha256) : undefined
    return text === undefined ? [] : [[path, text] as const]
  })
  const valid = invalid === null
  return { turn, call, tool, valid, args, sent: stringsIn(args), result: delivered, written: new Map(written) }
}

/** What is worked out from a log once and shared by all its flags; each part when it is first asked for. */
export interface Facts {
  readonly reader: Reader
  readonly sessions: () => readonly TestSession[]
  readonly changes: () => readonly FirstChange[]
  readonly commands: () => CommandHistory
}

export function createFacts(log: TrialLog): Facts {
  let sessions: readonly TestSession[] | null = null
  let changes: readonly FirstChange[] | null = null
  let commands: CommandHistory | null = null
  return {
    reader: createReader(log),
    sessions() {
      sessions ??= testSessions(log)
      return sessions
    },
    changes() {
      changes ??= firstChanges(log)
      return changes
    },
    commands() {
      commands ??= commandHistory(log)
      return commands
    },
  }
}

/**
 * Makes the answers of one trial, for one flag. Pure over the log.
 * @param facts of the same log, to be shared between flags.
 * @returns the run a flag is called with, the questions asked so far, and the reasons the flag gave itself.
 */
export function createRun(
  log: TrialLog,
  facts: Facts = createFacts(log),
): {
  readonly run: Run
  readonly questions: readonly Question[]
  readonly reasons: readonly string[]
} {
  const questions: Question[] = []
  const reasons: string[] = []
  const { reader, sessions: allSessions, changes: allChanges, commands: allCommands } = facts

  /** Records a question; its stack starts above `asker`, which is the flag's own line. */
  function record<A extends Answer>(asker: keyof Run, found: Found<A>): A {
    const asked = new Error(asker)
    const question = VALUES.has(asker) ? record : run[asker]
    Error.captureStackTrace(asked, typeof question === 'function' ? question : record)
    const { answer, finding, session } = found
    const brief = found.brief ?? finding.split(': ', 1)[0] ?? finding
    questions.push({ name: asker, answer, finding, brief, asked, session: session ?? null })
    return answer
  }

  /** What a bound of `false` stands for. It is the answer of an earlier question: known when only one had that answer. */
  function never(): string | null {
    const briefs = new Set(questions.filter(({ answer }) => answer === false).map(({ brief }) => brief))
    const [only] = briefs
    return briefs.size === 1 && only !== undefined ? only : null
  }

  function changeOf(pathOrGlob: string): Found<Moment | false> {
    requirePath(pathOrGlob)
    const globs = compileGlobs([pathOrGlob])
    const first = allChanges().find(change => globs.matches(change.path))
    if (first !== undefined) {
      return { answer: first.at, finding: `${quoted(first.path)} was ${first.what} in ${describeCall(first.call)}` }
    }
    const others = allChanges().slice(0, 3)
    const nearest =
      others.length === 0
        ? `nothing was changed in ${counted(log.calls.length, 'call')}`
        : `${others.map(change => `${quoted(change.path)} was ${change.what} in ${describeCall(change.call)}`).join(', ')}`
    return { answer: false, finding: `${pathOrGlob} never changed: ${nearest}` }
  }

  function existenceOf(path: string): Found<Moment | false> {
    requirePath(path)
    const answer = firstExistence(log, path)
    if (answer !== false) return { answer, finding: `${path} existed from ${describeMoment(answer)} on` }
    const kind = log.final.entries.get(path)?.type
    const written = allChanges()
      .filter(change => change.what === 'written')
      .slice(0, 3)
    const nearest =
      kind !== undefined
        ? `it is a ${kind}`
        : written.length > 0
          ? `new files are ${written.map(change => quoted(change.path)).join(', ')}`
          : 'no new file was written'
    return { answer: false, finding: `${path} never existed as a file: ${nearest}` }
  }

  function sameAsSetup(path: string): Found<boolean> {
    requirePath(path)
    const before = log.baseline.entries.get(path)
    if (before === undefined)
      throw new Error(`the setup has no "${quoted(path)}", so nothing can be said to be unchanged`)
    const after = log.final.entries.get(path)
    const change = allChanges().find(one => one.path === path)
    const when = change === undefined ? '' : ` (first in ${describeCall(change.call)})`
    if (hasSameContent(before, after)) return { answer: true, finding: `${path} is as in the setup` }
    return { answer: false, finding: `${path} was ${after === undefined ? 'deleted' : 'changed'}${when}` }
  }

  function textAtEnd(path: string): Found<string | null> {
    requirePath(path)
    const entry = log.final.entries.get(path)
    if (entry?.type !== 'file')
      return { answer: null, finding: `${path} is ${entry === undefined ? 'absent' : `a ${entry.type}`} at the end` }
    const text = textsByHash(log).get(entry.sha256)
    return text === undefined
      ? { answer: null, finding: `${path} is binary or too large to be kept (${counted(entry.size, 'byte')})` }
      : { answer: text, finding: `${path} has ${counted(text.length, 'character')} at the end` }
  }

  function checkOf(name: string): Found<boolean> {
    const result = log.verified.get(name) ?? absentCheck(name)
    return { answer: result.ok, finding: `${name}: ${result.reason}` }
  }

  function shareOf(names: readonly string[]): Found<number> {
    const shares = names.map(name => ({ name, ...(log.verified.get(name) ?? absentCheck(name)) }))
    const answer = shares.reduce((sum, { ok, share = ok ? 1 : 0 }) => sum + share, 0) / shares.length
    return { answer, finding: shares.map(({ name, reason }) => `${name}: ${reason}`).join('; ') }
  }

  function absentCheck(name: string): never {
    throw new Error(`verify has no check "${quoted(name)}"; it has: ${[...log.verified.keys()].join(', ') || 'none'}`)
  }

  function touchOf(path: string): Found<Moment | false> {
    requirePath(path)
    // A path by itself, or a word of a command. What a file is filled with names nothing.
    const isNamed = (text: string) => {
      const words = [text, ...text.split(/[\s'"=;|&<>()]+/)]
      return words.some(word => posix.normalize(word.replace(/^\/(?:workspace\/)?/, '')) === path)
    }
    const showing = reader(path).showings[0]?.call.call ?? Number.POSITIVE_INFINITY
    const call = log.calls.find(
      one => one.call >= showing || (one.invalid === null && stringsIn({ ...one.args, content: '' }).some(isNamed)),
    )
    return call === undefined
      ? { answer: false, finding: `no call named or showed ${path}` }
      : { answer: momentOf(call), finding: `${path} was named or shown in ${describeCall(call)}` }
  }

  function callsOf(tool: string | undefined): readonly CallView[] {
    const texts = textsByHash(log)
    return log.calls.filter(one => tool === undefined || one.tool === tool).map(one => callView(one, texts))
  }

  function unknownTool(): Found<Moment | false> {
    const call = log.calls.find(one => one.invalid === 'unknown_tool')
    return call === undefined
      ? { answer: false, finding: 'every tool that was called exists' }
      : { answer: momentOf(call), finding: `call ${call.call} named a tool that does not exist: ${quoted(call.tool)}` }
  }

  function discoveryOf(path: string, order: Order): Found<Moment | false> {
    requirePath(path)
    const impossible = impossibleBound(order, never())
    if (impossible !== null) return { answer: false, finding: `finding ${path} does not count: ${impossible}` }
    const found = findDiscovery(log, reader(path), path)
    if (found.call === null) return { answer: false, finding: `${path} was not found by looking: ${found.nearest}` }
    const where = `${path} came up in ${describeCall(found.call)}`
    return isWithin(order, found.call)
      ? { answer: momentOf(found.call), finding: where }
      : { answer: false, finding: `${where}, but not ${describeBound(order)}` }
  }

  function earlierTextOf(path: string, moment: Moment | false): Found<string | null> {
    requirePath(path)
    const impossible = impossibleBound({ before: moment }, never())
    if (impossible !== null) return { answer: null, finding: `${path} had no text: ${impossible}` }
    const answer = moment === false ? null : textBefore(log, path, moment.call)
    const when = moment === false ? '' : ` before call ${moment.call}`
    return { answer, finding: `${path} ${answer === null ? 'had no text on record' : 'had a text'}${when}` }
  }

  function fittingTextOf(path: string, fits: (text: string) => boolean): Found<Moment | false> {
    const existence = existenceOf(path)
    if (existence.answer === false) return existence
    const answer = firstFitting(log, path, fits)
    return { answer, finding: answer === false ? `${path} never held what was asked for` : existence.finding }
  }

  function fittingCallOf(fits: (call: CallView) => boolean, order: Order): Found<Moment | false> {
    const impossible = impossibleBound(order, never())
    if (impossible !== null) return { answer: false, finding: `no call: ${impossible}` }
    const texts = textsByHash(log)
    const call = log.calls.find(one => isWithin(order, one) && fits(callView(one, texts)))
    return call === undefined
      ? { answer: false, finding: `none of ${counted(log.calls.length, 'call')} was as asked for` }
      : { answer: momentOf(call), finding: `${describeCall(call)} was as asked for` }
  }

  function invalidCall(): Found<Moment | false> {
    const call = log.calls.find(one => one.invalid !== null)
    return call === undefined
      ? { answer: false, finding: 'every call was one its tool takes' }
      : { answer: momentOf(call), finding: `call ${call.call} of ${quoted(call.tool)} was not a valid call` }
  }

  function stubRunOf(path: string, question: StubQuestion): Found<Moment | false> {
    requirePath(path)
    const impossible = impossibleBound(question, never())
    if (impossible !== null) return { answer: false, finding: `running ${path} does not count: ${impossible}` }
    const runs = allCommands().stubs.filter(({ report }) => report.path === path)
    const fitting = runs.filter(({ report }) => fitsArguments(report, question.args))
    const within = fitting.find(({ call }) => isWithin(question, call))
    if (within !== undefined) {
      return { answer: momentOf(within.call), finding: `${path} was run in ${describeCall(within.call)}` }
    }
    const [other] = fitting.length > 0 ? fitting : runs
    const broken = allCommands().broken.find(({ report }) => report.path === path)
    if (other === undefined && broken !== undefined) {
      const { call, report } = broken
      const end = report.status === null ? 'but its end was not seen' : `and ended with status ${report.status}`
      return { answer: false, finding: `${path} did not do its work: it was started in ${describeCall(call)}, ${end}` }
    }
    const nearest =
      other === undefined
        ? nearestCommand(log, allCommands(), new RegExp(literalPattern(posix.basename(path))))
        : `it was run in ${describeCall(other.call)}${fitting.length > 0 ? `, but not ${describeBound(question)}` : ' with other arguments'}`
    return { answer: false, finding: `${path} was not run: ${nearest}` }
  }

  function commandOf(pattern: RegExp, question: CommandQuestion): Found<Moment | false> {
    const what = `no command fits ${pattern}`
    const impossible = impossibleBound(question, never())
    if (impossible !== null) return { answer: false, finding: `${what}: ${impossible}`, brief: what }
    const runs = commandRuns(allCommands(), pattern, question)
    const within = runs.find(({ call }) => isWithin(question, call))
    if (within !== undefined) {
      return { answer: momentOf(within.call), finding: `${quoted(within.text)} was run in call ${within.call.call}` }
    }
    const [other] = runs
    const nearest =
      other === undefined
        ? nearestCommand(log, allCommands(), pattern)
        : `${quoted(other.text)} was run in call ${other.call.call}, but not ${describeBound(question)}`
    return { answer: false, finding: `${what}: ${nearest}`, brief: what }
  }

  const run: Run = {
    sawContentOf(path, question = {}) {
      requirePath(path)
      return record('sawContentOf', findReading(log, reader(path), path, question, never()))
    },
    sawTestsFail: (order = {}) => record('sawTestsFail', findSession(allSessions(), 'failed', order, never())),
    sawTestsPass: (order = {}) => record('sawTestsPass', findSession(allSessions(), 'passed', order, never())),
    firstChange: pathOrGlob => record('firstChange', changeOf(pathOrGlob)),
    firstExists: path => record('firstExists', existenceOf(path)),
    unchanged: path => record('unchanged', sameAsSetup(path)),
    finalText: path => record('finalText', textAtEnd(path)),
    verified: check => record('verified', checkOf(check)),
    calledUnknownTool: () => record('calledUnknownTool', unknownTool()),
    timesRead(path) {
      requirePath(path)
      const calls = reader(path).showings.map(showing => showing.call.call)
      const where = calls.length === 0 ? '' : `: in call ${calls.slice(0, 10).join(', ')}`
      return record('timesRead', {
        answer: calls.length,
        finding: `${path} was shown ${counted(calls.length, 'time')}${where}`,
      })
    },
    get callCount() {
      const answer = log.calls.length
      return record('callCount', { answer, finding: `there were ${counted(answer, 'call')}` })
    },
    get finalAnswer() {
      const answer = log.finalAnswer
      return record('finalAnswer', {
        answer,
        finding: answer === '' ? 'there was no final answer' : `the final answer was "${quoted(answer)}"`,
      })
    },
    share: (...names) => record('share', shareOf(names)),
    calls(tool) {
      const views = callsOf(tool)
      const finding = `there ${views.length === 1 ? 'was' : 'were'} ${counted(views.length, 'call')}${tool === undefined ? '' : ` of ${quoted(tool)}`}`
      record('calls', { answer: views.length, finding })
      return views
    },
    touched: path => record('touched', touchOf(path)),
    get answer() {
      const answer = log.answers.at(-1) ?? ''
      return record('answer', {
        answer,
        finding: answer === '' ? 'there was no answer' : `the answer was "${quoted(answer)}"`,
      })
    },
    get answers() {
      const shown = log.answers.map(answer => (answer === '' ? 'nothing' : `"${quoted(answer)}"`)).join(', ')
      record('answers', { answer: log.answers.length, finding: `the answers were ${shown}` })
      return log.answers
    },
    get state() {
      record('state', { answer: 1, finding: 'the state at the end was not as asked for' })
      return log.state
    },
    get instance() {
      return log.instance
    },
    get tokens() {
      const answer = log.tokens
      const finding = answer === null ? 'the server did not count tokens' : `${counted(answer, 'token')} were used`
      return record('tokens', { answer, finding })
    },
    because(reason) {
      reasons.push(reason)
      return false
    },
    discovered: (path, order = {}) => record('discovered', discoveryOf(path, order)),
    textBefore: (path, moment) => record('textBefore', earlierTextOf(path, moment)),
    firstText: (path, fits) => record('firstText', fittingTextOf(path, fits)),
    firstCall: (fits, order = {}) => record('firstCall', fittingCallOf(fits, order)),
    madeInvalidCall: () => record('madeInvalidCall', invalidCall()),
    ranStub: (path, question = {}) => record('ranStub', stubRunOf(path, question)),
    ranCommand: (pattern, question = {}) => record('ranCommand', commandOf(pattern, question)),
  }
  return { run: knownOnly(run, 'question'), questions, reasons }
}
