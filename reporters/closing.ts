/** The last lines of a run: why it ended as it did, and what to try next. A pure function of what is known at the end. */
import { isModelResult, isReplayed, type Summary } from '../src/results/summary.ts'
import type { FinishedRun, RunReporter } from './reporter.ts'
import { createPainter, escapeForTerminal } from './terminal.ts'

/** Said last where the agent was no model, so that it is not overlooked. */
export const NOT_A_MODEL_RESULT = 'NOT A MODEL RESULT'

/** Reasons for skipping that are said. */
const REASONS_SHOWN = 5

type Ended = Pick<
  FinishedRun,
  'summaries' | 'stopped' | 'isInterrupted' | 'skipped' | 'brokenFiles' | 'exitStatus' | 'color'
>

/** Lines without line breaks, the most telling one last. */
export function closingLines(run: Ended): readonly string[] {
  const { summaries } = run
  const paint = createPainter(run.color)
  const lines = [...whatEndedIt(run), ...whyStatus2(run), ...nextSteps(run).map(step => `next     ${step}`)]
  const replayed = [...new Set(summaries.filter(isReplayed).map(summary => summary.model))]
  if (replayed.length > 0) {
    const names = replayed.map(escapeForTerminal).join(', ')
    lines.push(paint('yellow', `REPLAYED: ${names} answered from a recording; comparisons leave this run out`))
  }
  const scripted = [...new Set(summaries.filter(summary => !isModelResult(summary)).map(summary => summary.agent))]
  if (scripted.length > 0) {
    lines.push(paint('yellow', `${NOT_A_MODEL_RESULT}: the agent was ${scripted.join(' and ')}`))
  }
  return lines
}

function whatEndedIt({ stopped, isInterrupted, skipped, brokenFiles, summaries }: Ended): string[] {
  const lines: string[] = []
  if (stopped !== null) {
    const [first = '', ...rest] = stopped.split('\n').map(escapeForTerminal)
    lines.push(`stopped  ${first}`, ...rest.map(line => `         ${line.trim()}`))
  } else if (isInterrupted) {
    const kept = summaries.reduce((sum, summary) => sum + summary.trials_run, 0)
    lines.push(
      kept === 1
        ? 'cut off  before the end; the 1 finished trial is kept'
        : `cut off  before the end; the ${kept} finished trials are kept`,
    )
  }
  // What was skipped beside judged tasks is said, too: a task that never runs looks like one that is not there.
  for (const { reason, trials } of skipped.slice(0, REASONS_SHOWN)) {
    lines.push(`skipped  ${trials} ${trials === 1 ? 'trial' : 'trials'}: ${escapeForTerminal(reason)}`)
  }
  if (brokenFiles > 0) {
    lines.push(
      `broken   ${brokenFiles} ${brokenFiles === 1 ? 'spec file' : 'spec files'} could not be read as a task: see above`,
    )
  }
  return lines
}

/** Vitest knows no status 2, so it is said in words. */
function whyStatus2({ exitStatus, stopped, isInterrupted, summaries }: Ended): string[] {
  if (exitStatus !== 2 || stopped !== null || isInterrupted) return []
  if (summaries.length === 0) return ['exit 2   nothing was judged: no trial was run to its end']
  const open = summaries.filter(summary => summary.verdict === null || summary.verdict === 'inconclusive')
  if (open.length === 0) return []
  const are = open.length === 1 ? 'task is' : 'tasks are'
  return [`exit 2   no task fails, but ${open.length} ${are} not judged: ${open.map(nameOf).slice(0, 5).join(', ')}`]
}

function nameOf(summary: Summary): string {
  return escapeForTerminal(summary.task_id)
}

function nextSteps({ summaries, stopped, isInterrupted }: Ended): string[] {
  const steps: string[] = []
  const isOpen = summaries.some(summary => summary.excluded.infra > 0 || summary.trials_run < summary.trials_planned)
  if (isInterrupted || isOpen || (stopped !== null && summaries.length > 0)) {
    steps.push('the same command with BENCH_RESUME=1 runs only the trials that are not recorded yet')
  }
  const failing = summaries.find(summary => summary.verdict === 'fail')
  if (failing !== undefined) {
    steps.push(`npx agent-bench why ${nameOf(failing)} shows what its lost flags looked for, and the calls around`)
  }
  if (summaries.length > 0 && summaries.every(summary => summary.agent === 'reference')) {
    steps.push(
      'to measure a model, start llama-server, Ollama, LM Studio or vLLM, or set BENCH_BASE_URL and BENCH_MODEL',
    )
  }
  return steps
}

/** The reporter that has the last word. */
export function createClosingReporter(): RunReporter {
  return {
    name: 'closing',
    onRunEnd(run) {
      for (const line of closingLines(run)) run.print(line)
    },
  }
}
