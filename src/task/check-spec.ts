/** Checks the form of a task spec, field by field. Everything is treated as unknown: a spec file is run, not type-checked. */

import { checkKind, needsAllowedWrites } from './check-kind.ts'
import { textProblem } from './check-setup.ts'
import { type Fields, isRecord, type Report } from './fields.ts'
import { checkGlob } from './globs.ts'
import { didYouMean, didYouMeanOrAny, type Mistake, show } from './mistakes.ts'
import type { Cheat, Requirement, TaskSpec } from './task.ts'

type FieldName = keyof TaskSpec

/** A record type makes the compiler say when a field is added to TaskSpec and forgotten here. */
const FIELDS: Readonly<Record<FieldName, true>> = {
  id: true,
  title: true,
  prompt: true,
  system: true,
  setup: true,
  allowedWrites: true,
  requires: true,
  maxTurns: true,
  commandTimeout: true,
  trialTimeout: true,
  contextTokens: true,
  instance: true,
  state: true,
  tools: true,
  turns: true,
  answerFile: true,
  modes: true,
  maxTokens: true,
  inconclusiveWhen: true,
  points: true,
  passes: true,
  verify: true,
  flags: true,
  hidden: true,
  reference: true,
  honest: true,
  cheats: true,
}
const REQUIREMENTS: Readonly<Record<Requirement, true>> = {
  python: true,
  pytest: true,
  git: true,
  make: true,
  node: true,
  perl: true,
  jq: true,
  sandbox: true,
}
const CHEAT_FIELDS: Readonly<Record<keyof Cheat, true>> = { loses: true, tampers: true, play: true }

/** Upper bounds: a limit beyond them is a slip of the finger, and timers overflow at 2^31 ms. */
const LIMITS: readonly { readonly field: FieldName; readonly unit: string; readonly max: number }[] = [
  { field: 'maxTurns', unit: 'turns', max: 1_000 },
  { field: 'commandTimeout', unit: 'seconds', max: 86_400 },
  { field: 'trialTimeout', unit: 'seconds', max: 604_800 },
  { field: 'contextTokens', unit: 'tokens', max: 100_000_000 },
  { field: 'maxTokens', unit: 'tokens', max: 1_000_000_000 },
]

const TASK_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const FLAG_ID = /^[A-Za-z0-9_:./%-]{1,200}$/
const CHECK_NAME = /^[A-Za-z0-9_:./% -]{1,200}$/
const CONTROL = /\p{Cc}/u

/** All mistakes of a spec's form. Of the setup only the kind is looked at; its files are checked by `checkSetup`. */
export function checkSpec(spec: unknown): readonly Mistake[] {
  const mistakes: Mistake[] = []
  const report: Report = (field, problem, remedy) => mistakes.push({ field, problem, remedy })
  if (!isRecord(spec)) {
    report('(spec)', 'is not an object', "Call defineTask({ id: '…', prompt: '…', allowedWrites: [], flags: { … } }).")
    return mistakes
  }
  for (const name of Object.keys(spec)) {
    if (!Object.hasOwn(FIELDS, name)) report(name, 'is not a field of a task', didYouMean(name, Object.keys(FIELDS)))
  }
  checkTexts(spec, report)
  checkAllowedWrites(spec, report)
  checkKind(spec, report)
  checkRequires(spec.requires, report)
  checkLimits(spec, report)
  checkVerify(spec.verify, report)
  mistakes.push(...checkFlags(spec.flags))
  checkHidden(spec.hidden, report)
  checkPlays(spec, report)
  checkCheats(spec.cheats, isRecord(spec.flags) ? Object.keys(spec.flags) : [], report)
  return mistakes
}

/**
 * Checks a list of flag ids for form and repetition. For lists (a manifest, flags made in a loop): in an object literal
 * a repeated key has already won silently when this code sees it.
 */
export function checkFlagIds(ids: readonly string[]): readonly Mistake[] {
  const mistakes: Mistake[] = []
  const seen = new Set<string>()
  for (const id of ids) {
    if (!FLAG_ID.test(id)) {
      mistakes.push({
        field: `flags[${JSON.stringify(id)}]`,
        problem: 'is not a flag id',
        remedy: 'Use 1 to 200 letters, digits and the characters _ : . / -',
      })
    } else if (seen.has(id)) {
      mistakes.push({
        field: `flags.${id}`,
        problem: 'is there twice',
        remedy: 'Give every flag its own id: two of the same id would be counted as one.',
      })
    }
    seen.add(id)
  }
  return mistakes
}

function checkTexts(spec: Fields, report: Report): void {
  if (typeof spec.id !== 'string' || !TASK_ID.test(spec.id)) {
    const found = spec.id === undefined ? 'is missing' : `is ${show(spec.id)}`
    report(
      'id',
      found,
      'Give 1 to 100 letters, digits, _ and - (a letter or digit first): the id is part of file names.',
    )
  }
  for (const field of ['prompt', 'system', 'title'] as const) {
    const text = spec[field]
    if (text === undefined && field !== 'prompt') continue
    if (field === 'prompt' && typeof text === 'function') continue
    if (typeof text !== 'string') {
      report(field, text === undefined ? 'is missing' : `is ${show(text)}, not a text`, 'Write it as a string.')
    } else if (text.trim() === '') {
      report(field, 'is empty', field === 'prompt' ? 'Say what the agent is to do.' : 'Write it or leave it out.')
    } else if (text.includes('\0') || textProblem(text) !== null) {
      report(field, 'is not well-formed text (a NUL or half of a surrogate pair)', 'Remove the broken character.')
    }
  }
}

function checkAllowedWrites(spec: Fields, report: Report): void {
  const value = spec.allowedWrites
  if (value === undefined && !needsAllowedWrites(spec)) return
  if (!Array.isArray(value)) {
    const found = value === undefined ? 'is missing' : `is ${show(value)}, not a list`
    report(
      'allowedWrites',
      found,
      "List the globs the agent may write, for example ['main.py', 'output/**']; [] for none.",
    )
    return
  }
  value.forEach((glob: unknown, index) => {
    const problem = typeof glob === 'string' ? checkGlob(glob) : `is ${show(glob)}, not a text`
    if (problem === null) return
    const remedy = "Use a path relative to the workspace; * stays within a segment, ** crosses: 'output/**'."
    report(`allowedWrites[${index}]`, typeof glob === 'string' ? `${show(glob)}: ${problem}` : problem, remedy)
  })
}

function checkRequires(value: unknown, report: Report): void {
  if (value === undefined) return
  if (!Array.isArray(value)) {
    report('requires', `is ${show(value)}, not a list`, "Write it as a list, for example ['python', 'pytest'].")
    return
  }
  value.forEach((name: unknown, index) => {
    if (typeof name === 'string' && Object.hasOwn(REQUIREMENTS, name)) return
    report(
      `requires[${index}]`,
      `${show(name)} is nothing a sandbox can be asked for`,
      didYouMean(String(name), Object.keys(REQUIREMENTS)),
    )
  })
}

function checkLimits(spec: Fields, report: Report): void {
  for (const { field, unit, max } of LIMITS) {
    const value = spec[field]
    if (value === undefined) continue
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= max) continue
    report(field, `is ${show(value)}`, `Give a whole number of ${unit} from 1 to ${max}, or leave it out.`)
  }
}

function checkVerify(value: unknown, report: Report): void {
  if (value === undefined) return
  if (!isRecord(value)) {
    report('verify', `is ${show(value)}, not an object of checks`, "Write it as { 'name': tools => … }.")
    return
  }
  for (const [name, check] of Object.entries(value)) {
    if (!CHECK_NAME.test(name)) {
      report(`verify[${show(name)}]`, 'is not a name for a check', 'Use letters, digits, spaces and _ : . / -')
    }
    if (typeof check !== 'function') {
      report(`verify.${name}`, `is ${show(check)}, not a function`, 'Write it as tools => tools.check(…).')
    }
  }
}

function checkFlags(value: unknown): readonly Mistake[] {
  if (!isRecord(value)) {
    const problem = value === undefined ? 'is missing' : `is ${show(value)}, not an object of flags`
    return [
      { field: 'flags', problem, remedy: "Write at least one: { 'file_read': run => run.sawContentOf('main.py') }." },
    ]
  }
  const ids = Object.keys(value)
  if (ids.length === 0) {
    return [
      { field: 'flags', problem: 'has no flag', remedy: 'A task without a flag measures nothing: write at least one.' },
    ]
  }
  const mistakes = [...checkFlagIds(ids)]
  for (const [id, flag] of Object.entries(value)) {
    if (typeof flag === 'function') continue
    mistakes.push({
      field: `flags.${id}`,
      problem: `is ${show(flag)}, not a function`,
      remedy: 'Write it as run => run.…',
    })
  }
  return mistakes
}

/** A shorter value would be found by chance, in any text long enough. */
const MIN_HIDDEN_LENGTH = 4

function checkHidden(value: unknown, report: Report): void {
  if (value === undefined) return
  if (!Array.isArray(value)) {
    report('hidden', `is ${show(value)}, not a list`, "Write it as a list of texts, for example ['1724.50'].")
    return
  }
  value.forEach((text: unknown, index) => {
    const field = `hidden[${index}]`
    const remedy = `Give a text of at least ${MIN_HIDDEN_LENGTH} characters: a shorter one would be found by chance.`
    // The value itself is not shown: an error is printed where an agent's own log may end up.
    if (typeof text !== 'string') report(field, `is ${show(text)}, not a text`, remedy)
    else if (text.trim().length < MIN_HIDDEN_LENGTH) report(field, 'is empty or too short', remedy)
  })
}

function checkPlays(spec: Fields, report: Report): void {
  if (spec.reference !== undefined && typeof spec.reference !== 'function') {
    report('reference', `is ${show(spec.reference)}, not a function`, 'Write it as async hands => { … }.')
  }
  if (spec.honest === undefined) return
  if (!isRecord(spec.honest)) {
    report('honest', `is ${show(spec.honest)}, not an object of plays`, "Write it as { 'name': async hands => { … } }.")
    return
  }
  for (const [name, play] of Object.entries(spec.honest)) {
    checkPlayName('honest', name, report)
    if (typeof play !== 'function') {
      report(`honest[${show(name)}]`, `is ${show(play)}, not a function`, 'Write it as async hands => { … }.')
    }
  }
}

function checkCheats(value: unknown, flagIds: readonly string[], report: Report): void {
  if (value === undefined) return
  if (!isRecord(value)) {
    report('cheats', `is ${show(value)}, not an object of cheats`, "Write it as { 'name': { loses: ['flag'], play } }.")
    return
  }
  for (const [name, cheat] of Object.entries(value)) {
    const field = `cheats[${show(name)}]`
    checkPlayName('cheats', name, report)
    if (!isRecord(cheat)) {
      report(field, `is ${show(cheat)}, not a cheat`, 'Write it as { loses: [flag ids], play: async hands => { … } }.')
      continue
    }
    for (const key of Object.keys(cheat)) {
      if (!Object.hasOwn(CHEAT_FIELDS, key)) {
        report(`${field}.${key}`, 'is not a field of a cheat', didYouMean(key, Object.keys(CHEAT_FIELDS)))
      }
    }
    if (typeof cheat.play !== 'function') {
      const found = cheat.play === undefined ? 'is missing' : `is ${show(cheat.play)}, not a function`
      report(`${field}.play`, found, 'Write it as async hands => { … }.')
    }
    if (cheat.tampers !== undefined && typeof cheat.tampers !== 'boolean') {
      report(`${field}.tampers`, `is ${show(cheat.tampers)}`, 'Write true or leave it out.')
    }
    checkLoses(cheat, field, flagIds, report)
  }
}

function checkLoses(cheat: Fields, field: string, flagIds: readonly string[], report: Report): void {
  const loses = cheat.loses
  if (!Array.isArray(loses)) {
    const found = loses === undefined ? 'is missing' : `is ${show(loses)}, not a list`
    report(`${field}.loses`, found, 'List the flags this cheat must lose.')
    return
  }
  for (const id of loses) {
    if (typeof id === 'string' && flagIds.includes(id)) continue
    report(`${field}.loses`, `${show(id)} is not a flag of this task`, didYouMeanOrAny(String(id), flagIds))
  }
  if (new Set(loses).size < loses.length) report(`${field}.loses`, 'names a flag twice', 'Name it once.')
  if (loses.length === 0 && cheat.tampers !== true) {
    report(`${field}.loses`, 'is empty', 'A cheat loses at least one flag, or says tampers: true.')
  }
}

function checkPlayName(field: 'honest' | 'cheats', name: string, report: Report): void {
  if (name.trim() !== '' && name.length <= 200 && !CONTROL.test(name) && textProblem(name) === null) return
  report(`${field}[${show(name)}]`, 'is not a name', 'Name it by what it does, in 1 to 200 printable characters.')
}
