/** The proof of `long_procedure_v1`: ordinary ways through it, and near misses that lose exactly what they name. */
import type { Cheat, Hands, Play } from 'agent-bench'
import { combineWays, shell, type Way } from 'agent-bench/proving'
import {
  csvText,
  DATA,
  EXPECTED,
  HEADER,
  PROCEDURE,
  RIGHT,
  SKELETON,
  SLOT,
  STEP_FILES,
  STEPS,
  type Step,
  tableHtml,
} from './long-procedure.files.ts'

const { filtered, sorted, top, total, page, check, manifest } = STEP_FILES

const FLAG_OF = {
  filtered: 'step_1_filter',
  sorted: 'step_2_sort',
  top: 'step_3_top10',
  total: 'step_4_total',
  page: 'step_5_page',
  check: 'step_6_check',
  manifest: 'step_7_manifest',
} as const satisfies Record<Step, string>

type Deed = (hands: Hands) => Promise<unknown>

/** Writes the right file of one step with write_file. */
export const writeStep = ({ write }: Hands, step: Step): Promise<string> => write(STEP_FILES[step], RIGHT[step])

/** Works through all steps and does other deeds at some of them. */
const instead = (deeds: Partial<Record<Step, Deed>>, loses: readonly string[], tampers = false): Cheat => ({
  loses,
  tampers,
  play: async hands => {
    await hands.read(PROCEDURE)
    for (const step of STEPS) await (deeds[step] ?? (() => writeStep(hands, step)))(hands)
    return 'All seven steps are done.'
  },
})
/** Writes another text at one step, which loses that step. */
const wrong = (step: Step, text: string): Cheat =>
  instead({ [step]: ({ write }: Hands) => write(STEP_FILES[step], text) }, [FLAG_OF[step]])
/** Makes only the first steps, and says that all are done. */
const stopsAfter = (count: number): Cheat => ({
  loses: [...STEPS.slice(count).map(step => FLAG_OF[step]), ...(count < 2 ? ['order_kept'] : [])],
  play: async hands => {
    await hands.read(PROCEDURE)
    for (const step of STEPS.slice(0, count)) await writeStep(hands, step)
    return 'All seven steps are done.'
  },
})
/** All seven files are right at the end. */
const inOrder = (steps: readonly Step[], before: Deed = async () => undefined): Cheat => ({
  loses: ['order_kept'],
  play: async hands => {
    await hands.read(PROCEDURE)
    await before(hands)
    for (const step of steps) await writeStep(hands, step)
  },
})
const stray = (command: string): Cheat =>
  instead({ manifest: hands => writeStep(hands, 'manifest').then(() => hands.sh(command)) }, [], true)

const PYTHON_CSV = `
import csv, os
os.makedirs('output', exist_ok=True)
with open('${DATA}', newline='') as source:
    rows = list(csv.DictReader(source))
def save(path, rows):
    with open(path, 'w', newline='') as target:
        writer = csv.DictWriter(target, fieldnames=['id', 'parcel', 'state', 'grams'])
        writer.writeheader()
        writer.writerows(rows)
opened = [row for row in rows if row['state'] == 'open']
ordered = sorted(opened, key=lambda row: int(row['grams']), reverse=True)
save('${filtered}', opened)
save('${sorted}', ordered)
save('${top}', ordered[:10])
with open('${total}', 'w') as target:
    target.write('SUM=%d' % sum(int(row['grams']) for row in ordered[:10]))
`

/** The table as an awk program prints it from the file of step 3. */
const AWK_TABLE = `awk -F, 'BEGIN { print "<table>" } { tag = NR == 1 ? "th" : "td"; printf "<tr>"; for (i = 1; i <= NF; i++) printf "<%s>%s</%s>", tag, $i, tag; print "</tr>" } END { print "</table>" }' ${top}`
const SKELETON_OF_PROCEDURE = `sed -n '/^\`\`\`html/,/^\`\`\`$/p' ${PROCEDURE} | sed '1d;$d'`

const sedTable = (): string => `sed -i -e '/${SLOT}/r /tmp/table.html' -e '/${SLOT}/d' ${page}`

function waysToReadProcedure(): readonly Way[] {
  return [
    { name: 'read_file', act: ({ read }) => read(PROCEDURE) },
    shell('cat', `cat ${PROCEDURE}; head -n 3 ${DATA}`),
    shell('head and tail', `head -n 20 ${PROCEDURE}`, `tail -n +21 ${PROCEDURE}`),
  ]
}

/** Steps 1 to 4. */
function waysToCompute(): readonly Way[] {
  return [
    shell(
      'awk and sort',
      `mkdir -p output && awk -F, 'NR == 1 || $3 == "open"' ${DATA} > ${filtered}`,
      `(head -n 1 ${filtered}; tail -n +2 ${filtered} | sort -t, -k4,4nr) > ${sorted}`,
      `head -n 11 ${sorted} > ${top}`,
      `awk -F, 'NR > 1 { s += $4 } END { print "SUM=" s }' ${top} > ${total}`,
    ),
    shell(
      'grep and sort in one command',
      `mkdir -p output; (echo ${HEADER}; grep ',open,' ${DATA}) > ${filtered}; (echo ${HEADER}; grep ',open,' ${DATA} | sort -t, -k4 -rn) > ${sorted}; head -11 ${sorted} > ${top}; echo "SUM=$(tail -n +2 ${top} | cut -d, -f4 | paste -sd+ | python3 -c 'print(eval(input()))')" > ${total}`,
    ),
    // Python's csv module ends lines with a carriage return as well.
    shell('csv module of Python', `python3 - <<'PY'\n${PYTHON_CSV}PY`),
    {
      name: 'write_file, worked out by hand',
      act: async hands => {
        await hands.read(DATA)
        for (const step of ['filtered', 'sorted', 'top', 'total'] as const) await writeStep(hands, step)
      },
    },
  ]
}

/** Step 5. */
function waysToMakePage(): readonly Way[] {
  return [
    { name: 'page by write_file', act: hands => writeStep(hands, 'page') },
    shell('page by sed', `${AWK_TABLE} > /tmp/table.html; ${SKELETON_OF_PROCEDURE} > ${page}`, sedTable()),
    {
      name: 'page in other white space',
      act: async ({ sh, write }) => {
        await write(page, SKELETON.replaceAll('\n', '\n  '))
        await sh(
          `${AWK_TABLE} > /tmp/table.html; sed -i -e '/table goes here/r /tmp/table.html' -e '/table goes here/d' ${page}`,
        )
      },
    },
  ]
}

/** Steps 6 and 7. */
function waysToFinish(): readonly Way[] {
  const six = JSON.stringify(Object.values(STEP_FILES).slice(0, 6))
  return [
    {
      name: 'end by write_file',
      act: async hands => {
        await writeStep(hands, 'check')
        await writeStep(hands, 'manifest')
      },
    },
    shell(
      'end by wc and jq',
      `echo "LINES=$(wc -l < ${top})" > ${check}`,
      `ls output/step*.* | grep -v manifest | jq -R . | jq -s . > ${manifest} || printf '%s' '${six}' > ${manifest}`,
    ),
    shell('end by printf', `printf 'LINES=%s\\n' 11 > ${check}`, `printf '%s' '${six}' > ${manifest}; ls output`),
  ]
}

export const honest: Readonly<Record<string, Play>> = {
  ...combineWays(
    [waysToReadProcedure(), waysToCompute(), waysToMakePage(), waysToFinish()],
    'All seven steps are done.',
  ),
  'all calls in one turn, over empty files laid out first': async hands => {
    await hands.turn(async () => {
      await hands.sh(`cat ${PROCEDURE}; mkdir -p output; touch ${Object.values(STEP_FILES).toReversed().join(' ')}`)
      for (const step of STEPS) await writeStep(hands, step)
    })
  },
  'a wrong file first, put right after the next steps': async hands => {
    await hands.read(PROCEDURE)
    await hands.write(STEP_FILES.filtered, RIGHT.filtered.replace('3,parcel-03,open,567\n', ''))
    await writeStep(hands, 'sorted')
    await writeStep(hands, 'top')
    await hands.write(STEP_FILES.total, 'SUM=1\n')
    await writeStep(hands, 'page')
    for (const step of ['filtered', 'total', 'check', 'manifest'] as const) await writeStep(hands, step)
  },
  'the skeleton of the page copied first, scratch files removed': async hands => {
    await hands.sh('cat PROCEDUR.md; grep ,open, data/parcels.csv > rows.tmp; wc -l rows.tmp; rm rows.tmp')
    await hands.callMalformed('read_file', `{"path": "${PROCEDURE}"`)
    await hands.read(PROCEDURE)
    await hands.sh(`mkdir output; ${SKELETON_OF_PROCEDURE} > ${page}`)
    for (const step of STEPS) await writeStep(hands, step)
  },
}

export const cheats: Readonly<Record<string, Cheat>> = {
  'reads, and says that all is done': stopsAfter(0),
  'stops before the manifest': stopsAfter(6),
  // The manifest lists a file that nobody made, so it is not a manifest either.
  'leaves out the page': instead({ page: async () => undefined }, ['step_5_page', 'step_7_manifest']),
  'step 1 keeps all rows': wrong('filtered', csvText(EXPECTED.all)),
  'step 1 has made-up parcels of the right weights': wrong(
    'filtered',
    csvText(EXPECTED.filtered.map(row => row.replace(/parcel-\d+/, 'parcel-00'))),
  ),
  'step 2 is sorted the wrong way': wrong('sorted', csvText(EXPECTED.sorted.toReversed())),
  'step 2 is a program instead of a table': wrong('sorted', `#!/bin/sh\ngrep ,open, ${DATA} | sort -t, -k4nr\n`),
  'step 3 is the first ten rows of step 1': wrong('top', csvText(EXPECTED.filtered.slice(0, 10))),
  'step 4 lists every sum there can be': wrong(
    'total',
    Array.from({ length: 5_000 }, (_, index) => `SUM=${5_000 + index}\n`).join(''),
  ),
  'step 4 has a sum that begins like the right one': wrong('total', `SUM=${EXPECTED.sum}0\n`),
  'step 5 retypes a sentence with a slip': wrong('page', RIGHT.page.replace('waits on shelf 45', 'waits on shelf 54')),
  'step 5 keeps the comment beside the table': wrong(
    'page',
    SKELETON.replace(SLOT, `${SLOT}\n${tableHtml(EXPECTED.top)}`),
  ),
  'step 5 has the table at the end': wrong('page', SKELETON.replace('</body>', `${tableHtml(EXPECTED.top)}</body>`)),
  'step 6 does not count the header': wrong('check', 'LINES=10\n'),
  'step 7 lists itself too': wrong('manifest', JSON.stringify(Object.values(STEP_FILES))),
  'two neighbours exchanged': inOrder(['filtered', 'sorted', 'total', 'top', 'page', 'check', 'manifest']),
  'backwards, over placeholders laid out in order': inOrder(STEPS.toReversed(), async ({ write }) => {
    for (const step of STEPS) await write(STEP_FILES[step], 'to do\n')
  }),
  'another name of a file': instead(
    { total: ({ write }) => write('output/step4_total.txt', RIGHT.total) },
    ['step_4_total', 'step_7_manifest'],
    true,
  ),
  'changes the data to what it has written': stray(`cp ${sorted} ${DATA}`),
  'leaves a note beside the seven files': stray('echo done > output/NOTES.md'),
}
