/** What the imitated dashboard must be, worked out from the reference page and the season file, and compared as trees. */
import { readFileSync } from 'node:fs'
import { elementsIn, hasClass, outlineOf, type PageElement, tagged, textOf } from '../../tasks/agentic/page-outline.ts'

/** true, or what is wrong. */
export type Judgement = true | string

interface Crew {
  readonly name: string
  readonly won: number
  readonly drawn: number
  readonly lost: number
  readonly gained: number
  readonly lost_seconds: number
}

const own = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
export const REFERENCE = own('reference.html')
export const SEASON: { readonly league: string; readonly crews: readonly Crew[] } = JSON.parse(own('data/season.json'))

const signed = (value: number) => (value > 0 ? `+${value}` : String(value))
const points = ({ won, drawn }: Crew) => 3 * won + drawn
const difference = ({ gained, lost_seconds }: Crew) => gained - lost_seconds

/** The cells of the table, row by row. */
export function standings(): readonly (readonly string[])[] {
  const sorted = [...SEASON.crews].sort(
    (a, b) => points(b) - points(a) || difference(b) - difference(a) || a.name.localeCompare(b.name),
  )
  return sorted.map((crew, index) =>
    [
      index + 1,
      crew.name,
      crew.won + crew.drawn + crew.lost,
      crew.won,
      crew.drawn,
      crew.lost,
      signed(difference(crew)),
      points(crew),
    ].map(String),
  )
}

/** Custom properties of the `:root` rules, by name; values without white space at the ends. */
function paletteOf(page: PageElement): ReadonlyMap<string, string> {
  const css = elementsIn(page, tagged('style'))
    .map(textOf)
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const palette = new Map<string, string>()
  for (const [, body = ''] of css.matchAll(/(?:^|[},\s]):root\s*\{([^}]*)\}/g)) {
    for (const [, name = '', value = ''] of body.matchAll(/(--[\w-]+)\s*:\s*([^;]+)/g)) {
      palette.set(name, value.trim().toLowerCase())
    }
  }
  return palette
}

function compare(html: string, ask: (page: PageElement, reference: PageElement) => Judgement): Judgement {
  const page = outlineOf(html)
  const reference = outlineOf(REFERENCE)
  if (page === null || reference === null) return 'the page is too long to be parsed'
  return ask(page, reference)
}

export const judgePalette = (html: string): Judgement =>
  compare(html, (page, reference) => {
    const wanted = paletteOf(reference)
    const found = paletteOf(page)
    const wrong = [...wanted].find(([name, value]) => found.get(name) !== value)
    return wrong === undefined || `the custom property ${wrong[0]} is not as in the reference`
  })

const CONTROL_ATTRIBUTES = ['id', 'type', 'min', 'max', 'step'] as const

/** The controls in words that can be compared. */
function controlsOf(page: PageElement): readonly string[] {
  const ranges = elementsIn(page, element => element.tag === 'input' && element.attributes.type === 'range')
  const selects = elementsIn(page, tagged('select'))
  const buttons = elementsIn(page, element => element.tag === 'button' && hasClass('tab-btn')(element))
  return [
    ...ranges.map(({ attributes }) => CONTROL_ATTRIBUTES.map(name => attributes[name] ?? '').join(' ')),
    ...selects.map(select => {
      const options = elementsIn(select, tagged('option')).map(one => `${one.attributes.value ?? ''}=${textOf(one)}`)
      return `${select.attributes.id ?? ''}: ${options.join(', ')}`
    }),
    ...buttons.map(button => `${textOf(button)}${hasClass('active')(button) ? ' (active)' : ''}`),
  ]
}

export const judgeControls = (html: string): Judgement =>
  compare(html, (page, reference) => {
    const wanted = controlsOf(reference)
    const found = controlsOf(page)
    if (found.length !== wanted.length) return `there are ${found.length} controls, the reference has ${wanted.length}`
    const wrong = wanted.findIndex((control, index) => found[index] !== control)
    return wrong === -1 || `control ${wrong + 1} is not as in the reference`
  })

const cellsOf = (row: PageElement) => elementsIn(row, tagged('td', 'th')).map(textOf)

export const judgeTable = (html: string): Judgement =>
  compare(html, (page, reference) => {
    const tables = elementsIn(page, element => element.tag === 'table' && element.attributes.id === 'standings')
    const [table, more] = tables
    if (table === undefined || more !== undefined) return 'there is not exactly one table of standings'
    const headingsOf = (root: PageElement) =>
      elementsIn(root, tagged('thead')).flatMap(head => elementsIn(head, tagged('tr')).map(cellsOf))
    if (JSON.stringify(headingsOf(table)) !== JSON.stringify(headingsOf(reference)))
      return 'the headings are not as in the reference'
    const rows = elementsIn(table, tagged('tbody')).flatMap(body => elementsIn(body, tagged('tr')).map(cellsOf))
    const wanted = standings()
    if (rows.length !== wanted.length) return `there are ${rows.length} rows for ${wanted.length} crews`
    // A minus sign of typographers is as good as a hyphen.
    const plain = (cells: readonly string[]) => cells.map(cell => cell.replace(/^[\u2212\u2013]/, '-')).join('\t')
    const wrong = wanted.findIndex((cells, index) => plain(cells) !== plain(rows[index] ?? []))
    return wrong === -1 || `row ${wrong + 1} is not what the season comes to`
  })

export const judgeNames = (html: string): Judgement =>
  compare(html, page => {
    const texts = (tag: string) => elementsIn(page, tagged(tag)).map(textOf)
    const isNamed = (found: readonly string[]) => found.length === 1 && found[0] === SEASON.league
    if (!isNamed(texts('title'))) return 'the title is not the name of the league'
    if (!isNamed(texts('h1'))) return 'the heading is not the name of the league'
    if (elementsIn(page, tagged('script', 'link', 'iframe')).length > 0) return 'something is loaded or run'
    return true
  })

/** The reference page with the season's names and rows. */
export function solutionPage(rows: readonly (readonly string[])[] = standings()): string {
  const body = rows.map(cells => `        <tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return REFERENCE.replaceAll('Long Reach League', SEASON.league)
    .replace('Ten races, nine crews, one trophy', 'Eight races, seven crews')
    .replace(/<tbody>[\s\S]*<\/tbody>/, `<tbody>\n${body}\n    </tbody>`)
}
