/**
 * Arms of a comparison, brought together: the tasks that all have in the same version, what was dropped, and the settings
 * in which they differ. Pure; the numbers are made in `src/score/comparison.ts`.
 */
import type { ArmTrials, ComparisonInput, Weights } from '../score/comparison.ts'
import type { ResultHead } from './folder.ts'
import { canonicalJson } from './hash.ts'
import { rowName } from './row-name.ts'

/** Results that are compared as one: of one model under one agent in one kind of sandbox, one for each task. */
export interface Arm {
  readonly name: string
  readonly heads: readonly ResultHead[]
}

interface Dropped {
  readonly task: string
  /** `missing`: some arm has no trial that counts. `version`: the task was changed in between. */
  readonly reason: 'missing' | 'version' | 'observed'
  /** Arms without it, or with another version than the first arm that has it. */
  readonly arms: readonly string[]
}

export interface Matched {
  readonly input: ComparisonInput
  /** By their path in records, such as `sampling.temperature`, with the values of each arm and the tasks that differ. */
  readonly settings: readonly { readonly setting: string; readonly values: readonly string[]; readonly tasks: number }[]
  readonly dropped: readonly Dropped[]
  /** What has to be known to read the numbers, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Matches arms by the row of a task (its id and mode) and its fingerprint. A task that some arm has no trial of is dropped, and named.
 * @param options.moduleOf the module of a task; its suite where it is left out
 */
export function matchArms(
  arms: readonly Arm[],
  options: { readonly moduleOf?: (head: ResultHead) => string; readonly weights?: Weights | undefined } = {},
): Matched {
  const { moduleOf = head => head.module ?? head.suite_title ?? head.suite, weights } = options
  const rows: { readonly first: ResultHead; readonly heads: readonly ResultHead[] }[] = []
  const dropped: Dropped[] = []
  for (const task of [...new Set(arms.flatMap(({ heads }) => heads.map(rowName)))].sort()) {
    const found = arms.map(({ name, heads }) => ({ name, head: heads.find(head => rowName(head) === task) }))
    const heads = found.flatMap(({ head }) => head ?? [])
    const [first] = heads
    if (first === undefined) continue
    const missing = found.filter(({ head }) => head === undefined || head.n === 0)
    const others = found.filter(({ head }) => head?.task_fingerprint !== first.task_fingerprint)
    const drop = (reason: Dropped['reason'], of: typeof found) =>
      dropped.push({ task, reason, arms: of.map(({ name }) => name) })
    if (heads.some(head => head.observed)) drop('observed', [])
    else if (missing.length > 0) drop('missing', missing)
    else if (others.length > 0) drop('version', others)
    else rows.push({ first, heads })
  }
  const all = rows.flatMap(({ heads }) => heads)
  const settings = differingSettings(rows.map(({ heads }) => heads))
  return {
    input: {
      arms: arms.map(({ name }) => name),
      k: rows.length === 0 ? 1 : Math.min(...all.map(({ k }) => k)),
      tasks: rows.map(({ first, heads }) => ({
        id: first.task_id,
        module: moduleOf(first),
        arms: heads.map(trialsOf),
      })),
      weights,
      // How many trials there are is no cause of a difference between them.
      differing: [
        ...(areOneModel(all) ? [] : ['model']),
        ...settings.map(({ setting }) => setting).filter(setting => setting !== 'k' && setting !== 'trials_planned'),
      ],
    },
    settings,
    dropped,
    notes: arms.flatMap(({ name }, at) => {
      const own = rows.flatMap(({ heads }) => heads[at] ?? [])
      const note = (of: readonly ResultHead[], why: string) =>
        of.length === 0 ? [] : [`${of.length} of ${own.length} tasks of ${name} count with their first trial: ${why}`]
      const same = own.filter(head => head.identical_transcripts)
      const early = own.filter(head => head.early_stopped)
      return [
        ...note(same, 'all transcripts are the same, which makes one sample.'),
        ...note(early, 'they were stopped early, so how many trials there are depends on how they ended.'),
      ]
    }),
  }
}

const areOneModel = (heads: readonly ResultHead[]) => new Set(heads.map(({ model }) => model)).size < 2

/** The trials of a result that count as separate samples, and their mean cost. */
export function trialsOf(head: ResultHead): ArmTrials {
  const valid = head.trials
    .filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
    .toSorted((a, b) => a.trial_index - b.trial_index)
  const mean = (of: (trial: (typeof valid)[number]) => number | null) => {
    const known = valid.flatMap(trial => of(trial) ?? [])
    return known.length < Math.max(1, valid.length) ? null : known.reduce((sum, one) => sum + one, 0) / known.length
  }
  const separate = head.identical_transcripts || head.early_stopped ? valid.slice(0, 1) : valid
  return {
    outcomes: separate.map(({ outcome }) => outcome === 'passed'),
    seconds: mean(trial => trial.total_elapsed_sec),
    turns: mean(trial => trial.turns_taken),
    tokens: mean(trial => trial.stats?.completion_tokens ?? null),
  }
}

/** Everything that makes records comparable, by its path: what later records say besides is taken in without a change here. */
function settingsOf({ identity_parts, k, trials_planned, environment }: ResultHead): ReadonlyMap<string, string> {
  const { task_id: _task, task_fingerprint: _version, model: _model, ...parts } = identity_parts
  const { platform, harness_version, model_labels } = environment
  const found = new Map<string, string>()
  const add = (path: string, value: unknown) => {
    if (value === null || value === undefined) return
    if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [key, part] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, part)
    } else found.set(path, typeof value === 'string' ? value : canonicalJson(value))
  }
  add('', { ...parts, k, trials_planned, platform, harness_version, quantisation: model_labels?.quantisation })
  return found
}

function differingSettings(rows: readonly (readonly ResultHead[])[]): Matched['settings'] {
  const found = new Map<string, { readonly values: Set<string>[]; tasks: number }>()
  for (const heads of rows) {
    const settings = heads.map(settingsOf)
    for (const setting of new Set(settings.flatMap(of => [...of.keys()]))) {
      const values = settings.map(of => of.get(setting) ?? 'none')
      // They belong to a model, and differ where models do.
      const isOfModel = setting === 'server.model_path' || setting === 'server.chat_template_sha256'
      if (new Set(values).size === 1 || (isOfModel && !areOneModel(heads))) continue
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
