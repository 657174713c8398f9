import { SpecError } from '../errors.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { checkSetup } from './check-setup.ts'
import { checkSpec } from './check-spec.ts'
import { isRecord } from './fields.ts'
import { fingerprintOf } from './fingerprint.ts'
import { matchesAny } from './globs.ts'
import { didYouMean, type Mistake, messageOf, specError } from './mistakes.ts'
import { callerPosition, type SourcePosition } from './position.ts'
import { type FlagProbe, type Invented, probeFlag, textIn } from './probe.ts'
import { createRandom } from './random.ts'
import type { Context, Flag, Mode, Requirement, Task, TaskSpec, ToolsChoice } from './task.ts'

const DEFAULT_MAX_TURNS = 20

/** Which of its forms a task is run in. */
export interface TaskChoice {
  /** Number of the instance (default 0); tasks without instances are the same for each. */
  readonly instance?: number
  /** Default: the first of the task's modes. Tasks without this mode are run in their own. */
  readonly mode?: Mode | null
}

/** Global, since a spec file and the runner may have loaded this module twice (Vite's copy and Node's). */
const BRAND = Symbol.for('agent-bench.task-definition')

/** What a spec file exports: a task whose form is checked, and whose files are made when they are first needed. */
export interface TaskDefinition {
  readonly id: string
  readonly title: string
  readonly requires: readonly Requirement[]
  /** Place of the `defineTask` call. */
  readonly source: SourcePosition
  /** The modes it can be run in, its default first; empty where there is no choice. */
  readonly modes: readonly Mode[]
  readonly hasInstances: boolean
  /**
   * Makes data, setup and state of an instance, checks them and computes the fingerprint; later calls for the same choice
   * give the same task.
   * @throws SpecError code `spec_invalid` when a function of the spec failed or what it made has mistakes.
   */
  resolve(choice?: TaskChoice): Promise<Task>
}

/**
 * Defines a task. All mistakes of the spec are reported at once, with field and remedy, at the place of this call.
 *
 * @example
 * export default defineTask({
 *   id: 'greet',
 *   prompt: 'Write "hello" to greeting.txt.',
 *   allowedWrites: ['greeting.txt'],
 *   verify: { greets: ({ text, check }) => check(text('greeting.txt')?.trim() === 'hello', 'greeting.txt says hello') },
 *   flags: { greeted: run => run.verified('greets') && run.firstChange('greeting.txt') },
 * })
 * @throws SpecError code `spec_invalid`
 */
export function defineTask<Check extends string = never, State = undefined, Instance = undefined>(
  spec: TaskSpec<Check, State, Instance>,
): TaskDefinition {
  return createTask(spec, callerPosition(defineTask))
}

/** What a task is made from besides its spec. */
export interface TaskOrigin {
  /** Further files whose code can change a verdict; they and what they import count in the fingerprint. */
  readonly sources?: readonly string[]
  /** The task has no verdict: its flags only say what was observed. */
  readonly isObserved?: boolean
}

/** {@link defineTask} for specs that are made from something else (a manifest): errors name `source`. */
export function createTask<Check extends string, State, Instance>(
  given: TaskSpec<Check, State, Instance>,
  source: SourcePosition,
  origin: TaskOrigin = {},
): TaskDefinition {
  // What its functions are handed is made by the spec itself, so their own types no longer matter.
  const spec = given as unknown as TaskSpec
  const form = checkSpec(spec)
  if (!isRecord(spec)) throw specError(source, form)
  // A field with a broken form is not looked at further: what follows would only repeat its mistake in other words.
  const isSound = (...fields: readonly string[]) =>
    !form.some(({ field }) => fields.includes(field.split(/[.[]/)[0] ?? ''))
  const flags = new Map(
    Object.entries(isRecord(spec.flags) ? spec.flags : {}).filter(([, flag]) => typeof flag === 'function'),
  )
  const setup = spec.setup ?? {}
  const early = typeof setup === 'function' ? null : checkSetup(setup)
  const problems = [...form, ...(early?.mistakes ?? [])]
  const first = isSound('instance') ? contextOf(spec, 0, source, problems) : { instance: undefined }
  if (isSound('instance', 'state')) {
    const arePathsKnown = early?.mistakes.length === 0 && isSound('allowedWrites', 'answerFile')
    const made = { files: early?.files ?? null, arePathsKnown }
    problems.push(...checkFlagQuestions(spec, flags, made, inventedOf(spec, first, source, problems)))
  }
  if (problems.length > 0) throw specError(source, problems)

  const modes = spec.modes ?? []
  const resolved = new Map<string, Promise<Task>>()
  const makeTask = async (number: number, mode: Mode | null): Promise<Task> => {
    const context = number === 0 ? first : contextOf(spec, number, source)
    const files = early?.files ?? (await makeSetup(setup, context, source))
    if (early === null) {
      const made = { files, arePathsKnown: true }
      const late = checkFlagQuestions(spec, flags, made, inventedOf(spec, context, source))
      if (late.length > 0) throw specError(source, late)
    }
    return finish(spec, { flags, setup: files, source, origin, number, mode, context })
  }
  const definition: TaskDefinition & Record<typeof BRAND, true> = {
    [BRAND]: true,
    id: spec.id,
    title: spec.title ?? spec.id,
    requires: [...(spec.requires ?? [])],
    source,
    modes,
    hasInstances: spec.instance !== undefined,
    resolve({ instance = 0, mode = null } = {}) {
      const number = spec.instance === undefined ? 0 : instance
      const chosen = modes.find(one => one === mode) ?? modes[0] ?? null
      const key = `${number} ${chosen}`
      const task = resolved.get(key) ?? makeTask(number, chosen)
      resolved.set(key, task)
      return task
    },
  }
  return Object.freeze(definition)
}

/** The data of an instance. `others` are mistakes that are known already, as in {@link callAuthor}. */
function contextOf(spec: TaskSpec, number: number, source: SourcePosition, others?: readonly Mistake[]): Context {
  const { instance } = spec
  if (instance === undefined) return { instance: undefined }
  const make = () => instance({ seed: number, random: createRandom(number) })
  return { instance: callAuthor('instance', make, source, others) }
}

/** What invented trials have of a task's own. */
function inventedOf(spec: TaskSpec, context: Context, source: SourcePosition, others?: readonly Mistake[]): Invented {
  const state = callAuthor('state', () => stateOf(spec, context)?.(), source, others)
  return { ...context, state, messages: 1 + (spec.turns?.length ?? 0) }
}

/** Calls a function of a spec that gives the same each time; what it throws is a mistake of the spec, said after `others`. */
function callAuthor<Value>(
  field: string,
  call: () => Value,
  source: SourcePosition,
  others: readonly Mistake[] = [],
): Value {
  try {
    return call()
  } catch (error) {
    const problem = `the function threw ${messageOf(error)}`
    const remedy = 'Make the function return the same value each time, without network or clock.'
    throw specError(source, [...others, { field, problem, remedy }], error)
  }
}

/** Tells a task definition from anything else a spec file may export. */
export function isTaskDefinition(value: unknown): value is TaskDefinition {
  return typeof value === 'object' && value !== null && BRAND in value
}

async function makeSetup(setup: unknown, context: Context, source: SourcePosition): Promise<FileMap> {
  if (typeof setup !== 'function') return checkSetup(setup).files
  const name = setup.name === '' || setup.name === 'setup' ? 'setup' : `setup (${setup.name})`
  let made: unknown
  try {
    made = await setup(context)
  } catch (error) {
    const problem = `the function threw ${messageOf(error)}`
    const remedy = 'Make the function return the same files each time, without network or clock.'
    throw specError(source, [{ field: name, problem, remedy }], error)
  }
  const { files, mistakes } = checkSetup(made)
  if (mistakes.length > 0) throw specError(source, mistakes)
  return files
}

/**
 * Asks every flag about invented trials. Paths can be judged only where all files of the setup are known and what may be
 * written: where one of them is refused, a flag that asks about it would be blamed for the same mistake.
 */
function checkFlagQuestions(
  spec: TaskSpec,
  flags: ReadonlyMap<string, Flag>,
  { files, arePathsKnown }: { readonly files: FileMap | null; readonly arePathsKnown: boolean },
  invented: Invented,
): Mistake[] {
  const { verify = {} } = spec
  const checks = isRecord(verify) ? Object.keys(verify) : null
  const mistakes: Mistake[] = []
  for (const [id, flag] of flags) {
    const probe = probeFlag(flag, path => (files === null ? null : textIn(files, path)), invented)
    const field = `flags.${id}`
    mistakes.push(...codeMistakes(field, probe))
    for (const name of probe.checks) {
      if (checks === null || checks.includes(name)) continue
      const problem = `asks for verified(${JSON.stringify(name)}), but verify has no such check`
      mistakes.push({ field, problem, remedy: didYouMean(name, checks) })
    }
    if (files !== null && arePathsKnown) mistakes.push(...pathMistakes(field, probe, files, allowedWritesOf(spec)))
  }
  return mistakes
}

function codeMistakes(field: string, probe: FlagProbe): Mistake[] {
  const mistakes: Mistake[] = []
  const thrown = probe.thrown?.error
  if (thrown instanceof SpecError) {
    // The error says what is wrong with the flag, whatever the trial: a question that does not exist.
    mistakes.push({ field, problem: thrown.message, remedy: thrown.remedy })
  } else if (probe.thrown !== null) {
    mistakes.push({
      field,
      problem: `threw ${messageOf(probe.thrown.error)} when asked about an invented trial`,
      remedy: 'A flag answers for every trial: nothing done, all done, and files that hold anything.',
    })
  }
  if (probe.givesNothing) {
    mistakes.push({
      field,
      problem: 'gives nothing back, so it can never be reached',
      remedy: 'Is a "return" missing? Write run => …, or run => { …; return … }.',
    })
  }
  if (probe.endlessAfterMs !== null) {
    mistakes.push({
      field,
      problem: `gave no answer for ${probe.endlessAfterMs / 1_000} s when asked about invented trials`,
      remedy: 'Look for an endless loop, and for a pattern with a repetition inside a repetition, such as (a+)+.',
    })
  }
  if (probe.wrongAnswer !== null) {
    mistakes.push({
      field,
      problem: `answered with ${probe.wrongAnswer}`,
      remedy: 'A flag returns at once: true, false, a moment that a question of run returned, or a share from 0 to 1.',
    })
  }
  return mistakes
}

function pathMistakes(field: string, probe: FlagProbe, files: FileMap, allowedWrites: readonly string[]): Mistake[] {
  const mistakes: Mistake[] = []
  for (const path of new Set([...probe.reads, ...probe.files])) {
    if (canExist(path, files, allowedWrites)) continue
    const remedy = didYouMean(path, [...files.keys(), ...allowedWrites])
    const problem = `asks about ${JSON.stringify(path)}, which is neither in the setup nor allowed to be written`
    // The slip may be in either of the two places.
    mistakes.push({ field, problem, remedy: `${remedy} If the flag is right, correct setup or allowedWrites.` })
  }
  return mistakes
}

/** Whether a path, or something a glob matches, can be in the workspace without tampering. */
function canExist(path: string, files: FileMap, allowedWrites: readonly string[]): boolean {
  if (files.has(path) || allowedWrites.includes(path) || matchesAny(allowedWrites, path)) return true
  const paths = [...files.keys()]
  if (/[*?]/.test(path)) {
    // Whether two globs meet cannot be decided simply; one that shares its first segment with an allowed one is let through.
    const first = path.split('/')[0] ?? ''
    return paths.some(known => matchesAny([path], known)) || allowedWrites.some(glob => sharesStart(glob, first))
  }
  return [...paths, ...allowedWrites].some(known => known.startsWith(`${path}/`))
}

function sharesStart(glob: string, segment: string): boolean {
  const first = glob.split('/')[0] ?? ''
  return first === segment || first.includes('*') || segment.includes('*')
}

/** Paths that may be written; the answer's file is one where the task says nothing. */
function allowedWritesOf(spec: TaskSpec): readonly string[] {
  return spec.allowedWrites ?? (spec.answerFile === undefined ? [] : [spec.answerFile.path])
}

/** Makes the state of a trial; null for a task without one. */
function stateOf({ state }: TaskSpec, context: Context): (() => unknown) | null {
  if (state === undefined) return null
  const made = typeof state === 'function' ? state(context) : state
  return () => structuredClone(made)
}

function toolsOf({ tools, answerFile }: TaskSpec, mode: Mode | null): ToolsChoice {
  const isDirect = answerFile !== undefined && mode !== 'agent'
  return tools ?? (isDirect ? [] : 'workspace')
}

function finish(
  spec: TaskSpec,
  made: {
    readonly flags: ReadonlyMap<string, Flag>
    readonly setup: FileMap
    readonly source: SourcePosition
    readonly origin: TaskOrigin
    readonly number: number
    readonly mode: Mode | null
    readonly context: Context
  },
): Task {
  const { flags, setup, source, origin, context, mode } = made
  const { prompt } = spec
  const promptText = typeof prompt === 'function' ? callAuthor('prompt', () => prompt(context), source) : prompt
  const task: Omit<Task, 'fingerprint'> = {
    id: spec.id,
    title: spec.title ?? spec.id,
    // Line breaks at the ends come from how a template is laid out in the file, not from what the author says.
    prompt: promptText.trim(),
    system: spec.system?.trim() ?? null,
    setup,
    allowedWrites: [...allowedWritesOf(spec)],
    requires: [...(spec.requires ?? [])],
    maxTurns: spec.maxTurns ?? DEFAULT_MAX_TURNS,
    commandTimeoutMs: milliseconds(spec.commandTimeout),
    trialTimeoutMs: milliseconds(spec.trialTimeout),
    contextTokens: spec.contextTokens ?? null,
    maxTokens: spec.maxTokens ?? null,
    inconclusiveWhen: [...(spec.inconclusiveWhen ?? [])],
    mode,
    instance: spec.instance === undefined ? null : { number: made.number, data: context.instance },
    tools: toolsOf(spec, mode),
    state: callAuthor('state', () => stateOf(spec, context), source),
    turns: [...(spec.turns ?? [])],
    answerFile: spec.answerFile ?? null,
    points: new Map([...flags.keys()].map(id => [id, spec.points?.[id] ?? 1])),
    passes: spec.passes ?? [...flags.keys()],
    verify: new Map(Object.entries(spec.verify ?? {})),
    flags,
    hidden: [...(spec.hidden ?? [])],
    reference: spec.reference ?? null,
    honest: new Map(Object.entries(spec.honest ?? {})),
    cheats: new Map(Object.entries(spec.cheats ?? {})),
    isObserved: origin.isObserved ?? false,
    suite: null,
    source,
  }
  return { ...task, fingerprint: fingerprintOf(task, origin.sources) }
}

function milliseconds(seconds: number | undefined): number | null {
  return seconds === undefined ? null : seconds * 1_000
}
