import { SpecError } from '../errors.ts'
import type { FileMap } from '../sandbox/snapshot.ts'
import { checkSetup } from './check-setup.ts'
import { checkSpec } from './check-spec.ts'
import { fingerprintOf } from './fingerprint.ts'
import { matchesAny } from './globs.ts'
import { didYouMean, type Mistake, messageOf, specError } from './mistakes.ts'
import { callerPosition } from './position.ts'
import { type FlagProbe, probeFlag, textIn } from './probe.ts'
import type { Flag, Requirement, SourcePosition, Task, TaskSpec } from './task.ts'

const DEFAULT_MAX_TURNS = 20

/** Global, since a spec file and the runner may have loaded this module twice (Vite's copy and Node's). */
const BRAND = Symbol.for('agent-bench.task-definition')

/** What a spec file exports: a task whose form is checked, and whose files are made when they are first needed. */
export interface TaskDefinition {
  readonly id: string
  readonly title: string
  readonly requires: readonly Requirement[]
  /** Place of the `defineTask` call. */
  readonly source: SourcePosition
  /**
   * Makes the setup, checks it and computes the fingerprint; runs once, later calls give the same task.
   * @throws SpecError code `spec_invalid` when the setup function failed or what it made has mistakes.
   */
  resolve(): Promise<Task>
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
export function defineTask<Check extends string = never>(spec: TaskSpec<Check>): TaskDefinition {
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
export function createTask<Check extends string>(
  spec: TaskSpec<Check>,
  source: SourcePosition,
  origin: TaskOrigin = {},
): TaskDefinition {
  const mistakes = [...checkSpec(spec)]
  // A spec with a broken form is not looked at further: what follows would only repeat the same mistake in other words.
  if (mistakes.length > 0) throw specError(source, mistakes)
  const flags = new Map<string, Flag>(Object.entries(spec.flags))
  const setup = spec.setup ?? {}
  const early = typeof setup === 'function' ? null : checkSetup(setup)
  const problems = [...(early?.mistakes ?? []), ...checkFlagQuestions(spec, flags, early)]
  if (problems.length > 0) throw specError(source, problems)

  let resolved: Promise<Task> | null = null
  const makeTask = async (): Promise<Task> => {
    const files = early?.files ?? (await makeSetup(setup, source))
    if (early === null) {
      const late = checkFlagQuestions(spec, flags, { files, mistakes: [] })
      if (late.length > 0) throw specError(source, late)
    }
    return finish(spec, flags, files, source, origin)
  }
  const definition: TaskDefinition & Record<typeof BRAND, true> = {
    [BRAND]: true,
    id: spec.id,
    title: spec.title ?? spec.id,
    requires: [...(spec.requires ?? [])],
    source,
    resolve() {
      resolved ??= makeTask()
      return resolved
    },
  }
  return Object.freeze(definition)
}

/** Tells a task definition from anything else a spec file may export. */
export function isTaskDefinition(value: unknown): value is TaskDefinition {
  return typeof value === 'object' && value !== null && BRAND in value
}

async function makeSetup(setup: unknown, source: SourcePosition): Promise<FileMap> {
  if (typeof setup !== 'function') return checkSetup(setup).files
  const name = setup.name === '' || setup.name === 'setup' ? 'setup' : `setup (${setup.name})`
  let made: unknown
  try {
    made = await setup()
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
 * Asks every flag about invented trials. Paths can be judged only where all files of the setup are known: where one of
 * them is refused, a flag that asks about it would be blamed for the same mistake.
 */
function checkFlagQuestions<Check extends string>(
  spec: TaskSpec<Check>,
  flags: ReadonlyMap<string, Flag>,
  setup: ReturnType<typeof checkSetup> | null,
): Mistake[] {
  const files = setup?.files ?? null
  const known = setup === null || setup.mistakes.length > 0 ? null : setup.files
  const checks = Object.keys(spec.verify ?? {})
  const mistakes: Mistake[] = []
  for (const [id, flag] of flags) {
    const probe = probeFlag(flag, path => (files === null ? null : textIn(files, path)))
    const field = `flags.${id}`
    mistakes.push(...codeMistakes(field, probe))
    for (const name of probe.checks) {
      if (checks.includes(name)) continue
      const problem = `asks for verified(${JSON.stringify(name)}), but verify has no such check`
      mistakes.push({ field, problem, remedy: didYouMean(name, checks) })
    }
    if (known !== null) mistakes.push(...pathMistakes(field, probe, known, spec.allowedWrites))
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
      remedy: 'A flag returns at once: true, false or a moment that a question of run returned.',
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

function finish<Check extends string>(
  spec: TaskSpec<Check>,
  flags: ReadonlyMap<string, Flag>,
  setup: FileMap,
  source: SourcePosition,
  origin: TaskOrigin,
): Task {
  const task: Omit<Task, 'fingerprint'> = {
    id: spec.id,
    title: spec.title ?? spec.id,
    // Line breaks at the ends come from how a template is laid out in the file, not from what the author says.
    prompt: spec.prompt.trim(),
    system: spec.system?.trim() ?? null,
    setup,
    allowedWrites: [...spec.allowedWrites],
    requires: [...(spec.requires ?? [])],
    maxTurns: spec.maxTurns ?? DEFAULT_MAX_TURNS,
    commandTimeoutMs: milliseconds(spec.commandTimeout),
    trialTimeoutMs: milliseconds(spec.trialTimeout),
    contextTokens: spec.contextTokens ?? null,
    inconclusiveWhenCut: spec.inconclusiveWhenCut ?? false,
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
