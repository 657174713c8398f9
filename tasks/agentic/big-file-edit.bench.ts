import { type CheckResult, dedent, defineTask, type Run, type VerifyTools } from 'agent-bench'
import { eachWayTwice } from 'agent-bench/proving'
import { bigFileEditCheats } from './big-file-edit.cheats.ts'
import { type Edit, editedPage, isEditMade, isRestKept, type Judgement, PAGE, pageText } from './big-file-edit.page.ts'
import { waysToEditPage, waysToLookAtPage, waysToProofread } from './big-file-edit.ways.ts'

type Check = Edit | 'rest'

const result = ({ check }: VerifyTools, judgement: Judgement, found: string): CheckResult =>
  judgement === true ? check(true, found) : { ok: false, reason: judgement }
const made = (edit: Edit) => (tools: VerifyTools) =>
  result(tools, isEditMade(edit, tools.text(PAGE)), `the ${edit} is as it was asked for`)

/** The moment the page was first changed, if one of the four edits is in it at the end: leaving it alone is no care. */
const engaged = (run: Run<Check>) =>
  (run.verified('title') || run.verified('accent') || run.verified('link') || run.verified('nav')) &&
  run.firstChange(PAGE)

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

  // The page is parsed here, on the host, and compared with the page of the setup.
  verify: {
    title: made('title'),
    accent: made('accent'),
    link: made('link'),
    nav: made('nav'),
    rest: tools => result(tools, isRestKept(tools.text(PAGE)), 'everything beside the four places is as it was'),
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
    ...eachWayTwice([waysToLookAtPage(), waysToEditPage(), waysToProofread()], 'All four changes are made.'),
    'all calls in one turn': async ({ turn, sh }) => {
      await turn(async () => {
        await sh(`grep -nE '<title>|--accent:|suport|<li>' ${PAGE}`)
        await sh(`sed -i 's|Tidewater Operations</title>|Tidewater Control Room</title>|' ${PAGE}`)
        await sh(`sed -i 's/#2f7d5b/#b3261e/; s|/suport|/support|' ${PAGE}`)
        await sh(`sed -i 's|^\\( *\\)<li>.*Log</a></li>|&\\n\\1<li><a href="/notices">Notices</a></li>|' ${PAGE}`)
      })
    },
    'retypes the whole page': async ({ read, write }) => {
      for (let offset = 1; offset < 700; offset += 150) await read(PAGE, { offset, limit: 150 })
      await write(PAGE, editedPage())
    },
    'a wrong edit first, then put right': async hands => {
      await hands.sh(`cp ${PAGE} /tmp/before.html; sed -i 's/Tidewater/Lowwater/; s/#2f7d5b/#b3261e/' ${PAGE}`)
      await hands.sh(`diff /tmp/before.html ${PAGE}; cp /tmp/before.html ${PAGE}`)
      await hands.write(PAGE, editedPage())
    },
    'backup of an editor, removed at the end': async ({ sh }) => {
      await sh(`sed -i.orig -e 's/Tidewater Operations/Tidewater Control Room/' -e 's/#2f7d5b/#b3261e/' ${PAGE}`)
      await sh(`sed -i~ -e 's|/suport|/support|' -e '/Log</a\\        <li><a href="/notices">Notices</a></li>' ${PAGE}`)
      await sh(`diff ${PAGE}.orig ${PAGE}; rm -f site/*.orig site/*~`)
    },
    'commands that fail on the way': async hands => {
      await hands.read('index.html')
      await hands.sh(`sed -i 's/[/x/' ${PAGE}; false`)
      await hands.write(PAGE, editedPage())
    },
  },

  cheats: bigFileEditCheats(),
})
