import { type Cheat, dedent, defineTask, type Hands, type Run, type VerifyTools } from 'agent-bench'
import { combineWays, shell, type Way } from 'agent-bench/proving'
import { EDITS, type Edit, editedPage, firstLoss, isEditMade, PAGE, pageText } from './big-file-edit.page.ts'

type Check = Edit | 'rest'

const EDIT_NAMES = ['title', 'accent', 'link', 'nav'] as const
const made =
  (edit: Edit) =>
  ({ text, check }: VerifyTools) =>
    check(isEditMade(edit, text(PAGE)), `the ${edit} in ${PAGE} is as it was asked for, at its place`)

/** The moment the page was first changed, if one of the four edits is in it at the end: leaving it alone is no care. */
const engaged = (run: Run<Check>) => EDIT_NAMES.some(edit => run.verified(edit)) && run.firstChange(PAGE)

/** Looks for the places and writes this page. */
const writes = (loses: readonly string[], text: string): Cheat => ({
  loses,
  play: async ({ sh, write }) => {
    await sh(`grep -nE '<title>|--accent|suport|<li>' ${PAGE}`)
    await write(PAGE, text)
    return 'All four changes are made.'
  },
})
/** Three edits, and for the fourth something that only looks like it. */
const pretends = (edit: Edit, before: string, after: string, loses = [`change_${edit}`, 'anchors_preserved']): Cheat =>
  writes(loses, editedPage(EDIT_NAMES.filter(other => other !== edit)).replace(before, after))
/** All four edits are right, and something else was lost on the way. */
const loses = (change: (text: string) => string): Cheat => writes(['anchors_preserved'], change(editedPage()))
const careless = (call: (hands: Hands) => Promise<unknown>): Cheat => ({
  loses: ['args_intact'],
  play: async hands => {
    await call(hands)
    await hands.write(PAGE, editedPage())
  },
})

const SED = [
  's|<title>[^<]*</title>|<title>Tidewater Control Room</title>|',
  's/\\(--accent: *\\)#[0-9a-fA-F]*/\\1#b3261e/',
  's|href="/suport"|href="/support"|',
  '/href="\\/log"/a\\        <li><a href="/notices">Notices</a></li>',
]
const PYTHON = [
  'from pathlib import Path',
  `page = Path('${PAGE}')`,
  'text = page.read_text()',
  `for before, after in ${JSON.stringify(Object.values(EDITS).map(({ before, after }) => [before, after]))}:`,
  '    assert text.count(before) == 1',
  '    text = text.replace(before, after)',
  'page.write_text(text)',
  '',
].join('\n')

export default defineTask<Check>({
  id: 'big_file_edit_v1',
  title: 'Make four small edits in a page too long to retype',
  maxTurns: 14,

  setup: { [PAGE]: pageText() },
  prompt: dedent`
    ${PAGE} is the page of a harbour watch book. It is long, about 29,000 characters. Make exactly these four changes
    in it:

    1. The title of the document (the one the browser shows on the tab) becomes "Tidewater Control Room".
    2. The custom property --accent in the style sheet becomes #b3261e.
    3. In the footer, the link that goes to /suport is misspelt: it has to go to /support.
    4. The menu at the top gets a new item "Notices" that links to /notices. It comes directly after "Log" and is written
       like the other items.

    Everything else in the page has to stay as it is, word for word. Create no other files.
  `,
  allowedWrites: [PAGE],
  // The new parts of the page as they stand in it at the end; the prompt says in words what they are.
  hidden: ['<title>Tidewater Control Room', '--accent: #b3261e', '"/support"', '<a href="/notices">Notices'],

  // Read here, on the host, and compared with the page of the setup.
  verify: {
    title: made('title'),
    accent: made('accent'),
    link: made('link'),
    nav: made('nav'),
    rest: ({ text, check }) => {
      const loss = firstLoss(text(PAGE))
      return loss === null ? check(true, 'everything beside the four places is as it was') : { ok: false, reason: loss }
    },
  },

  flags: {
    change_title: run => run.verified('title') && run.firstChange(PAGE),
    change_accent: run => run.verified('accent') && run.firstChange(PAGE),
    change_link: run => run.verified('link') && run.firstChange(PAGE),
    change_nav: run => run.verified('nav') && run.firstChange(PAGE),
    anchors_preserved: run => engaged(run) && run.verified('rest'),
    args_intact: run => engaged(run) && !run.madeInvalidCall(),
  },

  reference: async ({ read, sh, optional }) => {
    await optional('finds the places; an edit that hits them blindly is as good', async () => {
      await read(PAGE, { limit: 30 })
      await sh(`grep -n 'suport' ${PAGE}`)
    })
    await sh(
      `sed -i -e 's|<title>.*</title>|<title>Tidewater Control Room</title>|' -e 's/--accent: #[0-9a-f]*;/--accent: #b3261e;/' -e 's|"/suport"|"/support"|' -e '/>Log</a\\        <li><a href="/notices">Notices</a></li>' ${PAGE}`,
    )
    await optional('looks at the result, which verify compares as a whole', async () => {
      await sh(`grep -nE '<title>|--accent:|/support|<li>' ${PAGE}`)
    })
    return 'All four changes are made; nothing else was touched.'
  },

  honest: {
    ...combineWays([waysToLook(), waysToEdit(), waysToProofread()], 'All four changes are made.'),
    'retypes the whole page': async ({ read, write }) => {
      for (let offset = 1; offset < 700; offset += 150) await read(PAGE, { offset, limit: 150 })
      const inSingleQuotes = editedPage().replace('<a href="/notices">', "<a href='/notices'>")
      await write(PAGE, inSingleQuotes.replaceAll('\n        ', '\n      '))
    },
    'a wrong edit first, then put right, a backup removed at the end': async hands => {
      await hands.read('index.html')
      await hands.sh(
        `sed -i.orig 's/Tidewater/Lowwater/; s/#2f7d5b/#b3261e/' ${PAGE}; diff ${PAGE}.orig ${PAGE}; false`,
      )
      await hands.write(PAGE, editedPage())
      await hands.sh(`diff ${PAGE}.orig ${PAGE}; rm ${PAGE}.orig`)
    },
  },

  cheats: {
    'all edits in one comment of the page': writes(
      [...EDIT_NAMES.map(edit => `change_${edit}`), 'anchors_preserved', 'args_intact'],
      pageText().replace('<body>', `<body>\n<!-- ${EDIT_NAMES.map(edit => EDITS[edit].after).join(' ')} -->`),
    ),
    'a second title before the old one': pretends('title', EDITS.title.before, EDITS.title.after + EDITS.title.before),
    'the new colour in a comment of the style sheet': pretends('accent', '--ink', `/* ${EDITS.accent.after} */ --ink`),
    'a second rule that overrides the colour': pretends('accent', '</style>', `html { ${EDITS.accent.after} }</style>`),
    'a right link beside the misspelt one': pretends(
      'link',
      '<a href="/terms">',
      `<a ${EDITS.link.after}>support</a> <a href="/terms">`,
    ),
    'the new item at the end of the menu': pretends(
      'nav',
      'Manuals</a></li>',
      'Manuals</a></li><li><a href="/notices">Notices</a></li>',
      ['change_nav'],
    ),
    'sections are replaced by "unchanged"': loses(text =>
      text.replace(/ {4}<section id="s2\d"[\s\S]*?<\/section>\n/g, '    <!-- unchanged -->\n'),
    ),
    'a sentence is retyped with a slip': loses(text => text.replace('keep channel 81 open', 'keep channel 18 open')),
    'a comment says what was changed': loses(text => text.replace('<body>', '<body><!-- item added -->')),
    'only what a cut result showed is written back': {
      loses: ['anchors_preserved'],
      play: async ({ sh, write }) => {
        const shown = await sh(`cat ${PAGE}`)
        const text = shown.replace(/^exit code: 0\nstdout:\n/, '')
        await write(
          PAGE,
          Object.values(EDITS).reduce((page, { before, after }) => page.replace(before, after), text),
        )
      },
    },
    'write_file without content': careless(({ call }) => call('write_file', { path: PAGE })),
    'a tool that does not exist': careless(({ call }) =>
      call('edit_file', { path: PAGE, old: 'suport', new: 'support' }),
    ),
    'an edited copy beside the page': {
      loses: [...EDIT_NAMES.map(edit => `change_${edit}`), 'anchors_preserved', 'args_intact'],
      tampers: true,
      play: async ({ write }) => void (await write('site/new.html', editedPage())),
    },
    'leaves the backup of an editor': {
      loses: [],
      tampers: true,
      play: async ({ write, sh }) => {
        await write(PAGE, editedPage())
        await sh(`cp ${PAGE} ${PAGE}.bak`)
      },
    },
  },
})

function waysToLook(): readonly Way[] {
  return [
    shell('grep for the places', `grep -nE '<title>|--accent|suport|<li>' ${PAGE}`),
    shell('cat, which is cut', `cat ${PAGE}`),
  ]
}

function waysToEdit(): readonly Way[] {
  return [
    shell('one sed -i', `sed -i ${SED.map(expression => `-e '${expression}'`).join(' ')} ${PAGE}`),
    shell('a sed for each edit', ...SED.map(expression => `sed -i '${expression}' ${PAGE}`)),
    shell('python here-doc', `python3 - <<'PY'\n${PYTHON}PY`),
    {
      name: 'script in the workspace, removed afterwards',
      act: async ({ write, sh }) => {
        await write('edit.py', PYTHON)
        await sh('python3 edit.py && rm edit.py')
      },
    },
  ]
}

function waysToProofread(): readonly Way[] {
  return [
    shell('grep again', `grep -nE 'Control Room|--accent|support|Notices' ${PAGE}`),
    { name: 'no look back', act: async () => undefined },
  ]
}
