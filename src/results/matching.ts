/**
 * Arms of a comparison, brought together: the tasks that all have in the same version, what was dropped, and the settings
 * in which they differ. Pure; the numbers are made in `src/score/comparison.ts`.
 */
import type { ArmTrials, ComparedTask, ComparisonInput, Weights } from '../score/comparison.ts'
import type { ResultHead } from './folder.ts'
import { canonicalJson } from './hash.ts'
import { rowName } from './row-name.ts'

/** Results that are compared as one: of one model under one agent in one kind of sandbox, one for each task. */
export interface Arm {
  readonly name: string
  readonly heads: readonly ResultHead[]
}

interface DifferentSetting {
  /** As records name it, such as `sampling.temperature`. */
  readonly setting: string
  /** The values of each arm, in their order. */
  readonly values: readonly string[]
  /** Tasks in which it differs. */
  readonly tasks: number
}

export interface Dropped {
  readonly task: string
  /** `missing`: some arm has no trial that counts. `version`: the task was changed in between. */
  readonly reason: 'missing' | 'version' | 'observed'
  /** Arms without it, or with another version than the first one that has it. */
  readonly arms: readonly string[]
}

export interface Matched {
  readonly input: ComparisonInput
  readonly settings: readonly DifferentSetting[]
  readonly dropped: readonly Dropped[]
  /** What has to be known to read the numbers, one sentence each. */
  readonly notes: readonly string[]
}

export interface MatchOptions {
  /** The module of a task; its suite where there is none. */
  readonly moduleOf?: (head: ResultHead) => string
  readonly weights?: Weights | undefined
}

/** Matches arms by task id and fingerprint. A task that some arm has no trial of is dropped, and named. */
export function matchArms(arms: readonly Arm[], options: MatchOptions = {}): Matched {
  const { moduleOf = (head: ResultHead) => head.module ?? head.suite_title ?? head.suite } = options
  const byTask = arms.map(({ heads }) => new Map(heads.map(head => [rowName(head), head])))
  const ids = [...new Set(arms.flatMap(({ heads }) => heads.map(rowName)))].sort()
  const names = (isMeant: (head: ResultHead | undefined) => boolean, id: string) =>
    arms.filter((_, at) => isMeant(byTask[at]?.get(id))).map(({ name }) => name)
  const rows: (readonly ResultHead[])[] = []
  const dropped: Dropped[] = []
  for (const task of ids) {
    const heads = byTask.flatMap(of => of.get(task) ?? [])
    const missing = names(head => head === undefined || head.n === 0, task)
    const others = names(head => head?.task_fingerprint !== heads[0]?.task_fingerprint, task)
    if (heads.some(head => head.observed)) dropped.push({ task, reason: 'observed', arms: [] })
    else if (missing.length > 0) dropped.push({ task, reason: 'missing', arms: missing })
    else if (others.length > 0) dropped.push({ task, reason: 'version', arms: others })
    else rows.push(heads)
  }
  const settings = differingSettings(rows)
  const areModelsMany = new Set(rows.flat().map(head => head.model)).size > 1
  return {
    input: {
      arms: arms.map(({ name }) => name),
      k: rows.length === 0 ? 1 : Math.min(...rows.flat().map(head => head.k)),
      tasks: rows.flatMap(heads => taskOf(heads, moduleOf)),
      weights: options.weights,
      differing: [...(areModelsMany ? ['model'] : []), ...settings.map(({ setting }) => setting)],
    },
    settings,
    dropped,
    notes: arms.flatMap(({ name }, at) =>
      sampleNotes(
        name,
        rows.flatMap(heads => heads[at] ?? []),
      ),
    ),
  }
}

function taskOf(heads: readonly ResultHead[], moduleOf: (head: ResultHead) => string): readonly ComparedTask[] {
  const [first] = heads
  return first === undefined ? [] : [{ id: rowName(first), module: moduleOf(first), arms: heads.map(trialsOf) }]
}

/** Trials are one sample, or their number depends on how they ended: then the first alone is counted. */
const isFirstOnly = (head: ResultHead) => head.identical_transcripts || head.early_stopped

function trialsOf(head: ResultHead): ArmTrials {
  const valid = head.trials
    .filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
    .toSorted((a, b) => a.trial_index - b.trial_index)
  const mean = (of: (trial: (typeof valid)[number]) => number | null) => {
    const known = valid.flatMap(trial => of(trial) ?? [])
    return known.length === 0 || known.length < valid.length
      ? null
      : known.reduce((sum, value) => sum + value, 0) / known.length
  }
  return {
    outcomes: valid.slice(0, isFirstOnly(head) ? 1 : undefined).map(({ outcome }) => outcome === 'passed'),
    seconds: mean(trial => trial.total_elapsed_sec),
    turns: mean(trial => trial.turns_taken),
    tokens: mean(trial => trial.stats?.completion_tokens ?? null),
  }
}

function sampleNotes(arm: string, heads: readonly ResultHead[]): readonly string[] {
  const tasks = (count: number) => `${count} of ${heads.length} tasks of ${arm}`
  const same = heads.filter(head => head.identical_transcripts).length
  const early = heads.filter(head => head.early_stopped).length
  return [
    ...(same === 0 ? [] : [`${tasks(same)} are one sample: all transcripts are the same, so one trial is counted.`]),
    ...(early === 0
      ? []
      : [
          `${tasks(early)} were stopped early: how many trials there are depends on how they ended, so the first is counted.`,
        ]),
  ]
}

/** They belong to a model, and differ where models do. */
const OF_A_MODEL: readonly string[] = ['server.model_path', 'server.chat_template_sha256']
/** They say which task and model it is. */
const NO_SETTING: readonly string[] = ['task_id', 'task_fingerprint', 'model']

/** Everything that makes records comparable, by its path: what a later record says besides is taken in without a change here. */
function settingsOf(head: ResultHead): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const add = (path: string, value: unknown) => {
    if (value === null || value === undefined || NO_SETTING.includes(path)) return
    if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [key, part] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, part)
    } else found.set(path, typeof value === 'string' ? value : canonicalJson(value))
  }
  add('', head.identity_parts)
  add('k', head.k)
  add('trials_planned', head.trials_planned)
  add('quantisation', head.environment.model_labels?.quantisation)
  add('platform', head.environment.platform)
  add('harness_version', head.environment.harness_version)
  return found
}

function differingSettings(rows: readonly (readonly ResultHead[])[]): readonly DifferentSetting[] {
  const found = new Map<string, { readonly values: Set<string>[]; tasks: number }>()
  for (const heads of rows) {
    const settings = heads.map(settingsOf)
    const areModelsMany = new Set(heads.map(({ model }) => model)).size > 1
    for (const setting of new Set(settings.flatMap(of => [...of.keys()]))) {
      const values = settings.map(of => of.get(setting) ?? 'none')
      if (new Set(values).size === 1 || (areModelsMany && OF_A_MODEL.includes(setting))) continue
      const entry = found.get(setting) ?? { values: values.map(() => new Set<string>()), tasks: 0 }
      found.set(setting, entry)
      entry.tasks++
      for (const [at, value] of values.entries()) entry.values[at]?.add(value)
    }
  }
  return [...found].map(([setting, { values, tasks }]) => ({
    setting,
    values: values.map(of => [...of].join(', ')),
    tasks,
  }))
}
