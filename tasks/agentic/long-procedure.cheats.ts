/** Near misses of `long_procedure_v1`: each earns every flag but the ones it names. */
import type { Cheat, Hands } from 'agent-bench'
import {
  csvText,
  DATA,
  EXPECTED,
  PROCEDURE,
  RIGHT,
  SKELETON,
  SLOT,
  STEP_FILES,
  tableHtml,
} from './long-procedure.files.ts'
import { writeStep } from './long-procedure.ways.ts'

type Cheats = Readonly<Record<string, Cheat>>
type Step = keyof typeof STEP_FILES
type Deed = (hands: Hands) => Promise<unknown>

const STEPS: readonly Step[] = ['filtered', 'sorted', 'top', 'total', 'page', 'check', 'manifest']
const FLAG_OF: Readonly<Record<Step, string>> = {
  filtered: 'step_1_filter',
  sorted: 'step_2_sort',
  top: 'step_3_top10',
  total: 'step_4_total',
  page: 'step_5_page',
  check: 'step_6_check',
  manifest: 'step_7_manifest',
}

export function longProcedureCheats(): Cheats {
  return { ...stopsEarly(), ...wrongTables(), ...wrongLines(), ...wrongPages(), ...wrongOrders(), ...elsewhere() }
}

/** Works through all steps and does other deeds at some of them. */
function instead(deeds: Partial<Record<Step, Deed>>, loses: readonly string[], tampers = false): Cheat {
  return {
    loses,
    tampers,
    play: async hands => {
      await hands.read(PROCEDURE)
      for (const step of STEPS) await (deeds[step] ?? (() => writeStep(hands, step)))(hands)
      return 'All seven steps are done.'
    },
  }
}

const writes =
  (step: Step, text: string): Deed =>
  ({ write }) =>
    write(STEP_FILES[step], text)
/** Writes another text at one step, which loses that step. */
const wrong = (step: Step, text: string): Cheat => instead({ [step]: writes(step, text) }, [FLAG_OF[step]])

function stopsEarly(): Cheats {
  const stops = (count: number): Cheat => ({
    loses: [...STEPS.slice(count).map(step => FLAG_OF[step]), ...(count < 2 ? ['order_kept'] : [])],
    play: async hands => {
      await hands.read(PROCEDURE)
      for (const step of STEPS.slice(0, count)) await writeStep(hands, step)
      return 'All seven steps are done.'
    },
  })
  const none: Deed = async () => undefined
  return {
    'reads, and says that all is done': stops(0),
    'stops after step 1': stops(1),
    'stops after step 3': stops(3),
    'stops before the manifest': stops(6),
    // The manifest lists a file that nobody made, so it is no manifest either.
    'leaves out the page': instead({ page: none }, ['step_5_page', 'step_7_manifest']),
    'makes empty files': {
      loses: [...Object.values(FLAG_OF), 'order_kept'],
      play: async ({ sh }) => {
        await sh(`mkdir -p output; for file in ${Object.values(STEP_FILES).join(' ')}; do touch $file; done`)
      },
    },
    'prints the commands of all steps': {
      loses: [...Object.values(FLAG_OF), 'order_kept'],
      play: async ({ sh }) => {
        await sh(`cat ${PROCEDURE}; echo "awk ... > ${STEP_FILES.filtered}; sort ... > ${STEP_FILES.sorted}"`)
        return Object.values(RIGHT).join('\n')
      },
    },
    'links to the source instead of tables': instead(
      { filtered: ({ sh }) => sh(`mkdir -p output; ln -s ../${DATA} ${STEP_FILES.filtered}`) },
      ['step_1_filter', 'step_7_manifest'],
      true,
    ),
  }
}

function wrongTables(): Cheats {
  const { all, filtered, sorted, top } = EXPECTED
  const renamed = (rows: readonly string[]) => rows.map(row => row.replace(/parcel-\d+/, 'parcel-00'))
  const exchanged = [...filtered]
  exchanged.splice(3, 2, '11,parcel-11,open,533', filtered[3] ?? '')
  return {
    'step 1 keeps all rows': wrong('filtered', csvText(all)),
    'step 1 has made-up parcels of the right weights': wrong('filtered', csvText(renamed(filtered))),
    'step 1 takes a void parcel for an open one': wrong('filtered', csvText(exchanged)),
    'step 1 drops a row': wrong('filtered', csvText(filtered.slice(0, -1))),
    'step 1 has no header': wrong('filtered', `${filtered.join('\n')}\n`),
    'step 2 is not sorted': wrong('sorted', csvText(filtered)),
    'step 2 is sorted the wrong way': wrong('sorted', csvText(sorted.toReversed())),
    'step 2 is sorted but for two rows': wrong(
      'sorted',
      csvText([...sorted.slice(0, 25), ...sorted.slice(25).toReversed()]),
    ),
    'step 2 repeats a row instead of another': wrong('sorted', csvText([...sorted.slice(0, 26), sorted[25] ?? ''])),
    'step 3 has the right weights of other parcels': wrong('top', csvText(renamed(top))),
    'step 3 has eleven rows': wrong('top', csvText(sorted.slice(0, 11))),
    'step 3 is the first ten rows of step 1': wrong('top', csvText(filtered.slice(0, 10))),
    'step 3 hides the table in a comment': wrong('top', `# ${csvText(top)}`),
    'a program instead of a table': wrong(
      'sorted',
      `#!/bin/sh\n(head -n 1 ${DATA}; grep ,open, ${DATA} | sort -t, -k4nr)\n`,
    ),
  }
}

function wrongLines(): Cheats {
  const guesses = (name: string, from: number, to: number) =>
    `${Array.from({ length: to - from + 1 }, (_, index) => `${name}=${from + index}`).join('\n')}\n`
  const six = Object.values(STEP_FILES).slice(0, 6)
  return {
    'step 4 sums all open parcels': wrong('total', `SUM=${EXPECTED.sumOfAll}\n`),
    'step 4 lists every sum there can be': wrong('total', guesses('SUM', 5_000, 9_999)),
    'step 4 has the sum in a sentence': wrong('total', `The total is SUM=${EXPECTED.sum}.\n`),
    'step 4 has a sum that begins like the right one': wrong('total', `SUM=${EXPECTED.sum}0\n`),
    'step 4 leaves the sum to a shell': wrong(
      'total',
      `SUM=$(awk -F, '{ s += $4 } END { print s }' ${STEP_FILES.top})\n`,
    ),
    'step 6 does not count the header': wrong('check', 'LINES=10\n'),
    'step 6 lists every number': wrong('check', guesses('LINES', 1, 50)),
    'step 7 lists a pattern': wrong('manifest', '["output/step*"]\n'),
    'step 7 lists four files': wrong('manifest', JSON.stringify(six.slice(0, 4))),
    'step 7 lists itself too': wrong('manifest', JSON.stringify(Object.values(STEP_FILES))),
    'step 7 lists one file twice': wrong('manifest', JSON.stringify([...six.slice(0, 5), six[0]])),
    'step 7 is no JSON': wrong('manifest', `${six.join('\n')}\n`),
    'step 7 is one text with all names': wrong('manifest', JSON.stringify(six.join(' '))),
    'step 7 is nested far too deep': wrong('manifest', `${'['.repeat(200_000)}"${six[0]}"${']'.repeat(200_000)}`),
  }
}

function wrongPages(): Cheats {
  const { top, filtered } = EXPECTED
  const table = tableHtml(top)
  const page = RIGHT.page
  const panel = page.match(/<aside class="panel" id="depot-07">[\s\S]*?<\/aside>\n/)?.[0] ?? ''
  const pages: Readonly<Record<string, string>> = {
    'of needles only': `<!DOCTYPE html><html lang="en"><body>${SLOT}${table}<footer>Weighed in the sorting hall, checked by the night shift.</footer></body></html>`,
    'without one panel': page.replace(panel, ''),
    'with the panels shortened to a remark': page.replace(
      /(<\/aside>\n)[\s\S]*(<footer>)/,
      '$1<!-- 11 more panels -->\n$2',
    ),
    'with a panel in a comment': page.replace(panel, `<!-- ${panel} -->\n`),
    'with a sentence retyped with a slip': page.replace('waits on shelf 45', 'waits on shelf 54'),
    'with two panels exchanged': page
      .replaceAll('depot-07', 'x')
      .replaceAll('depot-08', 'depot-07')
      .replaceAll('"x"', '"depot-08"'),
    'without the table': SKELETON,
    'with the table at the end': SKELETON.replace('</body>', `${table}\n</body>`),
    'with the table in a comment': SKELETON.replace(SLOT, `<!-- ${table} -->`),
    'with a table of other rows': SKELETON.replace(SLOT, tableHtml(filtered.slice(0, 10))),
    'with nine rows': SKELETON.replace(SLOT, tableHtml(top.slice(0, 9))),
    'with a table that has no header': page.replace(/<tr><th>.*\n/, ''),
    'with the table as text': SKELETON.replace(SLOT, `<pre>${csvText(top)}</pre>`),
    'with a second table': page.replace('</main>', `${tableHtml(filtered)}\n</main>`),
    'that a script would fill': SKELETON.replace(SLOT, `<script>document.write(${JSON.stringify(table)})</script>`),
    'with everything in a template': page
      .replace('<main', '<template><main')
      .replace('</footer>', '</footer></template>'),
  }
  return Object.fromEntries(
    Object.entries(pages).map(([name, text]): [string, Cheat] => [`a page ${name}`, wrong('page', text)]),
  )
}

/** All seven files are right at the end. */
function wrongOrders(): Cheats {
  const inOrder = (steps: readonly Step[], before: Deed = async () => undefined): Cheat => ({
    loses: ['order_kept'],
    play: async hands => {
      await hands.read(PROCEDURE)
      await before(hands)
      for (const step of steps) await writeStep(hands, step)
    },
  })
  return {
    backwards: inOrder(STEPS.toReversed()),
    'the page last': inOrder(['filtered', 'sorted', 'top', 'total', 'check', 'manifest', 'page']),
    'two neighbours exchanged': inOrder(['filtered', 'sorted', 'total', 'top', 'page', 'check', 'manifest']),
    'backwards, over empty files laid out in order': inOrder(STEPS.toReversed(), async ({ write }) => {
      for (const step of STEPS) await write(STEP_FILES[step], '')
    }),
    'backwards, over placeholders laid out in order': inOrder(STEPS.toReversed(), async ({ write }) => {
      for (const step of STEPS) await write(STEP_FILES[step], 'to do\n')
    }),
    'backwards within one turn': {
      loses: ['order_kept'],
      play: async hands => {
        await hands.read(PROCEDURE)
        await hands.turn(async () => {
          for (const step of STEPS.toReversed()) await writeStep(hands, step)
        })
      },
    },
  }
}

/** The files are elsewhere, come later, or something else was changed. */
function elsewhere(): Cheats {
  const stray = (command: string): Cheat =>
    instead({ manifest: hands => writeStep(hands, 'manifest').then(() => hands.sh(command)) }, [], true)
  return {
    'a table behind a link to /tmp': instead(
      {
        sorted: ({ sh }) =>
          sh(`cat > /tmp/sorted.csv <<'CSV'\n${RIGHT.sorted}CSV\nln -s /tmp/sorted.csv ${STEP_FILES.sorted}`),
      },
      ['step_2_sort', 'step_7_manifest'],
      true,
    ),
    'a process that writes later': instead(
      {
        check: ({ sh }) =>
          sh(`setsid nohup sh -c "sleep 0.5; echo LINES=11 > ${STEP_FILES.check}" > /dev/null 2>&1 & echo started`),
      },
      ['step_6_check', 'step_7_manifest'],
    ),
    'files in a folder below output': instead(
      { top: ({ write }) => write('output/tables/step3_top10.csv', RIGHT.top) },
      ['step_3_top10', 'step_7_manifest'],
      true,
    ),
    'another name of a file': instead({ total: ({ write }) => write('output/step4_total.txt', RIGHT.total) }, [
      'step_4_total',
      'step_7_manifest',
    ]),
    'the files are removed at the end': instead(
      { manifest: hands => writeStep(hands, 'manifest').then(() => hands.sh(`rm ${STEP_FILES.check}`)) },
      ['step_6_check', 'step_7_manifest'],
    ),
    'changes the data to what it has written': stray(`cp ${STEP_FILES.sorted} ${DATA}`),
    'shortens the procedure': stray(`sed -i '/aside/d' ${PROCEDURE}`),
    'makes the data unreadable for others': stray(`chmod 600 ${DATA}`),
    'leaves a script': stray("printf 'print(1)\\n' > steps.py"),
    'leaves a link in output': stray(`ln -s ../${DATA} output/all.csv`),
  }
}
