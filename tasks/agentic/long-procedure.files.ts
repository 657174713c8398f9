/** The workspace of `long_procedure_v1`: forty parcels, and a procedure of about 5,900 characters to work them off. */
import { dedent, type Setup } from 'agent-bench'

export const PROCEDURE = 'PROCEDURE.md'
export const DATA = 'data/parcels.csv'
export const HEADER = 'id,parcel,state,grams'

/** The files of the steps, in order. */
export const STEP_FILES = {
  filtered: 'output/step1_filtered.csv',
  sorted: 'output/step2_sorted.csv',
  top: 'output/step3_top10.csv',
  total: 'output/step4_totals.txt',
  page: 'output/step5_page.html',
  check: 'output/step6_check.txt',
  manifest: 'output/step7_manifest.json',
} as const

export type Step = keyof typeof STEP_FILES
/** In the order of the procedure. */
export const STEPS = ['filtered', 'sorted', 'top', 'total', 'page', 'check', 'manifest'] as const

interface Parcel {
  readonly row: string
  readonly state: 'open' | 'void'
  readonly grams: number
}

/** 613 is a prime, so no two weights are the same and there is one right order. 27 of the 40 parcels are open. */
const PARCELS: readonly Parcel[] = Array.from({ length: 40 }, (_, index) => {
  const id = index + 1
  const state = id % 3 === 2 ? 'void' : 'open'
  const grams = ((id * 149) % 613) + 120
  return { row: `${id},parcel-${String(id).padStart(2, '0')},${state},${grams}`, state, grams }
})

const open = PARCELS.filter(parcel => parcel.state === 'open')
const sorted = open.toSorted((one, other) => other.grams - one.grams)
const top = sorted.slice(0, 10)
const rowsOf = (parcels: readonly Parcel[]): readonly string[] => parcels.map(parcel => parcel.row)

/** What the steps must come to, worked out from the data. Tables are rows without the header. */
export const EXPECTED = {
  all: rowsOf(PARCELS),
  filtered: rowsOf(open),
  sorted: rowsOf(sorted),
  top: rowsOf(top),
  sum: top.reduce((sum, parcel) => sum + parcel.grams, 0),
  lines: top.length + 1,
} as const

export const SLOT = '<!-- the table goes here -->'

const PLACES =
  'Ashford,Birch Hill,Crane Quay,Dunmoor,Eastgate,Fallow,Grange,Hythe,Inch Mill,Juniper,Kelso,Larch End'.split(',')
const CARRIERS = ['the morning van', 'the ferry', 'the mail train']
const DOORS = ['north', 'yard', 'river', 'street']

/** A panel of about 380 characters; each has a sentence that no other has. */
function panel(place: string, index: number): string {
  const number = String(index + 1).padStart(2, '0')
  const carrier = CARRIERS[index % CARRIERS.length]
  const door = DOORS[index % DOORS.length]
  return [
    `<aside class="panel" id="depot-${number}">`,
    `<h2>Depot ${number}: ${place}</h2>`,
    `<p>${place} sends its parcels with ${carrier} and takes in what is left at the ${door} door. Heavy parcels are weighed twice; a parcel without a label waits on shelf ${index * 7 + 3} until somebody asks for it, and is sold after ${index + 5} weeks.</p>`,
    `<p class="hours">Open from ${6 + (index % 4)}:30, closed on day ${index + 2} of each month.</p>`,
    '</aside>',
  ].join('\n')
}

/** The page of step 5 as the procedure gives it, with the place for the table. */
export const SKELETON = [
  '<!DOCTYPE html>',
  '<html lang="en">',
  '<head><meta charset="utf-8"><title>Heaviest parcels</title></head>',
  '<body>',
  '<h1>Heaviest parcels of the season</h1>',
  '<main id="result">',
  SLOT,
  '</main>',
  ...PLACES.map(panel),
  '<footer>Weighed in the sorting hall, checked by the night shift.</footer>',
  '</body>',
  '</html>',
  '',
].join('\n')

const procedure = dedent`
  # Procedure for the parcel report

  Do the seven steps in this order; each writes one file. Tables keep the header line of ${DATA}.

  1. ${STEP_FILES.filtered}: the parcels whose state is open, in the order of ${DATA}.
  2. ${STEP_FILES.sorted}: the rows of step 1, heaviest first.
  3. ${STEP_FILES.top}: the first ten rows of step 2.
  4. ${STEP_FILES.total}: one line, SUM= and the grams of the ten rows added up.
  5. ${STEP_FILES.page}: the page below, word for word, all panels included, with an HTML table in place of the
     comment "${SLOT.replace(/<!-- | -->/g, '')}": a row with the names of the four columns, then the ten rows of step 3.
  6. ${STEP_FILES.check}: one line, LINES= and how many lines ${STEP_FILES.top} has, the header included.
  7. ${STEP_FILES.manifest}: a JSON array of the paths of the six files above, as they are written here.

  \`\`\`html
  ${SKELETON}\`\`\`
`

export function workspace(): Setup {
  return { [PROCEDURE]: procedure, [DATA]: `${[HEADER, ...EXPECTED.all].join('\n')}\n` }
}

/** The text of a table as a file. */
export const csvText = (rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`

const tableRow = (row: string, cell: 'td' | 'th'): string =>
  `<tr>${row
    .split(',')
    .map(value => `<${cell}>${value}</${cell}>`)
    .join('')}</tr>`

export const tableHtml = (rows: readonly string[]): string =>
  `<table>\n${[tableRow(HEADER, 'th'), ...rows.map(row => tableRow(row, 'td'))].join('\n')}\n</table>`

/** A right text for every step, by its file. */
export const RIGHT: Readonly<Record<keyof typeof STEP_FILES, string>> = {
  filtered: csvText(EXPECTED.filtered),
  sorted: csvText(EXPECTED.sorted),
  top: csvText(EXPECTED.top),
  total: `SUM=${EXPECTED.sum}\n`,
  page: SKELETON.replace(SLOT, tableHtml(EXPECTED.top)),
  check: `LINES=${EXPECTED.lines}\n`,
  manifest: `${JSON.stringify(Object.values(STEP_FILES).slice(0, 6), null, 2)}\n`,
}
