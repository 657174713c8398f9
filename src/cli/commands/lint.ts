import { basename, join, resolve } from 'node:path'
import { escapeForTerminal, printableJson } from '../../../reporters/terminal.ts'
import { counted } from '../../../reporters/why-text.ts'
import { SpecError } from '../../errors.ts'
import type { LintFinding } from '../../skill/index.ts'
import type { AddCommand, CliContext } from '../command.ts'

/** `agent-bench lint <skill dir>`: the rules of SKILL.md, strictly (mounting only warns), and all that mounting refuses. */
export const addLint: AddCommand = (program, context) => {
  program
    .command('lint')
    .description('checks the SKILL.md and the manifest of a skill')
    .argument('<dir>', 'directory of the skill')
    .option('--json', 'one JSON object instead of lines')
    .action((directory: string, options: { readonly json?: true }) => lint(directory, options.json === true, context))
}

async function lint(given: string, asJson: boolean, context: CliContext): Promise<void> {
  const { lintSkill } = await import('../../skill/index.ts')
  const directory = resolve(context.directory, given)
  const found = await lintSkill(directory)
  const isMountable = found.every(({ rule }) => rule !== 'manifest' && rule !== 'mount' && rule !== 'missing')
  const findings = isMountable ? [...found, ...(await unreadable(directory))] : found
  const errors = findings.filter(finding => finding.level === 'error').length
  context.setStatus(errors > 0 ? 1 : 0)
  if (asJson) {
    context.write(`${printableJson({ directory, errors, warnings: findings.length - errors, findings })}\n`)
    return
  }
  const lines = findings.map(({ file, line, column, level, rule, message, remedy }) =>
    escapeForTerminal(`${join(given, file)}:${line}:${column} ${level} ${rule}: ${message} (${remedy})`),
  )
  const counts = `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}`
  const total = findings.length === 0 ? 'nothing to complain of' : counts
  context.write(`${[...lines, `${escapeForTerminal(basename(directory))}: ${total}`].join('\n')}\n`)
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
    const message = error.message.replace(`${MANIFEST_NAME}: `, '')
    const place = { file: MANIFEST_NAME, line: 1, column: 1 }
    return [{ ...place, level: 'error', rule: 'manifest', message, remedy: error.remedy }]
  }
}
