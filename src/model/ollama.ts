/** What Ollama tells only about single models: which are loaded, with which window, and what one can do. */
import { createHash } from 'node:crypto'
import { normaliseBaseUrl } from './base-url.ts'
import { countAt, listAt, stringAt, valueAt } from './json.ts'
import { ask, type ProbeOptions, type ServerProbe } from './probe.ts'

function withDeadline(options: ProbeOptions): AbortSignal {
  const deadline = AbortSignal.timeout(options.timeoutMs)
  return options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal])
}

/** Marks the models that are in memory now, with their window in tokens. @throws errors of the network */
export async function markLoadedModels(probe: ServerProbe, options: ProbeOptions): Promise<ServerProbe> {
  const { rootUrl } = normaliseBaseUrl(probe.identity.baseUrl)
  const running = await ask(`${rootUrl}/api/ps`, options, withDeadline(options))
  if (running.status !== 200) return probe
  const nameOf = (entry: unknown) => stringAt(entry, 'model') ?? stringAt(entry, 'name')
  const loaded = listAt(running.json, 'models')
  const models = probe.models.map(model => {
    const entry = loaded.find(candidate => nameOf(candidate) === model.id)
    const contextTokens = countAt(entry, 'context_length') || model.contextTokens
    return { ...model, isLoaded: entry !== undefined, contextTokens }
  })
  return { ...probe, models }
}

/** Hash of a model's template, and whether it can use tools (null = not said). @throws errors of the network */
export async function showModel(
  probe: ServerProbe,
  model: string,
  options: ProbeOptions,
): Promise<{ readonly chatTemplateSha256: string | null; readonly hasTools: boolean | null }> {
  const { rootUrl } = normaliseBaseUrl(probe.identity.baseUrl)
  const shown = await ask(`${rootUrl}/api/show`, options, withDeadline(options), { model })
  const template = shown.status === 200 ? stringAt(shown.json, 'template') : null
  const abilities = valueAt(shown.json, 'capabilities')
  return {
    chatTemplateSha256: template === null ? null : createHash('sha256').update(template).digest('hex'),
    hasTools: Array.isArray(abilities) ? abilities.includes('tools') : null,
  }
}
