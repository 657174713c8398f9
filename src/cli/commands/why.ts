import { isAbsolute, join } from 'node:path'
import { distance } from 'fastest-levenshtein'
import { escapeForTerminal } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'
import type { Summary } from '../../results/summary.ts'
import type { AddCommand, CliContext } from '../command.ts'
import { resultsDirOf } from './report.ts'

interface WhyCommandOptions {
  readonly trial?: string
  readonly model?: string
  readonly resultsDir?: string
}

/** Names that are said when one is not known. */
const NAMES_SHOWN = 20

/** `agent-bench why <result file or task id> [flag]`: what a lost flag looked for and the nearest thing it saw. */
export const addWhy: AddCommand = (program, context) => {
  program
    .command('why')
    .description('says why a flag was not reached, with the tool calls around, from what was recorded')
    .argument('<result>', 'a result file, or the id of a task (then its newest result)')
    .argument('[flag]', 'one flag (default: every flag that was lost)')
    .option('--trial <n>', 'one trial, from 1')
    .option('--model <name>', 'with a task id: the newest result of this model')
    .option('--results-dir <folder>', 'where the results are (default: BENCH_RESULTS_DIR, else results)')
    .action(async (result: string, flag: string | undefined, options: WhyCommandOptions) => {
      const { whyLines } = await import('../../../reporters/why.ts')
      const summary = await summaryMeant(result, options, context)
      checkFlag(summary, flag)
      const lines = whyLines(summary, {
        flag: flag ?? null,
        trial: trialMeant(summary, options.trial),
        width: process.stdout.columns ?? 120,
        color: process.stdout.isTTY === true && context.env.NO_COLOR === undefined,
      })
      context.write(`${lines.join('\n')}\n`)
    })
}

async function summaryMeant(result: string, options: WhyCommandOptions, context: CliContext): Promise<Summary> {
  const { readSummary } = await import('../../results/store.ts')
  const isFile = result.endsWith('.json') || /[\\/]/.test(result)
  const file = isFile
    ? isAbsolute(result)
      ? result
      : join(context.directory, result)
    : await newestOf(result, options, context)
  const read = readSummary(file)
  if (read.ok) return read.summary
  throw new ConfigError(`${file} cannot be used: ${read.reason}`, {
    code: 'result_unreadable',
    remedy: 'Name a file result_*.json of the results folder, or the id of a task.',
  })
}

/** The newest result of a task, of scripted agents too: their lost flags are a question as well. */
async function newestOf(task: string, options: WhyCommandOptions, context: CliContext): Promise<string> {
  const { compareText, readStandings, shortModelName } = await import('../../../reporters/standings.ts')
  const dir = resultsDirOf(options, context)
  const { standings } = readStandings(dir)
  const wanted = options.model?.toLowerCase()
  const isWanted = (model: string) =>
    wanted === undefined || [model, shortModelName(model)].some(name => name.toLowerCase() === wanted)
  const found = standings
    .filter(standing => standing.task === task && isWanted(standing.model))
    .sort((a, b) => compareText(a.latest, b.latest) || compareText(a.file, b.file))
    .at(-1)
  if (found !== undefined) return found.file
  const ofModel = options.model === undefined ? '' : ` of the model ${options.model}`
  throw new ConfigError(`${dir} holds no result of the task ${task}${ofModel}`, {
    code: 'result_unknown',
    remedy: choose('Name a task with results', task, [...new Set(standings.map(standing => standing.task))]),
  })
}

function checkFlag(summary: Summary, flag: string | undefined): void {
  const flags = [...new Set(summary.trials.flatMap(trial => trial.skill_ids))]
  if (flag === undefined || flags.includes(flag)) return
  throw new ConfigError(`the task ${summary.task_id} has no flag ${flag}`, {
    code: 'flag_unknown',
    remedy: choose('Name one of its flags', flag, flags),
  })
}

function trialMeant(summary: Summary, trial: string | undefined): number | null {
  if (trial === undefined) return null
  const numbers = summary.trials.map(one => one.trial_index + 1)
  const number = Number(trial)
  if (numbers.includes(number)) return number
  throw new ConfigError(`there is no trial ${trial} in this result`, {
    code: 'trial_unknown',
    remedy: `Choose one of: ${numbers.slice(0, NAMES_SHOWN).join(', ')}.`,
  })
}

function choose(what: string, given: string, known: readonly string[]): string {
  if (known.length === 0) return 'Run the bench first, or name another folder with --results-dir.'
  const byNearness = known.toSorted((a, b) => distance(given, a) - distance(given, b) || (a < b ? -1 : 1))
  const more = known.length > NAMES_SHOWN ? ` and ${known.length - NAMES_SHOWN} more` : ''
  return `${what}: ${byNearness.slice(0, NAMES_SHOWN).map(escapeForTerminal).join(', ')}${more}.`
}
