/**
 * Five plain tools whose arguments are all texts, as agentissima offers them: read_file, write_file, list_files,
 * search_files, run_command. Results are cut to 4,000 characters; a task may be built on that limit. Unlike there, run_command
 * has no list of permitted programs: the sandbox holds, and which words a model happens to try is not what is measured.
 */
import type { ToolDefinition } from '../model/chat-model.ts'
import { type CapturedStream, FileRefusedError, type Sandbox } from '../sandbox/sandbox.ts'
import { NOTHING_RUN, type Observation, type ToolArguments, type ToolOffer } from './tool-set.ts'

const RESULT_CHARACTERS = 4_000
const COMMAND_TIMEOUT_MS = 30_000

/** Parameters that are needed, and those that may be left out; all are texts. */
const definition = (
  name: string,
  description: string,
  needed: Readonly<Record<string, string>>,
  optional: Readonly<Record<string, string>> = {},
): ToolDefinition => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries({ ...needed, ...optional }).map(([parameter, about]) => [
        parameter,
        { type: 'string', description: about },
      ]),
    ),
    required: Object.keys(needed),
  },
})

const DEFINITIONS: readonly ToolDefinition[] = [
  definition('read_file', 'Read a text file.', { path: 'Path of the file, relative to the working directory.' }),
  definition('write_file', 'Write a text file; its whole content is replaced. Missing directories are made.', {
    path: 'Path of the file, relative to the working directory.',
    content: 'The whole content of the file.',
  }),
  definition('list_files', 'List a directory. Names of directories end in /.', {
    path: 'Path of the directory; . for the working directory.',
  }),
  definition(
    'search_files',
    'Search for a Python regular expression, line by line. Each line found is shown as path:line number:text.',
    { pattern: 'The regular expression.' },
    { path: 'A file, or a directory that is searched with all below it. Default: the working directory.' },
  ),
  definition(
    'run_command',
    `Run a bash command in the working directory, for ${COMMAND_TIMEOUT_MS / 1_000} s at most. There is no network.`,
    { command: 'The command line.' },
  ),
]

/**
 * The five tools, for `tools` of a task. Every result is cut to 4,000 characters; the cut says how many are missing.
 * Arguments are never repaired: a missing one, or one that is not a text, is an invalid call; names that no tool knows are
 * passed over.
 */
export function stringTools(): ToolOffer {
  return {
    needs: 'sandbox',
    definitions: DEFINITIONS,
    open: (sandbox, { commandTimeoutMs }) => ({
      definitions: DEFINITIONS,
      async call(name, given, { signal }) {
        const args = checkedArguments(name, given)
        if (typeof args === 'string') {
          const invalid = DEFINITIONS.some(tool => tool.name === name) ? 'malformed_arguments' : 'unknown_tool'
          return { ...NOTHING_RUN, invalid, delivered: `error: ${args}` }
        }
        const done =
          name === 'run_command'
            ? await runCommand(sandbox, args, { timeoutMs: Math.min(commandTimeoutMs, COMMAND_TIMEOUT_MS), signal })
            : await useFiles(sandbox, name, args, signal)
        return { ...NOTHING_RUN, ...done, delivered: cut(done.delivered) }
      },
    }),
  }
}

type Texts = Readonly<Record<string, string>>
type Done = Partial<Observation> & Pick<Observation, 'delivered'>

/** The arguments as texts, or what is wrong with them. */
function checkedArguments(name: string, given: ToolArguments): Texts | string {
  const tool = DEFINITIONS.find(one => one.name === name)
  if (tool === undefined) {
    return `unknown tool "${name.slice(0, 200)}"; the tools are ${DEFINITIONS.map(one => one.name).join(', ')}`
  }
  const isBlank = !given.valid && given.raw.trim() === ''
  if (!given.valid && !isBlank) return `the arguments are not a JSON object: ${given.problem}`
  const value = given.valid ? given.value : {}
  const { properties, required } = tool.parameters as { properties: object; required: readonly string[] }
  const missing = required.filter(parameter => value[parameter] === undefined)
  if (missing.length > 0) return `missing required arguments: ${missing.join(', ')}`
  const texts: Record<string, string> = {}
  for (const parameter of Object.keys(properties)) {
    const text = value[parameter]
    if (text === undefined) continue
    if (typeof text !== 'string') return `the argument "${parameter}" must be a string`
    if (!text.isWellFormed()) return `the argument "${parameter}" is not valid Unicode`
    texts[parameter] = text
  }
  return texts
}

/** A path as the tools mean it: the working directory is the root. */
const fromRoot = (path: string): string => path.replace(/^\/workspace(?=\/|$)/, '').replace(/^\/+/, '') || '.'

async function useFiles(sandbox: Sandbox, name: string, args: Texts, signal: AbortSignal): Promise<Done> {
  const { path = '.', content = '', pattern = '' } = args
  const place = fromRoot(path)
  if (place.includes('\0') || pattern.includes('\0')) return { exitCode: 1, delivered: 'error: a NUL character' }
  if (name !== 'write_file') return lookAtFiles(sandbox, [name, place, pattern], signal)
  try {
    const delta = await sandbox.writeFile(place, Buffer.from(content), { signal })
    return { exitCode: 0, delivered: 'ok', delta }
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error
    return { exitCode: 1, delivered: `error: ${error.message}` }
  }
}

/** Reads, lists and searches inside the sandbox, where links are resolved. Argument: the tool, the path, the pattern. */
const LOOK = `
import os, re, sys
tool, path, pattern = sys.argv[1:]
root = os.getcwd()
hidden = {".git", "__pycache__", ".pytest_cache", ".DS_Store"}
sys.stdout.reconfigure(encoding="utf-8", errors="replace")
def fail(text):
    print("error: " + text, end="")
    sys.exit(1)
def text_of(place):
    with open(place, encoding="utf-8", newline="") as file:
        return file.read()
place = os.path.realpath(os.path.join(root, path))
if place != root and not place.startswith(root + "/"):
    fail("path outside working directory: " + path)
if not os.path.exists(place):
    fail("no such file or directory: " + path)
if tool == "read_file":
    if not os.path.isfile(place):
        fail("not a file: " + path)
    try:
        print(text_of(place), end="")
    except UnicodeDecodeError:
        fail("not a text file (UTF-8): " + path)
    except OSError as error:
        fail(str(error.strerror))
elif tool == "list_files":
    if not os.path.isdir(place):
        fail("not a directory: " + path)
    names = sorted(name for name in os.listdir(place) if name not in hidden)
    print("\\n".join(name + "/" * os.path.isdir(os.path.join(place, name)) for name in names) or "(empty directory)", end="")
else:
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        fail("bad regular expression: " + str(error))
    files = [place]
    if os.path.isdir(place):
        files = []
        for folder, below, names in os.walk(place):
            below[:] = sorted(name for name in below if name not in hidden)
            files += [os.path.join(folder, name) for name in sorted(names) if name not in hidden]
    found = []
    for file in files:
        try:
            lines = text_of(file).splitlines()
        except (UnicodeDecodeError, OSError):
            continue
        found += ["%s:%d:%s" % (os.path.relpath(file, root), number, line.strip()) for number, line in enumerate(lines, 1) if wanted.search(line)]
    print("\\n".join(found) or "(no matches)", end="")
`

async function lookAtFiles(sandbox: Sandbox, args: readonly string[], signal: AbortSignal): Promise<Done> {
  const command = ['python3', '-I', '-c', LOOK, ...args].map(quoted).join(' ')
  const result = await sandbox.exec(command, { timeoutMs: COMMAND_TIMEOUT_MS, signal, snapshot: false })
  const text = textOf(result.stdout)
  if (result.stopped !== null) return { exitCode: 1, delivered: 'error: it took too long' }
  return { exitCode: result.exitCode, delivered: text === '' && result.exitCode !== 0 ? 'error: it failed' : text }
}

async function runCommand(
  sandbox: Sandbox,
  { command = '' }: Texts,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Done> {
  if (command.trim() === '' || command.includes('\0')) return { exitCode: 127, delivered: 'exit=127\nno command' }
  const result = await sandbox.exec(command, { timeoutMs, signal, snapshot: true })
  const { stopped, testReports, stubReports, delta } = result
  const exitCode = stopped === 'timeout' ? 124 : result.exitCode
  const ended =
    stopped === null ? '' : `\n(${stopped === 'timeout' ? 'timed out' : 'stopped: it printed far too much'})`
  const status = exitCode !== null && exitCode < 0 ? 128 - exitCode : (exitCode ?? 'unknown')
  const delivered = `exit=${status}\n${textOf(result.stdout)}${textOf(result.stderr)}${ended}`
  return { exitCode, stopped, delivered, testReports, stubReports, delta }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function textOf({ head, tail, totalBytes }: CapturedStream): string {
  const missing = totalBytes - head.length - tail.length
  if (missing <= 0) return Buffer.concat([head, tail]).toString()
  return `${Buffer.from(head).toString()}\n[${missing} bytes left out]\n${Buffer.from(tail).toString()}`
}

function cut(text: string): string {
  if (text.length <= RESULT_CHARACTERS) return text
  const shown = text.slice(0, RESULT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
  return `${shown}\n[truncated, ${text.length - shown.length} more characters]`
}
