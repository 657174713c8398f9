/**
 * The Vitest side of a trial, thin on purpose: a spec file becomes a suite (the task) with one test per trial, a test
 * runs one trial and says what happened through Vitest's own channels. What a trial is lives in `src/trial`.
 */
import { relative } from 'node:path'
import {
  describe,
  inject,
  type RunnerTask,
  type RunnerTestFile,
  type RunnerTestSuite,
  type TestContext,
  TestRunner,
} from 'vitest'
import { escapeForTerminal, printable } from '../../reporters/terminal.ts'
import { BenchError, explainError } from '../errors.ts'
import { verdictOf } from '../score/task-score.ts'
import type { Task } from '../task/task.ts'
import { beginActivity } from '../trial/beat.ts'
import { loadSpec } from './collect.ts'
import { isTrialMeta, META_VERSION, type TaskMeta, type TrialMeta } from './meta.ts'
import './provided.ts'
import { TrialSession } from './trial-session.ts'

export default class BenchRunner extends TestRunner {
  #session: TrialSession | null = null
  readonly #suites = new Map<string, Task>()

  /** At collection: a spec file gives a task, a task gives a suite. Setup files are imported as always. */
  override async importFile(filepath: string, source: 'collect' | 'setup'): Promise<unknown> {
    if (source === 'setup') return super.importFile(filepath, source)
    const { root, trials, skillLimits, choice } = inject('agentBenchSettings')
    // Already here: flags are asked about invented trials when their file is collected.
    beginActivity(relative(root, filepath))
    const importModule = (path: string) => super.importFile(path, source)
    const load = async () => (await loadSpec(filepath, root, importModule, skillLimits)).resolve(choice)
    this.#register(await load().catch(withRemedy), trials)
    return undefined
  }

  #register(task: Task, trials: number): void {
    const { k, model } = inject('agentBenchSettings')
    const ofModel = model === null ? {} : { model }
    const bench: TaskMeta = {
      version: META_VERSION,
      task: task.id,
      ...ofModel,
      k,
      trials,
      ...(task.mode === null ? {} : { mode: task.mode }),
      ...(task.instance === null ? {} : { instance: task.instance.number }),
      ...(task.isObserved ? { observed: true } : {}),
    }
    // Reporters that know nothing of projects (JUnit) tell models apart by the name.
    const name = model === null ? task.id : `${task.id} [${escapeForTerminal(model)}]`
    this.#suites.set(name, task)
    const provided = inject('agentBenchPlan')
    const concurrent = provided?.made === true && provided.atOnce > 1
    // Vitest's own time limits and retries, and concurrency of its own, would run a trial while another one holds the sandbox.
    const own = { timeout: 0, concurrent, sequential: !concurrent, retry: 0, repeats: 0 }
    describe(name, { ...own, meta: { bench } }, () => {
      for (let trial = 1; trial <= trials; trial++) {
        const meta: TrialMeta = { version: META_VERSION, task: task.id, ...ofModel, trial }
        TestRunner.getCurrentSuite().task(`trial ${trial}/${trials}`, {
          ...own,
          meta: { bench: meta },
          handler: context => this.#trial(task, trial, context),
        })
      }
    })
  }

  async #trial(task: Task, trial: number, context: TestContext): Promise<void> {
    this.#session ??= TrialSession.start(inject('agentBenchPlan'))
    await this.#session.runTrial(task, trial, context, inject('agentBenchSettings'))
  }

  /** Before the first test of a run: the sandbox starts while Vitest is still preparing. `vitest list` does not come here. */
  onBeforeRunFiles(files: readonly RunnerTestFile[]): void {
    const provided = inject('agentBenchPlan')
    if (!provided?.made) return
    this.#session ??= TrialSession.start(provided)
    const suite = files[0]?.tasks[0]
    const task = suite === undefined ? undefined : this.#suites.get(suite.name)
    const [test] = suite?.type === 'suite' ? suite.tasks : []
    if (task === undefined || test?.type !== 'test') return
    // What goes wrong shows when the sandbox is taken.
    void this.#session.warm(task, test).catch(() => undefined)
  }

  /** Before each test: `--retry` would turn pass^k into best-of-n. */
  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test)
    test.retry = 0
    test.repeats = 0
  }

  /** After the last trial of a task: the suite's verdict is the task's. */
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    const task = this.#suites.get(suite.name)
    if (task !== undefined && !('filepath' in suite)) {
      const trials = suite.tasks.flatMap(test => {
        const outcome = isTrialMeta(test.meta.bench) ? test.meta.bench.outcome : undefined
        return outcome === undefined || outcome === 'config' ? [] : [{ outcome }]
      })
      const { k, trials: planned } = inject('agentBenchSettings')
      const verdict = task.isObserved ? null : verdictOf(trials, { k, isComplete: trials.length === planned })
      if (suite.meta.bench !== undefined) suite.meta.bench = { ...suite.meta.bench, verdict }
    }
    await super.onAfterRunSuite(suite)
  }
}

/** Vitest prints message and stack of an error, and nothing else it carries. */
function withRemedy(error: unknown): never {
  if (!(error instanceof BenchError)) throw error
  const frames = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  const shown = new Error(printable(explainError(error)))
  shown.name = error.name
  shown.stack = [`${error.name}: ${shown.message}`, ...frames].join('\n')
  throw shown
}
