/** Finds the model of a run. What is named is never replaced by something else: it answers, or the run cannot be made. */
import { distance } from 'fastest-levenshtein'
import { ConfigError } from '../errors.ts'
import { type AddressSource, normaliseBaseUrl } from './base-url.ts'
import type { Deadlines, ModelLabels, ModelPlan, Sampling } from './chat-model.ts'
import { labelsOf } from './labels.ts'
import { markLoadedModels, showModel } from './ollama.ts'
import { type ProbeOptions, probeServer, type ServedModel, type ServerProbe } from './probe.ts'
import { sleepUnlessAborted } from './sleep.ts'

/** Where local servers listen by default: llama-server, Ollama, LM Studio, vLLM. */
export const USUAL_PORTS: readonly number[] = [8080, 11434, 1234, 8000]

/** A local server that answers is there in a few milliseconds; an absent one should not delay the run. */
const DISCOVERY_TIMEOUT_MS = 400
const PROBE_TIMEOUT_MS = 10_000
const LOADING_BUDGET_MS = 120_000
const LOADING_POLL_MS = 500

/** A server that answers; without a probe it will be one once its model is loaded. */
interface FoundServer {
  readonly baseUrl: string
  readonly probe: ServerProbe | null
}

/**
 * Asks the usual ports of this machine, all at once; takes less than half a second.
 * @param options.ports for tests; the usual ones otherwise
 */
export async function discoverServers(
  options: { readonly ports?: readonly number[]; readonly apiKey?: string | null; readonly signal?: AbortSignal } = {},
): Promise<readonly FoundServer[]> {
  const { ports = USUAL_PORTS, apiKey = null, signal } = options
  const found = await Promise.all(
    ports.map(async (port): Promise<FoundServer | null> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`
      try {
        return { baseUrl, probe: await probeServer(baseUrl, { apiKey, timeoutMs: DISCOVERY_TIMEOUT_MS, signal }) }
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return error.code === 'server_loading' ? { baseUrl, probe: null } : null
      }
    }),
  )
  return found.filter(server => server !== null)
}

export interface ModelQuestion {
  /** null = not named. */
  readonly model: string | null
  /** null = not named: the usual ports are asked. */
  readonly baseUrl: string | null
  readonly apiKey: string | null
  /** Where `baseUrl` and `apiKey` were given, for what is said when they are wrong; the variables when left out. */
  readonly source?: AddressSource
  readonly sampling: Sampling
  /** Milliseconds without a byte before a request is given up. */
  readonly idleTimeoutMs: number
  readonly deadlines?: Partial<Deadlines>
  /** false asks for whole replies. */
  readonly stream?: boolean
  /** What is known better than the model's name says it. */
  readonly labels?: Partial<ModelLabels>
  readonly signal?: AbortSignal
  /** For tests. */
  readonly ports?: readonly number[]
  /** Milliseconds to wait for a server that is loading; two minutes. */
  readonly loadingBudgetMs?: number
}

export interface PlannedModel {
  readonly plan: ModelPlan
  /** The model that will answer, as the server lists it; null = not known. */
  readonly served: string | null
  /** Sentences to show before the run. */
  readonly warnings: readonly string[]
}

/**
 * Finds server and model. null only when neither is named and no server answers on the usual ports.
 * @throws ConfigError code `server_refused`, `server_unauthorised`, `server_not_found`, `unknown_model`,
 *   `model_not_chosen` or `server_loading_timeout`, each with a remedy; or the signal's reason.
 */
export async function planModel(question: ModelQuestion): Promise<PlannedModel | null> {
  const warnings: string[] = []
  const options: ProbeOptions = {
    apiKey: question.apiKey,
    timeoutMs: PROBE_TIMEOUT_MS,
    signal: question.signal,
    source: question.source,
    // A user who names both needs no list.
    mayLackList: question.model !== null && question.baseUrl !== null,
  }
  const probes = await findServers(question, options, warnings)
  const { model: name, ports = USUAL_PORTS } = question
  if (probes.length === 0) {
    if (name === null) return null
    throw new ConfigError(
      `no model server answers on the ports ${ports.join(', ')} of this machine, but the model "${name}" is asked for`,
      { code: 'server_not_found', remedy: 'Start the server, or say where it is with BENCH_BASE_URL.' },
    )
  }
  const choice = name === null ? chooseModel(probes) : chooseServer(probes, name, warnings)
  const plan = await completePlan(question, options, choice, warnings)
  return { plan, served: servedBy(choice), warnings }
}

async function findServers(
  question: ModelQuestion,
  options: ProbeOptions,
  warnings: string[],
): Promise<readonly ServerProbe[]> {
  let found: readonly FoundServer[]
  if (question.baseUrl === null) {
    found = await discoverServers(question)
    // One that is still loading is waited for only where there is no other.
    const ready = found.filter(({ probe }) => probe !== null)
    if (ready.length > 0) found = ready
  } else {
    const { baseUrl, note } = normaliseBaseUrl(question.baseUrl, question.source)
    if (note !== null) warnings.push(note)
    found = [{ baseUrl, probe: null }]
  }
  const budgetMs = question.loadingBudgetMs ?? LOADING_BUDGET_MS
  return Promise.all(
    found.map(async ({ baseUrl, probe }) => {
      const known = probe ?? (await probeWhenLoaded(baseUrl, options, budgetMs))
      if (known.identity.kind !== 'ollama') return known
      // Old versions lack the route: then nothing is known about what is loaded.
      return (await orError(markLoadedModels(known, options), options)).done ?? known
    }),
  )
}

/** What comes, or the error of the network. @throws the signal's reason */
async function orError<T>(
  coming: Promise<T>,
  { signal }: ProbeOptions,
): Promise<{ readonly done: T } | { readonly done: null; readonly error: Error }> {
  try {
    return { done: await coming }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (!(error instanceof Error)) throw error
    return { done: null, error }
  }
}

async function probeWhenLoaded(baseUrl: string, options: ProbeOptions, budgetMs: number): Promise<ServerProbe> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await probeServer(baseUrl, options)
    } catch (error) {
      if (!(error instanceof ConfigError) || error.code !== 'server_loading') throw error
      if (performance.now() - startedAt + LOADING_POLL_MS > budgetMs) {
        throw new ConfigError(`the server at ${baseUrl} was still loading its model after ${budgetMs / 1_000} s`, {
          code: 'server_loading_timeout',
          remedy: 'Wait until it has loaded the model (its log says when), then run again.',
          cause: error,
        })
      }
    }
    await sleepUnlessAborted(LOADING_POLL_MS, options.signal)
  }
}

/** The listed model that answers to a name; where names are ignored, the only one there is. */
function servedBy({ probe: { models, unknownNames }, model: name }: Choice): string | null {
  const named = models.find(model => answersTo(model, name))
  const only = unknownNames === 'ignored' && models.length === 1 ? models[0] : undefined
  return (named ?? only)?.id ?? null
}

/** A model that could be meant. */
export interface ModelCandidate {
  readonly model: string
  readonly baseUrl: string
  /** null = the server does not say. */
  readonly isLoaded: boolean | null
}

const MOST_LISTED = 40

/** Several models are served, none was named, and none or more than one is loaded. */
export class ModelNotChosenError extends ConfigError {
  readonly candidates: readonly ModelCandidate[]

  constructor(candidates: readonly ModelCandidate[]) {
    const first = candidates.find(({ isLoaded }) => isLoaded === true) ?? candidates[0]
    const lines = candidates
      .slice(0, MOST_LISTED)
      .map(({ model, baseUrl, isLoaded }) => `    ${model}${isLoaded === true ? ' (loaded)' : ''}  at ${baseUrl}`)
    if (candidates.length > lines.length) lines.push(`    and ${candidates.length - lines.length} more`)
    const isOneServer = candidates.every(({ baseUrl }) => baseUrl === first?.baseUrl)
    const server = isOneServer ? '' : ', and its server with BENCH_BASE_URL=…'
    super([`${candidates.length} models could be meant:`, ...lines].join('\n'), {
      code: 'model_not_chosen',
      remedy: `Name one, for example BENCH_MODEL=${first?.model ?? '…'}${server}.`,
    })
    this.candidates = candidates
  }
}

interface Choice {
  readonly probe: ServerProbe
  readonly model: string
}

const addressesOf = (probes: readonly ServerProbe[]): string =>
  probes.map(({ identity }) => identity.baseUrl).join(', ')

/** The only model there is, or the only one that is loaded; anything else would be a guess. */
function chooseModel(probes: readonly ServerProbe[]): Choice {
  const all = probes.flatMap(probe => probe.models.map(model => ({ probe, model })))
  const loaded = all.filter(({ model }) => model.isLoaded === true)
  const [chosen] = all.length === 1 ? all : loaded.length === 1 ? loaded : []
  if (chosen !== undefined) return { probe: chosen.probe, model: chosen.model.id }
  if (all.length > 0) {
    throw new ModelNotChosenError(
      all.map(({ probe, model: { id, isLoaded } }) => ({ model: id, baseUrl: probe.identity.baseUrl, isLoaded })),
    )
  }
  throw new ConfigError(`the server at ${addressesOf(probes)} has no model`, {
    code: 'unknown_model',
    remedy: 'Load or pull a model there, or name it with BENCH_MODEL=….',
  })
}

/** Ollama's list has the tag `latest` where people leave it out. */
const answersTo = (model: ServedModel, name: string): boolean =>
  model.id === name || model.aliases.includes(name) || model.id === `${name}:latest`

function chooseServer(probes: readonly ServerProbe[], name: string, warnings: string[]): Choice {
  const having = probes.find(probe => probe.models.some(model => answersTo(model, name)))
  if (having !== undefined) return { probe: having, model: name }
  const listed = probes.flatMap(probe => probe.models.map(model => model.id))
  const where = addressesOf(probes)
  const [only, ...others] = probes
  if (only !== undefined && others.length === 0 && only.unknownNames !== 'refused') {
    const said =
      only.unknownNames === 'ignored'
        ? `serves ${listed.join(', ')} and ignores the name "${name}": results are filed under "${name}"`
        : listed.length === 0
          ? `lists no models: its first answer will show whether it has "${name}"`
          : `does not list "${name}" (it lists ${listed.slice(0, 10).join(', ')})`
    warnings.push(`the server at ${where} ${said}`)
    return { probe: only, model: name }
  }
  const nearest = listed.toSorted((a, b) => distance(a, name) - distance(b, name)).slice(0, 8)
  const alternative = nearest.length === 0 ? '' : `, or name one that it has: BENCH_MODEL=${nearest.join(' | ')}`
  throw new ConfigError(`the server at ${where} does not have the model "${name}"`, {
    code: 'unknown_model',
    remedy: `Load or pull it there${alternative}.`,
  })
}

async function completePlan(
  question: ModelQuestion,
  options: ProbeOptions,
  { probe, model }: Choice,
  warnings: string[],
): Promise<ModelPlan> {
  const { apiKey, sampling, idleTimeoutMs, deadlines, stream } = question
  const listed = probe.models.find(candidate => answersTo(candidate, model))
  let server = {
    ...probe.identity,
    contextTokens: listed?.contextTokens ?? probe.identity.contextTokens,
    modelPath: probe.identity.modelPath ?? listed?.path ?? null,
  }
  if (server.kind === 'ollama') {
    const shown = await orError(showModel(probe, model, options), options)
    if (shown.done === null) warnings.push(`Ollama did not describe "${model}": ${shown.error.message}`)
    else server = { ...server, chatTemplateSha256: shown.done.chatTemplateSha256 }
    if (shown.done?.hasTools === false) warnings.push(`Ollama says that "${model}" cannot use tools`)
  }
  const labels = labelsOf(model, server.modelPath, question.labels)
  const known = { model, baseUrl: server.baseUrl, apiKey, sampling, idleTimeoutMs, server, labels }
  return {
    ...known,
    ...(deadlines === undefined ? {} : { deadlines }),
    ...(stream === undefined ? {} : { stream }),
  }
}
