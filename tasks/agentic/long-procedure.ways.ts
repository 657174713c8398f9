/** Ordinary ways of reading the procedure, working out the tables, making the page and finishing. */
import type { Hands } from 'agent-bench'
import { shell, type Way } from 'agent-bench/proving'
import { DATA, HEADER, PROCEDURE, RIGHT, SKELETON, SLOT, STEP_FILES } from './long-procedure.files.ts'

const { filtered, sorted, top, total, page, check, manifest } = STEP_FILES

/** Writes the right file of one step with write_file. */
export const writeStep = ({ write }: Hands, step: keyof typeof STEP_FILES): Promise<string> =>
  write(STEP_FILES[step], RIGHT[step])

export function waysToReadProcedure(): readonly Way[] {
  return [
    { name: 'read_file', act: ({ read }) => read(PROCEDURE) },
    shell('cat', `cat ${PROCEDURE}; head -n 3 ${DATA}`),
    shell('head and tail', `head -n 20 ${PROCEDURE}`, `tail -n +21 ${PROCEDURE}`),
    {
      name: 'read_file in parts',
      act: async ({ read }) => {
        await read(PROCEDURE, { limit: 40 })
        await read(PROCEDURE, { offset: 41 })
      },
    },
    shell('less through cat -A', `less ${PROCEDURE} | cat -A | head -n 40`, `wc -l ${PROCEDURE} ${DATA}`),
  ]
}

/** Steps 1 to 4. */
export function waysToCompute(): readonly Way[] {
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
      name: 'script in the workspace, a step at a time, removed afterwards',
      act: async ({ write, sh }) => {
        await write('steps.py', PYTHON_STEPS)
        for (const step of [1, 2, 3, 4]) await sh(`python3 steps.py ${step}`)
        await sh('rm -f steps.py')
      },
    },
    {
      name: 'write_file, worked out by hand',
      act: async hands => {
        await hands.read(DATA)
        for (const step of ['filtered', 'sorted', 'top', 'total'] as const) await writeStep(hands, step)
      },
    },
    shell(
      'bash loop',
      `mkdir -p output; while IFS=, read -r id parcel state grams; do if [ "$state" = open ] || [ "$id" = id ]; then echo "$id,$parcel,$state,$grams"; fi; done < ${DATA} > ${filtered}`,
      `sed 1q ${filtered} > ${sorted}; sed 1d ${filtered} | sort -t , -k 4 -n -r >> ${sorted}`,
      `sed 11q ${sorted} > ${top}; sum=0; for grams in $(sed 1d ${top} | cut -d , -f 4); do sum=$((sum + grams)); done; echo SUM=$sum | tee ${total}`,
    ),
    shell(
      'perl',
      `mkdir -p output; perl -ne 'print if $. == 1 || /,open,/' ${DATA} > ${filtered}; perl -e '$h = <>; print $h, sort { (split /,/, $b)[3] <=> (split /,/, $a)[3] } <>' ${filtered} > ${sorted}`,
      `perl -ne 'print if $. <= 11' ${sorted} > ${top}; perl -F, -lane '$s += $F[3] if $. > 1; END { print "SUM=$s" }' ${top} > ${total}`,
    ),
  ]
}

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

const PYTHON_STEPS = `
import sys
from pathlib import Path
Path('output').mkdir(exist_ok=True)
def rows(path):
    return Path(path).read_text().splitlines()
def save(path, lines):
    Path(path).write_text('\\n'.join(lines) + '\\n')
step = int(sys.argv[1])
if step == 1:
    head, *body = rows('${DATA}')
    save('${filtered}', [head, *(row for row in body if ',open,' in row)])
elif step == 2:
    head, *body = rows('${filtered}')
    save('${sorted}', [head, *sorted(body, key=lambda row: -int(row.split(',')[3]))])
elif step == 3:
    save('${top}', rows('${sorted}')[:11])
else:
    save('${total}', ['SUM=%d' % sum(int(row.split(',')[3]) for row in rows('${top}')[1:])])
`

/** The table as an awk program prints it from the file of step 3. */
const AWK_TABLE = `awk -F, 'BEGIN { print "<table>" } { tag = NR == 1 ? "th" : "td"; printf "<tr>"; for (i = 1; i <= NF; i++) printf "<%s>%s</%s>", tag, $i, tag; print "</tr>" } END { print "</table>" }' ${top}`
const SKELETON_OF_PROCEDURE = `sed -n '/^\`\`\`html/,/^\`\`\`$/p' ${PROCEDURE} | sed '1d;$d'`

const PYTHON_PAGE = `
import re
text = open('${PROCEDURE}').read()
skeleton = re.search('\`\`\`html\\n(.*?)\`\`\`', text, re.S).group(1)
lines = open('${top}').read().split()
cells = lambda line, tag: ''.join('<%s>%s</%s>' % (tag, value, tag) for value in line.split(','))
table = '<table border="1">\\n<thead><tr>' + cells(lines[0], 'th') + '</tr></thead>\\n<tbody>\\n'
table += '\\n'.join('  <tr>' + cells(line, 'td') + '</tr>' for line in lines[1:]) + '\\n</tbody>\\n</table>'
open('${page}', 'w').write(skeleton.replace('${SLOT}', table))
`

/** Step 5. */
export function waysToMakePage(): readonly Way[] {
  return [
    { name: 'page by write_file', act: hands => writeStep(hands, 'page') },
    shell('page by sed', `${AWK_TABLE} > /tmp/table.html; ${SKELETON_OF_PROCEDURE} > ${page}`, sedTable()),
    shell('page by python', `python3 - <<'PY'\n${PYTHON_PAGE}PY`),
    shell('page by here-doc', `cat > ${page} <<'HTML'\n${RIGHT.page}HTML\ngrep -c '<aside' ${page}`),
    {
      name: 'page in other white space, the comment kept',
      act: async ({ sh, write }) => {
        await write(page, SKELETON.replaceAll('\n', '\n  '))
        await sh(`${AWK_TABLE} > /tmp/table.html; sed -i '/table goes here/r /tmp/table.html' ${page}`)
      },
    },
  ]
}

const sedTable = (): string => `sed -i -e '/${SLOT}/r /tmp/table.html' -e '/${SLOT}/d' ${page}`

/** Steps 6 and 7. */
export function waysToFinish(): readonly Way[] {
  const six = Object.values(STEP_FILES).slice(0, 6)
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
      `ls output/step*.* | grep -v manifest | jq -R . | jq -s . > ${manifest}`,
    ),
    shell(
      'end by python',
      `python3 -c "import json; open('${check}', 'w').write('LINES=%d' % len(open('${top}').readlines())); json.dump(${JSON.stringify(six).replaceAll('"', "'")}, open('${manifest}', 'w'))"`,
    ),
    shell(
      'end by printf',
      `printf 'LINES=%s\\n' 11 > ${check}`,
      `printf '%s' '${JSON.stringify(six)}' > ${manifest}; ls output`,
    ),
  ]
}
