import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'
import type { AddCommand, CliContext } from '../command.ts'
import type { NewFiles } from '../new-files.ts'

const TASK_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const SUITE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** As the Agent Skills specification has it. */
const SKILL_NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

/** `agent-bench new task|skill`: writes a minimal one that runs at once and proves itself. */
export const addNew: AddCommand = (program, context) => {
  const command = program.command('new').description('writes a minimal task or skill, with its proof, to start from')
  command
    .command('task')
    .description('writes tasks/<suite>/<name>.bench.ts')
    .argument('<id>', 'name in results; end it with a version, for example greeting_v1')
    .option('--suite <name>', 'folder below tasks/', 'my-suite')
    .action((id: string, options: { readonly suite: string }) => newTask(id, options.suite, context))
  command
    .command('skill')
    .description('writes SKILL.md, bench_manifest.json and bench_proof.ts; the last two where there is a SKILL.md')
    .argument('<dir>', 'the directory, for example skills/notice-board; its last part is the name of the skill')
    .action((directory: string) => newSkill(directory, context))
}

async function newTask(id: string, suite: string, context: CliContext): Promise<void> {
  const { taskFiles } = await import('../new-files.ts')
  if (!TASK_ID.test(id)) {
    throw invalid(`${JSON.stringify(id)} is not a task id`, 'Use letters, digits, _ and -, for example greeting_v1.')
  }
  if (!SUITE.test(suite)) {
    throw invalid(
      `${JSON.stringify(suite)} is not a suite name`,
      'Use a-z, 0-9 and single hyphens, for example my-suite.',
    )
  }
  const files = taskFiles(id, suite)
  await writeNew(files, context)
  await warnOfInclude([...files.keys()], context)
  sayNext(id, context)
}

async function newSkill(given: string, context: CliContext): Promise<void> {
  const { proofFiles, skillFiles } = await import('../new-files.ts')
  const { defaultId, documentNameIn } = await import('../../skill/spec-file.ts')
  const absolute = resolve(context.directory, given)
  const name = basename(absolute)
  const { existsSync, readdirSync } = await import('node:fs')
  const isThere = existsSync(absolute) && documentNameIn(readdirSync(absolute)) !== undefined
  if (!isThere && !SKILL_NAME.test(name)) {
    throw invalid(
      `${JSON.stringify(name)} is not a skill name`,
      'A skill is named like its directory: 1 to 64 of a-z and 0-9 with single hyphens, for example skills/notice-board.',
    )
  }
  await writeNew(isThere ? proofFiles(absolute, name) : skillFiles(absolute, name), context)
  const place = relative(join(context.directory, 'skills'), dirname(absolute))
  const isCollected = place === ''
  sayNext(defaultId(name), context, isCollected ? '' : `BENCH_SKILL_DIR=${quoted(given)} `)
}

/** A file that the project's `include` leaves out would never be run. */
async function warnOfInclude(written: readonly string[], context: CliContext): Promise<void> {
  const { findSpecFiles } = await import('../spec-files.ts')
  const { specGlobs } = await import('../../runner/spec-globs.ts')
  const found = await findSpecFiles(context.directory)
  const left = written.find(path => path.endsWith('.bench.ts') && !found.includes(join(context.directory, path)))
  if (left === undefined) return
  const { include } = await specGlobs(context.directory)
  const advice = `Add "tasks/**/*.bench.ts" to \`include\` of its Vitest config, which is ${include.join(', ')}.`
  context.writeError(`${escapeForTerminal(`warning: the project does not collect ${left}. ${advice}`)}\n`)
}

function invalid(message: string, remedy: string): ConfigError {
  return new ConfigError(message, { code: 'new_name', remedy })
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** Writes files that are not there yet, all or none. @throws ConfigError code `new_exists` */
async function writeNew(files: NewFiles, context: CliContext): Promise<void> {
  const targets = [...files].map(
    ([path, text]) => [isAbsolute(path) ? path : join(context.directory, path), text] as const,
  )
  const { existsSync } = await import('node:fs')
  const taken = targets.find(([path]) => existsSync(path))
  if (taken !== undefined) throw exists(taken[0])
  for (const [path, text] of targets) {
    await mkdir(dirname(path), { recursive: true })
    try {
      await writeFile(path, text, { flag: 'wx' })
    } catch (error) {
      // Made by somebody else since it was looked for.
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists(path, error)
      throw error
    }
    context.write(`wrote ${escapeForTerminal(relative(context.directory, path))}\n`)
  }
}

function exists(path: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path} exists already, and nothing is overwritten`, {
    code: 'new_exists',
    remedy: 'Choose another name, or remove the file.',
    cause,
  })
}

function sayNext(id: string, context: CliContext, before = ''): void {
  context.write(`\nnext: ${before}npx agent-bench check ${id}\n`)
}
