/** Checks the fields that make the kind of a task: its tools, state, turns, answer, modes, points and instances. */
import { Ajv } from 'ajv'
import { type Fields, isRecord, type Report } from './fields.ts'
import { checkGlob } from './globs.ts'
import { didYouMean, messageOf, show } from './mistakes.ts'
import type { InconclusiveEnd, Language, Mode, WorkspaceToolName } from './task.ts'

const WORKSPACE: Readonly<Record<WorkspaceToolName, true>> = {
  execute_command: true,
  read_file: true,
  write_file: true,
}
const MODES: Readonly<Record<Mode, true>> = { direct: true, agent: true }
const LANGUAGES: Readonly<Record<Language, true>> = { python: true }
const ENDS: Readonly<Record<InconclusiveEnd, true>> = { cut: true, timeout: true, overflow: true, dropped: true }
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** Whether the agent of a task can write files, so that the task has to say which. */
export function needsAllowedWrites({ tools, answerFile }: Fields): boolean {
  if (tools === undefined) return answerFile === undefined
  if (tools === 'workspace') return true
  return Array.isArray(tools) ? tools.length > 0 : isOffer(tools) && tools.needs === 'sandbox'
}

/** Tools that are ready made, such as `stringTools()`. */
const isOffer = (tools: unknown): tools is { readonly needs: unknown } =>
  isRecord(tools) && typeof tools.needs === 'string'

export function checkKind(spec: Fields, report: Report): void {
  checkTools(spec, report)
  checkTurns(spec, report)
  checkAnswerFile(spec, report)
  checkNames('inconclusiveWhen', spec.inconclusiveWhen, ENDS, report)
  checkPoints(spec, report)
  if (spec.instance !== undefined && typeof spec.instance !== 'function') {
    const remedy = 'Write it as ({ seed, random }) => ({ … }), the same data for the same seed.'
    report('instance', `is ${show(spec.instance)}, not a function`, remedy)
  }
}

function checkTools({ tools, state }: Fields, report: Report): void {
  if (tools === undefined || tools === 'workspace' || isOffer(tools)) return
  if (Array.isArray(tools)) {
    checkNames('tools', tools, WORKSPACE, report)
    return
  }
  if (!isRecord(tools)) {
    const remedy = "Write 'workspace', a list of its tools ([] for none), stringTools() or { name: tool({ … }) }."
    report('tools', `is ${show(tools)}`, remedy)
    return
  }
  for (const [name, one] of Object.entries(tools)) {
    const field = `tools.${name}`
    if (!TOOL_NAME.test(name)) report(field, 'is not a name for a tool', 'Use 1 to 64 letters, digits, _ and -')
    if (!isRecord(one) || one.isTool !== true) {
      report(field, `is ${show(one)}, not a tool`, 'Make it with tool({ description, parameters, run }).')
      continue
    }
    if (typeof one.description !== 'string' || one.description.trim() === '') {
      report(`${field}.description`, 'is missing or empty', 'Say in a sentence what the tool does.')
    }
    if (!isRecord(one.parameters) || one.parameters.type !== 'object') {
      report(`${field}.parameters`, 'is not the schema of an object', "Write { type: 'object', properties: { … } }.")
    } else {
      const problem = schemaProblem(one.parameters)
      if (problem !== null) report(`${field}.parameters`, problem, 'Correct the schema (JSON Schema, draft 7).')
    }
    if (typeof one.run !== 'function') {
      report(`${field}.run`, `is ${show(one.run)}, not a function`, 'Write it as (args, state) => result.')
    }
  }
  if (Object.keys(tools).length === 0) report('tools', 'has no tool', 'Name at least one, or write [] for none.')
  else if (state === undefined)
    report('state', 'is missing', 'Give the tools something to work on; {} where they need none.')
}

function schemaProblem(schema: Fields): string | null {
  try {
    new Ajv({ strict: false, logger: false }).compile(schema)
    return null
  } catch (error) {
    return `is no JSON Schema: ${messageOf(error)}`
  }
}

function checkTurns({ turns, prompt }: Fields, report: Report): void {
  if (prompt === undefined || turns === undefined) return
  if (!Array.isArray(turns)) {
    report('turns', `is ${show(turns)}, not a list`, 'List what the user says after the first answer.')
    return
  }
  for (const [index, turn] of turns.entries()) {
    if (typeof turn === 'function' || (typeof turn === 'string' && turn.trim() !== '')) continue
    const remedy = 'Write a text, or ({ answers, verify }) => text or null (null ends the conversation).'
    report(`turns[${index}]`, turn === '' ? 'is empty' : `is ${show(turn)}`, remedy)
  }
}

function checkAnswerFile({ answerFile, modes }: Fields, report: Report): void {
  if (answerFile === undefined) {
    if (modes === undefined) return
    const remedy = "Give the file that the code of an answer becomes: { path: 'solution.py', language: 'python' }."
    report('answerFile', 'is missing, although there are modes', remedy)
    return
  }
  const { path, language } = isRecord(answerFile) ? answerFile : {}
  if (typeof path !== 'string' || checkGlob(path) !== null || /[*?]/.test(path)) {
    report('answerFile.path', `is ${show(path)}`, "Give a path in the workspace, such as 'solution.py'.")
  }
  if (typeof language !== 'string' || !Object.hasOwn(LANGUAGES, language)) {
    report('answerFile.language', `is ${show(language)}`, didYouMean(String(language), Object.keys(LANGUAGES)))
  }
  checkNames('modes', modes, MODES, report)
  if (Array.isArray(modes) && modes.length === 0) report('modes', 'is empty', "List 'direct', 'agent' or both.")
}

function checkPoints({ points, passes, flags }: Fields, report: Report): void {
  const ids = isRecord(flags) ? Object.keys(flags) : []
  if (points !== undefined && !isRecord(points)) {
    report('points', `is ${show(points)}, not an object`, 'Write { flag: points }.')
  } else {
    for (const [id, weight] of Object.entries(points ?? {})) {
      if (!ids.includes(id)) report(`points.${id}`, 'is not a flag of this task', didYouMean(id, ids))
      if (typeof weight === 'number' && Number.isFinite(weight) && weight > 0) continue
      report(`points.${id}`, `is ${show(weight)}`, 'Give a number above 0.')
    }
  }
  if (typeof passes === 'number') {
    if (!(passes > 0 && passes <= 1)) report('passes', `is ${passes}`, 'Give a share above 0 and at most 1.')
  } else if (passes !== undefined) {
    checkNames('passes', passes, Object.fromEntries(ids.map(id => [id, true])), report)
    if (Array.isArray(passes) && passes.length === 0) report('passes', 'is empty', 'Name the flags that a pass needs.')
  }
}

/** A list of some of the names that are known. */
function checkNames(field: string, value: unknown, known: Readonly<Record<string, true>>, report: Report): void {
  if (value === undefined) return
  const names = Object.keys(known)
  if (!Array.isArray(value)) {
    report(field, `is ${show(value)}, not a list`, didYouMean('', names))
    return
  }
  for (const [index, name] of value.entries()) {
    if (typeof name === 'string' && Object.hasOwn(known, name)) continue
    report(`${field}[${index}]`, `${show(name)} is not known here`, didYouMean(String(name), names))
  }
}
