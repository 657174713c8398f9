/**
 * What is compared across runs: of each model the newest result of each task. A model under another agent or in another
 * kind of sandbox is another entrant: their results are never mixed.
 */
import type { ResultHead, UnusableFile } from '../src/results/folder.ts'
import type { Arm } from '../src/results/matching.ts'
import { rowName } from '../src/results/row-name.ts'

/** The part of a summary that comparisons need; without its trials, so that many fit in memory. */
export interface Standing {
  /** Name of the summary file in its folder. */
  readonly file: string
  readonly suite: string
  /** What its `suite.ts` calls it, else the name of the folder. */
  readonly suiteTitle: string
  readonly task: string
  /** What tables call the task, with the mode it was run in. */
  readonly row: string
  /** Its number; only 0 is compared. */
  readonly instance: number
  readonly fingerprint: string
  readonly model: string
  readonly agent: string
  readonly driver: string | null
  readonly isModel: boolean
  /** A skill without a manifest: what it did is shown, and compared with nothing. */
  readonly observed: boolean
  readonly verdict: ResultHead['verdict']
  readonly k: number
  readonly n: number
  readonly passes: number
  /** Mean over the n trials. */
  readonly score: number | null
  /** All planned trials were run, or were left out by early stop. */
  readonly isWhole: boolean
  readonly isOneSample: boolean
  readonly toolCalls: number
  /** Seconds over all trials. */
  readonly seconds: number
  /** When its last trial began (ISO 8601). */
  readonly latest: string
}

/** One model under one agent in one kind of sandbox, with its newest result of each task. */
export interface Entrant {
  readonly model: string
  readonly agent: string
  readonly driver: string | null
  /** By the name of its row. */
  readonly tasks: ReadonlyMap<string, Standing>
}

export interface Task {
  /** The name of its row. */
  readonly id: string
  readonly suite: string
  readonly suiteTitle: string
}

/** Everything in a results folder that can be compared. */
export interface Field {
  /** Models in the order of their names. */
  readonly entrants: readonly Entrant[]
  /** All tasks of the suites that the entrants have results of, by suite and name. */
  readonly tasks: readonly Task[]
  /** What has to be known to read the comparison, one sentence each. */
  readonly notes: readonly string[]
  readonly left: LeftOut
}

/** Result files of a folder that a comparison does without. */
export interface LeftOut {
  /** Files that cannot be used, with the reason. */
  readonly broken: readonly UnusableFile[]
  /** Number of older files that were not looked at. */
  readonly unread: number
}

/** The comparable part of one result. */
export function standingOf(head: ResultHead): Standing {
  const total = (of: (trial: ResultHead['trials'][number]) => number) =>
    head.trials.reduce((sum, trial) => sum + of(trial), 0)
  return {
    file: head.file,
    suite: head.suite,
    suiteTitle: head.suite_title ?? head.suite,
    task: head.task_id,
    row: rowName(head),
    instance: head.instance ?? 0,
    fingerprint: head.task_fingerprint,
    model: head.model,
    agent: head.agent,
    driver: head.identity_parts.driver,
    isModel: head.is_model_result,
    observed: head.observed,
    verdict: head.verdict,
    k: head.k,
    n: head.n,
    passes: head.passes,
    score: head.avg_score,
    isWhole: head.early_stopped || head.trials_run >= head.trials_planned,
    isOneSample: head.identical_transcripts,
    toolCalls: total(trial => trial.tool_calls),
    seconds: total(trial => trial.total_elapsed_sec),
    latest:
      head.trials
        .map(trial => trial.started_at)
        .sort()
        .at(-1) ?? head.started_at,
  }
}

/** A model's name as people say it: the last part of a path, without `.gguf`. */
export function shortModelName(model: string): string {
  const name = model
    .split(/[\\/]/)
    .filter(part => part !== '')
    .at(-1)
  return (name ?? model).replace(/\.gguf$/i, '') || model
}

/** What models are called beside each other: by their short names, or the whole one where two are shortened alike. */
export function modelNames(models: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(models)]
  const short = (model: string) => shortModelName(model).toLowerCase()
  const isAlone = (model: string) => all.every(other => other === model || short(other) !== short(model))
  return new Map(all.map(model => [model, isAlone(model) ? shortModelName(model) : model]))
}

/**
 * Chooses what is compared: of the usual instance, the newest whole result of a task before a newer one of which only some
 * trials were asked for. A result in which no trial counts (the server was down) replaces none.
 */
export function fieldOf(all: readonly Standing[], left: LeftOut = { broken: [], unread: 0 }): Field {
  const standings = all.filter(({ instance }) => instance === 0)
  const counted = standings.filter(({ isModel, n }) => isModel && n > 0)
  const whose = ({ model, agent }: Standing) => JSON.stringify([model, agent])
  const driversOf = new Map(counted.map(standing => [whose(standing), new Set<string>()]))
  for (const standing of counted) if (standing.driver !== null) driversOf.get(whose(standing))?.add(standing.driver)
  const groups = new Map<string, { readonly first: Standing; readonly tasks: Map<string, Standing> }>()
  const place = (standing: Standing, driver: string | null) => {
    const key = JSON.stringify([standing.model, standing.agent, driver])
    const group = groups.get(key) ?? { first: { ...standing, driver }, tasks: new Map<string, Standing>() }
    groups.set(key, group)
    const other = group.tasks.get(standing.row)
    if (other === undefined || isPreferred(standing, other)) group.tasks.set(standing.row, standing)
  }
  for (const standing of counted) {
    // What ran in no sandbox stands beside what the same model did in any.
    const drivers = standing.driver === null ? [...(driversOf.get(whose(standing)) ?? [])] : [standing.driver]
    for (const driver of drivers.length === 0 ? [null] : drivers) place(standing, driver)
  }
  const entrants = [...groups]
    .map(([key, { first, tasks }]) => ({ key, model: first.model, agent: first.agent, driver: first.driver, tasks }))
    .sort((a, b) => compareText(shortModelName(a.model), shortModelName(b.model)) || compareText(a.key, b.key))
    .map(({ key: _key, ...entrant }) => entrant)
  return { entrants, tasks: tasksOf(standings, entrants), notes: notesOf(entrants, left), left }
}

function isPreferred(one: Standing, other: Standing): boolean {
  if (one.isWhole !== other.isWhole) return one.isWhole
  return (compareText(one.latest, other.latest) || compareText(one.file, other.file)) > 0
}

/** Tasks are known by their results, also those of scripted agents: a suite played once by the reference is complete. */
function tasksOf(standings: readonly Standing[], entrants: readonly Entrant[]): readonly Task[] {
  const compared = [...entrants.flatMap(entrant => [...entrant.tasks.values()])]
  const suites = new Set(compared.map(standing => standing.suite))
  const tasks = new Map<string, Task>()
  for (const { row, suite, suiteTitle } of [...standings.filter(standing => suites.has(standing.suite)), ...compared]) {
    tasks.set(row, { id: row, suite, suiteTitle })
  }
  return [...tasks.values()].sort((a, b) => compareText(a.suite, b.suite) || compareText(a.id, b.id))
}

function notesOf(entrants: readonly Entrant[], { broken, unread }: LeftOut): readonly string[] {
  const notes: string[] = []
  const drivers = new Set(entrants.map(entrant => entrant.driver ?? 'none'))
  if (drivers.size > 1) {
    notes.push(`Results come from different kinds of sandbox (${[...drivers].sort().join(', ')}): compare with care.`)
  }
  const versions = new Map<string, Set<string>>()
  for (const { row, fingerprint } of entrants.flatMap(entrant => [...entrant.tasks.values()])) {
    versions.set(row, (versions.get(row) ?? new Set()).add(fingerprint))
  }
  const mixed = [...versions].filter(([, found]) => found.size > 1).map(([row]) => row)
  if (mixed.length > 0) notes.push(`The results rest on different versions of ${mixed.sort().join(', ')}.`)
  if (unread > 0) notes.push(`${unread} older result files were not looked at.`)
  return [...notes, ...describeBroken(broken)]
}

/** Unusable files by the reason, one sentence each: without it a model that lost half its results looks like a better one. */
export function describeBroken(broken: LeftOut['broken']): readonly string[] {
  const byReason = new Map<string, string[]>()
  for (const { file, reason } of broken) byReason.set(reason, [...(byReason.get(reason) ?? []), file])
  return [...byReason].map(([reason, files]) => {
    const more = files.length > 1 ? ` and ${files.length - 1} more` : ''
    return `${files.length} of the result files cannot be used: ${reason} (${files[0]}${more}).`
  })
}

/** A field without what has no verdict: observed skills stand in no tier and on no axis. */
export function judged(field: Field): Field {
  const isJudged = ({ tasks }: Entrant, id: string) => tasks.get(id)?.observed !== true
  const entrants = field.entrants
    .map(entrant => ({ ...entrant, tasks: new Map([...entrant.tasks].filter(([id]) => isJudged(entrant, id))) }))
    .filter(({ tasks }) => tasks.size > 0)
  return { ...field, entrants, tasks: field.tasks.filter(({ id }) => field.entrants.every(one => isJudged(one, id))) }
}

/** The part of a field with these entrants only; tasks and notes are made to fit. */
export function narrowed({ tasks, left }: Field, entrants: readonly Entrant[]): Field {
  const suites = new Set(entrants.flatMap(entrant => [...entrant.tasks.values()].map(standing => standing.suite)))
  return { entrants, tasks: tasks.filter(task => suites.has(task.suite)), notes: notesOf(entrants, left), left }
}

function newestOf(entrant: Entrant): string {
  return [...entrant.tasks.values()].reduce((latest, { latest: one }) => (one > latest ? one : latest), '')
}

/** At most `count` entrants: those with the newest results, still in the order of their names. */
export function newestEntrants(field: Field, count: number): readonly Entrant[] {
  const newest = field.entrants.toSorted((a, b) => -compareText(newestOf(a), newestOf(b))).slice(0, count)
  return field.entrants.filter(entrant => newest.includes(entrant))
}

export interface EntrantLabel {
  readonly name: string
  /** Agent and kind of sandbox. */
  readonly setting: string
}

/** How each entrant is called, see {@link modelNames}. */
export function entrantLabels(entrants: readonly Entrant[]): readonly EntrantLabel[] {
  const names = modelNames(entrants.map(({ model }) => model))
  return entrants.map(({ model, agent, driver }) => ({
    name: names.get(model) ?? model,
    setting: `${agent} · ${driver ?? 'no sandbox'}`,
  }))
}

/** Entrants as arms of a comparison. @param heads of the folder that the field was made from */
export function armsOf({ entrants }: Pick<Field, 'entrants'>, heads: readonly ResultHead[]): readonly Arm[] {
  const byFile = new Map(heads.map(head => [head.file, head]))
  const labels = entrantLabels(entrants)
  return entrants.map(({ tasks }, at) => {
    const { name = '', setting = '' } = labels[at] ?? {}
    const isShared = labels.filter(label => label.name === name).length > 1
    return {
      name: isShared ? `${name} (${setting})` : name,
      heads: [...tasks.values()].flatMap(({ file }) => byFile.get(file) ?? []),
    }
  })
}

/** Order by code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
