/**
 * The main-process side of a run: makes the plan before the first test, hands it to the workers, and at the end (or when
 * the process is being ended) turns the journals into summaries and reports.
 */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { relative } from 'node:path'
import type { TestAnnotation, TestArtifact } from 'vitest'
import type {
  Reporter,
  TestCase,
  TestModule,
  TestProject,
  TestRunEndReason,
  TestSpecification,
  Vitest,
} from 'vitest/node'
import { version as vitestVersion } from 'vitest/node'
import { PRINTERS, WRITERS } from '../../reporters/index.ts'
import type { FinishedRun } from '../../reporters/reporter.ts'
import { printable, printableLine } from '../../reporters/terminal.ts'
import { needsModel } from '../agents/index.ts'
import { ALARM } from '../doctor/finding.ts'
import { ConfigError, explainError } from '../errors.ts'
import { readAllJournals, readJournalsOfRun, runsBeside } from '../results/journal.ts'
import { servedNotes } from '../results/served-models.ts'
import { exitStatus, summarise } from '../results/summary.ts'
import { openSandbox, prepareSandbox } from '../sandbox/index.ts'
import { answerSandbox, refusalOf, type SandboxAnswer } from './ask-sandbox.ts'
import { otherForms, refuseUnknownForm } from './asked-form.ts'
import { type ExitWatch, watchExit } from './exit-watch.ts'
import { checkEnterable, checkTerminal, Keeper, lastTrialOf } from './keep.ts'
import { makePlans } from './make-plan.ts'
import { isTrialMeta, SERVER_ANNOTATION } from './meta.ts'
import type { ModelProject } from './model-projects.ts'
import { projection } from './progress.ts'
import './provided.ts'
import { judgedRecords, recordedTrial } from './resume.ts'
import { RunState } from './run-state.ts'
import { LOST_IN_A_ROW, ServerWatch } from './server-watch.ts'
import type { Settings } from './settings.ts'
import { sameIdIn } from './task-ids.ts'

export interface BenchReporterOptions {
  readonly settings: Settings
  /** One for each model, in the order they are run. */
  readonly projects: readonly ModelProject[]
  readonly root: string
  /** Absolute path. */
  readonly resultsDir: string
  /** Why workers were ended before their time, for people; the reporter removes what it has printed. */
  readonly endedWorkers: string[]
}

/** Damaged lines of journals that are said one by one. */
const NOTES_SHOWN = 5
const MACHINE_REPORTERS = ['json', 'junit', 'tap', 'tap-flat', 'blob']

function newRunId(now: Date): string {
  return `${now.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')}-${randomBytes(4).toString('hex')}`
}

export class BenchReporter implements Reporter {
  readonly #options: BenchReporterOptions
  #vitest: Vitest | null = null
  #run = new RunState(null)
  #exit: ExitWatch | null = null
  readonly #keeper = new Keeper(line => this.#print(line))

  constructor(options: BenchReporterOptions) {
    this.#options = options
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  /** Before the workers start; awaited by Vitest. */
  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const { projects, settings, root, resultsDir } = this.#options
    const files = specifications.filter(({ project }) => this.#isOurs(project.name)).length
    if (files === 0) return
    await this.#keeper.close()
    this.#exit ??= watchExit(() => this.#finishCutRun())
    this.#exit.setStatus(null)
    const trialsAhead = this.#vitest?.getGlobalTestNamePattern() === undefined ? files * settings.trials : null
    this.#run = new RunState(trialsAhead)
    const { earlier } = this.#run
    try {
      const ours = specifications.filter(({ project }) => this.#isOurs(project.name)).map(({ moduleId }) => moduleId)
      this.#refuseSameIds(ours)
      refuseUnknownForm(ours, settings)
      if (settings.resume) this.#readEarlier()
      const { plans, lines } = await makePlans(settings, {
        root,
        resultsDir,
        runId: newRunId(new Date()),
        harness: {
          version: packageVersion(),
          nodeVersion: process.versions.node,
          vitestVersion,
          platform: `${process.platform}-${process.arch}`,
        },
        recorded: [...earlier.values()].map(recordedTrial).filter(trial => trial !== null),
      })
      const [plan] = plans
      if (plan === undefined) throw new Error('a run without a plan')
      if (settings.keep) checkTerminal(process.stdin.isTTY === true && process.stdout.isTTY === true)
      this.#run.plan = plan
      this.#run.isFinished = false
      for (const [at, { project }] of projects.entries()) {
        const atOnce = this.#shareWorkers(project, specifications)
        project.provide('agentBenchPlan', { made: true, plan: plans[at] ?? plan, atOnce })
      }
      for (const line of lines) this.#print(line)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.#refuse(explainError(error), specifications)
    }
  }

  /**
   * Vitest gives a worker whole files, so with fewer files than workers each worker runs several trials of its task at once.
   * @returns so many
   */
  #shareWorkers(project: TestProject, specifications: readonly TestSpecification[]): number {
    const { workers } = this.#options.settings
    const files = specifications.filter(one => one.project.name === project.name).length
    project.config.maxWorkers = Math.max(1, Math.min(workers, files))
    project.config.maxConcurrency = Math.floor(workers / project.config.maxWorkers)
    return project.config.maxConcurrency
  }

  /** A worker has come to the first trial that needs a sandbox; awaited by Vitest. */
  onTestCaseArtifactRecord(_test: TestCase, artifact: TestArtifact): Promise<void> {
    return answerSandbox(artifact, () => {
      this.#run.sandbox ??= this.#prepareSandbox()
      return this.#run.sandbox
    })
  }

  async #prepareSandbox(): Promise<SandboxAnswer> {
    const { sandbox: choice, image, keep } = this.#options.settings
    const runId = this.#run.plan?.runId ?? ''
    try {
      const sandbox = await prepareSandbox(choice, { image, runId, onProgress: line => this.#print(line) })
      if (keep) checkEnterable(sandbox)
      this.#print(`sandbox  ${sandbox.why}`)
      return { sandbox }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return refusalOf(error)
    }
  }

  /** Under `resume`: what counts of earlier runs, and what of their journals cannot be used and is run again. */
  #readEarlier(): void {
    const { settings, resultsDir } = this.#options
    const { records, notes } = readAllJournals(resultsDir)
    for (const [key, record] of judgedRecords(records, { replayed: settings.replay !== null })) {
      this.#run.earlier.set(key, record)
    }
    for (const note of notes.slice(0, NOTES_SHOWN)) this.#print(`damaged  ${note}`)
    if (notes.length > NOTES_SHOWN) this.#print(`damaged  and ${notes.length - NOTES_SHOWN} more lines`)
  }

  /** Before the first trial, where the files show it: two tasks with one id would be taken for trials of one task. */
  #refuseSameIds(files: readonly string[]): void {
    const same = sameIdIn(files)
    if (same !== null) throw this.#sameIds(same.id, same.files)
  }

  #sameIds(id: string, files: readonly string[]): ConfigError {
    const names = files.map(file => relative(this.#options.root, file)).join(' and ')
    const remedy = 'Give one of them another id.'
    return new ConfigError(`two tasks have the id "${id}": ${names}`, { code: 'same_id', remedy })
  }

  /** The run cannot be made. Alone and without watching, nothing is left to do; else the bench's files fail with the reason. */
  #refuse(message: string, specifications: readonly TestSpecification[]): void {
    this.#run.stop = message
    const isAlone = specifications.every(({ project }) => this.#isOurs(project.name))
    if (isAlone && this.#vitest?.config.watch !== true) {
      for (const line of `agent-bench cannot run: ${message}`.split('\n')) this.#print(line)
      process.exit(2)
    }
    const provided = { made: false as const, message: printable(message) }
    for (const { project } of this.#options.projects) project.provide('agentBenchPlan', provided)
  }

  #isOurs(projectName: string): boolean {
    return this.#options.projects.some(({ project }) => project.name === projectName)
  }

  /** The same for ids that only show when the file is loaded. */
  onTestModuleCollected(module: TestModule): void {
    if (!this.#isOurs(module.project.name)) return
    for (const suite of module.children.suites()) {
      const meta = suite.meta().bench
      if (meta !== undefined && !isTrialMeta(meta)) this.#run.tasks.push(meta)
      const key = JSON.stringify([module.project.name, suite.name])
      const other = this.#run.fileOf.get(key)
      if (other === undefined) this.#run.fileOf.set(key, module.moduleId)
      else if (other !== module.moduleId) {
        this.#stopRun(explainError(this.#sameIds(suite.name, [other, module.moduleId])))
      }
    }
  }

  /** What a worker found out about the server of its model; of several workers the first is heard. */
  onTestCaseAnnotate(test: TestCase, { type, message }: TestAnnotation): void {
    if (type !== SERVER_ANNOTATION) return
    const { name } = test.project
    const annotator = this.#run.serverAnnotators.get(name) ?? test.id
    this.#run.serverAnnotators.set(name, annotator)
    if (annotator !== test.id) return
    const line = this.#options.projects.length === 1 ? message : `${message} · ${name}`
    if (message.startsWith(ALARM)) this.#run.alarms.push(line)
    this.#print(line)
  }

  onTestCaseResult(test: TestCase): void {
    const meta = test.meta().bench
    if (this.#run.seen.has(test.id) || !isTrialMeta(meta)) return
    this.#run.seen.add(test.id)
    const result = test.result()
    if (result.state === 'skipped' && result.note !== undefined) {
      this.#run.skipped.set(result.note, (this.#run.skipped.get(result.note) ?? 0) + 1)
    }
    if (meta.resumed !== undefined) {
      this.#run.resumed.add(meta.resumed)
      if (this.#run.trialsAhead !== null) this.#run.trialsAhead -= 1
      return
    }
    this.#projectDuration(test, meta.outcome)
    const reason = meta.failureReason ?? 'the run cannot go on'
    const trial = { task: meta.task, outcome: meta.outcome ?? 'skipped', fault: meta.fault ?? null }
    if (meta.outcome === 'config') this.#stopModel(test, reason)
    else if (this.#serverOf(test).isGoneAfter(trial)) {
      this.#stopModel(
        test,
        `the model server failed in ${LOST_IN_A_ROW} trials in a row, so the rest is not tried: ${reason}\n` +
          `remedy: ${meta.remedy ?? 'Start the server again.'} Then go on with BENCH_RESUME=1.`,
      )
    }
  }

  #serverOf({ project }: TestCase): ServerWatch {
    const known = this.#run.servers.get(project.name)
    if (known !== undefined) return known
    const server = new ServerWatch()
    this.#run.servers.set(project.name, server)
    return server
  }

  /**
   * Nothing more can be learnt of a model. Alone, that ends the run; among several, its workers leave out what is left of it
   * and the next model has its turn.
   */
  #stopModel(test: TestCase, reason: string): void {
    const { name } = test.project
    if (this.#options.projects.length === 1) this.#stopRun(reason)
    else if (!this.#run.stoppedModels.has(name)) this.#run.stoppedModels.set(name, reason)
  }

  #stopRun(reason: string): void {
    if (this.#run.stop !== null) return
    this.#run.stop = reason
    this.#vitest?.cancelCurrentRun('test-failure')
  }

  /** After a trial that ran to its end. */
  #projectDuration(test: TestCase, outcome: string | undefined): void {
    if (this.#run.trialsAhead === null) return
    this.#run.trialsAhead -= 1
    if (outcome !== 'passed' && outcome !== 'failed') return
    this.#run.trialsDone += 1
    this.#run.trialsMs += test.diagnostic()?.duration ?? 0
    const line = projection({
      done: this.#run.trialsDone,
      doneMs: this.#run.trialsMs,
      left: this.#run.trialsAhead,
      workers: this.#options.settings.workers,
    })
    if (line !== null) this.#print(line)
  }

  /** After the last test; awaited by Vitest. */
  async onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly unknown[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const ours = modules.filter(module => this.#isOurs(module.project.name))
    const brokenFiles = ours.filter(module => module.errors().length > 0).length
    const hasOtherFailures = errors.length > 0 || modules.some(module => !ours.includes(module) && !module.ok())
    const bail = this.#vitest?.config.bail ?? 0
    // Vitest calls it an interruption, too, when `--bail` ends a run.
    const hasBailed = bail > 0 && (this.#vitest?.state.getCountOfFailedTests() ?? 0) >= bail
    const isInterrupted = reason === 'interrupted' && !hasBailed
    this.#finish({ brokenFiles, hasOtherFailures, isInterrupted })
    const plan = this.#run.plan
    const prepared = await this.#run.sandbox
    if (!this.#options.settings.keep || plan === null || isInterrupted) return
    if (prepared === null || !('sandbox' in prepared)) return
    await this.#keeper.keep(this.#run.lastTrial, {
      resultsDir: plan.resultsDir,
      open: signal => openSandbox(prepared.sandbox, { runId: plan.runId, signal }),
      isWatching: this.#vitest?.config.watch === true,
    })
  }

  /** Called while the process is ending; gives back whether that cut a run off. */
  #finishCutRun(): boolean {
    if (this.#run.isFinished) return false
    this.#finish({ brokenFiles: 0, hasOtherFailures: false, isInterrupted: true })
    return true
  }

  /** Writes and prints what there is. Synchronous, because it also runs while the process is ending. */
  #finish(end: {
    readonly brokenFiles: number
    /** Something failed that is not the bench's: Vitest's own status 1 stays. */
    readonly hasOtherFailures: boolean
    readonly isInterrupted: boolean
  }): void {
    const plan = this.#run.plan
    if (this.#run.isFinished || plan === null) {
      if (this.#run.stop !== null) this.#exit?.setStatus(2)
      return
    }
    this.#run.isFinished = true
    const ended = this.#options.endedWorkers.splice(0).join('\n')
    this.#run.stop ??= ended || describeStopped(this.#run.stoppedModels)
    const { records, notes } = readJournalsOfRun(plan.resultsDir, plan.runId)
    this.#run.lastTrial = lastTrialOf(records)
    const resumed = [...this.#run.resumed].map(key => this.#run.earlier.get(key)).filter(record => record !== undefined)
    const summaries = summarise([...records, ...resumed], {
      k: plan.k,
      trials: plan.trials,
      runId: plan.runId,
      earlyStop: plan.earlyStop,
    })
    // A file without a task is a task that was not judged.
    const ofTasks = exitStatus(summaries) || (end.brokenFiles > 0 ? 2 : 0)
    const status = this.#run.stop !== null ? 2 : end.hasOtherFailures ? 1 : ofTasks
    // Say to whoever interrupts a run that it was interrupted, not that it could not be judged.
    if (status === 2 && (this.#run.stop !== null || !end.isInterrupted)) this.#exit?.setStatus(2)
    const run: Omit<FinishedRun, 'said'> = {
      resultsDir: plan.resultsDir,
      summaries,
      notes: [
        ...notes,
        ...otherForms(this.#run.tasks, this.#options.settings),
        ...servedNotes(records),
        ...runsBeside(plan.resultsDir, plan.runId, this.#run.startedAt).map(
          other => `Run ${other} wrote into the same results folder during this one: times may be longer for it.`,
        ),
      ],
      isModelResult: needsModel(plan.agent) && this.#options.settings.replay === null,
      stopped: this.#run.stop,
      isInterrupted: end.isInterrupted,
      skipped: [...this.#run.skipped]
        .map(([reason, trials]) => ({ reason, trials }))
        .sort((a, b) => b.trials - a.trials),
      brokenFiles: end.brokenFiles,
      exitStatus: status,
      onNotKept: () => {
        if (status === 0) this.#exit?.setStatus(2)
      },
      color: isColoured(),
      width: process.stdout.columns ?? 120,
    }
    const aboutFiles = WRITERS.flatMap(reporter => reporter.onRunEnd({ ...run, said: [] }))
    const said = [...aboutFiles, ...this.#run.alarms]
    for (const reporter of PRINTERS) for (const line of reporter.onRunEnd({ ...run, said })) this.#print(line)
  }

  /** Prints one line, whatever it is made of. A machine-readable reporter without an output file owns stdout. */
  #print(line: string): void {
    const reporters = this.#vitest?.config.reporters ?? []
    const ownsStdout = reporters.some(reporter => {
      const name = Array.isArray(reporter) ? reporter[0] : reporter
      return typeof name === 'string' && MACHINE_REPORTERS.includes(name)
    })
    const stream = ownsStdout ? process.stderr : process.stdout
    stream.write(`${printableLine(line, { isStyled: isColoured() })}\n`)
  }
}

const isColoured = () => process.stdout.isTTY === true && process.env.NO_COLOR === undefined

function describeStopped(models: ReadonlyMap<string, string>): string | null {
  if (models.size === 0) return null
  return [...models].map(([project, reason]) => `${project}: ${reason}`).join('\n')
}

/** The version in this package's own manifest. */
function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('agent-bench/package.json')
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}
