import type { LoggedCall } from '../evidence/log.ts'
import type { ToolArguments, Toolbox, ToolOutcome, ToolSet } from './tool-set.ts'

/** Arguments as they are logged; text that did not parse is kept raw. */
function loggedArguments(args: ToolArguments): Readonly<Record<string, unknown>> {
  return args.valid ? args.value : { raw: args.raw.slice(0, 20_000) }
}

/**
 * A tool set as an agent calls it. Every call is handed to `log`; calls run one after another even when an agent starts
 * several at once, so that what is observed belongs to exactly one call.
 */
export function createToolbox(tools: ToolSet, log: (call: LoggedCall) => void): Toolbox {
  let calls = 0
  let queue: Promise<unknown> = Promise.resolve()
  const run = async (
    name: string,
    args: ToolArguments,
    { turn, signal }: { readonly turn: number; readonly signal: AbortSignal },
  ): Promise<ToolOutcome> => {
    signal.throwIfAborted()
    const startedAt = performance.now()
    const observation = await tools.call(name, args, { signal })
    calls += 1
    log({
      call: calls,
      turn,
      tool: name.slice(0, 200),
      args: loggedArguments(args),
      durationMs: performance.now() - startedAt,
      ...observation,
    })
    return { delivered: observation.delivered, exitCode: observation.exitCode }
  }
  return {
    definitions: tools.definitions,
    call(name, args, context) {
      const result = queue.then(() => run(name, args, context))
      queue = result.catch(() => undefined)
      return result
    },
  }
}
