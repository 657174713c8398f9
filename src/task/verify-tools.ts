import { SpecError } from '../errors.ts'
import type { Evaluation, FunctionCall } from '../sandbox/sandbox.ts'
import type { FileContent, FileMap } from '../sandbox/snapshot.ts'
import { checkGlob } from './globs.ts'
import { knownOnly, show } from './mistakes.ts'
import { textIn } from './probe.ts'
import { compareOutcome, expectedProblem } from './values.ts'
import type { CheckResult, CommandRun, Expected, PythonModule, SuiteResult, VerifyTools, WithFiles } from './verify.ts'

/** Why an evaluation gave no values. All of these are what the model's code did. */
const NO_VALUES: Readonly<Record<Exclude<Evaluation['kind'], 'values'>, string>> = {
  'no-frame': 'the code ended or left before it gave any value',
  'bad-frame': 'what came back is not a list of values',
  'extra-bytes': 'something else wrote beside the values',
  'too-big': 'the values are too big',
  timeout: 'the code did not end in time',
}

const PYTHON_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const MODULE_NAME = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/
const MAX_CALLS = 1_000

/** Files that replace or add to those of a workspace; null removes one. */
export type Overlay = ReadonlyMap<string, FileContent | null>

/** Work in the verify sandbox; see `VerifyTools`. An error it throws is a fault of the sandbox and passes through. */
export interface VerifyWork {
  evaluate(calls: readonly FunctionCall[], over: Overlay): Promise<Evaluation>
  run(command: string, over: Overlay): Promise<CommandRun>
  suites(each: readonly Overlay[]): Promise<readonly SuiteResult[]>
}

/**
 * The tools a check of `verify` works with. All calls of one `call(…).gives(…)` are made in one process, in order, so
 * that code which is right only the first time is found out.
 * @param files What the agent left of the files it may write.
 * @param instance Data of the task's instance.
 */
export function createVerifyTools(work: VerifyWork, files: FileMap, instance?: unknown): VerifyTools {
  async function tests(withFiles?: WithFiles): Promise<SuiteResult>
  async function tests(each: readonly WithFiles[]): Promise<readonly SuiteResult[]>
  async function tests(given: WithFiles | readonly WithFiles[] = {}): Promise<SuiteResult | readonly SuiteResult[]> {
    if (isList(given)) return work.suites(given.map(one => filesOver('tests([', one)))
    const [result] = await work.suites([filesOver('tests(', given)])
    if (result === undefined) throw new Error('a run of the suite gave no result')
    return result
  }
  const tools: VerifyTools = {
    instance,
    python: (module, withFiles = {}) => pythonModule(module, filesOver('python(…, ', withFiles), work),
    javascript: (file, withFiles = {}) => javascriptFile(file, filesOver('javascript(…, ', withFiles), work),
    run: async (command, withFiles = {}) => work.run(checkedCommand(command), filesOver('run(…, ', withFiles)),
    tests,
    text: path => textIn(files, path),
    size: path => files.get(path)?.bytes.length ?? null,
    files: [...files.keys()].sort(),
    check: resultByHand,
  }
  return knownOnly(tools, 'tool')
}

const isList = (given: WithFiles | readonly WithFiles[]): given is readonly WithFiles[] => Array.isArray(given)

function checkedCommand(command: unknown): string {
  if (typeof command === 'string' && command.trim() !== '' && !command.includes('\0')) return command
  throw invalid(
    `run(${show(command)}) is not a command`,
    "Give a command of bash, for example run('python3 main.py 3').",
  )
}

/** @throws SpecError when the arguments are of other kinds: what is not a boolean may count as true whatever an agent did. */
function resultByHand(ok: unknown, statement: unknown): CheckResult {
  if (typeof ok === 'boolean' && typeof statement === 'string') {
    return { ok, reason: ok ? statement : `not so: ${statement}` }
  }
  const problem = [
    `check(${show(ok)}, ${show(statement)}) takes true or false and a text:`,
    [
      typeof ok === 'boolean' ? '' : `the first is ${kindOf(ok)}`,
      typeof statement === 'string' ? '' : `the second is ${kindOf(statement)}`,
    ]
      .filter(part => part !== '')
      .join(', '),
  ].join(' ')
  const isSwapped = typeof ok === 'string' && typeof statement === 'boolean'
  throw invalid(
    problem,
    isSwapped
      ? 'Swap the two: check(true or false, statement).'
      : "Write check(ok, statement), for example check(text('out.txt') === 'x', 'out.txt holds x'); Boolean(…) makes true or false of anything.",
  )
}

type CheckFields = Readonly<Partial<Record<'ok' | 'holds' | 'share' | 'reason', unknown>>>

const shareText = (share: unknown): string => `a share of ${String(share)}`

/**
 * What a check gave, or why that is not a result. A value of another kind would be taken for a check that did not hold.
 * @param name Of the check, for the error.
 * @throws SpecError when it is not `{ ok, reason }`.
 */
export function checkedResult(name: string, result: unknown): CheckResult {
  if (typeof result === 'object' && result !== null) {
    const { ok, holds = ok, share, reason = share === undefined ? undefined : shareText(share) } = result as CheckFields
    const hasShare = typeof share === 'number' && share >= 0 && share <= 1
    if (typeof holds === 'boolean' && typeof reason === 'string' && (hasShare || share === undefined)) {
      return { ok: holds, reason, ...(hasShare ? { share } : {}) }
    }
  }
  const given = result === undefined ? 'nothing back' : `${kindOf(result)} back`
  throw invalid(
    `the verify check ${JSON.stringify(name)} gave ${given} instead of { ok, reason }`,
    `Let verify[${JSON.stringify(name)}] return${result === undefined ? ' (is a "return" missing?)' : ''} check(ok, statement), python(…).call(…).gives(…), tests(), { ok: true or false, reason: 'text' } or { holds: true or false, share: 0 to 1 }.`,
  )
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object'
    ? 'an object of another kind'
    : `a ${typeof value === 'string' ? 'text' : typeof value}`
}

function filesOver(asked: string, texts: WithFiles): Overlay {
  return new Map(
    Object.entries(texts).map(([path, text]) => {
      const problem = checkGlob(path)
      if (problem !== null || /[*?[\]{}]/.test(path) || (typeof text !== 'string' && text !== null)) {
        throw invalid(
          `${asked}{ ${JSON.stringify(path)}: … }) does not name a file: ${problem ?? 'that is not a path with a text or null'}`,
          "Give texts by paths of the workspace, for example { 'config.py': 'RATE = 0.2\\n' }; null takes a file away.",
        )
      }
      return [path, text === null ? null : { bytes: Buffer.from(text), mode: 0o644 }]
    }),
  )
}

function pythonModule(module: string, over: Overlay, work: VerifyWork): PythonModule {
  if (!MODULE_NAME.test(module)) {
    throw invalid(
      `python(${JSON.stringify(module)}) is not a module name`,
      "Name it as Python's import does: 'main' for main.py.",
    )
  }
  return importedModule({ module }, over, work)
}

function javascriptFile(module: string, over: Overlay, work: VerifyWork): PythonModule {
  if (checkGlob(module) !== null || !/^[^*?[\]{}]+\.[cm]?js$/.test(module)) {
    throw invalid(
      `javascript(${JSON.stringify(module)}) is not a file of JavaScript`,
      "Name it by its path in the workspace: 'main.js', 'src/main.mjs'.",
    )
  }
  return importedModule({ module, language: 'javascript' }, over, work)
}

function importedModule(
  imported: Pick<FunctionCall, 'module' | 'language'>,
  over: Overlay,
  work: VerifyWork,
): PythonModule {
  return {
    call: (name, args) => ({
      async gives(expected): Promise<CheckResult> {
        const label = `${imported.module}.${name}`
        checkCall(label, name, args, expected)
        const evaluation = await work.evaluate(
          args.map(list => ({ ...imported, name, args: list })),
          over,
        )
        return judge(label, evaluation, expected)
      },
    }),
  }
}

/** Mistakes of the check itself. They are thrown: a check that cannot be right must not count as the model's failure. */
function checkCall(
  label: string,
  name: string,
  args: readonly (readonly unknown[])[],
  expected: readonly Expected[],
): void {
  if (!PYTHON_NAME.test(name))
    throw invalid(`call(${JSON.stringify(name)}) is not a function name`, 'Name a function of the module.')
  if (args.length === 0)
    throw invalid(`${label} is called with no list of arguments`, 'Give at least one: a check of nothing always holds.')
  if (args.length > MAX_CALLS)
    throw invalid(`${label} is called ${args.length} times`, `Call it at most ${MAX_CALLS} times.`)
  if (args.length !== expected.length) {
    throw invalid(
      `${label} is called with ${args.length} lists of arguments, but ${expected.length} values are expected`,
      'Give one expected value for each list of arguments.',
    )
  }
  args.forEach((list, index) => {
    if (!Array.isArray(list) || !isJson(list, 0)) {
      throw invalid(
        `call ${index + 1} of ${label} has arguments that are not a list of JSON values`,
        'Use null, booleans, finite numbers, texts, lists and plain objects.',
      )
    }
  })
  expected.forEach((value, index) => {
    const problem = expectedProblem(value)
    if (problem !== null)
      throw invalid(`what call ${index + 1} of ${label} should give ${problem}`, 'Correct the list given to gives(…).')
  })
}

function judge(label: string, evaluation: Evaluation, expected: readonly Expected[]): CheckResult {
  if (evaluation.kind !== 'values') return { ok: false, reason: `${label}: ${NO_VALUES[evaluation.kind]}` }
  const { results } = evaluation
  if (results.length !== expected.length) {
    return { ok: false, reason: `${label}: ${results.length} of ${expected.length} calls gave a value` }
  }
  for (const [index, value] of expected.entries()) {
    const outcome = results[index]
    if (outcome === undefined) return { ok: false, reason: `${label}: call ${index + 1} gave nothing` }
    const comparison = compareOutcome(outcome, value)
    if (!comparison.ok) {
      return { ok: false, reason: `${label}: call ${index + 1} of ${expected.length} ${comparison.reason}` }
    }
  }
  return { ok: true, reason: `${label}: ${expected.length} calls gave what is expected` }
}

function isJson(value: unknown, depth: number): boolean {
  if (depth > 20) return false
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1))
  if (typeof value !== 'object' || ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return false
  return Object.values(value).every(item => isJson(item, depth + 1))
}

function invalid(problem: string, remedy: string): SpecError {
  return new SpecError(problem, { code: 'spec_invalid', remedy })
}
