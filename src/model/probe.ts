import { createHash } from 'node:crypto'
import { ConfigError } from '../errors.ts'
import { type AddressSource, normaliseBaseUrl, VARIABLES } from './base-url.ts'
import type { ServerIdentity } from './chat-model.ts'
import { classifyNetworkError } from './classify-network.ts'
import { countAt, isRecord, listAt, parseJson, stringAt, valueAt } from './json.ts'
import { readErrorText } from './server-fault.ts'
import { readText, sendRequest } from './transport.ts'

export interface ServedModel {
  readonly id: string
  readonly aliases: readonly string[]
  /** null = the server does not say. */
  readonly isLoaded: boolean | null
  readonly contextTokens: number | null
  readonly path: string | null
}

export interface ServerProbe {
  readonly identity: ServerIdentity
  /** Models that can chat; embedding models are left out where the server says which they are. */
  readonly models: readonly ServedModel[]
  /** Whether a name that is not in `models` is refused, ignored (one model, whatever the name), or anybody's guess. */
  readonly unknownNames: 'refused' | 'ignored' | 'unclear'
}

export interface ProbeOptions {
  readonly apiKey: string | null
  /** Milliseconds for the whole probe. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Where the address was given; the variables when left out. */
  readonly source?: AddressSource | undefined
  /** A server without the route of the list (404, 405, 501) is one that lists nothing. */
  readonly mayLackList?: boolean
}

const LACKING = new Set([404, 405, 501])

const MAX_PROBE_BYTES = 4_000_000

export interface Answer {
  readonly status: number
  readonly text: string
  readonly json: unknown
}

/** One GET, or a POST where there is a body; errors of the network are thrown. */
export async function ask(url: string, options: ProbeOptions, signal: AbortSignal, body?: unknown): Promise<Answer> {
  const answer = await sendRequest(new URL(url), {
    apiKey: options.apiKey,
    body,
    idleTimeoutMs: options.timeoutMs,
    signal,
  })
  const text = await readText(answer, MAX_PROBE_BYTES)
  const parsed = parseJson(text)
  return { status: answer.status, text, json: parsed.ok ? parsed.value : undefined }
}

/** Routes that only one kind of server has; others answer them with 404, an error body or a page. */
const OWN_ROUTES = {
  health: '/health',
  props: '/props',
  ollama: '/api/version',
  lmstudio: '/api/v0/models',
  vllm: '/version',
}

const isLoading = (answer: Answer | null): boolean =>
  answer !== null && answer.status === 503 && /load|unavailable_error/i.test(answer.text)

/**
 * Asks a server what it is and which models it has. A server counts only when `/v1/models` answers with a list.
 * @throws ConfigError code `server_not_found` (nothing answers, or something else does), `server_unauthorised`,
 *   `server_loading`, `server_refused`; or the signal's reason.
 */
export async function probeServer(givenUrl: string, options: ProbeOptions): Promise<ServerProbe> {
  const source = options.source ?? VARIABLES
  const { baseUrl, rootUrl } = normaliseBaseUrl(givenUrl, source)
  const deadline = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal])
  const optional = async (path: string): Promise<Answer | null> => {
    try {
      return await ask(`${rootUrl}${path}`, options, signal)
    } catch (error) {
      // Whether the server is there is decided by the list of models; these routes may fail in any way of the network.
      if (error instanceof Error) return null
      throw error
    }
  }
  const asked = Promise.all([
    optional(OWN_ROUTES.health),
    optional(OWN_ROUTES.props),
    optional(OWN_ROUTES.ollama),
    optional(OWN_ROUTES.lmstudio),
    optional(OWN_ROUTES.vllm),
  ])
  let list: Answer
  try {
    list = await ask(`${baseUrl}/models`, options, signal)
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason
    throw unreachable(baseUrl, source, error, deadline.aborted ? options.timeoutMs : null)
  }
  const [health, props, ollama, lmstudio, vllm] = await asked
  if (options.signal?.aborted === true) throw options.signal.reason
  if (isLoading(list) || isLoading(props) || isLoading(health)) {
    throw new ConfigError(`the server at ${baseUrl} is still loading its model`, {
      code: 'server_loading',
      remedy: 'Wait until it has loaded the model.',
    })
  }
  if (options.mayLackList !== true || !LACKING.has(list.status)) {
    checkList(baseUrl, source, list, options.apiKey !== null)
  }
  return identify(baseUrl, list.json, { props, ollama, lmstudio, vllm })
}

function unreachable(baseUrl: string, source: AddressSource, error: unknown, timeoutMs: number | null): ConfigError {
  const reply = classifyNetworkError(error, { baseUrl, isAnswering: false, source })
  const isRefusal = reply.kind === 'config'
  const detail =
    timeoutMs !== null
      ? `${baseUrl} did not answer within ${timeoutMs} ms`
      : reply.kind === 'infra' || reply.kind === 'config'
        ? reply.detail
        : baseUrl
  return new ConfigError(detail, {
    code: isRefusal ? 'server_refused' : 'server_not_found',
    remedy: isRefusal ? reply.remedy : `Start the model server, or correct ${source.address}.`,
    cause: error,
  })
}

function checkList(baseUrl: string, source: AddressSource, list: Answer, hasKey: boolean): void {
  if (list.status === 401 || list.status === 403) {
    throw new ConfigError(
      `the server at ${baseUrl} refused ${hasKey ? 'the key' : 'a request without a key'} (${list.status})`,
      {
        code: 'server_unauthorised',
        remedy: `Set ${source.key} to a key that this server accepts.`,
      },
    )
  }
  if (list.status >= 500 || list.status === 429) {
    throw new ConfigError(`the server at ${baseUrl} answered ${list.status}: ${readErrorText(list.text).message}`, {
      code: 'server_refused',
      remedy: "Look into the server's log, then run again.",
    })
  }
  const models = valueAt(list.json, 'data')
  if (list.status !== 200 || !Array.isArray(models)) {
    throw new ConfigError(`${baseUrl}/models answered ${list.status} without a list of models`, {
      code: 'server_not_found',
      remedy: `Check ${source.address}: another program may own the port, or the path before /v1 is missing.`,
    })
  }
}

interface Routes {
  readonly props: Answer | null
  readonly ollama: Answer | null
  readonly lmstudio: Answer | null
  readonly vllm: Answer | null
}

const ok = (answer: Answer | null): unknown => (answer !== null && answer.status === 200 ? answer.json : undefined)

function readModel(entry: unknown): ServedModel | null {
  const id = stringAt(entry, 'id')
  if (id === null) return null
  const status = stringAt(entry, 'status', 'value')
  return {
    id,
    aliases: listAt(entry, 'aliases').filter(alias => typeof alias === 'string'),
    isLoaded: status === null ? null : status === 'loaded',
    contextTokens: countAt(entry, 'meta', 'n_ctx') ?? countAt(entry, 'max_model_len'),
    path: stringAt(entry, 'root'),
  }
}

/** Which kind of server answered, by the routes that only it has. */
function identify(baseUrl: string, list: unknown, routes: Routes): ServerProbe {
  const entries = listAt(list, 'data')
  const models = entries.map(readModel).filter(model => model !== null)
  const unknown: ServerIdentity = {
    kind: 'openai-compatible',
    baseUrl,
    build: null,
    modelPath: null,
    contextTokens: null,
    slots: null,
    chatTemplateSha256: null,
    defaultSampling: null,
  }
  const props = ok(routes.props)
  if (isRecord(valueAt(props, 'default_generation_settings')) || stringAt(props, 'build_info') !== null) {
    const isRouter = stringAt(props, 'role') === 'router' || entries.some(entry => isRecord(valueAt(entry, 'status')))
    return {
      identity: isRouter
        ? { ...unknown, kind: 'llama-server', build: stringAt(props, 'build_info') }
        : llamaServer(unknown, props),
      models: isRouter ? models : models.map(model => ({ ...model, isLoaded: true })),
      unknownNames: isRouter ? 'refused' : 'ignored',
    }
  }
  const lmstudio = ok(routes.lmstudio)
  if (listAt(lmstudio, 'data').some(entry => stringAt(entry, 'state') !== null)) {
    return { identity: { ...unknown, kind: 'lmstudio' }, models: lmStudioModels(lmstudio), unknownNames: 'refused' }
  }
  const ollamaVersion = stringAt(ok(routes.ollama), 'version')
  if (ollamaVersion !== null) {
    return { identity: { ...unknown, kind: 'ollama', build: ollamaVersion }, models, unknownNames: 'refused' }
  }
  const vllmVersion = stringAt(ok(routes.vllm), 'version')
  if (vllmVersion !== null && entries.some(entry => stringAt(entry, 'owned_by') === 'vllm')) {
    return {
      identity: { ...unknown, kind: 'vllm', build: vllmVersion },
      models: models.map(model => ({ ...model, isLoaded: true })),
      unknownNames: 'refused',
    }
  }
  return { identity: unknown, models, unknownNames: 'unclear' }
}

const SAMPLING_NAMES =
  /^(?:temperature|dynatemp_range|top_k|top_p|min_p|top_n_sigma|xtc_probability|typical_p|repeat_last_n|repeat_penalty|presence_penalty|frequency_penalty|dry_multiplier|mirostat|samplers)$/

/** Default sampling as /props reports it; the fields that describe a single request are no defaults. */
function readDefaultSampling(params: unknown): ServerIdentity['defaultSampling'] {
  if (!isRecord(params)) return null
  return Object.fromEntries(Object.entries(params).filter(([name]) => SAMPLING_NAMES.test(name)))
}

function llamaServer(unknown: ServerIdentity, props: unknown): ServerIdentity {
  const template = stringAt(props, 'chat_template')
  return {
    ...unknown,
    kind: 'llama-server',
    build: stringAt(props, 'build_info'),
    modelPath: stringAt(props, 'model_path'),
    // The window of one slot: the server's -c divided by --parallel.
    contextTokens: countAt(props, 'default_generation_settings', 'n_ctx') || null,
    slots: countAt(props, 'total_slots'),
    chatTemplateSha256: template === null ? null : createHash('sha256').update(template).digest('hex'),
    defaultSampling: readDefaultSampling(valueAt(props, 'default_generation_settings', 'params')),
  }
}

function lmStudioModels(body: unknown): readonly ServedModel[] {
  return listAt(body, 'data').flatMap(entry => {
    const id = stringAt(entry, 'id')
    if (id === null || stringAt(entry, 'type') === 'embeddings') return []
    return [
      {
        id,
        aliases: [],
        isLoaded: stringAt(entry, 'state') === 'loaded',
        contextTokens: countAt(entry, 'loaded_context_length'),
        path: null,
      },
    ]
  })
}
