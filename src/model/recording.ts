/**
 * Keeps every exchange with a model in a folder, and serves trials from such a folder without a server. What was not
 * recorded is a fault of the machinery (`replay_missing`), never guessed: the reply of a similar request is another reply.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { ConfigError } from '../errors.ts'
import type { ChatModel, ChatRequest, ModelPlan, Reply } from './chat-model.ts'
import { hashOf, isSystemError, parseJson } from './json.ts'
import { EXCHANGE_SCHEMA, PLAN_SCHEMA } from './recording-schema.ts'
import { steadyText } from './steady-text.ts'

/** One file of a recording. */
interface Exchange {
  readonly key: string
  readonly request: ChatRequest
  readonly reply: Reply
}

const ajv = new Ajv({ allowUnionTypes: true })
const isExchange = ajv.compile<Exchange>(EXCHANGE_SCHEMA)
const isPlan = ajv.compile<ModelPlan>(PLAN_SCHEMA)

/**
 * SHA-256 over all that decides a reply: model, sampling, conversation, tools and seed. The server's address is not in it, nor
 * is what programs print anew each time: no test report would be the same twice.
 */
function exchangeKey(plan: ModelPlan, request: ChatRequest): string {
  const { tools, seed } = request
  const messages = request.messages.map(message =>
    message.role === 'tool' ? { ...message, content: steadyText(message.content) } : message,
  )
  return hashOf({ model: plan.model, sampling: plan.sampling, messages, tools, seed })
}

const fileName = (key: string, number: number): string => `exchange-${key}.${number}.json`
const planName = (plan: ModelPlan): string => `model-${hashOf([plan.model, plan.labels?.label]).slice(0, 16)}.json`

/** Writes a whole file under a name that is still free; false when it is taken. Other workers may write here too. */
function writeNew(dir: string, name: string, value: unknown): boolean {
  const beside = join(dir, `.${name}.${process.pid}.tmp`)
  writeFileSync(beside, `${JSON.stringify(value, null, 1)}\n`)
  try {
    linkSync(beside, join(dir, name))
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(beside, { force: true })
  }
}

const NOT_WRITABLE = 'recording_not_writable'
/** The same request more often than this is not a trial any more. */
const MAX_REPEATS = 1_000

/**
 * A model whose every exchange is kept below `dir`, with what the model and its server are. The key of the server is not.
 * A request that is made again is kept again, with its own number.
 * @throws ConfigError code `recording_not_writable`, here or from `complete`
 */
export function recordExchanges(model: ChatModel, dir: string): ChatModel {
  const { plan } = model
  const keep = (work: () => void): void => {
    try {
      work()
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : String(cause)
      const remedy = 'Set BENCH_RECORD to a folder that can be written to.'
      throw new ConfigError(`exchanges cannot be recorded in ${dir}: ${words}`, { code: NOT_WRITABLE, remedy, cause })
    }
  }
  keep(() => {
    mkdirSync(dir, { recursive: true })
    const { recording: _, ...rest } = plan
    writeNew(dir, planName(plan), { ...rest, apiKey: null })
  })
  return {
    plan,
    async complete(request, signal) {
      const reply = await model.complete(request, signal)
      const key = exchangeKey(plan, request)
      keep(() => {
        let number = 1
        while (number <= MAX_REPEATS && !writeNew(dir, fileName(key, number), { key, request, reply })) number += 1
      })
      return reply
    },
  }
}

/** undefined = there is no file; null = it holds no JSON. */
function readJson(file: string): unknown {
  try {
    const parsed = parseJson(readFileSync(file, 'utf8'))
    return parsed.ok ? parsed.value : null
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * A model that answers from a recording, without a server. A request made again gets the next of its recorded replies,
 * and the last of them from then on. What is not there is `infra` with code `replay_missing`.
 */
export function replayExchanges(plan: ModelPlan, dir: string): ChatModel {
  const asked = new Map<string, number>()
  return {
    plan,
    async complete(request, signal) {
      signal.throwIfAborted()
      const key = exchangeKey(plan, request)
      const number = (asked.get(key) ?? 0) + 1
      asked.set(key, number)
      let found = readJson(join(dir, fileName(key, number)))
      for (let earlier = number - 1; found === undefined && earlier > 0; earlier -= 1) {
        found = readJson(join(dir, fileName(key, earlier)))
      }
      if (isExchange(found) && found.key === key) return found.reply
      const turn = request.messages.filter(({ role }) => role === 'assistant').length + 1
      const lacks =
        found === undefined ? `no reply to turn ${turn} with seed` : `an unreadable file for turn ${turn}, seed`
      return {
        kind: 'infra',
        code: 'replay_missing',
        detail: `the recording in ${dir} has ${lacks} ${request.seed} (exchange ${key.slice(0, 12)})`,
        remedy:
          'Record again with BENCH_RECORD: task, tools, sampling, seed and every tool result must be the same as they were.',
      }
    },
  }
}

function plansIn(dir: string): readonly ModelPlan[] {
  try {
    const names = readdirSync(dir).filter(name => /^model-[0-9a-f]+\.json$/.test(name))
    return names.map(name => readJson(join(dir, name))).filter(plan => isPlan(plan))
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return []
    throw error
  }
}

/**
 * What was recorded about the model, in the place of asking a server.
 * @param model its name; null takes the only one there is
 * @param label tells settings of one model apart
 * @throws ConfigError code `replay_empty`, `unknown_model` or `model_not_chosen`
 */
export function planFromRecording(dir: string, model: string | null, label: string | null = null): ModelPlan {
  const plans = plansIn(dir)
  const refuse = (problem: string, code: string, remedy: string): never => {
    throw new ConfigError(problem, { code, remedy })
  }
  if (plans.length === 0) {
    const remedy = 'Set BENCH_REPLAY to a folder that a run with BENCH_RECORD has filled.'
    return refuse(`there is no recording in ${dir}`, 'replay_empty', remedy)
  }
  const named = model === null ? plans : plans.filter(plan => plan.model === model)
  const labelled = named.filter(plan => plan.labels?.label === (label ?? model))
  const [only, ...others] = labelled.length > 0 ? labelled : named
  const known = plans.map(plan => plan.model).join(', ')
  if (only === undefined) {
    const problem = `the recording in ${dir} is not of the model "${model}"`
    return refuse(problem, 'unknown_model', `Name one that was recorded: ${known}.`)
  }
  if (others.length > 0) {
    const problem = `the recording in ${dir} is of several models: ${known}`
    return refuse(problem, 'model_not_chosen', `Name one, for example BENCH_MODEL=${only.model}.`)
  }
  return { ...only, recording: { mode: 'replay', dir } }
}
