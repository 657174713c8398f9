/** The drawing of the radar: axes, rings, outlines and markers. Pure; coordinates are in the pixels of the SVG. */
import type { Entrant, EntrantLabel, Task } from './standings.ts'
import { cutTo, escapeForTerminal } from './terminal.ts'
import { escapeForXml } from './xml.ts'

export interface ChartPlace {
  readonly x: number
  readonly y: number
  /** Of the ring of score 1. */
  readonly radius: number
}

const RINGS = [0, 0.25, 0.5, 0.75, 1]
/** Score 0 has its own ring, or the zeros of all axes would lie on one point. */
const ZERO_SHARE = 0.11
/** With more axes than this their names would touch: they get numbers, which the table explains. */
const NAMED_AXES = 16
const LABEL_COLUMNS = 32
/** The first outline is the widest and the last is drawn on top of it: equal ones show as bands, equal markers as nested. */
const LINE_WIDTHS = [6, 4.4, 2.9, 1.6]
const MARKER_SIZES = [9, 7, 5.2, 3.6]

/** A coordinate with at most one decimal: enough to draw, and the same text on every machine. */
export function px(value: number): string {
  const text = value.toFixed(1).replace(/\.0$/, '')
  return text === '-0' ? '0' : text
}

/** Text that is cut to fit; the whole of it is its tooltip. */
export function cutText(text: string, columns: number, attributes: string): string {
  const shown = cutTo(escapeForTerminal(text), columns)
  const whole = shown === escapeForTerminal(text) ? '' : `<title>${escapeForXml(text)}</title>`
  return `<text ${attributes}>${escapeForXml(shown)}${whole}</text>`
}

/**
 * The marker of a model, with a tooltip when there is something to say. Shapes differ as well as colours, for readers who
 * do not tell the colours apart.
 */
export function marker(series: number, x: number, y: number, size: number, tooltip = ''): string {
  const at = (dx: number, dy: number) => `${px(x + dx * size)} ${px(y + dy * size)}`
  const radius = px(size)
  const shapes = [
    `M${at(-1, 0)}A${radius} ${radius} 0 1 1 ${at(1, 0)}A${radius} ${radius} 0 1 1 ${at(-1, 0)}Z`,
    `M${at(-0.9, -0.9)}L${at(0.9, -0.9)}L${at(0.9, 0.9)}L${at(-0.9, 0.9)}Z`,
    `M${at(0, -1.25)}L${at(1.1, 0.75)}L${at(-1.1, 0.75)}Z`,
    `M${at(0, -1.35)}L${at(1.1, 0)}L${at(0, 1.35)}L${at(-1.1, 0)}Z`,
  ]
  const start = `<path d="${shapes[series] ?? ''}" class="m s${series}"`
  return tooltip === '' ? `${start}/>` : `${start}><title>${escapeForXml(tooltip)}</title></path>`
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Where a score lies on an axis; the first axis points up, the others follow clockwise. */
function pointAt(place: ChartPlace, axis: number, axes: number, score: number): Point {
  const angle = (2 * Math.PI * axis) / axes - Math.PI / 2
  const distance = place.radius * (ZERO_SHARE + (1 - ZERO_SHARE) * Math.min(1, Math.max(0, score)))
  return { x: place.x + Math.cos(angle) * distance, y: place.y + Math.sin(angle) * distance }
}

/** Lines of the chart, back to front. */
export function chartLines(
  entrants: readonly Entrant[],
  labels: readonly EntrantLabel[],
  tasks: readonly Task[],
  place: ChartPlace,
): readonly string[] {
  const point = (axis: number, score: number) => pointAt(place, axis, tasks.length, score)
  const scores = entrants.map(entrant => tasks.map(task => entrant.tasks.get(task.id)?.score ?? null))
  return [
    ...grid(tasks, place),
    ...scores.map((values, series) => outline(values, series, point)),
    ...scale(tasks.length, place),
    ...scores.flatMap((values, series) =>
      values.flatMap((score, axis) => {
        if (score === null) return []
        const { x, y } = point(axis, score)
        const tooltip = `${labels[series]?.name ?? ''}, ${tasks[axis]?.id ?? ''}: ${score.toFixed(2)}`
        return marker(series, x, y, MARKER_SIZES[series] ?? 4, tooltip)
      }),
    ),
  ]
}

function grid(tasks: readonly Task[], place: ChartPlace): readonly string[] {
  const rings = RINGS.map(score => {
    const radius = place.radius * (ZERO_SHARE + (1 - ZERO_SHARE) * score)
    return `<circle cx="${px(place.x)}" cy="${px(place.y)}" r="${px(radius)}" class="${score === 1 ? 'rim' : 'ring'}"/>`
  })
  const spokes = tasks.map((_task, axis) => {
    const from = pointAt(place, axis, tasks.length, 0)
    const to = pointAt(place, axis, tasks.length, 1)
    return `<path d="M${px(from.x)} ${px(from.y)}L${px(to.x)} ${px(to.y)}" class="ring"/>`
  })
  return [...rings, ...spokes, ...tasks.map((task, axis) => axisLabel(task, axis, tasks.length, place))]
}

/** What the rings mean, written between two axes, where no marker lies. */
function scale(axes: number, place: ChartPlace): readonly string[] {
  return RINGS.filter(score => score > 0).map(score => {
    const { x, y } = pointAt(place, 0.5, Math.max(2, axes), score)
    return `<text x="${px(x)}" y="${px(y + 3.5)}" class="scale">${score === 1 ? '1' : score.toFixed(2)}</text>`
  })
}

function axisLabel(task: Task, axis: number, axes: number, place: ChartPlace): string {
  const { x, y } = pointAt({ ...place, radius: place.radius + 18 }, axis, axes, 1)
  const side = x - place.x
  const anchor = Math.abs(side) < 8 ? 'middle' : side > 0 ? 'start' : 'end'
  const attributes = `x="${px(x)}" y="${px(y + 4)}" class="axis" text-anchor="${anchor}"`
  return cutText(axes > NAMED_AXES ? String(axis + 1) : task.id, LABEL_COLUMNS, attributes)
}

/** The outline of one model. Where a result is missing the line has a gap; only a whole outline is closed and filled. */
function outline(
  scores: readonly (number | null)[],
  series: number,
  point: (axis: number, score: number) => Point,
): string {
  if (scores.length < 3) return ''
  const isWhole = scores.every(score => score !== null)
  const steps: string[] = []
  let isDrawing = false
  const turns = isWhole ? scores.length : scores.length + 1
  for (let step = 0; step < turns; step++) {
    const axis = step % scores.length
    const score = scores[axis] ?? null
    if (score === null) {
      isDrawing = false
      continue
    }
    const { x, y } = point(axis, score)
    steps.push(`${isDrawing ? 'L' : 'M'}${px(x)} ${px(y)}`)
    isDrawing = true
  }
  if (isWhole) steps.push('Z')
  const width = LINE_WIDTHS[series] ?? 1
  return `<path d="${steps.join('')}" class="${isWhole ? 'line area' : 'line'} s${series}" stroke-width="${width}"/>`
}
