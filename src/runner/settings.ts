/** Settings of a run: `bench.config.ts`, overridden by BENCH_* variables. One table says what exists, what fits and what it means. */

import { ConfigError } from '../errors.ts'
import { isRecord } from '../model/json.ts'
import type { SkillLimits } from '../skill/index.ts'
import { didYouMean } from '../task/mistakes.ts'
import {
  type FileModels,
  HTTP_ADDRESS,
  isHttpAddress,
  type ModelEntry,
  type ModelSetting,
  modelSettings,
  readModelEntries,
} from './model-settings.ts'

const NOT_OK = Symbol('does not fit')

/** Checks a value (from the file as it is, from a variable as text) and gives it back, or says what would fit. */
interface Rule<Value> {
  readonly fits: string
  readonly parse: (value: unknown) => Value | typeof NOT_OK
}

function number(fits: string, ok: (n: number) => boolean): Rule<number> {
  return {
    fits,
    parse: value => {
      const n = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      return typeof n === 'number' && Number.isFinite(n) && ok(n) ? n : NOT_OK
    },
  }
}

const wholeNumber = (from: number, to: number) =>
  number(
    `a whole number from ${from} to ${to.toLocaleString('en-US')}`,
    n => Number.isInteger(n) && n >= from && n <= to,
  )

const temperature = number('a number from 0 to 5', n => n >= 0 && n <= 5)
const share = number('a number above 0, at most 1', n => n > 0 && n <= 1)
const seconds = number('a number of seconds above 0, at most 604,800 (a week)', n => n > 0 && n <= 604_800)

const text: Rule<string> = {
  fits: 'a text that is not empty',
  parse: value => (typeof value === 'string' && value.trim() !== '' ? value.trim() : NOT_OK),
}

const url: Rule<string> = { fits: HTTP_ADDRESS, parse: value => (isHttpAddress(value) ? value : NOT_OK) }

const onOff: Rule<boolean> = {
  fits: '1 or 0',
  parse: value => (/^(?:1|true)$/.test(String(value)) ? true : /^(?:0|false)$/.test(String(value)) ? false : NOT_OK),
}

const oneOf = <const Value extends string>(...values: readonly Value[]): Rule<Value> => ({
  fits: `one of ${values.join(', ')}`,
  parse: value => values.find(known => known === value) ?? NOT_OK,
})

const jsonObject: Rule<Record<string, unknown>> = {
  fits: 'a JSON object such as {"top_k": 20}',
  parse: value => {
    if (typeof value !== 'string') return isRecord(value) ? value : NOT_OK
    try {
      const parsed: unknown = JSON.parse(value)
      return isRecord(parsed) ? parsed : NOT_OK
    } catch (error) {
      if (error instanceof SyntaxError) return NOT_OK
      throw error
    }
  },
}

const orOff = ({ fits, parse }: Rule<number>): Rule<number | 'off'> => ({
  fits: `${fits}, or off`,
  parse: value => (value === 'off' ? value : parse(value)),
})

interface Setting<Value, Default> {
  readonly rule: Rule<Value>
  readonly fallback: Default
  readonly meaning: string
  /** The default, as the README shows it. */
  readonly shown: string
}

function setting<Value, const Default>(
  rule: Rule<Value>,
  fallback: Default,
  meaning: string,
  shown: string = fallback === null ? '–' : fallback === true ? 'on' : fallback === false ? 'off' : String(fallback),
): Setting<Value, Default> {
  return { rule, fallback, meaning, shown }
}

/**
 * Every setting but `models`. Its name is the one in the config file; the variable follows from it (`baseUrl`, `BENCH_BASE_URL`).
 * How a setting is read, its types and its row in the README (a test compares them) come from here.
 */
const TABLE = {
  model: setting(
    text,
    null,
    'the model; `a,b,c` runs several, one after the other',
    'the one found, else the reference agent',
  ),
  baseUrl: setting(url, null, "the model's server", 'found on a usual port'),
  apiKey: setting(text, null, 'the key of that server'),
  agent: setting(text, null, '`tools`, `reference` or `nop`', '`tools`'),
  k: setting(wholeNumber(1, 1_000), 3, 'the k of pass^k'),
  trials: setting(wholeNumber(1, 10_000), null, 'trials per task, at least k', 'k'),
  earlyStop: setting(onOff, false, '`1`: stop a task after the first trial that does not pass'),
  sandbox: setting(oneOf('auto', 'docker', 'namespace'), 'auto', '`auto`, `docker` or `namespace`', '`auto`'),
  fresh: setting(onOff, false, '`1`: a new sandbox for each trial'),
  resultsDir: setting(text, 'results', 'where results go', '`results`'),
  temperature: setting(temperature, null, 'sampling; sent only when set', 'not sent'),
  topP: setting(share, null, 'sampling; sent only when set', 'not sent'),
  maxTokens: setting(wholeNumber(1, 10_000_000), 16_384, 'most tokens in one reply'),
  seed: setting(
    orOff(wholeNumber(0, 2_000_000_000)),
    42,
    'seed of trial 1; trial i sends seed + i − 1; `off` sends none',
  ),
  extraBody: setting(jsonObject, null, 'JSON merged into every request; `null` leaves a field out'),
  maxTurns: setting(wholeNumber(1, 10_000), null, 'most turns in a trial', "the task's"),
  commandTimeout: setting(seconds, null, 'seconds for one command', "the task's, 60"),
  requestTimeout: setting(seconds, 600, 'seconds without a byte from the server'),
  connectTimeout: setting(seconds, null, 'seconds for the connection', '10'),
  firstTokenTimeout: setting(seconds, null, 'seconds up to the first token of a reply', '3600'),
  replyTimeout: setting(seconds, null, 'seconds for a whole reply', '7200'),
  stream: setting(onOff, true, '`0`: ask for whole replies instead of streams'),
  trialTimeout: setting(seconds, null, 'seconds for a trial', "the task's, 7200"),
  image: setting(text, null, 'the sandbox image', 'built from `src/sandbox/image/`'),
  keep: setting(onOff, false, '`1`: keep the workspace of the last trial open and say how to enter it (in a terminal)'),
  workers: setting(wholeNumber(1, 64), 1, 'sandboxes, and so trials, at once'),
  examine: setting(onOff, true, "`0`: skip the quick examination of the model's server before the first trial"),
  record: setting(text, null, 'folder to save every exchange with the model in'),
  replay: setting(text, null, 'such a folder: trials are answered from it, without a server'),
  repair: setting(
    oneOf('off', 'report'),
    'off',
    '`report`: [show beside the score](docs/results.md#strict-and-repaired) what it would be if malformed calls were understood',
    '`off`',
  ),
  resume: setting(onOff, false, '`1`: skip trials already recorded under the same identity'),
  suite: setting(
    text,
    null,
    '[suites](docs/write-a-task.md#suites) to run, `a,b`, or `all`; also names suites of this package',
    'the suites of the project that need not be named',
  ),
  profile: setting(text, null, 'the part of a suite that is run, such as `fast`', 'all of it'),
  mode: setting(
    oneOf('direct', 'agent'),
    null,
    "for tasks that have both modes: `direct` judges the answer's code, `agent` the workspace",
    "the task's first",
  ),
  instance: setting(
    wholeNumber(0, 4_294_967_295),
    0,
    'which instance of its data a task is run with; results are compared on 0',
  ),
  skillDir: setting(text, null, 'a skill directory, or a directory of them, mounted in addition to `skills/`'),
  skillMaxFiles: setting(wholeNumber(1, 1_000_000), 5_000, 'most files in a skill'),
  skillMaxMegabytes: setting(wholeNumber(1, 10_000), 64, 'largest size of a skill'),
}

type Table = typeof TABLE
type ValueOf<Row> = Row extends Setting<infer Value, unknown> ? Value : never
type DefaultOf<Row> = Row extends Setting<unknown, infer Default> ? Default : never
/** Settings that go into the models of a run. */
const OF_MODELS = ['model', 'baseUrl', 'apiKey', 'extraBody'] as const

/** What `bench.config.ts` may say. Every field has a variable of the same meaning that overrides it. Times are in seconds. */
export type BenchConfig = { [Name in keyof Table]?: ValueOf<Table[Name]> | undefined } & {
  /** Several models, each with its settings. */
  models?: readonly (string | ModelEntry)[] | undefined
}

/** Settings with their defaults; null = not set. Serialisable. */
export type Settings = {
  readonly [Name in Exclude<keyof Table, (typeof OF_MODELS)[number]>]: ValueOf<Table[Name]> | DefaultOf<Table[Name]>
} & {
  /** At least one, in the order they are run. */
  readonly models: readonly ModelSetting[]
  readonly trials: number
}

/**
 * What `bench.config.ts` exports: the settings of this project's runs.
 * @example export default defineConfig({ model: 'my-model', baseUrl: 'http://127.0.0.1:8080/v1', k: 5 })
 */
export function defineConfig(config: BenchConfig): BenchConfig {
  return config
}

const ROWS: ReadonlyMap<string, Setting<unknown, unknown>> = new Map(Object.entries(TABLE))

const variableOf = (name: string): string => `BENCH_${name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`

/** For the README: each setting with its variable, meaning and default. */
export const SETTINGS = [...ROWS].map(([name, { meaning, shown }]) => ({
  name,
  variable: variableOf(name),
  meaning,
  shown,
}))

function show(value: unknown): string {
  return (typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? String(value))).slice(0, 100)
}

function misfit(where: string, value: unknown, rule: Rule<unknown>): ConfigError {
  return new ConfigError(`${where} is ${show(value)}, which does not fit`, {
    code: 'setting_invalid',
    remedy: `Set ${where} to ${rule.fits}, or leave it out.`,
  })
}

/** Checks the default export of a config file. @throws ConfigError code `setting_unknown` or `setting_invalid`. */
function fromFile(config: unknown, file: string): Map<string, unknown> {
  if (!isRecord(config)) {
    throw new ConfigError(`${file} does not export an object`, {
      code: 'setting_invalid',
      remedy: 'Write `export default defineConfig({ … })` in it.',
    })
  }
  const values = new Map<string, unknown>()
  for (const [name, value] of Object.entries(config)) {
    if (name === 'models' && value !== undefined) {
      values.set(name, readModelEntries(value, file))
      continue
    }
    const rule = ROWS.get(name)?.rule
    if (rule === undefined) {
      throw new ConfigError(`${file} has the unknown setting "${name}"`, {
        code: 'setting_unknown',
        remedy: `Remove it. ${didYouMean(name, [...ROWS.keys(), 'models'])}`,
      })
    }
    if (value === undefined) continue
    const parsed = rule.parse(value)
    if (parsed === NOT_OK || typeof value !== typeof parsed) throw misfit(`${name} in ${file}`, value, rule)
    values.set(name, parsed)
  }
  return values
}

/** Reads BENCH_* variables. An empty variable counts as not set. @throws ConfigError as {@link fromFile}. */
function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Map<string, unknown> {
  const byVariable = new Map([...ROWS].map(([name, { rule }]) => [variableOf(name), { name, rule }]))
  const values = new Map<string, unknown>()
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('BENCH_') || value === undefined || value === '') continue
    const known = byVariable.get(variable)
    if (known === undefined) {
      throw new ConfigError(`the variable ${variable} is not one of agent-bench`, {
        code: 'setting_unknown',
        remedy: `Unset it. ${didYouMean(variable, [...byVariable.keys()])}`,
      })
    }
    const parsed = known.rule.parse(value)
    if (parsed === NOT_OK) throw misfit(variable, known.name === 'apiKey' ? '…' : value, known.rule)
    values.set(known.name, parsed)
  }
  return values
}

/**
 * Settings of a run from a config file's default export (undefined = no file) and the environment.
 * @throws ConfigError naming the file or variable, the value and what fits.
 */
export function readSettings(
  config: unknown,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const fileValues = config === undefined ? new Map<string, unknown>() : fromFile(config, file)
  const envValues = fromEnvironment(env)
  const all = new Map([...fileValues, ...envValues])
  // Each value has passed the rule of its row; the types say what that rule gives.
  const saidOf = (values: ReadonlyMap<string, unknown>) => Object.fromEntries(values) as FileModels
  const { trials, ...settings } = Object.fromEntries(
    [...ROWS]
      .filter(([name]) => !OF_MODELS.some(one => one === name))
      .map(([name, { fallback }]) => [name, all.get(name) ?? fallback]),
  ) as Omit<Settings, 'trials'> & { readonly trials: number | null }
  const planned = trials ?? settings.k
  if (planned < settings.k) {
    throw new ConfigError(`${planned} trials are fewer than k = ${settings.k}`, {
      code: 'setting_invalid',
      remedy: 'Set BENCH_TRIALS to at least BENCH_K, or leave it out.',
    })
  }
  if (settings.record !== null && settings.replay !== null) {
    throw new ConfigError('exchanges are to be recorded and to come from a recording at once', {
      code: 'setting_invalid',
      remedy: 'Set BENCH_RECORD or BENCH_REPLAY, not both.',
    })
  }
  return { ...settings, trials: planned, models: modelSettings(saidOf(fileValues), saidOf(envValues)) }
}

/** How large a skill may be, as mounting takes it. */
export const skillLimitsOf = (settings: Pick<Settings, 'skillMaxFiles' | 'skillMaxMegabytes'>): SkillLimits => ({
  files: settings.skillMaxFiles,
  bytes: settings.skillMaxMegabytes * 1024 * 1024,
})
