import { ConfigError } from '../../errors.ts'
import type { AddCommand, CliContext } from '../command.ts'

interface CompareOptions {
  readonly resultsDir?: string
  readonly weights?: string
  readonly json?: true
  readonly markdown?: true
}

/** `agent-bench compare [a b …]`: what differs between models or results, and what may be claimed. */
export const addCompare: AddCommand = (program, context) => {
  program
    .command('compare')
    .description('compares models or results on the tasks they share, and says what may be claimed')
    .argument('[results...]', 'models, result files or folders of results (default: all models of the results folder)')
    .option('--results-dir <folder>', 'where the results of models are (default: BENCH_RESULTS_DIR, else results)')
    .option('--weights <list>', 'a headline over modules, such as tools=0.6,code=0.4')
    .option('--json', 'everything as JSON')
    .option('--markdown', 'as Markdown')
    .action((given: readonly string[], options: CompareOptions) => compare(given, options, context))
}

async function compare(given: readonly string[], options: CompareOptions, context: CliContext): Promise<void> {
  const { armsFrom } = await import('./arms.ts')
  const { matchArms } = await import('../../results/matching.ts')
  const { compareArms } = await import('../../score/comparison.ts')
  const { comparisonBlocks } = await import('../../../reporters/comparison.ts')
  const { arms, notes } = await armsFrom(given, options, context)
  if (arms.length < 2) {
    throw new ConfigError(`there is one arm only: ${arms[0]?.name ?? 'none'}`, {
      code: 'nothing_to_compare',
      remedy: 'Name two models, result files or folders: agent-bench compare a b.',
    })
  }
  const { input, ...matched } = matchArms(arms, { weights: weightsOf(options.weights) })
  const comparison = compareArms(input)
  // No data is not a result: whoever asked for a comparison has none.
  if (comparison.tasks.length === 0) context.setStatus(2)
  const known = { ...matched, notes: [...notes, ...matched.notes] }
  await writeReport({ ...known, comparison }, comparisonBlocks(comparison, known), options, context)
}

/** A report as it was asked for: JSON, Markdown, or lines for the terminal. */
async function writeReport(
  data: unknown,
  blocks: readonly import('../../../reporters/blocks.ts').Block[],
  options: { readonly json?: true; readonly markdown?: true },
  context: CliContext,
): Promise<void> {
  const { markdownLines, terminalLines } = await import('../../../reporters/blocks.ts')
  const { createPainter, printableJson } = await import('../../../reporters/terminal.ts')
  const isColored = process.stdout.isTTY === true && context.env.NO_COLOR === undefined
  const room = { width: process.stdout.columns ?? 120, paint: createPainter(isColored) }
  if (options.json === true) return context.write(`${printableJson(data)}\n`)
  const lines = options.markdown === true ? markdownLines(blocks) : terminalLines(blocks, room)
  context.write(`${lines.join('\n').trimEnd()}\n`)
}

/** `tools=0.6,code=0.4`. @throws ConfigError code `weights_invalid` */
function weightsOf(text: string | undefined): Readonly<Record<string, number>> | undefined {
  if (text === undefined) return undefined
  const pairs = text.split(',').map(part => {
    const [, name, weight] = /^(.+)=\s*(\d*\.?\d+)\s*$/.exec(part.trim()) ?? []
    if (name === undefined || weight === undefined) {
      throw new ConfigError(`--weights ${text} is not a list of name=weight`, {
        code: 'weights_invalid',
        remedy: 'Write --weights tools=0.6,code=0.4, with the names of the modules in the comparison.',
      })
    }
    return [name.trim(), Number(weight)] as const
  })
  return Object.fromEntries(pairs)
}
