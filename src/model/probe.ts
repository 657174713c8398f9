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
const OWN_ROUTES = ['/health', '/props', '/api/version', '/api/v0/models', '/version'] as const
type Routes = Readonly<Partial<Record<(typeof OWN_ROUTES)[number], Answer>>>

const isLoading = (answer: Answer | undefined): boolean =>
  answer?.status === 503 && /load|unavailable_error/i.test(answer.text)

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
  const asked = Promise.all(
    OWN_ROUTES.map(async path => {
      try {
        return [[path, await ask(`${rootUrl}${path}`, options, signal)]] as const
      } catch (error) {
        // Whether the server is there is decided by the list of models; these routes may fail in any way of the network.
        if (error instanceof Error) return []
        throw error
      }
    }),
  )
  let list: Answer
  try {
    list = await ask(`${baseUrl}/models`, options, signal)
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason
    throw unreachable(baseUrl, source, error, deadline.aborted ? options.timeoutMs : null)
  }
  const routes: Routes = Object.fromEntries((await asked).flat())
  if (options.signal?.aborted === true) throw options.signal.reason
  if ([list, routes['/props'], routes['/health']].some(isLoading)) {
    const remedy = 'Wait until it has loaded the model.'
    throw new ConfigError(`the server at ${baseUrl} is still loading its model`, { code: 'server_loading', remedy })
  }
  if (options.mayLackList !== true || !LACKING.has(list.status)) {
    checkList(baseUrl, source, list, options.apiKey !== null)
  }
  return identify(baseUrl, list.json, routes)
}

function unreachable(baseUrl: string, source: AddressSource, error: unknown, timeoutMs: number | null): ConfigError {
  const reply = classifyNetworkError(error, { baseUrl, isAnswering: false, source })
  const detail = reply.kind === 'ok' ? baseUrl : reply.detail
  const isRefusal = reply.kind === 'config'
  return new ConfigError(timeoutMs === null ? detail : `${baseUrl} did not answer within ${timeoutMs} ms`, {
    code: isRefusal ? 'server_refused' : 'server_not_found',
    remedy: isRefusal ? reply.remedy : `Start the model server, or correct ${source.address}.`,
    cause: error,
  })
}

function checkList(baseUrl: string, source: AddressSource, { status, json, text }: Answer, hasKey: boolean): void {
  const refuse = (problem: string, code: string, remedy: string): never => {
    throw new ConfigError(problem, { code, remedy })
  }
  if (status === 401 || status === 403) {
    refuse(
      `the server at ${baseUrl} refused ${hasKey ? 'the key' : 'a request without a key'} (${status})`,
      'server_unauthorised',
      `Set ${source.key} to a key that this server accepts.`,
    )
  }
  if (status >= 500 || status === 429) {
    const problem = `the server at ${baseUrl} answered ${status}: ${readErrorText(text).message}`
    refuse(problem, 'server_refused', "Look into the server's log, then run again.")
  }
  if (status !== 200 || !Array.isArray(valueAt(json, 'data'))) {
    refuse(
      `${baseUrl}/models answered ${status} without a list of models`,
      'server_not_found',
      `Check ${source.address}: another program may own the port, or the path before /v1 is missing.`,
    )
  }
}

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
  const of = (path: keyof Routes): unknown => (routes[path]?.status === 200 ? routes[path].json : undefined)
  const entries = listAt(list, 'data')
  const models = entries.map(readModel).filter(model => model !== null)
  const loaded = models.map(model => ({ ...model, isLoaded: true }))
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
  const props = of('/props')
  const build = stringAt(props, 'build_info')
  if (isRecord(valueAt(props, 'default_generation_settings')) || build !== null) {
    const isRouter = stringAt(props, 'role') === 'router' || entries.some(entry => isRecord(valueAt(entry, 'status')))
    return isRouter
      ? { identity: { ...unknown, kind: 'llama-server', build }, models, unknownNames: 'refused' }
      : { identity: llamaServer(unknown, props), models: loaded, unknownNames: 'ignored' }
  }
  const lmstudio = listAt(of('/api/v0/models'), 'data')
  if (lmstudio.some(entry => stringAt(entry, 'state') !== null)) {
    const identity = { ...unknown, kind: 'lmstudio' } as const
    return { identity, models: lmStudioModels(lmstudio), unknownNames: 'refused' }
  }
  const ollama = stringAt(of('/api/version'), 'version')
  if (ollama !== null) {
    return { identity: { ...unknown, kind: 'ollama', build: ollama }, models, unknownNames: 'refused' }
  }
  const vllm = stringAt(of('/version'), 'version')
  if (vllm !== null && entries.some(entry => stringAt(entry, 'owned_by') === 'vllm')) {
    return { identity: { ...unknown, kind: 'vllm', build: vllm }, models: loaded, unknownNames: 'refused' }
  }
  return { identity: unknown, models, unknownNames: 'unclear' }
}

const SAMPLING_NAMES =
  /^(?:temperature|dynatemp_range|top_k|top_p|min_p|top_n_sigma|xtc_probability|typical_p|repeat_last_n|repeat_penalty|presence_penalty|frequency_penalty|dry_multiplier|mirostat|samplers)$/

/** Default sampling as /props reports it; the fields that describe a single request are not defaults. */
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

function lmStudioModels(entries: readonly unknown[]): readonly ServedModel[] {
  return entries.flatMap(entry => {
    const id = stringAt(entry, 'id')
    if (id === null || stringAt(entry, 'type') === 'embeddings') return []
    const isLoaded = stringAt(entry, 'state') === 'loaded'
    return [{ id, aliases: [], isLoaded, contextTokens: countAt(entry, 'loaded_context_length'), path: null }]
  })
}
