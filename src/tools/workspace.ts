/** The three tools over the workspace of a sandbox: run a command, read a file, write a file. */
import type { ToolDefinition } from '../model/chat-model.ts'
import { FileRefusedError, type Sandbox } from '../sandbox/sandbox.ts'
import { RESULT_CHARACTERS, showExec, showRead } from './tool-result.ts'
import { NOTHING_RUN, type Observation, type ToolOffer, type ToolSet } from './tool-set.ts'
import { type ParsedCall, parseCall, TOOL_DEFINITIONS } from './workspace-calls.ts'

/** @param commandTimeoutMs milliseconds a command may take */
function openWorkspace(definitions: readonly ToolDefinition[], sandbox: Sandbox, commandTimeoutMs: number): ToolSet {
  return {
    definitions,
    async call(name, args, { signal }) {
      const call = parseCall(name, args, definitions)
      if (call.tool === null) return { ...NOTHING_RUN, invalid: call.invalid, delivered: `Error: ${call.problem}` }
      if (call.tool === 'execute_command') {
        const result = await sandbox.exec(call.command, { timeoutMs: commandTimeoutMs, signal, snapshot: true })
        const { exitCode, stopped, testReports, stubReports, delta } = result
        const delivered = showExec(result, commandTimeoutMs)
        return { invalid: null, exitCode, stopped, delivered, testReports, stubReports, delta }
      }
      try {
        return { ...NOTHING_RUN, exitCode: 0, ...(await useFile(sandbox, call, signal)) }
      } catch (error) {
        if (!(error instanceof FileRefusedError)) throw error
        return { ...NOTHING_RUN, exitCode: 1, delivered: `Error: ${error.message}` }
      }
    },
  }
}

type FileCall = Extract<ParsedCall, { readonly path: string }>

async function useFile(sandbox: Sandbox, call: FileCall, signal: AbortSignal): Promise<Partial<Observation>> {
  if (call.tool === 'read_file') {
    const result = await sandbox.readLines(call.path, {
      ...(call.offset === null ? {} : { offset: call.offset }),
      ...(call.limit === null ? {} : { limit: call.limit }),
      maxBytes: 4 * RESULT_CHARACTERS + 4_096,
      signal,
    })
    return { delivered: showRead(call.path, result) }
  }
  const bytes = Buffer.from(call.content)
  const delta = await sandbox.writeFile(call.path, bytes, { signal })
  return { delivered: `Wrote ${bytes.length} bytes to ${call.path}.`, delta }
}

/** The tools of the workspace, or some of them by name. */
export function workspaceTools(names: readonly string[] = TOOL_DEFINITIONS.map(({ name }) => name)): ToolOffer {
  const definitions = TOOL_DEFINITIONS.filter(({ name }) => names.includes(name))
  const open = (sandbox: Sandbox, { commandTimeoutMs }: { readonly commandTimeoutMs: number }) =>
    openWorkspace(definitions, sandbox, commandTimeoutMs)
  return { needs: 'sandbox', definitions, open }
}

export const WORKSPACE_TOOLS: ToolOffer = workspaceTools()
