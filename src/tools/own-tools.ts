/** Tools of a task's own, over the state of one trial. */
import { Ajv } from 'ajv'
import { InfraError } from '../errors.ts'
import type { ToolDefinition } from '../model/chat-model.ts'
import { AUTHOR_CODE_MS, callWithin, UNCOUNTED } from '../task/run-within.ts'
import { isToolError, type Tool } from '../task/tool.ts'
import { cutText } from './tool-result.ts'
import { NOTHING_RUN, type Observation, type ToolArguments, type ToolOffer, type ToolSet } from './tool-set.ts'

const ajv = new Ajv({ allErrors: true, strict: false, logger: false })

/** What `named` tools offer: see `tool()`. */
export function ownTools(named: Readonly<Record<string, Tool>>): ToolOffer {
  const definitions = Object.entries(named).map(
    ([name, { description, parameters }]): ToolDefinition => ({
      name,
      description,
      parameters: parameters as ToolDefinition['parameters'],
    }),
  )
  return { needs: 'nothing', definitions, open: state => openTools(named, definitions, state) }
}

function openTools(
  named: Readonly<Record<string, Tool>>,
  definitions: readonly ToolDefinition[],
  state: unknown,
): ToolSet {
  return {
    definitions,
    async call(name, args, { signal }) {
      const tool = Object.hasOwn(named, name) ? named[name] : undefined
      if (tool === undefined) {
        const known = Object.keys(named).join(', ') || 'none'
        return refusal('unknown_tool', `There is no tool "${name.slice(0, 200)}". The tools are: ${known}.`)
      }
      const problem = args.valid ? misfit(name, tool, args.value) : notAnObject(name, args)
      if (problem !== null || !args.valid) return refusal('malformed_arguments', problem ?? '')
      try {
        const given = callWithin(AUTHOR_CODE_MS, () => tool.run(structuredClone(args.value), state))
        if (given.isOverdue) throw brokenTool(name, `ran for ${AUTHOR_CODE_MS / 1_000} s without an end`)
        return { ...NOTHING_RUN, delivered: resultText(name, await orAborted(given.value, signal)) }
      } catch (error) {
        if (isToolError(error)) return { ...NOTHING_RUN, delivered: cutText(`Error: ${error.message}`) }
        if (error instanceof InfraError || signal.aborted) throw error
        throw brokenTool(name, `threw ${error instanceof Error ? error.message : String(error)}`, error)
      }
    },
  }
}

const refusal = (invalid: NonNullable<Observation['invalid']>, problem: string): Observation => ({
  ...NOTHING_RUN,
  invalid,
  delivered: `Error: ${problem}`,
})

const notAnObject = (name: string, args: ToolArguments): string =>
  `The arguments of ${name} were not a JSON object (${args.valid ? '' : args.problem}). Nothing was done; call again.`

/** What is wrong with the arguments, or null. */
function misfit(name: string, { parameters }: Tool, args: Readonly<Record<string, unknown>>): string | null {
  const fits = ajv.compile(parameters as object)
  if (fits(args)) return null
  const problems = (fits.errors ?? []).slice(0, 3).map(({ instancePath, message, params }) => {
    const place = instancePath === '' ? 'the arguments' : `"${instancePath.slice(1)}"`
    const extra = 'additionalProperty' in params ? ` ("${params.additionalProperty}")` : ''
    return `${place} ${message ?? 'do not fit'}${extra}`
  })
  return `The arguments of ${name} do not fit: ${problems.join('; ')}. Nothing was done; call again.`
}

/** Waits for what a tool gave, and no longer than the trial. */
async function orAborted(given: unknown, signal: AbortSignal): Promise<unknown> {
  if (!(given instanceof Promise)) return given
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([given, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function resultText(name: string, result: unknown): string {
  if (typeof result === 'string') return cutText(result)
  const text = result === undefined ? 'null' : JSON.stringify(result)
  if (text === undefined) throw brokenTool(name, 'gave something back that is not JSON')
  return cutText(text)
}

function brokenTool(name: string, problem: string, cause?: unknown): InfraError {
  return new InfraError(`the tool "${name}" of the task ${problem}`, {
    code: 'tool_threw',
    remedy: `Correct tools.${name}: what the model is to hear of is thrown with toolError('…'). ${UNCOUNTED}`,
    cause,
  })
}
