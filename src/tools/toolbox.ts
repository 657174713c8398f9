import type { ToolArguments, Toolbox, ToolOutcome } from '../agents/agent.ts'
import type { LoggedCall } from '../evidence/log.ts'
import { FileRefusedError, type Sandbox } from '../sandbox/sandbox.ts'
import { RESULT_CHARACTERS, showExec, showRead } from './tool-result.ts'
import { parseCall, TOOL_DEFINITIONS } from './tools.ts'

/** What one executed call adds to the log besides its number, turn, tool and arguments. */
type Observation = Pick<
  LoggedCall,
  'invalid' | 'exitCode' | 'stopped' | 'delivered' | 'testReports' | 'stubReports' | 'delta'
>

const REFUSED: Observation = {
  invalid: null,
  exitCode: 1,
  stopped: null,
  delivered: '',
  testReports: [],
  stubReports: [],
  delta: null,
}

async function execute(
  sandbox: Sandbox,
  name: string,
  args: ToolArguments,
  commandTimeoutMs: number,
  signal: AbortSignal,
): Promise<Observation> {
  const call = parseCall(name, args)
  switch (call.tool) {
    case null:
      return { ...REFUSED, invalid: call.invalid, exitCode: null, delivered: `Error: ${call.problem}` }
    case 'execute_command': {
      const result = await sandbox.exec(call.command, { timeoutMs: commandTimeoutMs, signal, snapshot: true })
      return {
        invalid: null,
        exitCode: result.exitCode,
        stopped: result.stopped,
        delivered: showExec(result, commandTimeoutMs),
        testReports: result.testReports,
        stubReports: result.stubReports,
        delta: result.delta,
      }
    }
    case 'read_file':
      try {
        const result = await sandbox.readLines(call.path, {
          ...(call.offset === null ? {} : { offset: call.offset }),
          ...(call.limit === null ? {} : { limit: call.limit }),
          maxBytes: 4 * RESULT_CHARACTERS + 4_096,
          signal,
        })
        return { ...REFUSED, exitCode: 0, delivered: showRead(call.path, result) }
      } catch (error) {
        if (!(error instanceof FileRefusedError)) throw error
        return { ...REFUSED, delivered: `Error: ${error.message}` }
      }
    case 'write_file':
      try {
        const bytes = Buffer.from(call.content)
        const delta = await sandbox.writeFile(call.path, bytes, { signal })
        return { ...REFUSED, exitCode: 0, delivered: `Wrote ${bytes.length} bytes to ${call.path}.`, delta }
      } catch (error) {
        if (!(error instanceof FileRefusedError)) throw error
        return { ...REFUSED, delivered: `Error: ${error.message}` }
      }
  }
}

/** Arguments as they are logged; text that did not parse is kept raw. */
function loggedArguments(args: ToolArguments): Readonly<Record<string, unknown>> {
  return args.valid ? args.value : { raw: args.raw.slice(0, 20_000) }
}

/**
 * The tools over one sandbox. Every call is executed, observed and handed to `log`; calls run one after another even
 * when an agent starts several at once, so that a snapshot belongs to exactly one call.
 */
export function createToolbox(
  sandbox: Sandbox,
  options: { readonly commandTimeoutMs: number; readonly log: (call: LoggedCall) => void },
): Toolbox {
  let calls = 0
  let queue: Promise<unknown> = Promise.resolve()
  const run = async (
    name: string,
    args: ToolArguments,
    context: { readonly turn: number; readonly signal: AbortSignal },
  ): Promise<ToolOutcome> => {
    context.signal.throwIfAborted()
    const startedAt = performance.now()
    const observation = await execute(sandbox, name, args, options.commandTimeoutMs, context.signal)
    calls += 1
    options.log({
      call: calls,
      turn: context.turn,
      tool: name.slice(0, 200),
      args: loggedArguments(args),
      durationMs: performance.now() - startedAt,
      ...observation,
    })
    return { delivered: observation.delivered, exitCode: observation.exitCode }
  }
  return {
    definitions: TOOL_DEFINITIONS,
    call(name, args, context) {
      const result = queue.then(() => run(name, args, context))
      queue = result.catch(() => undefined)
      return result
    },
  }
}
