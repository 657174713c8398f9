/** Ordinary ways of finding four places in a long page, editing them, and looking at the result. */

import { shell, type Way } from 'agent-bench/proving'
import { EDITS, type Edit, editedPage, PAGE } from './big-file-edit.page.ts'

const ITEM = '<li><a href="/notices">Notices</a></li>'
const SED: Readonly<Record<Edit, string>> = {
  title: 's|<title>[^<]*</title>|<title>Tidewater Control Room</title>|',
  accent: 's/\\(--accent: *\\)#[0-9a-fA-F]*/\\1#b3261e/',
  link: 's|href="/suport"|href="/support"|',
  nav: `/href="\\/log"/a\\        ${ITEM}`,
}

export function waysToLookAtPage(): readonly Way[] {
  return [
    shell('grep for the places', `grep -nE '<title>|--accent|suport|<li>' ${PAGE}`),
    {
      name: 'read_file part by part',
      act: async ({ read }) => {
        for (let offset = 1; offset <= 700; offset += 175) await read(PAGE, { offset, limit: 175 })
      },
    },
    shell('head and tail', `wc ${PAGE}; head -n 30 ${PAGE}`, `tail -n 12 ${PAGE}`),
    shell('cat, which is cut', `cat ${PAGE}`),
  ]
}

/** The edits as a program of Python: what a here-doc or a script file holds. */
const PYTHON = [
  'from pathlib import Path',
  `page = Path('${PAGE}')`,
  'text = page.read_text()',
  'for before, after in [',
  ...Object.values(EDITS).map(({ before, after }) => `    ('''${before}''', '''${after}'''),`),
  ']:',
  '    assert text.count(before) == 1',
  '    text = text.replace(before, after)',
  'page.write_text(text)',
  '',
].join('\n')

export function waysToEditPage(): readonly Way[] {
  const expressions = Object.values(SED)
    .map(expression => `-e '${expression}'`)
    .join(' ')
  return [
    shell('one sed -i', `sed -i ${expressions} ${PAGE}`),
    shell('a sed for each edit', ...Object.values(SED).map(expression => `sed -i '${expression}' ${PAGE}`)),
    shell('python here-doc', `python3 - <<'PY'\n${PYTHON}PY`),
    {
      name: 'script in /tmp',
      act: ({ sh }) => sh(`cat > /tmp/edit.py <<'PY'\n${PYTHON}PY\npython3 /tmp/edit.py && rm /tmp/edit.py`),
    },
    {
      name: 'script in the workspace, removed afterwards',
      act: async ({ write, sh }) => {
        await write('edit.py', PYTHON)
        await sh('python3 edit.py')
        await sh('rm edit.py')
      },
    },
    shell(
      'perl -pi',
      `perl -0pi -e 's/Tidewater Operations/Tidewater Control Room/; s/#2f7d5b/#b3261e/; s{/suport}{/support}; s{(\\n\\s*)(<li><a href="/log">.*?</li>)}{$1$2$1${ITEM}}' ${PAGE}`,
    ),
    shell(
      'patch',
      `sed ${expressions} ${PAGE} > /tmp/new.html; diff -u ${PAGE} /tmp/new.html > /tmp/edit.patch; patch -s ${PAGE} /tmp/edit.patch`,
    ),
    shell('ed', `ed -s ${PAGE} <<'ED'\n${Object.values(SED).map(edSteps).join('\n')}\nw\nq\nED`),
    shell(
      'awk into a new file',
      `awk '{ sub(/Tidewater Operations/, "Tidewater Control Room"); sub(/#2f7d5b/, "#b3261e"); sub(/\\/suport/, "/support"); print } /href="\\/log"/ { print "        <li><a href=\\"/notices\\">Notices</a></li>" }' ${PAGE} > /tmp/new.html && mv /tmp/new.html ${PAGE}`,
    ),
    { name: 'write_file of the whole page', act: ({ write }) => write(PAGE, editedPage()) },
    shell('item on the same line', `sed -i -e '${SED.title}' -e '${SED.accent}' -e '${SED.link}' ${PAGE}`, sameLine()),
  ]
}

/** An expression of sed as commands of ed: for every line where it fits, or after the line that an address finds. */
function edSteps(expression: string): string {
  return expression.startsWith('s') ? `,${expression}` : `/href="\\/log"/a\n        ${ITEM}\n.`
}

const sameLine = () => `sed -i 's|<li><a href="/log">Log</a></li>|&${ITEM}|' ${PAGE}`

export function waysToProofread(): readonly Way[] {
  return [
    shell('grep', `grep -nE 'Control Room|b3261e|/support|Notices' ${PAGE}`),
    { name: 'read_file of the beginning', act: ({ read }) => read(PAGE, { limit: 25 }) },
    { name: 'no proof-reading', act: async () => undefined },
    shell(
      'parsed by Python',
      `python3 -c "import html.parser, sys; p = html.parser.HTMLParser(); p.feed(open('${PAGE}').read()); print('ok')"`,
    ),
    shell('counted', `wc -c ${PAGE}; grep -c 'class=.entry' ${PAGE}; grep -c suport ${PAGE} || true`),
  ]
}
