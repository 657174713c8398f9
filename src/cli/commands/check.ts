import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { printableJson } from '../../../reporters/terminal.ts'
import type { TaskCheck } from '../../check/check-task.ts'
import { ConfigError, explainError } from '../../errors.ts'
import type { Settings } from '../../runner/settings.ts'
import type { FileMap } from '../../sandbox/index.ts'
import type { Task } from '../../task/task.ts'
import type { AddCommand, CliContext } from '../command.ts'
import type { CommandSandbox } from '../prepared-sandbox.ts'
import { settingsOf } from '../settings.ts'
import type { BrokenSpec, LoadedSpec } from '../spec-files.ts'
import { checkProgress } from './check-progress.ts'

interface CheckOptions {
  readonly driver?: string
  readonly k?: string
  readonly jobs?: string
  readonly json?: true
  readonly cache: boolean
}

const MAX_JOBS = 16
/** More sandboxes than this mostly wait for each other on a small machine. */
const USUAL_JOBS = 4

/** `agent-bench check`: every task and skill proves itself, without a model. */
export const addCheck: AddCommand = (program, context) => {
  program
    .command('check')
    .description('proves tasks and skills without a model: reference, doing nothing, cheats, honest ways, each step')
    .argument('[filter]', 'only spec files whose path, or tasks whose id, contains this')
    .option('--driver <name>', 'the kind of sandbox (default: BENCH_SANDBOX, else auto)')
    .option('--k <n>', 'how often the reference must pass (default: 3)')
    .option('--jobs <n>', `sandboxes at once (default: one for each processor, 2 to ${USUAL_JOBS})`)
    .option('--json', 'one JSON object on stdout')
    .option('--no-cache', 'proves again what was proved before and has not changed; in CI that is always done')
    .action((filter: string | undefined, options: CheckOptions) => check(filter ?? '', options, context))
}

async function check(filter: string, options: CheckOptions, context: CliContext): Promise<void> {
  const clock = performance.now()
  const k = wholeNumber('--k', options.k ?? '3', 100)
  const jobs = wholeNumber('--jobs', options.jobs ?? String(usualJobs()), MAX_JOBS)
  const settings = await settingsOf(context, { BENCH_SANDBOX: options.driver })
  const { loaded, broken: unreadable } = await load(filter, settings, context)
  const { forms, broken: unmade } = await formsOf(loaded)
  const broken = [...unreadable, ...unmade]
  const isJson = options.json === true
  const say = isJson ? context.writeError : context.write
  const { brokenLines } = await import('../check-lines.ts')
  for (const spec of broken) say(`${brokenLines(spec.file, explainError(spec.error)).join('\n')}\n`)
  const checks =
    forms.length === 0 ? [] : await checkAll(forms, { k, jobs, settings, say, context, useCache: options.cache })

  const count = (status: TaskCheck['status']) => checks.filter(one => one.status === status).length
  const failed = count('failed') + broken.length
  const status = failed > 0 ? 1 : count('ok') > 0 ? 0 : 2
  const seconds = (performance.now() - clock) / 1_000
  say(`${count('ok')} ok, ${failed} failed, ${count('skipped')} skipped  ${seconds.toFixed(1)} s\n`)
  if (isJson) context.write(`${printableJson(report(checks, broken, status))}\n`)
  context.setStatus(status)
}

/** What `--json` says. Field names follow those of result files. */
function report(checks: readonly TaskCheck[], broken: readonly BrokenSpec[], status: number) {
  return {
    exit_status: status,
    tasks: checks.map(one => ({
      task_id: one.task,
      mode: one.mode,
      status: one.status,
      reference: one.reference,
      nop_score: one.nopScore,
      cheats: one.cheats,
      honest: one.honest,
      steps: one.steps,
      other_instances: one.instances,
      judges_answer: one.judgesAnswer,
      known: one.isKnown === true,
      problems: one.problems,
      skipped_because: one.reasons,
      elapsed_sec: Math.round(one.durationMs) / 1_000,
    })),
    broken: broken.map(({ file, error }) => ({
      file,
      code: error.code,
      // A compiler colours its messages for a terminal.
      message: stripVTControlCharacters(error.message),
      remedy: error.remedy,
    })),
  }
}

function usualJobs(): number {
  return Math.max(2, Math.min(USUAL_JOBS, availableParallelism()))
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new ConfigError(`${option} is "${text}"`, {
    code: 'setting_invalid',
    remedy: `Write a whole number from 1 to ${max}.`,
  })
}

async function load(filter: string, settings: Settings, context: CliContext) {
  const { findSpecFiles, loadSpecFiles } = await import('../spec-files.ts')
  const { skillLimitsOf } = await import('../../runner/settings.ts')
  const { filesNamed, NO_TASK_REMEDY, runsByDefault } = await import('../../runner/suites.ts')
  const { taskIdIn } = await import('../../runner/task-ids.ts')
  const { directory } = context
  const fitsFilter = (...names: readonly string[]) => names.some(name => name.includes(filter))
  const all = await findSpecFiles(directory, settings)
  const usual = settings.suite === null && filter === '' ? all.filter(runsByDefault) : all
  const fitting = usual.filter(file => fitsFilter(relative(directory, file), taskIdIn(file) ?? filter))
  const brought = fitting.length > 0 ? [] : await filesNamed(filter)
  const files = [fitting, brought, usual].find(some => some.length > 0) ?? []
  const { loaded, broken: brokenSpecs } = await loadSpecFiles(files, directory, skillLimitsOf(settings))
  const broken = [...brokenSpecs, ...(await brokenSuites(loaded, all, directory))]
  const named = brought.length > 0 ? loaded : loaded.filter(({ file, task }) => fitsFilter(file, task.id))
  // What a broken file would be called is not known: when nothing else is meant, it may be that.
  const meant = { loaded: named, broken: named.length === 0 ? broken : broken.filter(({ file }) => fitsFilter(file)) }
  refuseSharedIds(meant.loaded)
  if (meant.loaded.length + meant.broken.length > 0) return meant
  throw new ConfigError(
    filter === '' ? 'there is no task here' : `no task is called ${JSON.stringify(filter)}, nor is its file`,
    {
      code: 'no_task',
      remedy: all.length === 0 ? NO_TASK_REMEDY : `There are: ${all.flatMap(file => taskIdIn(file) ?? []).join(', ')}.`,
    },
  )
}

/** Suites whose tasks are all here, and that name others. */
async function brokenSuites(
  loaded: readonly LoadedSpec[],
  all: readonly string[],
  root: string,
): Promise<readonly BrokenSpec[]> {
  const { SUITE_FILE, suiteMistakes } = await import('../../task/suite.ts')
  const { specError } = await import('../../task/mistakes.ts')
  return [...new Set(loaded.map(({ file }) => dirname(file)))].flatMap(folder => {
    const specs = loaded.filter(({ file }) => dirname(file) === folder)
    const suite = specs[0]?.task.suite ?? null
    const isWhole = all.filter(file => dirname(relative(root, file)) === folder).length === specs.length
    const ids = specs.map(({ task }) => task.id)
    const mistakes = suite === null || !isWhole ? [] : suiteMistakes(suite, ids)
    const file = join(folder, SUITE_FILE)
    return mistakes.length === 0 ? [] : [{ file, error: specError({ file, line: 1, column: 1 }, mistakes) }]
  })
}

/** @throws ConfigError when two tasks have one id: a run would refuse them, since it could not tell their trials apart. */
function refuseSharedIds(specs: readonly LoadedSpec[]): void {
  const filesOf = new Map<string, string[]>()
  for (const { file, task } of specs) filesOf.set(task.id, [...(filesOf.get(task.id) ?? []), file])
  for (const [id, files] of filesOf) {
    if (files.length === 1) continue
    const count = files.length === 2 ? 'two' : String(files.length)
    throw new ConfigError(`${count} tasks have the id "${id}": ${files.join(' and ')}`, {
      code: 'same_id',
      remedy: 'Give one of them another id.',
    })
  }
}

/** Instances besides 0 that are proved by reference and nop. */
const OTHER_INSTANCES = [1, 2]

/** A task in one of its modes, and for other instances. */
interface Form {
  readonly task: Task
  readonly instances: readonly Task[]
  readonly skillFiles: FileMap
}

async function formsOf(
  loaded: readonly LoadedSpec[],
): Promise<{ readonly forms: readonly Form[]; readonly broken: readonly BrokenSpec[] }> {
  const { asBenchError } = await import('../spec-files.ts')
  const forms: Form[] = []
  const broken: BrokenSpec[] = []
  for (const { file, spec, skillFiles } of loaded) {
    const { modes, hasInstances } = spec.definition
    try {
      for (const mode of modes.length === 0 ? [null] : modes) {
        const others = hasInstances ? OTHER_INSTANCES : []
        const instances = await Promise.all(others.map(instance => spec.resolve({ mode, instance })))
        forms.push({ task: await spec.resolve({ mode }), instances, skillFiles })
      }
    } catch (error) {
      broken.push({ file, error: asBenchError(file, error) })
    }
  }
  return { forms, broken }
}

async function checkAll(
  forms: readonly Form[],
  run: {
    readonly k: number
    readonly jobs: number
    readonly settings: Settings
    readonly say: (text: string) => void
    readonly context: CliContext
    readonly useCache: boolean
  },
): Promise<TaskCheck[]> {
  const { checkTask } = await import('../../check/check-task.ts')
  const { ProofCache } = await import('../../check/proof-cache.ts')
  const { checkLines } = await import('../check-lines.ts')
  const { CommandSandbox } = await import('../prepared-sandbox.ts')
  const { needsSandbox, toolsOf } = await import('../../trial/offer.ts')
  const { settings, context } = run
  const place = new CommandSandbox('check', settings, context)
  await using pool = await openWorkers(place, run.jobs)
  const progress = checkProgress(context)
  const cache = ProofCache.of(context.directory, context.env, run.useCache)
  const checks: TaskCheck[] = []
  for (const { task, instances, skillFiles } of forms) {
    const { workers } = pool
    const make = () =>
      checkTask(task, {
        workers,
        k: run.k,
        signal: context.signal,
        instances,
        skillDirectory: skillFiles,
        onPlay: (played, all) => progress.show(task.id, played, all),
      }).finally(() => progress.clear())
    const sandbox = needsSandbox(task, toolsOf(task)) ? await place.prepared() : null
    const done = await cache.once({ task, instances, skillFiles, sandbox, k: run.k }, make)
    checks.push(done)
    for (const line of checkLines(done)) run.say(`${line}\n`)
  }
  return checks
}

async function openWorkers(place: CommandSandbox, jobs: number) {
  const { planOfCheck } = await import('../../check/check-task.ts')
  const { KnownResults } = await import('../../trial/known-results.ts')
  const { TrialWorker } = await import('../../trial/trial-worker.ts')
  const known = new KnownResults('all')
  const open = (options: Parameters<CommandSandbox['open']>[0]) => place.open(options)
  const workers = Array.from({ length: jobs }, () => new TrialWorker(planOfCheck(place.runId), open, known))
  return {
    workers,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map(worker => worker[Symbol.asyncDispose]()))
    },
  }
}
