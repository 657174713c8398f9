import { isAbsolute, join } from 'node:path'
import type { Command } from 'commander'
import type { Entrant, Field } from '../../../reporters/standings.ts'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'
import type { Summary } from '../../results/summary.ts'
import type { AddCommand, CliContext } from '../command.ts'

interface ReportOptions {
  readonly models?: string
  readonly resultsDir?: string
  readonly out?: string
}

/** Names that are said when one is not known. */
const NAMES_SHOWN = 20

/** `agent-bench report radar|matrix`: reports over everything in a results folder, of models measured in any run. */
export const addReport: AddCommand = (program, context) => {
  const report = program.command('report').description('reports over all results: the newest of each task and model')
  withOptions(report.command('radar'), 'default: radar.svg in the results folder')
    .description('draws up to four models over the tasks of their suites (SVG)')
    .action((options: ReportOptions) => drawRadar(options, context))
  withOptions(report.command('matrix'), 'default: the terminal')
    .description('shows every task and model, what was lost and why, and the tiers')
    .action((options: ReportOptions) => showMatrix(options, context))
}

function withOptions(command: Command, out: string): Command {
  return command
    .option('--models <names>', 'models, separated by commas; a part of the name is enough (default: the newest)')
    .option('--results-dir <folder>', 'where the results are (default: BENCH_RESULTS_DIR, else results)')
    .option('--out <file>', `where the report goes (${out})`)
}

async function drawRadar(options: ReportOptions, context: CliContext): Promise<void> {
  const { writeReport } = await import('../../../reporters/radar.ts')
  const { MOST_MODELS, radarSvg } = await import('../../../reporters/radar-svg.ts')
  const { narrowed, newestEntrants } = await import('../../../reporters/standings.ts')
  const { dir, field } = await fieldFrom(options, context)
  const chosen = await chosenOf(field, options.models)
  const svg = radarSvg(narrowed(field, chosen ?? newestEntrants(field, MOST_MODELS)))
  if (svg === null) throw nothingToReport(dir)
  const file = options.out === undefined ? join(dir, 'radar.svg') : absolute(options.out, context)
  writeReport(file, svg)
  context.writeError(`radar: ${escapeForTerminal(file)}\n`)
}

async function showMatrix(options: ReportOptions, context: CliContext): Promise<void> {
  const { matrixLines } = await import('../../../reporters/matrix.ts')
  const { narrowed } = await import('../../../reporters/standings.ts')
  const { tierLines } = await import('../../../reporters/tiers.ts')
  const { dir, field: whole } = await fieldFrom(options, context)
  const field = narrowed(whole, (await chosenOf(whole, options.models)) ?? whole.entrants)
  const room =
    options.out === undefined
      ? {
          width: process.stdout.columns ?? 120,
          color: process.stdout.isTTY === true && context.env.NO_COLOR === undefined,
        }
      : { width: 120, color: false }
  const summaries = await summariesOf(dir, field)
  if (summaries.length === 0) throw nothingToReport(dir)
  const lines = matrixLines(summaries, { ...room, belowTable: tierLines(field, room) })
  const text = `${lines.join('\n')}\n`
  if (options.out === undefined) return context.write(text)
  const { writeReport } = await import('../../../reporters/radar.ts')
  const file = absolute(options.out, context)
  writeReport(file, text)
  context.writeError(`matrix: ${escapeForTerminal(file)}\n`)
}

/** Where the results of a command are: its option, the variable, or the usual place. */
export function resultsDirOf(options: { readonly resultsDir?: string }, context: CliContext): string {
  return absolute(options.resultsDir ?? (context.env.BENCH_RESULTS_DIR || 'results'), context)
}

export function absolute(path: string, context: CliContext): string {
  return isAbsolute(path) ? path : join(context.directory, path)
}

async function fieldFrom(options: ReportOptions, context: CliContext): Promise<{ dir: string; field: Field }> {
  const { readField } = await import('../../../reporters/folder-standings.ts')
  const { describeBroken } = await import('../../../reporters/standings.ts')
  const dir = resultsDirOf(options, context)
  const field = readField(dir)
  if (field.entrants.length === 0) throw nothingToReport(dir, describeBroken(field.left.broken))
  return { dir, field }
}

function nothingToReport(dir: string, notes: readonly string[] = []): ConfigError {
  return new ConfigError([`${dir} holds no result of a model`, ...notes].join('\n  '), {
    code: 'no_results',
    remedy: 'Run the bench with a model (BENCH_MODEL, BENCH_BASE_URL), or name another folder with --results-dir.',
  })
}

/** The entrants that are meant; null when none is named. @throws ConfigError code `model_unknown`. */
export async function chosenOf(field: Field, models: string | undefined): Promise<readonly Entrant[] | null> {
  if (models === undefined) return null
  const { shortModelName } = await import('../../../reporters/standings.ts')
  const names = models
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const meant = new Set<Entrant>()
  for (const name of names) {
    const wanted = name.toLowerCase()
    const exact = field.entrants.filter(({ model }) =>
      [model, shortModelName(model)].some(known => known.toLowerCase() === wanted),
    )
    const alike = field.entrants.filter(({ model }) => model.toLowerCase().includes(wanted))
    const found = exact.length > 0 ? exact : alike
    if (found.length === 0) {
      const known = [...new Set(field.entrants.map(({ model }) => shortModelName(model)))]
      const more = known.length > NAMES_SHOWN ? ` and ${known.length - NAMES_SHOWN} more` : ''
      throw new ConfigError(`there is no result of a model called ${escapeForTerminal(name)}`, {
        code: 'model_unknown',
        remedy: `Name models that have results: ${escapeForTerminal(known.slice(0, NAMES_SHOWN).join(', '))}${more}.`,
      })
    }
    for (const entrant of found) meant.add(entrant)
  }
  return names.length === 0 ? null : field.entrants.filter(entrant => meant.has(entrant))
}

/** The whole summaries of a field, by task and model. A file that vanished in the meantime is left out. */
async function summariesOf(dir: string, field: Field): Promise<readonly Summary[]> {
  const { readSummary } = await import('../../results/store.ts')
  return field.tasks.flatMap(task =>
    field.entrants.flatMap(entrant => {
      const file = entrant.tasks.get(task.id)?.file
      const read = file === undefined ? null : readSummary(join(dir, file))
      return read?.ok === true ? [read.summary] : []
    }),
  )
}
