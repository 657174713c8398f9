/** Which models a run measures, from `model`, `models` and their variables: one entry each, in the order they are run. */

import { ConfigError } from '../errors.ts'
import { type AddressSource, VARIABLES } from '../model/base-url.ts'
import type { ModelLabels } from '../model/chat-model.ts'
import { isRecord } from '../model/json.ts'

/** One model of `models` in `bench.config.ts`. What is left out is taken from the settings of the run. */
export interface ModelEntry {
  /** The name the server knows it by. */
  model: string
  baseUrl?: string
  /** Taken from the run's settings only for a model on the run's own server: a key is never sent elsewhere. */
  apiKey?: string
  /** What results call it; needed where one model is measured in two settings. */
  label?: string
  /** Such as `8B`; read off the name when left out. */
  size?: string
  /** Such as `Q4_K_M`; read off the name or the file when left out. */
  quantisation?: string
  /** Merged over the run's `extraBody`. */
  extraBody?: Record<string, unknown>
}

/** A model to be measured; null = not named. Serialisable. */
export interface ModelSetting {
  readonly model: string | null
  readonly baseUrl: string | null
  readonly apiKey: string | null
  readonly extraBody: Readonly<Record<string, unknown>> | null
  readonly labels: Partial<ModelLabels>
  /** The file lists models, and this is none of them. */
  readonly isUnlisted: boolean
  /** Where the address and the key were given, if not by the variables. */
  readonly source?: AddressSource
}

/** What the file and the environment say about models, checked one by one. */
export interface SaidOfModels {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
}

/** The same of the file, which may list models. */
export type FileModels = SaidOfModels & { readonly models?: readonly ModelEntry[] | undefined }

/** More in one run are a mistake; each is a separate Vitest project. */
const MOST_MODELS = 32

const ENTRY_FIELDS = ['model', 'baseUrl', 'apiKey', 'label', 'size', 'quantisation', 'extraBody'] as const

function refuse(problem: string, remedy: string): never {
  throw new ConfigError(problem, { code: 'setting_invalid', remedy })
}

/** What an address of a server has to be, for messages. */
export const HTTP_ADDRESS = 'an http or https address such as http://127.0.0.1:8080/v1'

export const isHttpAddress = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

/**
 * Checks `models` of a config file.
 * @throws ConfigError code `setting_invalid` naming the entry and the field
 */
export function readModelEntries(value: unknown, file: string): readonly ModelEntry[] {
  if (!Array.isArray(value) || value.length === 0) {
    refuse(`models in ${file} is not a list of models`, `Write models: ['name', { model: 'other', baseUrl: '…' }].`)
  }
  return value.map((entry: unknown, index) => readEntry(entry, `models[${index}] in ${file}`))
}

function readEntry(entry: unknown, where: string): ModelEntry {
  if (typeof entry === 'string' && entry.trim() !== '') return { model: entry.trim() }
  if (!isRecord(entry)) refuse(`${where} is neither a name nor an object`, `Write 'name' or { model: 'name' }.`)
  for (const field of Object.keys(entry)) {
    if (!ENTRY_FIELDS.some(known => known === field)) {
      refuse(`${where} has the unknown field "${field}"`, `Remove it. The fields are: ${ENTRY_FIELDS.join(', ')}.`)
    }
  }
  const text = (field: Exclude<(typeof ENTRY_FIELDS)[number], 'extraBody'>): string | undefined => {
    const value = entry[field]
    if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value?.trim()
    return refuse(`${where}: ${field} is not a string`, `Set ${field} to a string that is not empty, or leave it out.`)
  }
  const model = text('model')
  if (model === undefined) refuse(`${where} names no model`, 'Give it the field model.')
  const baseUrl = text('baseUrl')
  if (baseUrl !== undefined && !isHttpAddress(baseUrl)) {
    refuse(`${where}: baseUrl is "${baseUrl}"`, `Set it to ${HTTP_ADDRESS}.`)
  }
  const { extraBody } = entry
  if (extraBody !== undefined && !isRecord(extraBody)) {
    refuse(`${where}: extraBody is not an object`, 'Set it to an object such as { top_k: 20 }, or leave it out.')
  }
  const optional = {
    baseUrl,
    apiKey: text('apiKey'),
    label: text('label'),
    size: text('size'),
    quantisation: text('quantisation'),
    extraBody,
  }
  return { model, ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) }
}

/**
 * The models of a run. `BENCH_MODEL=a,b` chooses among the entries of the file by name or label; a name that has none there
 * is a separate model. At least one setting is given back; its name is null when no model is named.
 * @throws ConfigError code `setting_invalid` when two would have one name in the results
 */
export function modelSettings(file: FileModels, env: SaidOfModels): readonly ModelSetting[] {
  if (file.model !== undefined && file.models !== undefined) {
    refuse('the config file has both model and models', 'Keep models; a run of one model is a list of one.')
  }
  const names = namesOf(env.model ?? file.model)
  const entries = file.models ?? []
  const chosen: readonly (ModelEntry | null)[] =
    names === null
      ? entries.length > 0
        ? entries
        : [null]
      : names.map(name => entries.find(({ label, model }) => name === (label ?? model)) ?? byModel(entries, name))
  if (chosen.length > MOST_MODELS) {
    refuse(
      `${chosen.length} models are more than a run takes`,
      `Name at most ${MOST_MODELS}, and the others in another run.`,
    )
  }
  const isUnlisted = (entry: ModelEntry | null) => entry !== null && entries.length > 0 && !entries.includes(entry)
  const settings = chosen.map(entry => ({
    ...settingOf(entry, file, env),
    isUnlisted: isUnlisted(entry),
    ...sourceOf(entry, entries, file, env),
  }))
  refuseSameNames(settings)
  return settings
}

function byModel(entries: readonly ModelEntry[], name: string): ModelEntry {
  const alike = entries.filter(({ model }) => model === name)
  if (alike.length > 1) {
    const labels = alike.map(({ label, model }) => label ?? model).join(', ')
    refuse(`the model "${name}" stands more than once in models`, `Name one of its labels: ${labels}.`)
  }
  return alike[0] ?? { model: name }
}

function namesOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  const names = text.split(',').map(name => name.trim())
  if (names.every(name => name !== '')) return names
  return refuse(`"${text}" names a model that is empty`, 'Separate names by single commas: BENCH_MODEL=a,b,c.')
}

function settingOf(entry: ModelEntry | null, file: SaidOfModels, env: SaidOfModels): Omit<ModelSetting, 'isUnlisted'> {
  const ofRun = env.baseUrl ?? file.baseUrl
  const baseUrl = env.baseUrl ?? entry?.baseUrl ?? file.baseUrl
  const isOnServerOfRun = baseUrl === ofRun
  const keyOfRun = isOnServerOfRun ? (env.apiKey ?? file.apiKey) : undefined
  const bodies = env.extraBody === undefined ? [file.extraBody, entry?.extraBody] : [entry?.extraBody, env.extraBody]
  const isBodySaid = bodies.some(body => body !== undefined)
  const labels = { label: entry?.label, size: entry?.size, quantisation: entry?.quantisation }
  return {
    model: entry?.model ?? null,
    baseUrl: baseUrl ?? null,
    apiKey: (isOnServerOfRun ? env.apiKey : undefined) ?? entry?.apiKey ?? keyOfRun ?? null,
    extraBody: isBodySaid ? Object.assign({}, ...bodies) : null,
    labels: Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined)),
  }
}

/** An entry's address is its own where it has one, unless the variable stands above it. */
function sourceOf(
  entry: ModelEntry | null,
  entries: readonly ModelEntry[],
  file: SaidOfModels,
  env: SaidOfModels,
): Pick<ModelSetting, 'source'> {
  if (env.baseUrl !== undefined) return {}
  if (entry?.baseUrl !== undefined) {
    const where = `models[${entries.indexOf(entry)}] ("${entry.label ?? entry.model}") in bench.config.ts`
    return { source: { address: `baseUrl of ${where}`, key: `apiKey of ${where}` } }
  }
  return file.baseUrl === undefined ? {} : { source: { ...VARIABLES, address: 'baseUrl in bench.config.ts' } }
}

function refuseSameNames(settings: readonly Pick<ModelSetting, 'model' | 'labels'>[]): void {
  const seen = new Set<string>()
  for (const setting of settings) {
    const name = nameOfSetting(setting)
    if (seen.has(name)) {
      refuse(
        `two models of the run are called "${name}"`,
        'Give one of them another label in models of bench.config.ts.',
      )
    }
    seen.add(name)
  }
}

/** What results call the model of a setting; an unnamed one has no name yet. */
export function nameOfSetting({ model, labels }: Pick<ModelSetting, 'model' | 'labels'>): string {
  return labels.label ?? model ?? ''
}
