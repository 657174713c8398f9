import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Command, CommanderError } from 'commander'
import { printable } from '../../reporters/terminal.ts'
import { BenchError, explainError } from '../errors.ts'
import type { AddCommand, CliContext } from './command.ts'
import { addCheck } from './commands/check.ts'
import { addCompare } from './commands/compare.ts'
import { addDoctor } from './commands/doctor.ts'
import { addGate } from './commands/gate.ts'
import { addItems } from './commands/items.ts'
import { addLint } from './commands/lint.ts'
import { addNew } from './commands/new.ts'
import { addReport } from './commands/report.ts'
import { addRescore } from './commands/rescore.ts'
import { addWhy } from './commands/why.ts'

/** In the order of `--help`. */
const COMMANDS: readonly AddCommand[] = [
  addDoctor,
  addCheck,
  addLint,
  addNew,
  addReport,
  addCompare,
  addGate,
  addItems,
  addRescore,
  addWhy,
]

function version(): string {
  const file = createRequire(import.meta.url).resolve('agent-bench/package.json')
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '?'
}

/** Commander ends with 1 after a wrong option; here 1 means that something was examined and is not as it should be. */
const statusOfUsage = (error: CommanderError): number => (error.exitCode === 0 ? 0 : 2)

/**
 * The `agent-bench` command.
 * @param args without the program's name, for example `['doctor', '--json']`
 * @param given parts of the world for tests; the process's own otherwise
 * @returns the exit status: 0 fine, 1 the thing examined is not, 2 usage, configuration, or it could not be examined
 */
export async function main(args: readonly string[], given: Partial<CliContext> = {}): Promise<number> {
  let status: number = 0
  const writeError = given.writeError ?? (text => void process.stderr.write(text))
  const write = given.write ?? (text => void process.stdout.write(text))
  // Whoever takes what is written to stderr has no terminal there, unless they say so.
  const isTerminal = given.isTerminal ?? (given.writeError === undefined && process.stderr.isTTY === true)
  const isStyled = process.stdout.isTTY === true
  const context: CliContext = {
    directory: process.cwd(),
    env: process.env,
    signal: new AbortController().signal,
    ...given,
    isTerminal,
    write: text => write(printable(text, { isStyled })),
    writeError: text => writeError(printable(text)),
    ...(isTerminal ? { writeOver: writeError } : {}),
    setStatus: next => {
      status = next
    },
  }
  const program = new Command('agent-bench')
    .description(
      'Measures whether a model can drive an agent. The bench itself runs with `npx vitest run --project bench`.',
    )
    .version(version())
    .showHelpAfterError('(agent-bench --help shows all commands)')
    .exitOverride()
    .configureOutput({ writeOut: context.write, writeErr: context.writeError })
  for (const add of COMMANDS) add(program, context)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return statusOfUsage(error)
    if (context.signal.aborted) return 130
    if (!(error instanceof BenchError)) throw error
    context.writeError(`${explainError(error)}\n`)
    return 2
  }
}
