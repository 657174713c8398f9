/** Stands in for the reporter of a run under `vitest --merge-reports`: nothing is run, so neither server nor sandbox is asked. */
import type { Reporter, TestModule } from 'vitest/node'
import { type MergedTask, mergedLines } from '../../reporters/merged.ts'
import { printableLine } from '../../reporters/terminal.ts'
import { rowName } from '../results/row-name.ts'
import { exitStatus } from '../results/summary.ts'
import { watchExit } from './exit-watch.ts'
import { isTrialMeta } from './meta.ts'

export class MergeReporter implements Reporter {
  readonly #exit = watchExit(() => false)

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tasks = modules.flatMap(tasksOf)
    const isStyled = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
    for (const line of ['', ...mergedLines(tasks, { width: process.stdout.columns ?? 120, color: isStyled })]) {
      process.stdout.write(`${printableLine(line, { isStyled })}\n`)
    }
    if (exitStatus(tasks) === 2) this.#exit.setStatus(2)
  }
}

function tasksOf(module: TestModule): readonly MergedTask[] {
  return [...module.children.suites()].flatMap(suite => {
    const meta = suite.meta().bench
    if (meta === undefined || isTrialMeta(meta)) return []
    const trials = [...suite.children.tests()].flatMap(test => {
      const trial = test.meta().bench
      if (!isTrialMeta(trial) || trial.outcome === undefined || trial.outcome === 'config') return []
      return [{ outcome: trial.outcome, score: trial.score ?? null, turns: trial.turns ?? null }]
    })
    const { task, model = null, verdict = null, observed = false } = meta
    return [{ task: rowName({ ...meta, task_id: task }), model, verdict, observed, trials }]
  })
}
