/** The matrix: one row a task, and below it what was lost in which trial and why. Lines are a pure function of summaries. */
import { join } from 'node:path'
import { describeRepaired } from '../src/results/repaired.ts'
import { rowName } from '../src/results/row-name.ts'
import { readSummary } from '../src/results/store.ts'
import { describeLoss, isModelResult, isReplayed, lostDuringCommand, type Summary } from '../src/results/summary.ts'
import { describeTrials, type Finding, findingsOf } from './losses.ts'
import { modelGridLines } from './model-grid.ts'
import type { FolderReport, RunReporter } from './reporter.ts'
import { modelNames, narrowed } from './standings.ts'
import {
  type Cell,
  type Column,
  createPainter,
  escapeForTerminal,
  formatTime,
  layOut,
  type Painter,
  type Style,
  wrap,
} from './terminal.ts'
import { tierLines, tiersOfFolder } from './tiers.ts'

export interface MatrixOptions {
  /** Columns of the terminal. */
  readonly width: number
  readonly color: boolean
  /** Lines shown between the table and the totals, as they are. */
  readonly belowTable?: readonly string[]
}

/** Below this width there is no table layout; the terminal wraps longer lines. */
const NARROWEST = 40
/** Characters of one reason that are shown; the whole of it is in the result file. */
const REASON_CHARACTERS = 500

/** The matrix of a run as lines without line breaks; `summaries` in the order to be shown. */
export function matrixLines(summaries: readonly Summary[], options: MatrixOptions): readonly string[] {
  const paint = createPainter(options.color)
  const width = Math.max(NARROWEST, options.width)
  if (summaries.length === 0) return ['No trial was finished: there is nothing to report.']
  const { title, lines } = layOut(summaries, columnsFor(summaries), { width, paint })
  const body = summaries.flatMap((summary, row) => [lines[row] ?? '', ...detailsOf(summary, { width, paint })])
  const [model, ...others] = modelNames(summaries.map(summary => summary.model)).values()
  const heading = model === undefined || others.length > 0 ? [] : [paint('bold', escapeForTerminal(model))]
  const below = options.belowTable ?? []
  const grid = modelGridLines(summaries, { width, paint })
  return [
    ...heading,
    title,
    ...body,
    ...(grid.length > 0 ? ['', ...grid] : []),
    ...(below.length > 0 ? ['', ...below] : []),
    ...oneSampleLines(summaries, { width, paint }),
    '',
    totalsOf(summaries),
  ]
}

/** How a task came out. A task of which only a part was run never reads as passed. */
function statusOf(summary: Summary): { readonly text: string; readonly style: Style } {
  if (summary.observed) return { text: 'observed', style: 'dim' }
  if (summary.verdict === 'fail') return { text: 'FAIL', style: 'red' }
  if (summary.excluded.skipped > 0 && summary.excluded.skipped === summary.trials_run)
    return { text: 'SKIP', style: 'dim' }
  if (summary.trials_run < summary.trials_planned) {
    return { text: `incomplete (${summary.trials_run} of ${summary.trials_planned})`, style: 'yellow' }
  }
  if (summary.verdict === 'pass') return { text: 'PASS', style: 'green' }
  return { text: `INCONCLUSIVE (${summary.n} of ${summary.k})`, style: 'yellow' }
}

function columnsFor(summaries: readonly Summary[]): readonly Column<Summary>[] {
  const right = 'right'
  const ks = [...new Set(summaries.map(summary => summary.k))]
  const areTokensKnown = summaries.some(summary => tokensPerTrial(summary) !== null)
  const models = modelNames(summaries.map(summary => summary.model))
  const columns: readonly (Column<Summary> | null)[] = [
    { title: 'verdict', cell: statusOf },
    { title: 'task', cell: summary => ({ text: escapeForTerminal(rowName(summary)) }) },
    models.size > 1
      ? { title: 'model', cell: ({ model }) => ({ text: escapeForTerminal(models.get(model) ?? model) }) }
      : null,
    {
      title: ks.length === 1 ? `pass^${ks[0]}` : 'pass^k',
      align: right,
      cell: summary => figure(verdictFigure(summary, summary.pass_hat_k), 2),
    },
    { title: 'passes (95 %)', cell: passesCell },
    {
      title: 'score',
      align: right,
      dropRank: 1,
      cell: summary => figure(verdictFigure(summary, summary.avg_score), 2),
    },
    { title: 'turns', align: right, dropRank: 3, cell: summary => figure(summary.avg_turns, 1) },
    areTokensKnown
      ? { title: 'tokens', align: right, dropRank: 5, cell: summary => tokensCell(tokensPerTrial(summary)) }
      : null,
    { title: 'time', align: right, dropRank: 4, cell: summary => ({ text: formatTime(summary.avg_elapsed_sec) }) },
    { title: 'tamper', align: right, dropRank: 2, cell: tamperCell },
    { title: 'agent', dropRank: 6, cell: agentCell },
  ]
  return columns.filter(column => column !== null)
}

/** Without a verdict there is nothing that a score or a rate of passes would be the measure of. */
function verdictFigure({ observed }: Summary, value: number | null): number | null {
  return observed ? null : value
}

function figure(value: number | null, digits: number): Cell {
  return { text: value === null ? '–' : value.toFixed(digits) }
}

/** Passes of the trials that count, with the interval rounded outwards: 2/3 (20–94 %). A script has no chance in it. */
function passesCell(summary: Summary): Cell {
  const { passes, n, interval } = summary
  if (summary.observed) return { text: '–' }
  if (!isModelResult(summary)) return { text: `${passes}/${n}` }
  if (interval !== null) {
    return { text: `${passes}/${n} (${Math.floor(interval.low * 100)}–${Math.ceil(interval.high * 100)} %)` }
  }
  return { text: summary.identical_transcripts ? `${passes}/${n} (one sample)` : `${passes}/${n}` }
}

function tamperCell({ tamper_detected_count: count }: Summary): Cell {
  return count === 0 ? { text: '–' } : { text: String(count), style: 'red' }
}

function agentCell(summary: Summary): Cell {
  const driver = summary.sandbox === null ? '' : ` · ${summary.sandbox.driver}`
  const isLive = isModelResult(summary) && !isReplayed(summary)
  const replayed = isReplayed(summary) ? ' · replayed' : ''
  return { text: escapeForTerminal(summary.agent) + driver + replayed, style: isLive ? 'dim' : 'yellow' }
}

/** Mean tokens the model wrote per counted trial; null when the server did not say for one of them. */
function tokensPerTrial(summary: Summary): number | null {
  const counted = summary.trials.filter(trial => trial.outcome === 'passed' || trial.outcome === 'failed')
  if (counted.length === 0) return null
  let sum = 0
  for (const trial of counted) {
    if (trial.turns.length === 0) return null
    for (const turn of trial.turns) {
      const tokens = turn.stats?.completion_tokens ?? null
      if (tokens === null) return null
      sum += tokens
    }
  }
  return sum / counted.length
}

function tokensCell(tokens: number | null): Cell {
  if (tokens === null) return { text: '–' }
  return { text: tokens < 1_000 ? String(Math.round(tokens)) : `${(tokens / 1_000).toFixed(1)}k` }
}

const MARKS: Readonly<Record<Finding['kind'], { readonly mark: string; readonly style: Style }>> = {
  lost: { mark: '✗', style: 'red' },
  fault: { mark: '!', style: 'yellow' },
  open: { mark: '?', style: 'yellow' },
}

function detailsOf(summary: Summary, room: { readonly width: number; readonly paint: Painter }): readonly string[] {
  // An observed task cannot lose flags: it shows what it reached, and faults outside the model.
  const findings = findingsOf(summary).filter(({ kind }) => !summary.observed || kind !== 'lost')
  const lines = findings.flatMap(finding => findingLines(finding, summary, room))
  const asides = summary.observed ? [...describeReached(summary), ...describeChanges(summary)] : []
  const repaired = describeRepaired(summary)
  if (repaired !== null) asides.push(repaired)
  const lost = lostDuringCommand(summary.trials)
  if (lost > 0) asides.push(describeLoss(lost))
  if (summary.early_stopped) asides.push('stopped early: the trials after the first that did not pass were not run')
  return [...lines, ...asides.flatMap(note => indented(note, '    ', room).map(line => room.paint('dim', line)))]
}

/** Said once: a server that answers the same to every seed does so in every task. */
function oneSampleLines(
  summaries: readonly Summary[],
  room: { readonly width: number; readonly paint: Painter },
): readonly string[] {
  const measured = summaries.filter(isModelResult)
  const count = measured.filter(summary => summary.identical_transcripts).length
  if (count === 0) return []
  const where = count === measured.length ? 'each row' : `${count} of ${measured.length} rows`
  const text = `one sample: in ${where} all transcripts are the same although the seeds differ`
  return ['', ...indented(text, '', room).map(line => room.paint('dim', line))]
}

/** `read:skill/SKILL.md reached in 2 of 3 trials`, one for each flag. */
function describeReached({ skills }: Summary): string[] {
  return Object.entries(skills).map(
    ([id, { reached, n }]) => `${escapeForTerminal(id)} reached in ${reached} of ${n} ${n === 1 ? 'trial' : 'trials'}`,
  )
}

/** Paths named of those that an observed task changed. */
const CHANGES_SHOWN = 8

/** `changed: output/a.txt in 2 of 3 trials, …`, by the files that were there in the end. */
function describeChanges({ trials }: Summary): string[] {
  const counts = new Map<string, number>()
  for (const { baseline, final } of trials) {
    const before = new Map(baseline?.entries.map(([path, entry]) => [path, JSON.stringify(entry)]))
    const after = new Map(
      final?.entries.flatMap(([path, entry]) => (entry.type === 'directory' ? [] : [[path, JSON.stringify(entry)]])),
    )
    for (const [path, entry] of after) if (before.get(path) !== entry) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  if (counts.size === 0) return ['no file was changed']
  const named = [...counts]
    .slice(0, CHANGES_SHOWN)
    .map(([path, count]) => `${escapeForTerminal(path)} in ${count} of ${trials.length}`)
  const more = counts.size > CHANGES_SHOWN ? ` and ${counts.size - CHANGES_SHOWN} more files` : ''
  return [`changed: ${named.join(', ')}${more}`]
}

function findingLines(
  finding: Finding,
  summary: Summary,
  { width, paint }: { readonly width: number; readonly paint: Painter },
): readonly string[] {
  const { mark, style } = MARKS[finding.kind]
  const aside = finding.kind === 'fault' ? " (not the model's failure)" : ''
  const label = escapeForTerminal(finding.label)
  const reason = escapeForTerminal(shorten(finding.reason.trim()))
  const text = `${label}  ${describeTrials(finding.trials, summary.trials_planned)}  ${reason}${aside}`
  const [first = '', ...rest] = wrap(text, width - 8)
  const lines = [`    ${paint(style, mark)} ${first}`, ...rest.map(line => `        ${line}`)]
  if (finding.remedy === null) return lines
  const remedy = indented(`remedy: ${escapeForTerminal(shorten(finding.remedy))}`, '        ', { width })
  return [...lines, ...remedy]
}

function shorten(text: string): string {
  return text.length <= REASON_CHARACTERS ? text : `${text.slice(0, REASON_CHARACTERS)}…`
}

function indented(text: string, indent: string, { width }: { readonly width: number }): readonly string[] {
  return wrap(text, width - indent.length).map(line => indent + line)
}

/** `3 of 5 tasks pass · 1 fail · …`; observed tasks are not tasks that could pass. */
function totalsOf(summaries: readonly Summary[]): string {
  const texts = summaries.map(summary => statusOf(summary).text)
  const number = (prefix: string) => texts.filter(text => text.startsWith(prefix)).length
  const passes = number('PASS')
  const rest = [
    ['fail', number('FAIL')],
    ['inconclusive', number('INCONCLUSIVE')],
    ['incomplete', number('incomplete')],
    ['skipped', number('SKIP')],
    ['observed', number('observed')],
  ] as const
  const parts = rest.filter(([, count]) => count > 0).map(([word, count]) => `${count} ${word}`)
  const judged = summaries.length - number('observed')
  if (judged === 0) return `${parts.join(' · ')} only: without a manifest there is no verdict`
  const all = `${passes} of ${judged} ${judged === 1 ? 'task passes' : 'tasks pass'}`
  return [all, ...parts].join(' · ')
}

/** The reporter that prints the matrix. */
export const matrixReporter: RunReporter = {
  name: 'matrix',
  onRunEnd(run) {
    const belowTable = run.isModelResult && run.summaries.length > 0 ? tiersOfFolder(run) : []
    return ['', ...run.notes.map(escapeForTerminal), ...matrixLines(run.summaries, { ...run, belowTable })]
  },
}

export const matrixReport: FolderReport = {
  name: 'matrix',
  description: 'shows every task and model, what was lost and why, and the tiers',
  file: null,
  render({ dir, field: whole, chosen, ...room }) {
    const field = narrowed(whole, chosen ?? whole.entrants)
    // A file that vanished in the meantime is left out.
    const summaries = field.tasks.flatMap(task =>
      field.entrants.flatMap(entrant => {
        const file = entrant.tasks.get(task.id)?.file
        const read = file === undefined ? null : readSummary(join(dir, file))
        return read?.ok === true ? [read.summary] : []
      }),
    )
    if (summaries.length === 0) return null
    return `${matrixLines(summaries, { ...room, belowTable: tierLines(field, room) }).join('\n')}\n`
  },
}
