/** Turns a manifest and the files of its skill into a task: prompt, setup, flags and checks. */

import { isUtf8 } from 'node:buffer'
import { posix } from 'node:path'
import type { FileContent, FileMap } from '../sandbox/snapshot.ts'
import { pathProblem } from '../task/check-setup.ts'
import { checkGlob, matchesAny } from '../task/globs.ts'
import { didYouMean } from '../task/mistakes.ts'
import type { Moment, Run } from '../task/run.ts'
import type { Flag, Requirement, Setup, TaskSpec } from '../task/task.ts'
import type { VerifyCheck } from '../task/verify.ts'
import { type ArtifactRule, keepsRule, rulesOf } from './artifact-checks.ts'
import { type Manifest, SKILL_FOLDER } from './manifest-schema.ts'
import { fieldName, type ReadManifest } from './read-manifest.ts'
import { defaultId } from './spec-file.ts'
import { stubLanguage, stubOutputs, stubText } from './stub.ts'
import { fitsCall } from './stub-call.ts'
import type { PlacedMistake } from './text-position.ts'

const DOCUMENT = `${SKILL_FOLDER}/SKILL.md`
const DEFAULT_GOAL = 'Do what the skill describes, as it describes it.'

export interface SkillSource {
  /** Name of the skill's own directory. */
  readonly name: string
  readonly files: FileMap
  /** null for a skill without a manifest, which is observed only. */
  readonly read: ReadManifest | null
}

export interface SkillSpec {
  readonly spec: TaskSpec
  readonly mistakes: readonly PlacedMistake[]
  /** Free flags that cannot apply, with the reason. */
  readonly notApplicable: readonly { readonly flag: string; readonly reason: string }[]
}

/** Everything the parts of a task are made from. */
interface Parts {
  readonly manifest: Manifest
  readonly files: FileMap
  readonly allowedWrites: readonly string[]
  /** Workspace paths of stubbed scripts. */
  readonly stubs: readonly string[]
  readonly rules: readonly { readonly id: string; readonly rule: ArtifactRule }[]
}

/** Makes the task of a skill, with every mistake of its manifest that its form does not show. */
export function skillSpec({ name, files, read }: SkillSource): SkillSpec {
  const manifest = read?.manifest ?? {}
  const mistakes: PlacedMistake[] = []
  const stubs = Object.keys(manifest.stubs ?? {})
  const outputs = Object.values(manifest.stubs ?? {}).flatMap(stub => [...stubOutputs(stub).keys()])
  const expected = manifest.expected_artifacts ?? []
  // What has to be made may be made.
  const allowedWrites = [...new Set([...(manifest.allowed_writes ?? []), ...expected, ...outputs])]
  const parts: Parts = {
    manifest,
    files,
    allowedWrites,
    stubs: stubs.map(path => `${SKILL_FOLDER}/${path}`),
    rules: numberedRules(manifest),
  }
  if (read !== null) mistakes.push(...checkManifest(parts, read))
  const observed = read === null ? observedFlags(parts) : []
  const flags = new Map<string, Flag>([...manifestFlags(parts), ...observed, ...freeFlags(parts)])
  const spec: TaskSpec = {
    id: manifest.id ?? defaultId(name),
    title: manifest.title ?? `Skill ${name}`,
    prompt: promptOf(parts),
    setup: setupOf(parts),
    allowedWrites: read === null ? ['**'] : allowedWrites,
    requires: requirementsOf(parts),
    maxTurns: manifest.max_turns ?? 20,
    ...(manifest.command_timeout === undefined ? {} : { commandTimeout: manifest.command_timeout }),
    ...(manifest.trial_timeout === undefined ? {} : { trialTimeout: manifest.trial_timeout }),
    ...(manifest.context_tokens === undefined ? {} : { contextTokens: manifest.context_tokens }),
    verify: Object.fromEntries(checksOf(parts)),
    flags: Object.fromEntries(flags),
  }
  const reason = read === null ? 'there is no manifest that names artifacts' : 'no artifacts are expected'
  return { spec, mistakes, notApplicable: expected.length > 0 ? [] : [{ flag: 'step_completion', reason }] }
}

/** A path or pattern as part of a flag id; what an id cannot hold is percent-encoded, so that two never fall together. */
export function idPart(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9_./-]/gu, char => encodeURIComponent(char).replaceAll(/[!'()*]/g, encodeAscii))
}

const encodeAscii = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** What is named, and the interpreters of the scripts that have to be run: without them the failure would be the sandbox's. */
function requirementsOf({ manifest, files }: Parts): Requirement[] {
  const required = new Set(manifest.requires ?? [])
  const stubs = Object.keys(manifest.stubs ?? {})
  // A stub reports through a program of Python's.
  if (stubs.length > 0) required.add('sandbox').add('python')
  const patterns = (manifest.required_commands ?? []).map(one => (typeof one === 'string' ? one : one.script))
  const isAskedFor = (path: string) => patterns.some(text => text.replaceAll('\\', '').includes(posix.basename(path)))
  for (const [path, file] of files) {
    const language = stubs.includes(path) || isAskedFor(path) ? stubLanguage(path, textOf(file) ?? '') : null
    if (language === 'node' || language === 'python') required.add(language)
  }
  return [...required]
}

function promptOf({ manifest, files }: Parts): string {
  const lines = [
    `You have a skill: a directory with instructions, and whatever files they need, at /workspace/${SKILL_FOLDER}. Its instructions are in ${DOCUMENT}.`,
    `Read the instructions first and follow them step by step. Paths in them are relative to the skill's directory unless they say otherwise. Your working directory is /workspace; results belong where the instructions put them, and the files of the skill stay as they are.`,
    `What is to be done: ${manifest.goal ?? DEFAULT_GOAL}`,
  ]
  const appended = manifest.prompt_file === undefined ? undefined : files.get(manifest.prompt_file)
  if (appended !== undefined) lines.push(`--- ${manifest.prompt_file} ---\n${textOf(appended) ?? ''}`)
  return lines.join('\n\n')
}

function textOf(file: FileContent): string | null {
  return isUtf8(file.bytes) ? new TextDecoder().decode(file.bytes) : null
}

/** The skill's files below `skill/`, with stubs in place of their scripts. */
function setupOf({ manifest, files }: Parts): Setup {
  const setup: Record<string, Setup[string]> = {}
  for (const [path, file] of files) {
    const stub = manifest.stubs?.[path]
    const text = stub === undefined ? null : textOf(file)
    const language = text === null ? null : stubLanguage(path, text)
    const isReplaced = stub !== undefined && text !== null && language !== null
    const content = isReplaced ? stubText(language, text, stub) : file.bytes
    setup[`${SKILL_FOLDER}/${path}`] = { content, mode: file.mode }
  }
  return setup
}

/** Rules of all checks with their flag ids: numbered per file, so that no two are the same. */
function numberedRules(manifest: Manifest): Parts['rules'] {
  const counts = new Map<string, number>()
  return (manifest.artifact_checks ?? []).flatMap(rulesOf).map(rule => {
    const count = counts.get(rule.file) ?? 0
    counts.set(rule.file, count + 1)
    return { id: `check:${idPart(rule.file)}:${count}`, rule }
  })
}

function* checksOf({ manifest, rules }: Parts): Generator<[string, VerifyCheck]> {
  for (const path of manifest.expected_artifacts ?? []) {
    yield [`artifact:${idPart(path)}`, ({ size, check }) => check(size(path) !== null, `${path} was left as a file`)]
  }
  for (const { id, rule } of rules) yield [id, tools => keepsRule(rule, tools)]
}

function* manifestFlags(parts: Parts): Generator<[string, Flag]> {
  const { manifest, rules } = parts
  for (const path of manifest.required_reads ?? []) {
    yield [
      `read:${idPart(path)}`,
      // As the prompt says: the instructions first.
      run => run.sawContentOf(path, path === DOCUMENT ? beforeWork(run, parts) : {}),
    ]
  }
  for (const index of (manifest.required_commands ?? []).keys()) {
    yield [`cmd:${index}`, run => requiredCommand(run, parts, index)]
  }
  for (const path of manifest.expected_artifacts ?? []) {
    const id = `artifact:${idPart(path)}`
    yield [id, run => run.verified(id) && run.firstExists(path)]
  }
  for (const { id, rule } of rules) {
    yield [id, run => run.verified(id) && whenKept(run, rule)]
  }
}

/** Before the first file that may be written is, and the first required command runs; no bound where neither was done. */
function beforeWork(run: Run, parts: Parts): { readonly before?: Moment } {
  const commands = (parts.manifest.required_commands ?? []).map((_, index) => requiredCommand(run, parts, index))
  const done = [...parts.allowedWrites.map(glob => run.firstChange(glob)), ...commands].filter(one => one !== false)
  const [before] = done.sort((a, b) => a.call - b.call)
  return before === undefined ? {} : { before }
}

/** Scripts of a skill without a manifest that are watched; more rows are no overview. */
const SCRIPTS_OBSERVED = 20
const SCRIPT = /\.(?:py|sh|bash|[cm]?[jt]s|rb|pl)$/

/** What a skill without a manifest shows: whether its instructions were read, and which of its scripts ran. */
function* observedFlags({ files }: Parts): Generator<[string, Flag]> {
  if (files.has('SKILL.md')) yield [`read:${DOCUMENT}`, run => run.sawContentOf(DOCUMENT)]
  for (const path of [...files.keys()].filter(name => SCRIPT.test(name)).slice(0, SCRIPTS_OBSERVED)) {
    const name = new RegExp(posix.basename(path).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    yield [`ran:${idPart(path)}`, run => run.ranCommand(name, { scripts: [`${SKILL_FOLDER}/${path}`] })]
  }
}

function requiredCommand(run: Run, { manifest, files, stubs }: Parts, index: number): Moment | false {
  const command = manifest.required_commands?.[index] ?? ''
  if (typeof command !== 'string') {
    // A script that does its work refuses what it does not know; of a stub, only the language tells: plain shell knows no short forms.
    const file = files.get(command.script)
    const language = file === undefined ? null : stubLanguage(command.script, textOf(file) ?? '')
    const isShortened = manifest.stubs?.[command.script]?.keeps === true || language !== 'shell'
    const fits = (args: readonly string[], cwd: string) => fitsCall(command, args, cwd, isShortened)
    return run.ranStub(`${SKILL_FOLDER}/${command.script}`, { args: fits })
  }
  const pattern = new RegExp(command)
  return run.ranCommand(pattern, { stubs, scripts: [...files.keys()].map(path => `${SKILL_FOLDER}/${path}`) })
}

/** When the file first kept the rule; where its text is not on record, when it first existed. */
function whenKept(run: Run, { file, fits }: ArtifactRule): Moment | false {
  const first = fits === null ? false : run.firstText(file, fits)
  return first === false ? run.firstExists(file) : first
}

/** The two flags every skill has; both count only once the agent has set to work on the skill. */
function* freeFlags(parts: Parts): Generator<[string, Flag]> {
  yield ['no_tool_hallucination', run => isEngaged(run, parts) && run.calledUnknownTool() === false]
  const expected = parts.manifest.expected_artifacts ?? []
  if (expected.length > 0) {
    yield ['step_completion', run => expected.every(path => run.verified(`artifact:${idPart(path)}`))]
  }
}

/** Has the agent read of the skill, run one of its commands, or made something? */
function isEngaged(run: Run, parts: Parts): boolean {
  const { manifest, files, allowedWrites } = parts
  // What is in the prompt cannot be seen being read.
  const hasDocument = files.has('SKILL.md') && manifest.prompt_file !== 'SKILL.md'
  const reads = [...(hasDocument ? [DOCUMENT] : []), ...(manifest.required_reads ?? [])]
  return (
    reads.some(path => run.sawContentOf(path) !== false) ||
    (manifest.required_commands ?? []).some((_, index) => requiredCommand(run, parts, index) !== false) ||
    parts.stubs.some(path => run.ranStub(path) !== false) ||
    allowedWrites.some(glob => run.firstChange(glob) !== false)
  )
}

type Path = readonly (string | number)[]
type Report = (path: Path, problem: string, remedy: string) => void

const quoted = (value: unknown) => JSON.stringify(value)

/** Mistakes that only the skill's files show. */
function checkManifest(parts: Parts, read: ReadManifest): PlacedMistake[] {
  const { manifest, files, allowedWrites } = parts
  const mistakes: PlacedMistake[] = []
  const mounted = [...files.keys()].map(path => `${SKILL_FOLDER}/${path}`)
  const report: Report = (path, problem, remedy) => {
    mistakes.push({ field: fieldName(path), problem, remedy, place: read.placeOf(path) })
  }
  const each = (name: 'required_reads' | 'expected_artifacts' | 'allowed_writes') =>
    (manifest[name] ?? []).map((value, index) => ({ value, at: [name, index], all: manifest[name]?.slice(0, index) }))

  for (const { value, at, all } of [...each('required_reads'), ...each('expected_artifacts')]) {
    const remedy = 'Keep one: two flags would have the same id.'
    if (all?.includes(value)) report(at, `${quoted(value)} is there twice`, remedy)
  }
  for (const { value, at } of each('required_reads')) {
    if (mounted.includes(value) || matchesAny(allowedWrites, value)) continue
    const remedy = files.has(value) ? `Write "${SKILL_FOLDER}/${value}".` : didYouMean(value, mounted)
    report(at, `${quoted(value)} is not a file of the mounted skill`, remedy)
  }
  for (const { value, at } of each('expected_artifacts')) {
    const problem = pathProblem(value) ?? checkGlob(value) ?? (/[*?]/.test(value) ? 'is a pattern, not one file' : null)
    if (problem !== null) report(at, `${quoted(value)} ${problem}`, 'Name one file, as "output/report.txt".')
    else if (mounted.includes(value)) {
      report(at, `${quoted(value)} is there from the start`, 'Name a file that has to be made.')
    }
  }
  for (const { value, at } of each('allowed_writes')) {
    const problem = checkGlob(value)
    if (problem !== null) report(at, `${quoted(value)}: ${problem}`, 'Write a glob such as "output/**".')
  }
  for (const [index, check] of (manifest.artifact_checks ?? []).entries()) {
    const at = ['artifact_checks', index]
    if (!matchesAny(allowedWrites, check.file)) {
      const problem = `${quoted(check.file)} is neither an expected artifact nor allowed to be written`
      report([...at, 'file'], problem, didYouMean(check.file, manifest.expected_artifacts ?? []))
    }
    const isEmpty = rulesOf(check).length === 0
    if (isEmpty) report(at, 'asks for nothing', 'Add "contains", "regex", "json" or "min_bytes".')
  }
  checkPromptFile(parts, report)
  checkCommands(parts, report)
  checkStubs(parts, report)
  return mistakes
}

function checkPromptFile({ manifest, files }: Parts, report: Report): void {
  const path = manifest.prompt_file
  if (path === undefined) return
  const tell = (problem: string, remedy: string) => report(['prompt_file'], `${quoted(path)} ${problem}`, remedy)
  const file = files.get(path)
  if (file === undefined) tell('is not a file of the skill', didYouMean(path, [...files.keys()]))
  else if (textOf(file) === null) tell('is not UTF-8 text', 'Name a text file.')
  else if (manifest.required_reads?.includes(`${SKILL_FOLDER}/${path}`) === true) {
    const remedy = 'Take it out of required_reads, or out of the prompt.'
    tell('is in the prompt, so nothing can show that it was read', remedy)
  }
}

function checkCommands({ manifest }: Parts, report: Report): void {
  const seen = new Set<string>()
  const stubs = Object.keys(manifest.stubs ?? {})
  for (const [index, command] of (manifest.required_commands ?? []).entries()) {
    const at = ['required_commands', index]
    const text = quoted(command)
    if (seen.has(text)) report(at, `${text} is there twice`, 'Keep one: both flags would say the same.')
    seen.add(text)
    if (typeof command === 'string') {
      const matchesAll = new RegExp(command).test('')
      if (matchesAll) report(at, 'matches every command', 'Name the script: "make_report\\\\.sh.*--title".')
      continue
    }
    const { script, options = {} } = command
    if (!stubs.includes(script)) {
      const remedy = `Add ${quoted(script)}: { "keeps": true } to "stubs". ${didYouMean(script, stubs)}`
      report([...at, 'script'], `${quoted(script)} is not in "stubs", so nothing records its arguments`, remedy)
    }
    for (const [name, value] of Object.entries(options)) {
      const place = [...at, 'options', name]
      const leaveOut =
        'Leave it out: an option that is not named must not be given. { "optional": true } is one that may be.'
      if (!/^-./.test(name)) report(place, 'is not a name of an option', `Write "--${name}", or use "arguments".`)
      else if (value === false) report(place, 'is false', leaveOut)
    }
  }
}

function checkStubs({ manifest, files, allowedWrites }: Parts, report: Report): void {
  for (const [path, stub] of Object.entries(manifest.stubs ?? {})) {
    const at = ['stubs', path]
    const file = files.get(path)
    const text = file === undefined ? null : textOf(file)
    if (file === undefined) report(at, 'is not a file of the skill', didYouMean(path, [...files.keys()]))
    else if (text === null || stubLanguage(path, text) === null) {
      const remedy = 'Leave the real one: only such scripts can be replaced.'
      report(at, 'is not a shell, Python or Node script', remedy)
    }
    const others = Object.keys(stub).filter(name => name !== 'keeps')
    if (stub.keeps === true && others.length > 0) {
      const remedy = 'Keep the script with "keeps" alone, or leave that out to have it replaced.'
      report(at, `has "keeps" and ${others.map(quoted).join(', ')}`, remedy)
    }
    for (const output of stubOutputs(stub).keys()) {
      const isWritable = matchesAny(allowedWrites, output) && !output.startsWith(`${SKILL_FOLDER}/`)
      const problem = pathProblem(output) ?? (isWritable ? null : 'cannot be written')
      const remedy = 'Name a file relative to the workspace, as "output/report.txt".'
      if (problem !== null) report([...at, 'outputs'], `${quoted(output)} ${problem}`, remedy)
    }
  }
}
