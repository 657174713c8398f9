import { basename, resolve } from 'node:path'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import type { AddCommand, CliContext } from '../command.ts'

/** `agent-bench lint <skill dir>`: the rules of SKILL.md and of the manifest, strictly; mounting the same skill only warns. */
export const addLint: AddCommand = (program, context) => {
  program
    .command('lint')
    .description('checks the SKILL.md and the manifest of a skill')
    .argument('<dir>', 'directory of the skill')
    .option('--json', 'one JSON object instead of lines')
    .action((directory: string, options: { readonly json?: true }) => lint(directory, options.json === true, context))
}

async function lint(given: string, asJson: boolean, context: CliContext): Promise<void> {
  const { lintSkill } = await import('../../spec/skill/index.ts')
  const directory = resolve(context.directory, given)
  const findings = await lintSkill(directory)
  const errors = findings.filter(finding => finding.level === 'error').length
  context.setStatus(errors > 0 ? 1 : 0)
  if (asJson) {
    context.write(`${JSON.stringify({ directory, errors, warnings: findings.length - errors, findings }, null, 2)}\n`)
    return
  }
  const lines = findings.map(({ file, line, column, level, rule, message, remedy }) =>
    escapeForTerminal(`${given}/${file}:${line}:${column} ${level} ${rule}: ${message} (${remedy})`),
  )
  const warnings = findings.length - errors
  const total = findings.length === 0 ? 'nothing to complain of' : `${errors} errors, ${warnings} warnings`
  context.write(`${[...lines, `${escapeForTerminal(basename(directory))}: ${total}`].join('\n')}\n`)
}
