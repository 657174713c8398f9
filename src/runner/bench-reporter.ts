/**
 * The main-process side of a run: makes the plan before the first test, hands it to the workers, and at the end (or when
 * the process is being ended) turns the journals into summaries and reports.
 */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
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
import { createJsonReporter } from '../../reporters/json.ts'
import { createMatrixReporter } from '../../reporters/matrix.ts'
import { needsModel } from '../agents/index.ts'
import { ConfigError, explainError } from '../errors.ts'
import { readAllJournals, readJournalsOfRun } from '../results/journal.ts'
import type { TrialRecord } from '../results/record-schema.ts'
import { exitStatus, summarise } from '../results/summary.ts'
import type { TrialPlan } from '../trial/plan.ts'
import { makePlan } from './make-plan.ts'
import { isTrialMeta } from './meta.ts'
import './provided.ts'
import { judgedRecords, recordedTrial } from './resume.ts'
import type { Settings } from './settings.ts'

export interface BenchReporterOptions {
  readonly settings: Settings
  readonly project: TestProject
  readonly root: string
  /** Absolute path. */
  readonly resultsDir: string
}

const MACHINE_REPORTERS = ['json', 'junit', 'tap', 'tap-flat', 'blob']

function newRunId(now: Date): string {
  return `${now.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')}-${randomBytes(4).toString('hex')}`
}

export class BenchReporter implements Reporter {
  readonly #options: BenchReporterOptions
  #vitest: Vitest | null = null
  #plan: TrialPlan | null = null
  #isFinished = true
  /** What stopped the run, when something did. */
  #stop: string | null = null
  #exitListenerSet = false
  readonly #seen = new Set<string>()
  /** Records of earlier runs, under `resume`, and which of them stand for a trial of this run. */
  #earlier: ReadonlyMap<string, TrialRecord> = new Map()
  readonly #resumed = new Set<string>()

  constructor(options: BenchReporterOptions) {
    this.#options = options
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  /** Before the workers start; awaited by Vitest. */
  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const { project, settings, root, resultsDir } = this.#options
    if (!specifications.some(specification => specification.project.name === project.name)) return
    this.#listenForExit()
    this.#plan = null
    this.#stop = null
    this.#seen.clear()
    this.#resumed.clear()
    this.#earlier = settings.resume ? judgedRecords(readAllJournals(resultsDir).records) : new Map()
    try {
      const { plan, lines } = await makePlan(settings, {
        root,
        resultsDir,
        runId: newRunId(new Date()),
        harness: {
          version: packageVersion(),
          nodeVersion: process.versions.node,
          vitestVersion,
          platform: `${process.platform}-${process.arch}`,
        },
        onProgress: line => this.#print(line),
        recorded: [...this.#earlier.values()].map(recordedTrial).filter(trial => trial !== null),
      })
      this.#plan = plan
      this.#isFinished = false
      project.provide('agentBenchPlan', { made: true, plan })
      for (const line of lines) this.#print(line)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.#refuse(explainError(error), specifications)
    }
  }

  /** The run cannot be made. Alone and without watching, nothing is left to do; else the bench's files fail with the reason. */
  #refuse(message: string, specifications: readonly TestSpecification[]): void {
    const { project } = this.#options
    this.#stop = message
    const isAlone = specifications.every(specification => specification.project.name === project.name)
    if (isAlone && this.#vitest?.config.watch !== true) {
      this.#print(`agent-bench cannot run: ${message}`)
      process.exit(2)
    }
    project.provide('agentBenchPlan', { made: false, message })
  }

  onTestCaseResult(test: TestCase): void {
    const meta = test.meta().bench
    if (this.#seen.has(test.id) || !isTrialMeta(meta)) return
    this.#seen.add(test.id)
    if (meta.resumed !== undefined) this.#resumed.add(meta.resumed)
    if (meta.outcome === 'config' && this.#stop === null) {
      this.#stop = meta.failureReason ?? 'the run cannot go on'
      this.#vitest?.cancelCurrentRun('test-failure')
    }
  }

  onTestRunEnd(_modules: readonly TestModule[], _errors: readonly unknown[], _reason: TestRunEndReason): void {
    this.#finish()
  }

  /** Writes and prints what there is. Synchronous, because it also runs while the process is ending. */
  #finish(): void {
    const plan = this.#plan
    if (this.#isFinished || plan === null) {
      if (this.#stop !== null) this.#end(2)
      return
    }
    this.#isFinished = true
    const { records, notes } = readJournalsOfRun(plan.resultsDir, plan.runId)
    const resumed = [...this.#resumed].map(key => this.#earlier.get(key)).filter(record => record !== undefined)
    const summaries = summarise([...records, ...resumed], {
      k: plan.k,
      trials: plan.trials,
      runId: plan.runId,
      earlyStop: plan.earlyStop,
    })
    const run = {
      resultsDir: plan.resultsDir,
      summaries,
      notes,
      isModelResult: needsModel(plan.agent),
      stopped: this.#stop,
      print: (line: string) => this.#print(line),
      color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
      width: process.stdout.columns ?? 120,
    }
    for (const reporter of [createJsonReporter(), createMatrixReporter()]) reporter.onRunEnd(run)
    if (this.#stop !== null) this.#print(`agent-bench stopped: ${this.#stop}`)
    if (this.#stop !== null || (summaries.length > 0 && exitStatus(summaries) === 2)) this.#end(2)
  }

  /** Vitest itself knows 0 and 1; what the process says at last is ours. */
  #end(status: number): void {
    process.once('exit', () => {
      process.exitCode = status
    })
  }

  /** A signal ends Vitest without another hook: what the journals hold is written and shown on the way out. */
  #listenForExit(): void {
    if (this.#exitListenerSet) return
    this.#exitListenerSet = true
    process.once('exit', () => this.#finish())
  }

  /** A machine-readable reporter without a file of its own owns stdout. */
  #print(line: string): void {
    const reporters = this.#vitest?.config.reporters ?? []
    const ownsStdout = reporters.some(reporter => {
      const name = Array.isArray(reporter) ? reporter[0] : reporter
      return typeof name === 'string' && MACHINE_REPORTERS.includes(name)
    })
    const stream = ownsStdout ? process.stderr : process.stdout
    stream.write(`${line}\n`)
  }
}

/** The version in this package's own manifest. */
function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('agent-bench/package.json')
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}
