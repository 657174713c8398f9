import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { escapeForTerminal, printableJson } from '../../../reporters/terminal.ts'
import { ConfigError } from '../../errors.ts'
import type { PlannedModel } from '../../model/index.ts'
import { type ModelSetting, nameOfSetting } from '../../runner/model-settings.ts'
import type { Settings } from '../../runner/settings.ts'
import type { AddCommand, CliContext } from '../command.ts'
import { settingsOf } from '../settings.ts'

interface DoctorOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly workers?: string
  readonly json?: true
  readonly quick?: true
  readonly timeout?: string
  readonly resultsDir?: string
}

/** What an option of the command stands for. */
const VARIABLE_OF = {
  '--model': 'BENCH_MODEL',
  '--base-url': 'BENCH_BASE_URL',
  '--api-key': 'BENCH_API_KEY',
  '--workers': 'BENCH_WORKERS',
  '--results-dir': 'BENCH_RESULTS_DIR',
}

/** Names the option that was given where the settings name the variable it stands for. */
function inOptions(error: ConfigError, given: Readonly<Record<string, string | undefined>>): ConfigError {
  const [option, variable] = Object.entries(VARIABLE_OF).find(([, name]) => error.message.startsWith(`${name} `)) ?? []
  if (option === undefined || variable === undefined || given[variable] === undefined) return error
  const renamed = (text: string): string => text.replaceAll(variable, `${option} (${variable})`)
  return new ConfigError(renamed(error.message), { code: error.code, remedy: renamed(error.remedy), cause: error })
}

async function settingsOfDoctor(options: DoctorOptions, context: CliContext): Promise<Settings> {
  const given = {
    BENCH_MODEL: options.model,
    BENCH_BASE_URL: options.baseUrl,
    BENCH_API_KEY: options.apiKey,
    BENCH_WORKERS: options.workers,
    BENCH_RESULTS_DIR: options.resultsDir,
  }
  try {
    return await settingsOf(context, given)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw inOptions(error, given)
  }
}

async function findModel(
  settings: Settings,
  setting: ModelSetting,
  { baseUrl }: DoctorOptions,
  signal: AbortSignal,
): Promise<PlannedModel> {
  const { planModel, USUAL_PORTS } = await import('../../model/index.ts')
  const { modelQuestion } = await import('../../runner/model-question.ts')
  const ofOption = baseUrl === undefined ? {} : { source: { address: '--base-url', key: '--api-key' } }
  const planned = await planModel({ ...modelQuestion(settings, setting), ...ofOption, signal })
  if (planned !== null) return planned
  throw new ConfigError(`no model server answers on the usual ports ${USUAL_PORTS.join(', ')} of this machine`, {
    code: 'server_not_found',
    remedy: 'Start a model server, or say where one is: agent-bench doctor --base-url http://127.0.0.1:8080/v1',
  })
}

/** Milliseconds of `--timeout`. @throws ConfigError when it is not a number of seconds */
function budgetOf(timeout: string | undefined): number | null {
  if (timeout === undefined) return null
  const seconds = Number(timeout)
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds * 1_000
  throw new ConfigError(`--timeout is "${timeout}", which is not a number of seconds`, {
    code: 'setting_invalid',
    remedy: 'Write it like --timeout 300.',
  })
}

async function diagnose(options: DoctorOptions, context: CliContext): Promise<void> {
  const budgetMs = budgetOf(options.timeout)
  const settings = await settingsOfDoctor(options, context)
  const [setting, ...others] = settings.models
  if (setting === undefined || others.length > 0) {
    const names = settings.models.map(nameOfSetting)
    throw new ConfigError(`${names.length} models are set, and one is examined at a time: ${names.join(', ')}`, {
      code: 'model_not_chosen',
      remedy: `Name one: agent-bench doctor --model ${names[0] ?? '…'}`,
    })
  }
  const resultsDir = resolve(context.directory, settings.resultsDir)
  const { makeFolders, notWritable } = await import('../../results/not-writable.ts')
  try {
    makeFolders(join(resultsDir, 'servers'))
  } catch (error) {
    throw new ConfigError(...notWritable(resultsDir, error))
  }
  const { plan, warnings } = await findModel(settings, setting, options, context.signal)
  const doctor = await import('../../doctor/index.ts')
  const isJson = options.json === true
  for (const warning of warnings) context.writeError(`warning: ${escapeForTerminal(warning)}\n`)
  const examination =
    options.quick === true
      ? await doctor.quickExamination(plan, context.signal)
      : await doctor.examine(plan, {
          signal: context.signal,
          workers: settings.workers,
          ...(budgetMs === null ? {} : { budgetMs }),
          onFinding: finding => {
            if (!isJson) context.write(`${escapeForTerminal(doctor.findingLine(finding))}\n`)
          },
        })
  if (!isJson && options.quick === true) {
    for (const finding of examination.findings) context.write(`${escapeForTerminal(doctor.findingLine(finding))}\n`)
  }
  const stored = doctor.keepExamination(resultsDir, plan, examination)
  if (isJson) context.write(`${printableJson({ ...examination, digest: stored.digest, warnings })}\n`)
  else context.write(`${escapeForTerminal(doctor.verdictLine(examination))}\nreport    ${stored.file}\n`)
  context.setStatus(doctor.statusOf(examination))
}

const STATUSES =
  '\nExit status: 0 fit to be measured, 1 results would be about the server, 2 the server cannot be examined.'

/** `agent-bench doctor`: is this server fit to be measured? */
export const addDoctor: AddCommand = (program, context) => {
  program
    .command('doctor')
    .description('examines a model server: is it fit to be measured, and what would it do to results')
    .option('--base-url <url>', 'the server (BENCH_BASE_URL; else the usual ports of this machine)')
    .option('--model <name>', 'the model (BENCH_MODEL)')
    .option('--api-key <key>', 'the key of the server (BENCH_API_KEY)')
    .option('--workers <count>', 'trials that are going to run at once (BENCH_WORKERS)')
    .option(
      '--quick',
      'only what a run examines before its first trial: readiness, context window, one tool round trip',
    )
    .option('--json', 'one JSON object on stdout')
    .option('--timeout <seconds>', 'time for the whole examination (300)')
    .addOption(new Option('--results-dir <dir>', 'where the report is kept, below servers/ (BENCH_RESULTS_DIR)'))
    .addHelpText('after', STATUSES)
    .action((options: DoctorOptions) => diagnose(options, context))
}
