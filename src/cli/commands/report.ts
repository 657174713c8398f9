import { isAbsolute, join } from 'node:path'
import type { Entrant, Field } from '../../../reporters/standings.ts'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'
import type { AddCommand, CliContext } from '../command.ts'

interface ReportOptions {
  readonly models?: string
  readonly resultsDir?: string
  readonly out?: string
}

/** Names that are said when one is not known. */
const NAMES_SHOWN = 20

/** `agent-bench report <name>`: reports over everything in a results folder, of models measured in any run. */
export const addReport: AddCommand = (program, context) => {
  program
    .command('report')
    .description('reports over all results: the newest of each task and model')
    .argument('[name]', 'radar, matrix …; without a name, what there is')
    .option('--models <names>', 'models, separated by commas; a part of the name is enough (default: the newest)')
    .option('--results-dir <folder>', 'where the results are (default: BENCH_RESULTS_DIR, else results)')
    .option('--out <file>', 'where the report goes (default: a picture into the results folder, else the terminal)')
    .action((name: string | undefined, options: ReportOptions) => report(name, options, context))
}

async function report(name: string | undefined, options: ReportOptions, context: CliContext): Promise<void> {
  const { REPORTS } = await import('../../../reporters/index.ts')
  const { writeReport } = await import('../../../reporters/radar.ts')
  const wanted = REPORTS.find(one => one.name === name)
  if (wanted === undefined) {
    const problem = name === undefined ? 'no report is named' : `there is no report ${JSON.stringify(name)}`
    const known = REPORTS.map(one => `${one.name} (${one.description})`).join(', ')
    throw new ConfigError(problem, { code: 'report_unknown', remedy: `Name one of these: ${known}.` })
  }
  const { dir, field } = await fieldFrom(options, context)
  const chosen = await chosenOf(field, options.models)
  const path = options.out ?? (wanted.file === null ? null : join(dir, wanted.file))
  const color = path === null && process.stdout.isTTY === true && context.env.NO_COLOR === undefined
  const width = (path === null ? process.stdout.columns : undefined) ?? 120
  const text = wanted.render({ dir, field, chosen, width, color })
  if (text === null) throw nothingToReport(dir)
  if (path === null) return context.write(text)
  const file = absolute(path, context)
  writeReport(file, text)
  context.writeError(`${wanted.name}: ${escapeForTerminal(file)}\n`)
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
