import type { Command } from 'commander'
import { type Block, markdownLines, terminalLines } from '../../../reporters/blocks.ts'
import { comparisonBlocks } from '../../../reporters/comparison.ts'
import { createPainter, printableJson } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'
import { matchArms } from '../../results/matching.ts'
import { compareArms } from '../../score/comparison.ts'
import type { AddCommand, CliContext } from '../command.ts'

/** How a report of blocks is written; without either it goes to the terminal. */
export interface FormatOptions {
  readonly json?: true
  readonly markdown?: true
}

interface CompareOptions extends FormatOptions {
  readonly resultsDir?: string
  readonly weights?: string
}

/** `agent-bench compare [a b …]`: what differs between models or results, and what may be claimed. */
export const addCompare: AddCommand = (program, context) => {
  withFormat(program.command('compare'))
    .description('compares models or results on the tasks they share, and says what may be claimed')
    .argument('[results...]', 'models, result files or folders of results (default: all models of the results folder)')
    .option('--results-dir <folder>', 'where the results of models are (default: BENCH_RESULTS_DIR, else results)')
    .option('--weights <list>', 'a headline over modules, such as tools=0.6,code=0.4')
    .action((given: readonly string[], options: CompareOptions) => compare(given, options, context))
}

export const withFormat = (command: Command): Command =>
  command.option('--json', 'everything as JSON').option('--markdown', 'as Markdown')

async function compare(given: readonly string[], options: CompareOptions, context: CliContext): Promise<void> {
  const { armsFrom } = await import('./arms.ts')
  const { arms, notes } = await armsFrom(given, options, context)
  if (arms.length < 2) {
    throw new ConfigError(`there is nothing to compare ${arms[0]?.name ?? 'it'} with`, {
      code: 'nothing_to_compare',
      remedy: 'Name two models, result files or folders: agent-bench compare a b.',
    })
  }
  const { input, ...matched } = matchArms(arms, { weights: weightsOf(options.weights) })
  const comparison = compareArms(input)
  if (comparison.tasks.length === 0) context.setStatus(2)
  const known = { ...matched, notes: [...notes, ...matched.notes] }
  writeBlocks({ ...known, comparison }, comparisonBlocks(comparison, known), options, context)
}

/** Writes a report as it was asked for: `data` as JSON, or the blocks. */
export function writeBlocks(
  data: unknown,
  blocks: readonly Block[],
  options: FormatOptions,
  context: CliContext,
): void {
  const paint = createPainter(process.stdout.isTTY === true && context.env.NO_COLOR === undefined)
  const lines = () =>
    options.markdown === true
      ? markdownLines(blocks)
      : terminalLines(blocks, { width: process.stdout.columns ?? 120, paint })
  context.write(`${options.json === true ? printableJson(data) : lines().join('\n').trimEnd()}\n`)
}

/** `tools=0.6,code=0.4`. @throws ConfigError code `weights_invalid` */
function weightsOf(text: string | undefined): Readonly<Record<string, number>> | undefined {
  const pairs = text?.split(',').map(part => /^(.+)=\s*(\d*\.?\d+)$/.exec(part.trim())?.slice(1) ?? [])
  if (pairs?.some(pair => pair.length === 0) === true) {
    throw new ConfigError(`--weights ${text} is not a list of name=weight`, {
      code: 'weights_invalid',
      remedy: 'Write --weights tools=0.6,code=0.4, with the names of the modules in the comparison.',
    })
  }
  return pairs && Object.fromEntries(pairs.map(([name = '', weight]) => [name.trim(), Number(weight)]))
}
