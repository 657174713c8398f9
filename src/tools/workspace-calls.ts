import type { ToolDefinition } from '../model/chat-model.ts'
import type { ToolArguments } from './tool-set.ts'

/** The three tools every model gets. Descriptions state every rule of the sandbox a model would otherwise trip over. */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: 'execute_command',
    description:
      'Run a bash command. Every command starts in /workspace in a new shell: directory changes and variables of earlier commands are gone. When the command returns, all processes it started are ended, also background ones. There is no network and no standard input. Long output is cut in the middle; the result says so.',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string', description: 'The bash command line.' } },
      required: ['command'],
    },
  },
  {
    name: 'read_file',
    description:
      'Read a text file. At most 8,000 characters are shown; when a file is longer the result says which lines were shown and how to read on.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the file, relative to /workspace.' },
        offset: { type: 'integer', description: 'Number of the first line to read, from 1.' },
        limit: { type: 'integer', description: 'Number of lines to read.' },
      },
      required: ['path'],
    },
  },
  {
    name: 'write_file',
    description: 'Write a text file: its whole content is replaced. Missing directories are made.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the file, relative to /workspace.' },
        content: { type: 'string', description: 'The whole content of the file.' },
      },
      required: ['path', 'content'],
    },
  },
]

/** A call checked against its tool, or what is wrong with it, as text the model can act on. */
export type ParsedCall =
  | { readonly tool: 'execute_command'; readonly command: string }
  | { readonly tool: 'read_file'; readonly path: string; readonly offset: number | null; readonly limit: number | null }
  | { readonly tool: 'write_file'; readonly path: string; readonly content: string }
  | { readonly tool: null; readonly invalid: 'unknown_tool' | 'malformed_arguments'; readonly problem: string }

/** A single argument of a program can hold 128 KiB on Linux; this leaves room for bash itself. */
const MAX_COMMAND_BYTES = 120_000
const MAX_CONTENT_BYTES = 4_000_000

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function text(args: Readonly<Record<string, unknown>>, tool: string, name: string): string | { problem: string } {
  const value = args[name]
  if (typeof value !== 'string') {
    const got = value === undefined ? 'it is missing' : `it is ${kindOf(value)}`
    return { problem: `${tool} needs the argument "${name}" as a string, but ${got}. Nothing was done; call again.` }
  }
  if (!value.isWellFormed())
    return { problem: `The argument "${name}" of ${tool} is not valid Unicode. Nothing was done.` }
  return value
}

function positive(
  args: Readonly<Record<string, unknown>>,
  tool: string,
  name: string,
): number | null | { problem: string } {
  const value = args[name]
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  return {
    problem: `The argument "${name}" of ${tool} must be a whole number from 1 on. Nothing was done; call again.`,
  }
}

function path(args: Readonly<Record<string, unknown>>, tool: string): string | { problem: string } {
  const value = text(args, tool, 'path')
  if (typeof value !== 'string') return value
  if (value.trim() === '') return { problem: `${tool} needs a path, but it is empty. Nothing was done; call again.` }
  if (value.includes('\0')) return { problem: `The path of ${tool} contains a NUL character. Nothing was done.` }
  return value
}

/**
 * Checks a call against its tool. Nothing is repaired: what does not fit goes back to the model as an error.
 * @param offered The tools that the task offers.
 */
export function parseCall(name: string, given: ToolArguments, offered = TOOL_DEFINITIONS): ParsedCall {
  if (!offered.some(tool => tool.name === name)) {
    const names = offered.map(tool => tool.name).join(', ')
    return {
      tool: null,
      invalid: 'unknown_tool',
      problem: `There is no tool "${name.slice(0, 200)}". The tools are: ${names}.`,
    }
  }
  const malformed = (problem: string): ParsedCall => ({ tool: null, invalid: 'malformed_arguments', problem })
  if (!given.valid) {
    return malformed(
      `The arguments of ${name} were not a JSON object (${given.problem}). Nothing was done; call again.`,
    )
  }
  const args = given.value
  switch (name) {
    case 'execute_command': {
      const command = text(args, name, 'command')
      if (typeof command !== 'string') return malformed(command.problem)
      if (command.trim() === '') return malformed('execute_command needs a command, but it is empty. Nothing was run.')
      if (command.includes('\0')) return malformed('The command contains a NUL character. Nothing was run.')
      if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
        return malformed(
          `The command is longer than ${MAX_COMMAND_BYTES} bytes. Nothing was run; write it to a file with write_file and run that.`,
        )
      }
      return { tool: name, command }
    }
    case 'read_file': {
      const file = path(args, name)
      if (typeof file !== 'string') return malformed(file.problem)
      const offset = positive(args, name, 'offset')
      if (offset !== null && typeof offset !== 'number') return malformed(offset.problem)
      const limit = positive(args, name, 'limit')
      if (limit !== null && typeof limit !== 'number') return malformed(limit.problem)
      return { tool: name, path: file, offset, limit }
    }
    default: {
      const file = path(args, 'write_file')
      if (typeof file !== 'string') return malformed(file.problem)
      const content = text(args, 'write_file', 'content')
      if (typeof content !== 'string') return malformed(content.problem)
      if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) {
        return malformed(
          `The content is longer than ${MAX_CONTENT_BYTES} bytes. The file was not written; write it in parts.`,
        )
      }
      return { tool: 'write_file', path: file, content }
    }
  }
}
