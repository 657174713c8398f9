/** What a suite is: a folder of tasks, and what `suite.ts` in it says of them all. */
import { type Fields, isRecord, type Report } from './fields.ts'
import { didYouMean, type Mistake, show, specError } from './mistakes.ts'
import { callerPosition } from './position.ts'

/** The file of a folder that says something of its tasks as a whole. */
export const SUITE_FILE = 'suite.ts'

export interface SuiteSpec {
  /** What reports call the suite; without a `suite.ts` they use the name of the folder. At most 80 characters. */
  readonly title: string
  /** One sentence: what the suite measures. */
  readonly description?: string
  /** Ids of the tasks of each module. Every task of the folder is in one. */
  readonly modules?: Readonly<Record<string, readonly string[]>>
  /** Ways to weigh the modules into one number, by name. Each gives every module a share; they add up to 1. */
  readonly weights?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Parts of the suite by name, as ids of tasks: `BENCH_PROFILE=fast` runs only those. */
  readonly profiles?: Readonly<Record<string, readonly string[]>>
  /** `false`: the suite runs only when it, one of its tasks or a path of it is named. Default: true. */
  readonly byDefault?: boolean
}

/** A checked suite. */
export interface Suite extends Required<Omit<SuiteSpec, 'description'>> {
  readonly isSuite: true
  readonly description: string | null
}

/** A record type makes the compiler say when a field is added and forgotten here. */
const FIELDS: Readonly<Record<keyof SuiteSpec, true>> = {
  title: true,
  description: true,
  modules: true,
  weights: true,
  profiles: true,
  byDefault: true,
}
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/
/** Shares are written as decimals, which add up to almost 1. */
const ROUNDING = 1e-9

/**
 * Defines the suite of a folder of tasks: the default export of `tasks/<suite>/suite.ts`.
 *
 * @example
 * export default defineSuite({
 *   title: 'Small tasks',
 *   description: 'Cheap tasks that tell small models apart.',
 *   modules: { tools: ['order_v1', 'refund_v1'], format: ['hours_v1'] },
 *   weights: { balanced: { tools: 0.6, format: 0.4 } },
 *   profiles: { fast: ['order_v1', 'hours_v1'] },
 *   byDefault: false,
 * })
 * @throws SpecError code `spec_invalid`
 */
export function defineSuite(spec: SuiteSpec): Suite {
  const mistakes: Mistake[] = []
  checkSuite(spec, (field, problem, remedy) => mistakes.push({ field, problem, remedy }))
  if (mistakes.length > 0) throw specError(callerPosition(defineSuite), mistakes)
  const { title, description = null, modules = {}, weights = {}, profiles = {}, byDefault = true } = spec
  return Object.freeze({ title, description, modules, weights, profiles, byDefault, isSuite: true })
}

/** Whether a module's default export was made by {@link defineSuite}, in this copy of the module or another. */
export function isSuite(value: unknown): value is Suite {
  return typeof value === 'object' && value !== null && 'isSuite' in value && value.isSuite === true
}

/** The module of a task; null where the suite has none. */
export function moduleOf({ modules }: Suite, task: string): string | null {
  return Object.entries(modules).find(([, ids]) => ids.includes(task))?.[0] ?? null
}

/** What a suite says of the tasks of its folder and does not hold. */
export function suiteMistakes(suite: Suite, tasks: readonly string[]): readonly Mistake[] {
  const { modules, profiles } = suite
  const mistakes = Object.entries({ modules, profiles }).flatMap(([field, named]) =>
    Object.entries(named).flatMap(([name, ids]) =>
      ids
        .filter(id => !tasks.includes(id))
        .map(id => ({
          field: `${field}.${name}`,
          problem: `${show(id)} is no task of this folder`,
          remedy: didYouMean(id, tasks),
        })),
    ),
  )
  return [...mistakes, ...modulesMistakes(suite, tasks)]
}

/** Tasks that are in no module of a suite that has modules. */
export function modulesMistakes(suite: Suite, tasks: readonly string[]): readonly Mistake[] {
  if (Object.keys(suite.modules).length === 0) return []
  const remedy = 'Name it in the module it belongs to.'
  return tasks
    .filter(id => moduleOf(suite, id) === null)
    .map(id => ({ field: 'modules', problem: `${show(id)} is in no module`, remedy }))
}

function checkSuite(spec: unknown, report: Report): void {
  if (!isRecord(spec)) {
    report('(suite)', 'is not an object', "Write `export default defineSuite({ title: 'Agentic work' })`.")
    return
  }
  for (const name of Object.keys(spec)) {
    if (!Object.hasOwn(FIELDS, name)) report(name, 'is not a field of a suite', didYouMean(name, Object.keys(FIELDS)))
  }
  const { title, description, byDefault } = spec
  if (!isLine(title, 80)) report('title', `is ${show(title)}`, "Write a line of 1 to 80 characters: 'Agentic work'.")
  if (description !== undefined && !isLine(description, 300)) {
    report('description', `is ${show(description)}`, 'Write one sentence of at most 300 characters.')
  }
  if (byDefault !== undefined && typeof byDefault !== 'boolean') {
    report('byDefault', `is ${show(byDefault)}`, 'Write false, or leave it out.')
  }
  checkLists('modules', spec.modules, report)
  checkLists('profiles', spec.profiles, report)
  checkOnce(spec.modules, report)
  checkWeights(spec, report)
}

const isLine = (text: unknown, most: number) =>
  typeof text === 'string' && text.trim() !== '' && text.length <= most && !/\p{Cc}/u.test(text)

const isIds = (ids: unknown): ids is readonly string[] => Array.isArray(ids) && ids.every(id => typeof id === 'string')

/** Lists of task ids by name. */
function checkLists(field: string, value: unknown, report: Report): void {
  if (value === undefined) return
  if (!isRecord(value)) {
    report(field, `is ${show(value)}, not an object`, "Write { name: ['task_id'] }.")
    return
  }
  for (const [name, ids] of Object.entries(value)) {
    if (!NAME.test(name)) report(`${field}.${name}`, 'is not a name', 'Use 1 to 40 letters, digits, _ and -')
    if (!isIds(ids) || ids.length === 0) {
      report(`${field}.${name}`, `is ${show(ids)}`, "List the ids of its tasks: ['task_id'].")
    } else {
      for (const id of repeated(ids)) report(`${field}.${name}`, `names ${show(id)} twice`, 'Name it once.')
    }
  }
}

function repeated(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))]
}

/** A task in two modules would count twice. */
function checkOnce(modules: unknown, report: Report): void {
  if (!isRecord(modules)) return
  const all = Object.values(modules).flatMap(ids => (isIds(ids) ? [...new Set(ids)] : []))
  for (const id of repeated(all)) report('modules', `${show(id)} is in two modules`, 'Leave it in one.')
}

function checkWeights({ weights, modules }: Fields, report: Report): void {
  if (weights === undefined) return
  const names = isRecord(modules) ? Object.keys(modules) : []
  const remedy = `Write { name: { ${names.map(name => `${name}: 0.5`).join(', ') || 'module: 1'} } }; the shares add up to 1.`
  if (!isRecord(weights)) {
    report('weights', `is ${show(weights)}, not an object`, remedy)
    return
  }
  for (const [name, shares] of Object.entries(weights)) {
    const field = `weights.${name}`
    if (!isRecord(shares)) {
      report(field, `is ${show(shares)}, not an object`, remedy)
      continue
    }
    for (const module of Object.keys(shares)) {
      if (!names.includes(module)) report(`${field}.${module}`, 'is not a module', didYouMean(module, names))
    }
    for (const module of names) {
      const share = shares[module]
      if (typeof share === 'number' && share > 0 && share <= 1) continue
      report(`${field}.${module}`, share === undefined ? 'is missing' : `is ${show(share)}`, 'Give a share above 0.')
    }
    const sum = Object.values(shares).reduce<number>((total, share) => total + Number(share), 0)
    if (Math.abs(sum - 1) > ROUNDING) report(field, `adds up to ${Number(sum.toFixed(6))}, not to 1`, remedy)
  }
}
