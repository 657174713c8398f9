import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { escapeForTerminal, printableJson } from '../../../reporters/terminal.ts'
import { ConfigError, explainError } from '../../errors.ts'
import type { TrialRecord } from '../../results/record-schema.ts'
import type { Summary } from '../../results/summary.ts'
import type { Settings } from '../../runner/settings.ts'
import type { PreparedSandbox } from '../../sandbox/index.ts'
import type { Task } from '../../task/task.ts'
import type { Prepared, Refusal, Rescorer } from '../../trial/rescore.ts'
import type { AddCommand, CliContext } from '../command.ts'
import { settingsOf } from '../settings.ts'
import { resultsDirOf } from './report.ts'
import { type ResultRead, resolveResults } from './rescore-input.ts'
import {
  type ResultRescored,
  reportOf,
  rescoredOf,
  rescoreLines,
  statusOfRescore,
  type TrialRescored,
} from './rescore-report.ts'

interface RescoreOptions {
  readonly model?: string
  readonly resultsDir?: string
  readonly task?: string
  readonly driver?: string
  readonly json?: true
}

/** Other models that are named. */
const MODELS_SHOWN = 8

/** `agent-bench rescore <result>`: what would recorded trials score with today's flags and checks? */
export const addRescore: AddCommand = (program, context) => {
  program
    .command('rescore')
    .description('judges recorded trials again with the flags and checks of today, and shows what comes out otherwise')
    .argument(
      '<result>',
      'the id of a task (its newest result), a result file, a journal (.jsonl), or a folder of result files',
    )
    .option('--task <id>', 'only results of this task')
    .option('--model <name>', 'with the id of a task: the newest result of this model')
    .option(
      '--results-dir <folder>',
      'with the id of a task: where the results are (default: BENCH_RESULTS_DIR, else results)',
    )
    .option('--driver <name>', 'the kind of sandbox (default: BENCH_SANDBOX, else auto)')
    .option('--json', 'one JSON object on stdout')
    .action((result: string, options: RescoreOptions) => rescore(result, options, context))
}

async function rescore(result: string, options: RescoreOptions, context: CliContext): Promise<void> {
  const isJson = options.json === true
  const say = isJson ? context.writeError : context.write
  const path = await resolvePath(result, options, context)
  const settings = await settingsOf(context, { BENCH_SANDBOX: options.driver })
  const tasks = await openTasks(settings, context)
  await using judge = new Judge(settings, context)
  const done: ResultRescored[] = []
  const unusable: { file: string; reason: string }[] = []
  for (const read of resolveResults(path, context.directory)) {
    if (!read.ok) unusable.push(read)
    else if (options.task === undefined || read.summary.task_id === options.task) {
      const rescored = await rescoreResult(read, tasks, judge)
      done.push(rescored)
      for (const line of rescoreLines(rescored)) say(`${line}\n`)
    }
  }
  for (const { file, reason } of unusable) {
    say(`${escapeForTerminal(`not re-scored: ${basename(file)}: ${reason}`)}\n`)
  }
  if (done.length === 0 && unusable.length === 0) throw noSuchResult(path, options.task)
  const status = statusOfRescore(done, unusable.length)
  if (isJson) context.write(`${printableJson(reportOf(done, unusable, status))}\n`)
  context.setStatus(status)
}

/** The path itself, or the newest result of the task that is named. What is there as a file or folder is not an id. */
async function resolvePath(given: string, options: RescoreOptions, context: CliContext): Promise<string> {
  const { isPath, resultOfTask } = await import('./result-of-task.ts')
  if (isPath(given) || existsSync(join(context.directory, given))) {
    if (options.model === undefined) return given
    throw new ConfigError('--model goes with the id of a task', {
      code: 'option_without_task',
      remedy: `Name a task instead of ${given}, or leave --model out.`,
    })
  }
  const { file, model, otherModels } = resultOfTask(resultsDirOf(options, context), {
    task: given,
    model: options.model,
  })
  if (options.model === undefined && otherModels.length > 0) {
    const others = otherModels.slice(0, MODELS_SHOWN).join(', ')
    context.writeError(`${escapeForTerminal(`the newest result is of ${model}; --model chooses another: ${others}`)}\n`)
  }
  return file
}

function noSuchResult(result: string, task: string | undefined): ConfigError {
  const of = task === undefined ? '' : ` of the task ${task}`
  return new ConfigError(`${result} holds no result${of}`, {
    code: 'result_unknown',
    remedy: 'Name a file result_*.json, a journal of the results folder, or the folder itself.',
  })
}

/** The task of a result as it is today, in the form that the result is of, or why there is none. */
type FindTask = (summary: Summary) => Promise<Task | Refusal>

async function openTasks(settings: Settings, context: CliContext): Promise<FindTask> {
  const { findSpecFiles, loadSpecFiles } = await import('../spec-files.ts')
  const { skillLimitsOf } = await import('../../runner/settings.ts')
  const { filesNamed } = await import('../../runner/suites.ts')
  const { taskIdIn } = await import('../../runner/task-ids.ts')
  const files = await findSpecFiles(context.directory, settings)
  const loads = new Map<string, ReturnType<typeof loadSpecFiles>>()
  return async summary => {
    const { mode = null, instance = 0 } = summary
    const id = summary.task_id
    const own = files.filter(file => (taskIdIn(file) ?? id) === id)
    const load =
      loads.get(id) ??
      loadSpecFiles(own.length > 0 ? own : await filesNamed(id), context.directory, skillLimitsOf(settings))
    loads.set(id, load)
    const { loaded, broken } = await load
    const found = loaded.find(({ task }) => task.id === id)
    const known = broken.find(({ file }) => file === summary.spec_file)
    if (found !== undefined) return found.spec.resolve({ mode, instance }).catch(error => brokenTask(found.file, error))
    if (known !== undefined) return brokenTask(known.file, known.error)
    const remedy = 'call the command in the project of the task, with BENCH_SKILL_DIR as in the run'
    return { code: 'task_gone', reason: `there is no task ${id} here (${remedy})` }
  }
}

function brokenTask(file: string, error: unknown): Refusal {
  const reason = `${file} gives no task: ${explainError(error).replace(/\s*\n\s*/g, '; ')}`
  return { code: 'task_broken', reason }
}

async function rescoreResult(
  { file, resultsDir, summary }: Extract<ResultRead, { ok: true }>,
  findTask: FindTask,
  judge: Judge,
): Promise<ResultRescored> {
  const found = await findTask(summary)
  const trials: TrialRescored[] = []
  for (const record of summary.trials) {
    if (!('id' in found)) trials.push({ record, kind: 'refused', refusal: found })
    else trials.push({ record, ...(await judge.trial(found, record, resultsDir)) })
  }
  const isTaskSame = 'id' in found ? found.fingerprint === summary.task_fingerprint : null
  return rescoredOf({ file, summary, trials, isTaskSame, sandbox: judge.sandbox })
}

/** Judges trials in a sandbox that is made when the first trial needs one. */
class Judge implements AsyncDisposable {
  readonly #settings: Settings
  readonly #context: CliContext
  #lease: AsyncDisposable | null = null
  #rescorer: Rescorer | null = null
  /** null as long as no trial needed one. */
  sandbox: PreparedSandbox | null = null

  constructor(settings: Settings, context: CliContext) {
    this.#settings = settings
    this.#context = context
  }

  async trial(task: Task, record: TrialRecord, resultsDir: string) {
    const { prepareRescore } = await import('../../trial/rescore.ts')
    const prepared: Prepared = prepareRescore(task, record, resultsDir)
    if (!prepared.ok) return { kind: 'refused' as const, refusal: prepared.refusal }
    this.#rescorer ??= await this.#start()
    return this.#rescorer.rescore(task, record, prepared.observed, this.#context.signal)
  }

  async #start(): Promise<Rescorer> {
    const { KnownResults } = await import('../../trial/known-results.ts')
    const { SandboxLease } = await import('../../trial/lease.ts')
    const { Rescorer } = await import('../../trial/rescore.ts')
    const { CommandSandbox } = await import('../prepared-sandbox.ts')
    const place = new CommandSandbox('rescore', this.#settings, this.#context)
    const lease = new SandboxLease({ runId: place.runId, fresh: false }, async options => {
      this.sandbox = await place.prepared()
      return place.open(options)
    })
    this.#lease = lease
    return new Rescorer(lease, new KnownResults())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease?.[Symbol.asyncDispose]()
  }
}
