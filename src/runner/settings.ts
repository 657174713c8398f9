/** Settings of a run: `bench.config.ts`, overridden by BENCH_* variables. One table says what exists, what it means and what fits. */
import { distance } from 'fastest-levenshtein'
import { ConfigError } from '../errors.ts'
import {
  HTTP_ADDRESS,
  isHttpAddress,
  isObject,
  type ModelEntry,
  type ModelSetting,
  modelSettings,
  readModelEntries,
  type SaidOfModels,
} from './model-settings.ts'

export type SandboxChoice = 'auto' | 'docker' | 'namespace' | 'emulated'

/** What `bench.config.ts` may say. Every field has a variable of the same meaning that overrides it. Times are in seconds. */
export interface BenchConfig {
  /** One model, or several separated by commas: they are run one after the other. */
  model?: string
  /** Several models, each with what is its own. */
  models?: readonly (string | ModelEntry)[]
  baseUrl?: string
  apiKey?: string
  agent?: string
  k?: number
  trials?: number
  earlyStop?: boolean
  /** `report`: say beside the score what it had been with leaked and malformed calls understood. */
  repair?: 'off' | 'report'
  sandbox?: SandboxChoice
  fresh?: boolean
  resultsDir?: string
  temperature?: number
  topP?: number
  maxTokens?: number
  seed?: number
  extraBody?: Record<string, unknown>
  maxTurns?: number
  commandTimeout?: number
  requestTimeout?: number
  connectTimeout?: number
  firstTokenTimeout?: number
  replyTimeout?: number
  /** false asks for whole replies instead of streams. */
  stream?: boolean
  trialTimeout?: number
  image?: string
  /** A skill's directory, or a directory of them, besides `skills/`. */
  skillDir?: string
  workers?: number
  resume?: boolean
  /** Folder in which every exchange with the model is kept. */
  record?: string
  /** Folder of such a recording: trials are answered from it, without a server. */
  replay?: string
  keep?: boolean
  /** false leaves out the quick examination of the model's server before the first trial. */
  examine?: boolean
}

/**
 * What `bench.config.ts` exports: the settings of this project's runs.
 * @example export default defineConfig({ model: 'my-model', baseUrl: 'http://127.0.0.1:8080/v1', k: 5 })
 */
export function defineConfig(config: BenchConfig): BenchConfig {
  return config
}

/** Settings with their defaults; null = not set. Serialisable. */
export interface Settings {
  /** At least one, in the order they are run. */
  readonly models: readonly ModelSetting[]
  readonly agent: string | null
  readonly k: number
  readonly trials: number
  readonly earlyStop: boolean
  readonly repair: 'off' | 'report'
  readonly sandbox: SandboxChoice
  readonly fresh: boolean
  readonly resultsDir: string
  readonly temperature: number | null
  readonly topP: number | null
  readonly maxTokens: number
  readonly seed: number
  readonly maxTurns: number | null
  readonly commandTimeout: number | null
  readonly requestTimeout: number
  readonly connectTimeout: number | null
  readonly firstTokenTimeout: number | null
  readonly replyTimeout: number | null
  readonly stream: boolean
  readonly trialTimeout: number | null
  readonly image: string | null
  readonly skillDir: string | null
  readonly workers: number
  readonly resume: boolean
  readonly record: string | null
  readonly replay: string | null
  /** Keep the workspace of the last trial open when the run has ended. */
  readonly keep: boolean
  readonly examine: boolean
}

/** Checks a value (from the file as it is, from a variable as text) and gives it back, or says what would fit. */
type Rule = { readonly fits: string; readonly parse: (value: unknown) => unknown }

const NOT_OK = Symbol('does not fit')

function number(fits: string, ok: (n: number) => boolean): Rule {
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

const seconds: Rule = number('a number of seconds above 0, at most 604,800 (a week)', n => n > 0 && n <= 604_800)

const text: Rule = {
  fits: 'a text that is not empty',
  parse: v => (typeof v === 'string' && v.trim() !== '' ? v.trim() : NOT_OK),
}

const url: Rule = {
  fits: HTTP_ADDRESS,
  parse: v => (isHttpAddress(v) ? v : NOT_OK),
}

const onOff: Rule = {
  fits: '1 or 0',
  parse: v =>
    v === true || v === '1' || v === 'true' ? true : v === false || v === '0' || v === 'false' ? false : NOT_OK,
}

const oneOf = (values: readonly string[]): Rule => ({
  fits: `one of ${values.join(', ')}`,
  parse: v => (typeof v === 'string' && values.includes(v) ? v : NOT_OK),
})

const jsonObject: Rule = {
  fits: 'a JSON object such as {"top_k": 20}',
  parse: value => {
    if (typeof value !== 'string') return isObject(value) ? value : NOT_OK
    try {
      const parsed: unknown = JSON.parse(value)
      return isObject(parsed) ? parsed : NOT_OK
    } catch (error) {
      if (error instanceof SyntaxError) return NOT_OK
      throw error
    }
  },
}

/** Every setting that has a variable; `models` has BENCH_MODEL, which chooses among them. */
const RULES: Readonly<Record<Exclude<keyof BenchConfig, 'models'>, Rule & { readonly variable: string }>> = {
  model: { variable: 'BENCH_MODEL', ...text },
  baseUrl: { variable: 'BENCH_BASE_URL', ...url },
  apiKey: { variable: 'BENCH_API_KEY', ...text },
  agent: { variable: 'BENCH_AGENT', ...text },
  k: { variable: 'BENCH_K', ...wholeNumber(1, 1_000) },
  trials: { variable: 'BENCH_TRIALS', ...wholeNumber(1, 10_000) },
  earlyStop: { variable: 'BENCH_EARLY_STOP', ...onOff },
  repair: { variable: 'BENCH_REPAIR', ...oneOf(['off', 'report']) },
  sandbox: { variable: 'BENCH_SANDBOX', ...oneOf(['auto', 'docker', 'namespace', 'emulated']) },
  fresh: { variable: 'BENCH_FRESH', ...onOff },
  resultsDir: { variable: 'BENCH_RESULTS_DIR', ...text },
  temperature: { variable: 'BENCH_TEMPERATURE', ...number('a number from 0 to 5', n => n >= 0 && n <= 5) },
  topP: { variable: 'BENCH_TOP_P', ...number('a number above 0, at most 1', n => n > 0 && n <= 1) },
  maxTokens: { variable: 'BENCH_MAX_TOKENS', ...wholeNumber(1, 10_000_000) },
  seed: { variable: 'BENCH_SEED', ...wholeNumber(0, 2_000_000_000) },
  extraBody: { variable: 'BENCH_EXTRA_BODY', ...jsonObject },
  maxTurns: { variable: 'BENCH_MAX_TURNS', ...wholeNumber(1, 10_000) },
  commandTimeout: { variable: 'BENCH_COMMAND_TIMEOUT', ...seconds },
  requestTimeout: { variable: 'BENCH_REQUEST_TIMEOUT', ...seconds },
  connectTimeout: { variable: 'BENCH_CONNECT_TIMEOUT', ...seconds },
  firstTokenTimeout: { variable: 'BENCH_FIRST_TOKEN_TIMEOUT', ...seconds },
  replyTimeout: { variable: 'BENCH_REPLY_TIMEOUT', ...seconds },
  stream: { variable: 'BENCH_STREAM', ...onOff },
  trialTimeout: { variable: 'BENCH_TRIAL_TIMEOUT', ...seconds },
  image: { variable: 'BENCH_IMAGE', ...text },
  skillDir: { variable: 'BENCH_SKILL_DIR', ...text },
  workers: { variable: 'BENCH_WORKERS', ...wholeNumber(1, 64) },
  resume: { variable: 'BENCH_RESUME', ...onOff },
  record: { variable: 'BENCH_RECORD', ...text },
  replay: { variable: 'BENCH_REPLAY', ...text },
  keep: { variable: 'BENCH_KEEP', ...onOff },
  examine: { variable: 'BENCH_EXAMINE', ...onOff },
}

const NAMES = [...Object.keys(RULES), 'models']

/** Names of all settings with their variables. */
export const SETTINGS = Object.entries(RULES).map(([name, { variable }]) => ({ name, variable }))

function nearest(name: string, known: readonly string[]): string {
  const ranked = known.map(candidate => ({ candidate, far: distance(name.toLowerCase(), candidate.toLowerCase()) }))
  ranked.sort((a, b) => a.far - b.far)
  const best = ranked[0]
  return best !== undefined && best.far <= Math.max(2, name.length / 3) ? ` Did you mean ${best.candidate}?` : ''
}

function show(value: unknown): string {
  return (typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? String(value))).slice(0, 100)
}

function misfit(where: string, value: unknown, rule: Rule): ConfigError {
  return new ConfigError(`${where} is ${show(value)}, which does not fit`, {
    code: 'setting_invalid',
    remedy: `Set ${where} to ${rule.fits}, or leave it out.`,
  })
}

/** Checks the default export of a config file. @throws ConfigError code `setting_unknown` or `setting_invalid`. */
function fromFile(config: unknown, file: string): Map<string, unknown> {
  if (!isObject(config)) {
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
    const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof typeof RULES] : undefined
    if (rule === undefined) {
      throw new ConfigError(`${file} has the unknown setting "${name}"`, {
        code: 'setting_unknown',
        remedy: `Remove it.${nearest(name, NAMES)} The settings are: ${NAMES.join(', ')}.`,
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
  const byVariable = new Map(Object.entries(RULES).map(([name, rule]) => [rule.variable, { name, rule }]))
  const values = new Map<string, unknown>()
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('BENCH_') || value === undefined || value === '') continue
    const known = byVariable.get(variable)
    if (known === undefined) {
      throw new ConfigError(`the variable ${variable} is not one of agent-bench`, {
        code: 'setting_unknown',
        remedy: `Unset it.${nearest(variable, [...byVariable.keys()])} The variables are listed in the README.`,
      })
    }
    const parsed = known.rule.parse(value)
    if (parsed === NOT_OK) throw misfit(variable, known.name === 'apiKey' ? '…' : value, known.rule)
    values.set(known.name, parsed)
  }
  return values
}

/** Values that {@link RULES} has checked. */
function saidOfModels(values: ReadonlyMap<string, unknown>): SaidOfModels {
  const text = (name: string) => values.get(name) as string | undefined
  return {
    model: text('model'),
    baseUrl: text('baseUrl'),
    apiKey: text('apiKey'),
    extraBody: values.get('extraBody') as Readonly<Record<string, unknown>> | undefined,
  }
}

const DEFAULT_MAX_TOKENS = 16_384

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
  const values = new Map([...fileValues, ...envValues])
  const get = <T>(name: keyof BenchConfig, fallback: T): T => (values.has(name) ? (values.get(name) as T) : fallback)
  const k = get('k', 3)
  const trials = get('trials', k)
  if (trials < k) {
    throw new ConfigError(`${trials} trials are fewer than k = ${k}`, {
      code: 'setting_invalid',
      remedy: 'Set BENCH_TRIALS to at least BENCH_K, or leave it out.',
    })
  }
  if (values.has('record') && values.has('replay')) {
    throw new ConfigError('exchanges are to be recorded and to come from a recording at once', {
      code: 'setting_invalid',
      remedy: 'Set BENCH_RECORD or BENCH_REPLAY, not both.',
    })
  }
  return {
    models: modelSettings(
      { ...saidOfModels(fileValues), models: fileValues.get('models') as readonly ModelEntry[] | undefined },
      saidOfModels(envValues),
    ),
    agent: get('agent', null),
    k,
    trials,
    earlyStop: get('earlyStop', false),
    repair: get('repair', 'off'),
    sandbox: get('sandbox', 'auto'),
    fresh: get('fresh', false),
    resultsDir: get('resultsDir', 'results'),
    temperature: get('temperature', null),
    topP: get('topP', null),
    maxTokens: get('maxTokens', DEFAULT_MAX_TOKENS),
    seed: get('seed', 42),
    maxTurns: get('maxTurns', null),
    commandTimeout: get('commandTimeout', null),
    requestTimeout: get('requestTimeout', 600),
    connectTimeout: get('connectTimeout', null),
    firstTokenTimeout: get('firstTokenTimeout', null),
    replyTimeout: get('replyTimeout', null),
    stream: get('stream', true),
    trialTimeout: get('trialTimeout', null),
    image: get('image', null),
    skillDir: get('skillDir', null),
    workers: get('workers', 1),
    resume: get('resume', false),
    record: get('record', null),
    replay: get('replay', null),
    keep: get('keep', false),
    examine: get('examine', true),
  }
}
