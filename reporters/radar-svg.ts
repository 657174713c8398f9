/** The radar: up to four models over the tasks of their suites, with the values in a table below. SVG text, by hand. Pure. */
import { BenchError } from '../src/errors.ts'
import { chartLines, cutText, marker, px } from './radar-chart.ts'
import {
  type Entrant,
  type EntrantLabel,
  entrantLabels,
  type Field,
  judged,
  type Standing,
  type Task,
} from './standings.ts'
import { escapeForTerminal, wrap } from './terminal.ts'
import { escapeForXml } from './xml.ts'

/** More outlines are hard to distinguish. */
export const MOST_MODELS = 4
/** More axes are hard to distinguish too; the chart says what is left out. */
const MOST_TASKS = 48

const WIDTH = 960
const MARGIN = 40
const RADIUS = 215
const ROW = 27
const TASK_COLUMN = 300
const WIDEST_COLUMN = 220

/**
 * The colours of Okabe and Ito, darkened for a light and lightened for a dark background until each has at least 3 : 1
 * against it; common kinds of colour blindness tell them apart.
 */
const STYLE = `
.bg{fill:#fff}.ring{fill:none;stroke:#d8dee6}.rim{fill:none;stroke:#aab4c0;stroke-width:1.4}
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:13px;fill:#1f2630}
.heading{font-size:20px;font-weight:600}.dim,.scale{fill:#5b6675}.scale{font-size:10px;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}
.name{font-weight:600}.axis{font-size:12.5px}.number{font-variant-numeric:tabular-nums;text-anchor:end}.pass{font-weight:600}
.rule{stroke:#d8dee6}.stripe{fill:#f4f6f9}
.line{fill:none;stroke:var(--c);stroke-linejoin:round;stroke-linecap:round;stroke-opacity:.85}.area{fill:var(--c);fill-opacity:.07}
.m{fill:var(--c);stroke:#fff;stroke-width:1.2}
.s0{--c:#0072b2}.s1{--c:#d55e00}.s2{--c:#00805c}.s3{--c:#b3568f}
@media (prefers-color-scheme:dark){
.bg{fill:#12161c}.ring,.rule{stroke:#2c3540}.rim{stroke:#566371}text{fill:#e4e9ef}.dim,.scale{fill:#9aa6b4}.scale{stroke:#12161c}.stripe{fill:#191f27}
.m{stroke:#12161c}.s0{--c:#56b4e9}.s1{--c:#f08a3c}.s2{--c:#2fc79b}.s3{--c:#e59ac8}
}`

/**
 * The radar of a field as SVG text, the same bytes for the same results; null when there is nothing to show.
 * A task without a result is a gap in the outline, never a zero.
 * @throws BenchError code `too_many_models` for more than {@link MOST_MODELS} entrants.
 */
export function radarSvg(whole: Field): string | null {
  const field = judged(whole)
  const { entrants } = field
  if (entrants.length === 0) return null
  if (entrants.length > MOST_MODELS) {
    throw new BenchError(`a radar shows ${MOST_MODELS} models at most, not ${entrants.length}`, {
      code: 'too_many_models',
      remedy: 'Name the models to show: `agent-bench report radar --models a,b`.',
    })
  }
  const tasks = field.tasks.slice(0, MOST_TASKS)
  const labels = entrantLabels(entrants)
  const legendTop = 84
  const chart = { x: WIDTH / 2, y: legendTop + entrants.length * 24 + RADIUS + 42, radius: RADIUS }
  const tableTop = chart.y + RADIUS + 66
  const rows = tableLines(entrants, labels, tasks, tableTop)
  const notesTop = tableTop + (tasks.length + 1) * ROW + 22
  const notes = [...field.notes, ...ownNotes(field, tasks)].flatMap(note => wrap(escapeForTerminal(note), 125))
  const height = notesTop + notes.length * 20 + 14
  const suites = [...new Set(tasks.map(task => task.suiteTitle))].join(', ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="radar-title radar-desc">`,
    `<title id="radar-title">${escapeForXml(`Mean score per task: ${labels.map(label => label.name).join(', ')}`)}</title>`,
    `<desc id="radar-desc">${escapeForXml(describeChart(entrants, labels, tasks))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${WIDTH}" height="${height}" class="bg"/>`,
    `<text x="${MARGIN}" y="46" class="heading">Mean score per task</text>`,
    cutText(`suite ${suites}`, 60, `x="${WIDTH - MARGIN}" y="46" class="dim" text-anchor="end"`),
    ...entrants.map((entrant, series) => legendLine(entrant, labels[series], series, legendTop + series * 24, tasks)),
    ...chartLines(entrants, labels, tasks, chart),
    ...rows,
    ...notes.map(
      (note, line) => `<text x="${MARGIN}" y="${notesTop + line * 20}" class="dim">${escapeForXml(note)}</text>`,
    ),
    '</svg>',
    '',
  ]
    .filter(line => line !== '')
    .join('\n')
    .concat('\n')
}

function legendLine(
  entrant: Entrant,
  label: EntrantLabel | undefined,
  series: number,
  y: number,
  tasks: readonly Task[],
): string {
  const standings = tasks.flatMap(task => entrant.tasks.get(task.id) ?? [])
  const passing = standings.filter(standing => standing.verdict === 'pass').length
  const missing = tasks.length - standings.length
  const open = missing === 0 ? '' : `, ${missing} without a result`
  return [
    marker(series, MARGIN + 8, y - 4.5, 7),
    cutText(label?.name ?? '', 41, `x="${MARGIN + 26}" y="${y}" class="name"`),
    cutText(label?.setting ?? '', 30, `x="${MARGIN + 390}" y="${y}" class="dim"`),
    `<text x="${WIDTH - MARGIN}" y="${y}" text-anchor="end">passes ${passing} of ${tasks.length} tasks${open}</text>`,
  ].join('')
}

function tableLines(
  entrants: readonly Entrant[],
  labels: readonly EntrantLabel[],
  tasks: readonly Task[],
  top: number,
): readonly string[] {
  const left = MARGIN + TASK_COLUMN
  const column = Math.min(WIDEST_COLUMN, (WIDTH - MARGIN - left) / entrants.length)
  const right = (series: number) => WIDTH - MARGIN - 8 - (entrants.length - 1 - series) * column
  const columns = Math.floor((column - 44) / 8)
  const heads = labels.map((label, series) => {
    const name = cutText(label.name, columns, `x="${px(right(series))}" y="${top}" class="name" text-anchor="end"`)
    return name + marker(series, right(series) - column + 26, top - 4.5, 6)
  })
  const rule = `<path d="M${MARGIN} ${top + 9}H${WIDTH - MARGIN}" class="rule"/>`
  const lines = tasks.map((task, row) => {
    const y = top + (row + 1) * ROW
    const stripe =
      row % 2 === 1
        ? ''
        : `<rect x="${MARGIN}" y="${y - 18}" width="${WIDTH - 2 * MARGIN}" height="${ROW}" class="stripe"/>`
    const number = `<text x="${MARGIN + 26}" y="${y}" class="dim number">${row + 1}</text>`
    const name = cutText(task.id, 34, `x="${MARGIN + 38}" y="${y}"`)
    const cells = entrants.map((entrant, series) => cell(entrant.tasks.get(task.id), right(series), y))
    return [stripe, number, name, ...cells].join('')
  })
  return [`<text x="${MARGIN + 38}" y="${top}" class="dim">task</text>`, ...heads, rule, ...lines]
}

/** `✓ 1.00 3/3`: the mean score with the passes of the trials that count. */
function cell(standing: Standing | undefined, x: number, y: number): string {
  if (standing?.score === undefined || standing.score === null) {
    return `<text x="${px(x)}" y="${y}" class="dim number">no result</text>`
  }
  const passes = `${standing.passes}/${standing.n}${standing.isOneSample ? '*' : ''}`
  const mark = standing.verdict === 'pass' ? '✓ ' : ''
  const score = `<text x="${px(x - 44)}" y="${y}" class="number${mark === '' ? '' : ' pass'}">${mark}${standing.score.toFixed(2)}</text>`
  return `${score}<text x="${px(x)}" y="${y}" class="dim number">${passes}</text>`
}

function ownNotes({ entrants, tasks }: Field, shown: readonly Task[]): readonly string[] {
  const notes = [
    'Passes of n trials beside each score; ✓ every trial passed and n ≥ k. A gap in an outline: no result.',
  ]
  const isOneSample = entrants.some(entrant => [...entrant.tasks.values()].some(standing => standing.isOneSample))
  if (isOneSample) notes.push('* all transcripts are the same although the seeds differ: one sample.')
  if (shown.length < tasks.length) notes.push(`${tasks.length - shown.length} more tasks are not shown.`)
  return notes
}

/** Everything the drawing shows, for readers who hear it. */
function describeChart(entrants: readonly Entrant[], labels: readonly EntrantLabel[], tasks: readonly Task[]): string {
  const models = entrants.map((entrant, series) => {
    const values = tasks.map(task => {
      const standing = entrant.tasks.get(task.id)
      return standing?.score === undefined || standing.score === null
        ? `${task.id} no result`
        : `${task.id} ${standing.score.toFixed(2)} (${standing.passes} of ${standing.n} trials pass)`
    })
    return `${labels[series]?.name} (${labels[series]?.setting}): ${values.join(', ')}.`
  })
  return `A radar chart with one axis a task, from 0 in the middle to 1 at the rim. ${models.join(' ')}`
}
