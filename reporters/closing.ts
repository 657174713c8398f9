/** The last lines of a run: why it ended as it did, and what to try next. A pure function of what is known at the end. */
import { posix } from 'node:path'
import { rowName } from '../src/results/row-name.ts'
import { describeLoss, isModelResult, isReplayed, lostDuringCommand, type Summary } from '../src/results/summary.ts'
import type { FinishedRun, RunReporter } from './reporter.ts'
import { modelNames } from './standings.ts'
import { createPainter, escapeForTerminal } from './terminal.ts'

/** Said last where the agent was not a model, so that it is not overlooked. */
const NOT_A_MODEL_RESULT = 'NOT A MODEL RESULT'

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
  const lost = lostDuringCommand(summaries.flatMap(({ trials }) => trials))
  if (lost > 0) lines.push(`lost     ${describeLoss(lost)}`)
  if (brokenFiles > 0) {
    lines.push(
      `broken   ${brokenFiles} ${brokenFiles === 1 ? 'spec file' : 'spec files'} could not be read as a task: see above`,
    )
  }
  return lines
}

/** Vitest does not know status 2, so a line says it. */
function whyStatus2({ exitStatus, stopped, isInterrupted, summaries, brokenFiles }: Ended): string[] {
  if (exitStatus !== 2 || stopped !== null || isInterrupted) return []
  if (summaries.length === 0) return ['exit 2   nothing was judged: no trial was run to its end']
  const judged = summaries.filter(summary => !summary.observed)
  const open = judged.filter(summary => summary.verdict === null || summary.verdict === 'inconclusive')
  if (open.length === 0) return brokenFiles > 0 ? ['exit 2   no task fails, but not every spec file is a task'] : []
  const are = open.length === 1 ? 'task is' : 'tasks are'
  return [`exit 2   no task fails, but ${open.length} ${are} not judged: ${open.map(nameOf).slice(0, 5).join(', ')}`]
}

function nameOf(summary: Summary): string {
  return escapeForTerminal(rowName(summary))
}

/** The code of a trial that a recording has no reply for. */
const NOT_RECORDED = 'replay_missing'

function nextSteps({ summaries, stopped, isInterrupted }: Ended): string[] {
  const steps: string[] = []
  const faults = summaries.flatMap(({ trials }) => trials.filter(({ outcome }) => outcome === 'infra'))
  const unrecorded = faults.filter(({ failure_reason }) => failure_reason === NOT_RECORDED).length
  const isOpen = faults.length > unrecorded || summaries.some(summary => summary.trials_run < summary.trials_planned)
  if (isInterrupted || isOpen || (stopped !== null && summaries.length > 0)) {
    steps.push('the same command with BENCH_RESUME=1 runs only the trials that are not recorded yet')
  }
  if (unrecorded > 0) {
    const lack = unrecorded === 1 ? '1 trial' : `${unrecorded} trials`
    steps.push(
      `the recording lacks replies for ${lack}, and a repetition finds no more: record again with BENCH_RECORD and the model's server, or replay with the tasks, trials, seed and sampling of the recording`,
    )
  }
  const failing = summaries.find(summary => summary.verdict === 'fail')
  if (failing !== undefined) {
    const models = [...new Set(summaries.map(({ model }) => model))]
    const choice = models.length > 1 ? ` --model ${modelArgument(failing.model, models)}` : ''
    steps.push(
      `npx agent-bench why ${nameOf(failing)}${choice} shows what its lost flags looked for, and what was said and called around`,
    )
  }
  const observed = summaries.find(summary => summary.observed)
  if (observed !== undefined) {
    const directory = escapeForTerminal(posix.dirname(observed.spec_file))
    steps.push(
      `npx agent-bench new skill ${directory} adds a manifest and a proof to ${nameOf(observed)}, for a verdict`,
    )
  }
  if (summaries.length > 0 && summaries.every(summary => summary.agent === 'reference')) {
    steps.push(
      'to measure a model, start llama-server, Ollama, LM Studio or vLLM, or set BENCH_BASE_URL and BENCH_MODEL',
    )
  }
  return steps
}

/** A model's name for a command line: the short one where it means no other model, quoted where a shell needs that. */
function modelArgument(model: string, models: readonly string[]): string {
  const name = escapeForTerminal(modelNames(models).get(model) ?? model)
  return /^[\w@%+:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
}

/** The reporter that has the last word. */
export const closingReporter: RunReporter = {
  name: 'closing',
  onRunEnd: run => [...run.said, ...closingLines(run)],
}
