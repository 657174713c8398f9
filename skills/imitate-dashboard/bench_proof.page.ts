/** What the imitated dashboard must be, worked out from the reference page and the season file, and compared as trees. */
import { readFileSync } from 'node:fs'
import { loadOf } from '../../tasks/agentic/page-loads.ts'
import { elementsIn, hasClass, isElement, type PageElement, tagged, textOf } from '../../tasks/agentic/page-outline.ts'
import { lookAt, type PageLook } from '../../tasks/agentic/page-view.ts'

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

const REFERENCE_PAGE = lookAt(REFERENCE)

function compare(html: string, ask: (page: PageLook, reference: PageLook) => Judgement): Judgement {
  const page = lookAt(html)
  if (page === null || REFERENCE_PAGE === null) return 'the page is too long or intricate to be looked at'
  return ask(page, REFERENCE_PAGE)
}

/** A value of a custom property without what makes no difference. */
const plainValue = (value: string | undefined) =>
  value
    ?.replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

export const judgePalette = (html: string): Judgement =>
  compare(html, (page, reference) => {
    // Another rule, or the style of <html> itself, could take back what the rule says.
    const inForce = page.styles.of(page.document.root)
    for (const [name, value] of reference.styles.rootRules) {
      if (!name.startsWith('--')) continue
      const wanted = plainValue(value)
      const isSaid = plainValue(page.styles.rootRules.get(name)) === wanted
      if (!isSaid || plainValue(inForce.get(name)) !== wanted)
        return `the custom property ${name} is not as in the reference`
    }
    return true
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
    const wanted = controlsOf(reference.seen)
    const found = controlsOf(page.seen)
    if (found.length !== wanted.length)
      return `there are ${found.length} visible controls, the reference has ${wanted.length}`
    const wrong = wanted.findIndex((control, index) => found[index] !== control)
    return wrong === -1 || `control ${wrong + 1} is not as in the reference`
  })

const cellsOf = (row: PageElement) => elementsIn(row, tagged('td', 'th')).map(textOf)

const standingsIn = (page: PageElement) =>
  elementsIn(page, element => element.tag === 'table' && element.attributes.id === 'standings')
const rowsOf = (table: PageElement, part: 'thead' | 'tbody') =>
  elementsIn(table, tagged(part)).flatMap(group => elementsIn(group, tagged('tr')).map(cellsOf))

export const judgeTable = (html: string): Judgement =>
  compare(html, (page, reference) => {
    if (standingsIn(page.all).length !== 1) return 'there is not exactly one table of standings'
    const [table] = standingsIn(page.seen)
    if (table === undefined) return 'the table of standings is not to be seen'
    if (JSON.stringify(rowsOf(table, 'thead')) !== JSON.stringify(rowsOf(reference.seen, 'thead')))
      return 'the headings are not as in the reference'
    const rows = rowsOf(table, 'tbody')
    const wanted = standings()
    if (rows.length !== wanted.length) return `there are ${rows.length} rows for ${wanted.length} crews`
    // A minus sign of typographers is as good as a hyphen.
    const plain = (cells: readonly string[]) => cells.map(cell => cell.replace(/^[\u2212\u2013]/, '-')).join('\t')
    const wrong = wanted.findIndex((cells, index) => plain(cells) !== plain(rows[index] ?? []))
    return wrong === -1 || `row ${wrong + 1} is not what the season comes to`
  })

export const judgeNames = (html: string): Judgement =>
  compare(html, ({ all, seen }) => {
    const isNamed = (found: readonly PageElement[]) => {
      const [name, ...more] = found.map(textOf)
      return more.length === 0 && name === SEASON.league
    }
    // A drawing can have a <title> as well.
    const inHead = elementsIn(all, tagged('head')).flatMap(head => head.children.filter(isElement))
    if (!isNamed(inHead.filter(tagged('title')))) return 'the title is not the name of the league'
    if (!isNamed(elementsIn(seen, tagged('h1')))) return 'the heading that is seen is not the name of the league'
    return true
  })

export const judgeSelfContained = (html: string): Judgement =>
  compare(html, ({ all, document }) => {
    // A page of nothing needs nothing: what is asked for is rows that are there without help.
    if (!standingsIn(all).some(table => rowsOf(table, 'tbody').length > 0)) return 'there are no rows in the markup'
    return loadOf(document) ?? true
  })

/** The reference page with the season's names and rows. */
export function solutionPage(rows: readonly (readonly string[])[] = standings()): string {
  const body = rows.map(cells => `        <tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return REFERENCE.replaceAll('Long Reach League', SEASON.league)
    .replace('Ten races, nine crews, one trophy', 'Eight races, seven crews')
    .replace(/<tbody>[\s\S]*<\/tbody>/, `<tbody>\n${body}\n    </tbody>`)
}
