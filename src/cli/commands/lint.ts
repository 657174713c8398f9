import { existsSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { escapeForTerminal, printableJson } from '../../../reporters/terminal.ts'
import { counted } from '../../../reporters/why-text.ts'
import { SpecError } from '../../errors.ts'
import type { LintFinding } from '../../skill/index.ts'
import type { AddCommand, CliContext } from '../command.ts'

/** `agent-bench lint <skill dir>`: the rules of SKILL.md, strictly (mounting only warns), and all that mounting refuses. */
export const addLint: AddCommand = (program, context) => {
  program
    .command('lint')
    .description('checks the SKILL.md and the manifest of a skill, or of each skill of a directory')
    .argument('<dir>', 'directory of the skill, or of skills')
    .option('--json', 'one JSON object instead of lines')
    .action((directory: string, options: { readonly json?: true }) => lint(directory, options.json === true, context))
}

async function lint(given: string, asJson: boolean, context: CliContext): Promise<void> {
  const directory = resolve(context.directory, given)
  const all: LintFinding[] = []
  for (const skill of await skillsAt(directory)) {
    const place = relative(directory, skill)
    const findings = (await findingsIn(skill)).map(one => ({ ...one, file: join(place, one.file) }))
    all.push(...findings)
    if (asJson) continue
    const lines = findings.map(({ file, line, column, level, rule, message, remedy }) =>
      escapeForTerminal(`${join(given, file)}:${line}:${column} ${level} ${rule}: ${message} (${remedy})`),
    )
    const total = findings.length === 0 ? 'nothing to complain of' : describe(countsOf(findings))
    context.write(`${[...lines, `${escapeForTerminal(basename(skill))}: ${total}`].join('\n')}\n`)
  }
  const counts = countsOf(all)
  context.setStatus(counts.errors > 0 ? 1 : 0)
  if (asJson) context.write(`${printableJson({ directory, ...counts, findings: all })}\n`)
}

function countsOf(findings: readonly LintFinding[]) {
  const errors = findings.filter(finding => finding.level === 'error').length
  return { errors, warnings: findings.length - errors }
}

function describe({ errors, warnings }: ReturnType<typeof countsOf>): string {
  return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`
}

/** The skill of a directory or, where it is none, those in it; a directory without any is linted as a skill. */
async function skillsAt(directory: string): Promise<readonly string[]> {
  const { findSkills, specFileOf } = await import('../../skill/index.ts')
  const isFolder = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder || existsSync(specFileOf(directory))) return [directory]
  return findSkills(directory).catch((error: unknown) => {
    if (error instanceof SpecError) return [directory]
    throw error
  })
}

async function findingsIn(directory: string): Promise<readonly LintFinding[]> {
  const { lintSkill } = await import('../../skill/index.ts')
  const found = await lintSkill(directory)
  const isMountable = found.every(({ rule }) => rule !== 'manifest' && rule !== 'mount' && rule !== 'missing')
  return isMountable ? [...found, ...(await unreadable(directory))] : found
}

/** A file that has to be read and that no output could show is refused when the skill is collected, so here too. */
async function unreadable(directory: string): Promise<readonly LintFinding[]> {
  const { loadSkill, MANIFEST_NAME } = await import('../../skill/index.ts')
  const { checkReadable } = await import('../../runner/collect.ts')
  try {
    const skill = await loadSkill(directory)
    checkReadable(await skill.resolve(), MANIFEST_NAME)
    return []
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    const remedies = error.remedy.split('\n')
    return error.message.split('\n').map((line, at) => {
      const message = line.replace(`${MANIFEST_NAME}: `, '')
      const place = { file: MANIFEST_NAME, line: 1, column: 1 }
      return { ...place, level: 'error', rule: 'manifest', message, remedy: remedies[at] ?? error.remedy }
    })
  }
}
