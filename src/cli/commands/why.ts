import { isAbsolute, join } from 'node:path'
import { ConfigError } from '../../errors.ts'
import type { Summary } from '../../results/summary.ts'
import type { AddCommand, CliContext } from '../command.ts'
import { resultsDirOf } from './report.ts'

interface WhyCommandOptions {
  readonly trial?: string
  readonly model?: string
  readonly resultsDir?: string
}

/** Trials that are named when one is not known. */
const TRIALS_SHOWN = 20

/** `agent-bench why <result file or task id> [flag]`: what a lost flag looked for and the nearest thing it saw. */
export const addWhy: AddCommand = (program, context) => {
  program
    .command('why')
    .description('says why a flag was not reached, with what the model said and called around, from what was recorded')
    .argument('<result>', 'a result file, or the id of a task (then its newest result)')
    .argument('[flag]', 'one flag (default: every flag that was lost)')
    .option('--trial <n>', 'one trial, from 1')
    .option('--model <name>', 'with a task id: the newest result of this model')
    .option('--results-dir <folder>', 'where the results are (default: BENCH_RESULTS_DIR, else results)')
    .action(async (result: string, flag: string | undefined, options: WhyCommandOptions) => {
      const { whyLines } = await import('../../../reporters/why.ts')
      const { choose } = await import('./result-of-task.ts')
      const { summary, otherModels } = await resolveSummary(result, options, context)
      checkFlag(summary, flag, choose)
      const lines = whyLines(summary, {
        flag: flag ?? null,
        trial: resolveTrial(summary, options.trial),
        otherModels,
        width: process.stdout.columns ?? 120,
        color: process.stdout.isTTY === true && context.env.NO_COLOR === undefined,
      })
      context.write(`${lines.join('\n')}\n`)
    })
}

interface Resolved {
  readonly summary: Summary
  /** Other models with results of the task; empty where one was chosen. */
  readonly otherModels: readonly string[]
}

async function resolveSummary(result: string, options: WhyCommandOptions, context: CliContext): Promise<Resolved> {
  const { readSummary } = await import('../../results/store.ts')
  const { namesModel, isPath, resultOfTask } = await import('./result-of-task.ts')
  const { model } = options
  const { file, otherModels } = isPath(result)
    ? { file: isAbsolute(result) ? result : join(context.directory, result), otherModels: [] }
    : resultOfTask(resultsDirOf(options, context), { task: result, model })
  const read = readSummary(file)
  if (!read.ok) {
    throw new ConfigError(`${file} cannot be used: ${read.reason}`, {
      code: 'result_unreadable',
      remedy: 'Name a file result_*.json of the results folder, or the id of a task.',
    })
  }
  const { summary } = read
  if (model !== undefined && !namesModel(model, summary.model)) {
    throw new ConfigError(`${file} is a result of the model ${summary.model}, not of ${model}`, {
      code: 'result_unknown',
      remedy: `Leave --model out, or name the task with it: why ${summary.task_id} --model ${model}.`,
    })
  }
  return { summary, otherModels: model === undefined ? otherModels : [] }
}

function checkFlag(
  summary: Summary,
  flag: string | undefined,
  choose: (what: string, given: string, known: readonly string[]) => string,
): void {
  const flags = [...new Set(summary.trials.flatMap(trial => trial.skill_ids))]
  if (flag === undefined || flags.includes(flag)) return
  throw new ConfigError(`the task ${summary.task_id} has no flag ${flag}`, {
    code: 'flag_unknown',
    remedy: choose('Name one of its flags', flag, flags),
  })
}

function resolveTrial(summary: Summary, trial: string | undefined): number | null {
  if (trial === undefined) return null
  const numbers = summary.trials.map(one => one.trial_index + 1)
  const number = Number(trial)
  if (numbers.includes(number)) return number
  throw new ConfigError(`there is no trial ${trial} in this result`, {
    code: 'trial_unknown',
    remedy: `Choose one of: ${numbers.slice(0, TRIALS_SHOWN).join(', ')}.`,
  })
}
