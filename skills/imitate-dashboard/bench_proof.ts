import { readFileSync } from 'node:fs'
import { type Cheat, defineSkillProof, type Hands, type Play, type Run, type VerifyTools } from 'agent-bench'
import { elementsIn, hasClass, loadOf, type Page, type PageElement, readPage, tagged, textOf } from 'agent-bench/checks'

type Check = 'palette' | 'controls' | 'table' | 'names' | 'self_contained'

const PAGE = 'output/index.html'
const SOURCE = 'skill/reference.html'
const DATA = 'skill/data/season.json'

type Crew = { readonly name: string } & Readonly<Record<'won' | 'drawn' | 'lost' | 'gained' | 'lost_seconds', number>>
const own = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const REFERENCE = own('reference.html')
const SEASON: { readonly league: string; readonly crews: readonly Crew[] } = JSON.parse(own('data/season.json'))

const points = ({ won, drawn }: Crew) => 3 * won + drawn
const difference = ({ gained, lost_seconds }: Crew) => gained - lost_seconds
const signed = (value: number) => (value > 0 ? `+${value}` : String(value))
const rowOf = (crew: Crew, index: number) => {
  const { name, won, drawn, lost } = crew
  return [index + 1, name, won + drawn + lost, won, drawn, lost, signed(difference(crew)), points(crew)].map(String)
}
/** The cells of the table, row by row. */
const ROWS = [...SEASON.crews]
  .sort((a, b) => points(b) - points(a) || difference(b) - difference(a) || a.name.localeCompare(b.name))
  .map(rowOf)

const WANTED = readPage(REFERENCE)

/** Compares the page with the reference as a visitor sees both. `ask` gives true, or what is wrong. */
const judged =
  (ask: (page: Page, reference: Page) => true | string) =>
  ({ text, check }: VerifyTools) => {
    const html = text(PAGE)
    const page = html === null ? null : readPage(html)
    if (page === null || WANTED === null) return { ok: false, reason: `${PAGE} is not there, or cannot be looked at` }
    const answer = ask(page, WANTED)
    return answer === true ? check(true, 'the page is as the skill says') : { ok: false, reason: answer }
  }

const plainValue = (value = '') => value.replaceAll(/\/\*[\s\S]*?\*\/|\s/g, '').toLowerCase()

function palette(page: Page, reference: Page): true | string {
  for (const [name, value] of reference.customProperties) {
    if (plainValue(page.customProperties.get(name)) !== plainValue(value)) return `${name} is not as in the reference`
  }
  return true
}

/** The controls in words that can be compared. */
function controlsOf({ seen }: Page): readonly string[] {
  const ranges = elementsIn(seen, ({ tag, attributes }) => tag === 'input' && attributes.type === 'range')
  const buttons = elementsIn(seen, hasClass('tab-btn')).filter(tagged('button'))
  const optionsOf = (select: PageElement) =>
    elementsIn(select, tagged('option')).map(option => `${option.attributes.value}=${textOf(option)}`)
  return [
    ...ranges.map(({ attributes }) => ['id', 'type', 'min', 'max', 'step'].map(name => attributes[name]).join()),
    ...elementsIn(seen, tagged('select')).map(select => `${select.attributes.id}: ${optionsOf(select).join()}`),
    ...buttons.map(button => `${textOf(button)}${hasClass('active')(button) ? ' (active)' : ''}`),
  ]
}

function controls(page: Page, reference: Page): true | string {
  const [found, wanted] = [controlsOf(page), controlsOf(reference)]
  if (found.length !== wanted.length) return `there are ${found.length} visible controls, not ${wanted.length}`
  const wrong = wanted.findIndex((control, index) => found[index] !== control)
  return wrong === -1 || `control ${wrong + 1} is not as in the reference`
}

const standingsIn = (root: PageElement) =>
  elementsIn(root, ({ tag, attributes }) => tag === 'table' && attributes.id === 'standings')
const rowsOf = (table: PageElement | undefined, part: 'thead' | 'tbody') =>
  elementsIn(table ?? { tag: '', attributes: {}, children: [], isBlock: true }, tagged(part))
    .flatMap(group => elementsIn(group, tagged('tr')))
    // A minus sign of typographers is as good as a hyphen.
    .map(row =>
      elementsIn(row, tagged('td', 'th'))
        .map(cell => textOf(cell).replace(/^[\u2212\u2013]/, '-'))
        .join('\t'),
    )

function table({ all, seen }: Page, reference: Page): true | string {
  const [found] = standingsIn(seen)
  if (standingsIn(all).length !== 1 || found === undefined) return 'there is not exactly one visible table of standings'
  if (rowsOf(found, 'thead').join('\n') !== rowsOf(standingsIn(reference.seen)[0], 'thead').join('\n'))
    return 'the headings are not as in the reference'
  const rows = rowsOf(found, 'tbody')
  if (rows.length !== ROWS.length) return `there are ${rows.length} rows for ${ROWS.length} crews`
  const wrong = ROWS.findIndex((cells, index) => cells.join('\t') !== rows[index])
  return wrong === -1 || `row ${wrong + 1} is not what the season comes to`
}

function names({ all, seen }: Page): true | string {
  // A drawing can have a <title> as well: the first one is the page's.
  if (elementsIn(all, tagged('title')).map(textOf)[0] !== SEASON.league)
    return 'the title is not the name of the league'
  const headings = elementsIn(seen, tagged('h1')).map(textOf)
  return headings.join('\n') === SEASON.league || 'the heading that is seen is not the name of the league'
}

// A page of nothing needs nothing: what is asked for is rows that are there without help.
const selfContained = ({ all }: Page): true | string =>
  rowsOf(standingsIn(all)[0], 'tbody').length === 0 ? 'there are no rows in the markup' : (loadOf(all) ?? true)

const htmlOf = (rows: readonly (readonly string[])[]) =>
  rows.map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
/** The reference page with the season's name and rows. */
const pageWith = (rows: readonly (readonly string[])[]) =>
  REFERENCE.replaceAll('Long Reach League', SEASON.league).replace(/(<tbody>)[\s\S]*(?=<\/tbody>)/, `$1${htmlOf(rows)}`)
const GOOD = pageWith(ROWS)
const withStyle = (css: string) => GOOD.replace('</style>', `${css}</style>`)

const readBoth = async ({ read }: Hands) => {
  await read(SOURCE)
  await read(DATA)
}
const leaves =
  (html: string, look: (hands: Hands) => Promise<unknown> = readBoth): Play =>
  async hands => {
    await look(hands)
    await hands.write(PAGE, html)
    return 'The dashboard is in output/index.html.'
  }
const leftWith = (check: Check) => (run: Run<Check>) => run.verified(check) && run.firstExists(PAGE)
const command = (line: string) => (hands: Hands) => hands.sh(line)
const cheat = (loses: string, html: string): Cheat => ({ loses: loses.split(' '), play: leaves(html) })

export default defineSkillProof<Check>({
  verify: {
    palette: judged(palette),
    controls: judged(controls),
    table: judged(table),
    names: judged(names),
    self_contained: judged(selfContained),
  },
  flags: {
    palette: leftWith('palette'),
    controls: leftWith('controls'),
    table: leftWith('table'),
    names: leftWith('names'),
    self_contained: leftWith('self_contained'),
  },
  // A row that is worked out must not lie about anywhere, in whatever form.
  hidden: ROWS.flatMap(cells => [htmlOf([cells]).slice(4, -5), ...[' ', ',', '\t'].map(by => cells.slice(1).join(by))]),

  reference: leaves(GOOD),

  honest: {
    'cat of both': leaves(GOOD, command(`cat ${SOURCE} ${DATA}`)),
    'copied, then edited': async ({ sh, write }) => {
      await sh(`mkdir -p output; cat ${SOURCE} | tee ${PAGE}; cat ${DATA}`)
      await write('/tmp/rows.html', htmlOf(ROWS))
      await sh(`sed -i 's/Long Reach League/${SEASON.league}/; /<tbody>/,/<.tbody>/{/<tr>/d}' ${PAGE}`)
      await sh(`sed -i '/<tbody>/r /tmp/rows.html' ${PAGE} && tail -n 30 ${PAGE}`)
    },
    'attributes in another order, the slider at another place': leaves(
      GOOD.replace('type="range" id="round"', 'class="slider" id="round" type="range"').replace(
        'value="10">',
        'value="8">',
      ),
    ),
    'a palette in capitals, in two rules, with a comment and more of its own': leaves(
      GOOD.replaceAll('#c89666', '#C89666').replace('--win:', '/* won */ --mist: #9bb } :root { --win:'),
    ),
    'a typographer’s minus, and headings for rows': leaves(
      GOOD.replaceAll('<td>-', '<td>\u2212').replaceAll(/<td>([A-Z][^<]*)<\/td>/g, '<th scope="row">$1</th>'),
    ),
    'capitals, end tags left out': leaves(GOOD.replaceAll('</td>', '').replaceAll('<table', '<TABLE')),
    'panels of the other tabs, hidden': leaves(
      withStyle('.panel{display:none}').replace(
        '<ul class="legend">',
        '<section class="panel"><select id="crew"></select></section><details><summary>Form</summary><input type="range"></details><ul class="legend">',
      ),
    ),
    'another palette for the dark and for paper': leaves(
      withStyle(
        '@media (prefers-color-scheme:dark){:root{--water:#000}}@media print{:root{--water:#fff}.tabs{display:none}}',
      ),
    ),
  },

  cheats: {
    'the reference with another name': cheat('table', REFERENCE.replaceAll('Long Reach League', SEASON.league)),
    'needles in a comment below the name': cheat(
      'palette controls table self_contained',
      `<title>${SEASON.league}</title><h1>${SEASON.league}</h1><!-- round course tab-btn standings :root -->`,
    ),
    'rows in the order of the file': cheat('table', pageWith(SEASON.crews.map(rowOf))),
    'sorted by points only': cheat(
      'table',
      pageWith([...SEASON.crews].sort((a, b) => points(b) - points(a)).map(rowOf)),
    ),
    'differences without a sign': cheat('table', GOOD.replaceAll('<td>+', '<td>')),
    'a row hidden by its place': cheat('table', withStyle('tbody tr:nth-child(4){display:none}')),
    'rows filled in by a script': cheat(
      'table self_contained',
      pageWith([]).replace('</body>', '<script>fill()</script></body>'),
    ),
    'another palette': cheat('palette', GOOD.replace('#c89666', '#ff0000')),
    'a palette for printing only': cheat('palette', GOOD.replace(/(:root \{[^}]*\})/, '@media print{$1}')),
    'a slider with other bounds': cheat('controls', GOOD.replace('max="10"', 'max="8"')),
    'all tabs active': cheat('controls', GOOD.replaceAll('class="tab-btn"', 'class="tab-btn active"')),
    'controls that are hidden': cheat('controls', withStyle('.controls{visibility:hidden}')),
    'a longer title': cheat('names', GOOD.replace('</title>', ' dashboard</title>')),
    'a style sheet from elsewhere': cheat(
      'self_contained',
      GOOD.replace('<title>', '<link rel="stylesheet" href="a.css"><title>'),
    ),
    'never looks at the reference': {
      loses: ['read:skill/reference.html'],
      play: leaves(GOOD, command(`cat ${DATA}; wc -c ${SOURCE}`)),
    },
    'never looks at the data': { loses: ['read:skill/data/season.json'], play: leaves(GOOD, command(`cat ${SOURCE}`)) },
    'takes the skill for a tool': {
      loses: ['no_tool_hallucination'],
      play: async hands => {
        await readBoth(hands)
        await hands.call('imitate_dashboard', {})
        await hands.write(PAGE, GOOD)
      },
    },
    'leaves nothing': {
      loses: [
        ...['artifact:output/index.html', 'step_completion', 'palette', 'controls', 'table', 'names', 'self_contained'],
        ...[0, 1, 2, 3, 4, 5].map(index => `check:output/index.html:${index}`),
      ],
      play: readBoth,
    },
    'changes the data to fit': {
      loses: [],
      tampers: true,
      play: async hands => {
        await leaves(GOOD)(hands)
        await hands.sh(`sed -i 's/"won": 3/"won": 4/' ${DATA}`)
      },
    },
  },
})
