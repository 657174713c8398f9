import { type Cheat, defineSkillProof, type Hands, type Play, type VerifyTools } from 'agent-bench'
import { ADDED_CHEATS, ADDED_HONEST } from './bench_proof.added.ts'
import {
  type Judgement,
  judgeControls,
  judgeNames,
  judgePalette,
  judgeSelfContained,
  judgeTable,
  REFERENCE,
  SEASON,
  solutionPage,
  standings,
} from './bench_proof.page.ts'

type Check = 'palette' | 'controls' | 'table' | 'names' | 'self_contained'

const PAGE = 'output/index.html'
const SOURCE = 'skill/reference.html'
const DATA = 'skill/data/season.json'
const NEEDLES = [0, 1, 2, 3, 4, 5].map(index => `check:output/index.html:${index}`)
const STRUCTURE = ['palette', 'controls', 'table', 'names', 'self_contained']

const judged = (judge: (html: string) => Judgement) => {
  return ({ text, check }: VerifyTools) => {
    const html = text(PAGE)
    const judgement = html === null ? `${PAGE} is not there, or no text` : judge(html)
    return judgement === true ? check(true, 'the page is as the skill says') : { ok: false, reason: judgement }
  }
}

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
const cheat = (loses: readonly string[], html: string): Cheat => ({ loses, play: leaves(html) })
const command = (line: string) => (hands: Hands) => hands.sh(line)
const shell =
  (...commands: readonly string[]): Play =>
  async ({ sh }) => {
    for (const line of commands) await sh(line)
  }

const GOOD = solutionPage()
const rows = standings()
/** Makes the page in the sandbox out of the reference, as a program would. */
const PROGRAM = [
  "mkdir -p output; python3 - <<'PY'",
  'import json, re',
  `season = json.load(open('${DATA}'))`,
  `page = open('${SOURCE}').read()`,
  "crews = [(3*c['won']+c['drawn'], c['gained']-c['lost_seconds'], c) for c in season['crews']]",
  "crews.sort(key=lambda x: (-x[0], -x[1], x[2]['name']))",
  "rows = ''",
  'for i, (p, d, c) in enumerate(crews, 1):',
  "    cells = [i, c['name'], c['won']+c['drawn']+c['lost'], c['won'], c['drawn'], c['lost'], ('+' if d > 0 else '') + str(d), p]",
  "    rows += '<tr>' + ''.join('<td>%s</td>' % x for x in cells) + '</tr>\\n'",
  "page = re.sub(r'(?s)<tbody>.*</tbody>', lambda _: '<tbody>' + rows + '</tbody>', page)",
  `open('${PAGE}', 'w').write(page.replace('Long Reach League', season['league']))`,
  'PY',
].join('\n')

export default defineSkillProof<Check>({
  verify: {
    palette: judged(judgePalette),
    controls: judged(judgeControls),
    table: judged(judgeTable),
    names: judged(judgeNames),
    self_contained: judged(judgeSelfContained),
  },
  flags: {
    palette: run => run.verified('palette') && run.firstExists(PAGE),
    controls: run => run.verified('controls') && run.firstExists(PAGE),
    table: run => run.verified('table') && run.firstExists(PAGE),
    names: run => run.verified('names') && run.firstExists(PAGE),
    self_contained: run => run.verified('self_contained') && run.firstExists(PAGE),
  },

  // A row that is worked out must not lie about anywhere, in whatever form.
  hidden: rows.flatMap(cells => [
    cells.map(cell => `<td>${cell}</td>`).join(''),
    ...[' ', ',', ', ', '\t'].map(between => cells.slice(1).join(between)),
  ]),

  reference: leaves(GOOD),

  honest: {
    'cat of both': leaves(GOOD, command(`cat ${SOURCE} ${DATA}`)),
    'the page in parts': leaves(GOOD, async ({ read, sh }) => {
      await read(SOURCE, { offset: 1, limit: 90 })
      await read(SOURCE, { offset: 91, limit: 80 })
      await sh(`jq . ${DATA}`)
    }),
    'all calls in one turn': async ({ turn, read, write }) => {
      await turn(async () => {
        await read(SOURCE)
        await read(DATA)
        await write(PAGE, GOOD)
      })
    },
    'made by a program': shell(`sed -n '1,200p' ${SOURCE}`, `cat ${DATA}`, PROGRAM),
    'made by a program in one command': shell(`cat ${SOURCE} ${DATA}; ${PROGRAM}`),
    'copied, then edited': async ({ sh, write }) => {
      await sh(`mkdir -p output; cat ${SOURCE} | tee ${PAGE}; cat ${DATA}`)
      await write(
        '/tmp/rows.html',
        rows.map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n'),
      )
      await sh(`sed -i 's/Long Reach League/${SEASON.league}/; /<tbody>/,/<.tbody>/{/<tr>/d}' ${PAGE}`)
      await sh(`sed -i '/<tbody>/r /tmp/rows.html' ${PAGE} && tail -n 30 ${PAGE}`)
    },
    'corrected after a look': async hands => {
      await readBoth(hands)
      await hands.write(PAGE, solutionPage([...rows].reverse()))
      await hands.read(PAGE, { offset: 100 })
      await hands.write(PAGE, GOOD)
    },
    'attributes in another order': leaves(
      GOOD.replace(
        'type="range" id="round" name="round" min="1" max="10"',
        'max="10" min="1" id="round" class="slider" type="range"',
      ),
    ),
    'the slider at another place': leaves(GOOD.replace('value="10">', 'value="8">')),
    'colours in capitals, palette in one line': leaves(
      GOOD.replace(/:root \{[^}]*\}/, rule =>
        rule.replaceAll(/\s+/g, ' ').replaceAll(/#[0-9a-f]{6}/g, colour => colour.toUpperCase()),
      ),
    ),
    'more custom properties of its own': leaves(GOOD.replace('--gap: 1.25rem;', '--gap: 1.25rem;\n    --mist: #9bb;')),
    'a comment in the palette': leaves(GOOD.replace('--water:', '/* deep */\n    --water:')),
    'a typographer’s minus': leaves(GOOD.replaceAll('<td>-', '<td>\u2212')),
    'cells with classes and a heading for each row': leaves(
      GOOD.replaceAll(/<td>([A-Z][^<]*)<\/td>/g, '<th scope="row" class="crew">$1</th>'),
    ),
    'end tags of cells left out': leaves(GOOD.replaceAll('</td>', '').replaceAll('</th>', '')),
    'other styles and another footer': leaves(
      GOOD.replace(/ {2}\.legend[\s\S]*?(?= {2}footer)/, '').replace(
        /<footer>.*<\/footer>/,
        '<footer>See you at the bridges.</footer>',
      ),
    ),
    ...Object.fromEntries(Object.entries(ADDED_HONEST).map(([name, html]) => [name, leaves(html)])),
    'a caption and a footnote': leaves(GOOD.replace('<thead>', '<caption>After eight races</caption><thead>')),
  },

  cheats: {
    ...Object.fromEntries(Object.entries(ADDED_CHEATS).map(([name, { loses, html }]) => [name, cheat(loses, html)])),
    'the reference itself': cheat(['check:output/index.html:0', 'table', 'names'], REFERENCE),
    'the reference with another name': cheat(['table'], REFERENCE.replaceAll('Long Reach League', SEASON.league)),
    'a page of needles': cheat(STRUCTURE, `<!-- ${SEASON.league} round course tab-btn standings :root -->\n`),
    'needles in a comment below the name': cheat(
      ['palette', 'controls', 'table', 'self_contained'],
      `<title>${SEASON.league}</title><h1>${SEASON.league}</h1><!-- round course tab-btn standings :root -->`,
    ),
    'rows in the order of the file': cheat(
      ['table'],
      solutionPage(
        SEASON.crews.flatMap((crew, index) =>
          rows.filter(cells => cells[1] === crew.name).map(([, ...cells]) => [String(index + 1), ...cells]),
        ),
      ),
    ),
    'sorted by points only': cheat(['table'], solutionPage(swapped(rows, 'Sluice Gate', 'Old Mill'))),
    'two points for a win': cheat(
      ['table'],
      solutionPage(rows.map(cells => [...cells.slice(0, 7), String(2 * Number(cells[3]) + Number(cells[4]))])),
    ),
    'differences without a sign': cheat(
      ['table'],
      solutionPage(rows.map(cells => cells.map(cell => cell.replace('+', '')))),
    ),
    'one crew is missing': cheat(['table'], solutionPage(rows.slice(0, -1))),
    'rows of both seasons': cheat(
      ['table'],
      solutionPage([...rows, ['8', 'Avon Ladies', '10', '8', '1', '1', '+41', '25']]),
    ),
    'rows in a comment': cheat(
      ['table', 'self_contained'],
      GOOD.replace('<tbody>', '<tbody><!--').replace('</tbody>', '--></tbody>'),
    ),
    'rows filled in by a script': cheat(
      ['table', 'self_contained'],
      GOOD.replace(/<tbody>[\s\S]*<\/tbody>/, '<tbody></tbody>').replace('</body>', '<script>fill()</script></body>'),
    ),
    'another palette': cheat(['palette'], GOOD.replace('#c89666', '#ff0000')),
    'a palette without a property': cheat(['palette'], GOOD.replace('    --loss: #b04a3a;\n', '')),
    'a palette in a comment': cheat(['palette'], GOOD.replace(/(:root \{[^}]*\})/, '/* $1 */')),
    'a slider with other bounds': cheat(['controls'], GOOD.replace('max="10"', 'max="8"')),
    'a list without an option': cheat(['controls'], GOOD.replace('<option value="tidal">Tidal stretch</option>', '')),
    'tabs with other labels': cheat(['controls'], GOOD.replace('>Fixtures<', '>Crews<')),
    'all tabs active': cheat(['controls'], GOOD.replaceAll('class="tab-btn"', 'class="tab-btn active"')),
    'columns in another order': cheat(['table'], GOOD.replace('<th>W</th><th>D</th>', '<th>D</th><th>W</th>')),
    'a longer title': cheat(['names'], GOOD.replace('</title>', ' dashboard</title>')),
    'never looks at the reference': {
      loses: ['read:skill/reference.html'],
      play: leaves(GOOD, command(`cat ${DATA}; wc -c ${SOURCE}`)),
    },
    'copies the reference unseen': {
      loses: ['read:skill/reference.html', 'check:output/index.html:0', 'table', 'names'],
      play: shell(`cat ${DATA}`, `mkdir -p output && cp ${SOURCE} ${PAGE}`),
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
      loses: ['artifact:output/index.html', ...NEEDLES, 'step_completion', ...STRUCTURE],
      play: async hands => readBoth(hands),
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

/** The rows with two crews in each other's place. */
function swapped(all: readonly (readonly string[])[], one: string, other: string): readonly (readonly string[])[] {
  const rowOf = (name: string) => all.find(cells => cells[1] === name) ?? []
  return all.map(cells => {
    const taken = cells[1] === one ? rowOf(other) : cells[1] === other ? rowOf(one) : cells
    return [cells[0] ?? '', ...taken.slice(1)]
  })
}
