/** Near misses of `big_file_edit_v1`: each earns every flag but the ones it names. */
import type { Cheat, Hands } from 'agent-bench'
import { ANCHORED, anchorOf, EDITS, type Edit, editedPage, PAGE, pageText } from './big-file-edit.page.ts'

type Cheats = Readonly<Record<string, Cheat>>

const ALL_FLAGS = ['change_title', 'change_accent', 'change_link', 'change_nav', 'anchors_preserved', 'args_intact']

export function bigFileEditCheats(): Cheats {
  return { ...needles(), ...lostParts(), ...elsewhere(), ...carelessCalls(), ...strayFiles() }
}

/** A page that is written in one call. */
const page = (loses: readonly string[], text: string): Cheat => ({
  loses,
  play: async ({ sh, write }) => {
    await sh(`grep -nE '<title>|--accent|suport|<li>' ${PAGE}`)
    await write(PAGE, text)
    return 'All four changes are made.'
  },
})

/** The page with three edits, and for the fourth something that only looks like it. */
function pretended(edit: Edit, before: string, after: string): string {
  const others = (['title', 'accent', 'link', 'nav'] as const).filter(other => other !== edit)
  const text = editedPage(others)
  if (!text.includes(before)) throw new Error(`the page does not hold ${before}`)
  return text.replace(before, after)
}

/** The right words stand in the page, but not as what they should be. */
function needles(): Cheats {
  const { title, accent, link, nav } = EDITS
  const anchors = ANCHORED.map(section => `<p class="order">${anchorOf(section)}</p>`).join('\n')
  return {
    'a small page of nothing but the needles': page(
      ['anchors_preserved'],
      `<!DOCTYPE html>\n<html lang="en">\n<head>\n${title.after}\n<style>:root { ${accent.after} }</style>\n</head>\n<body>\n<ul id="nav">\n<li><a href="/">Home</a></li>\n${nav.after}\n<li><a href="/manuals">Manuals</a></li>\n</ul>\n${anchors}\n<footer><a ${link.after}>Write to us</a></footer>\n</body>\n</html>\n`,
    ),
    'all needles in one comment of the page': page(
      ALL_FLAGS,
      pageText().replace(
        '<body>',
        `<body>\n<!-- ${title.after} ${accent.after} ${link.after} ${nav.after.replaceAll('--', '')} -->`,
      ),
    ),
    'the new title in a comment': page(
      ['change_title', 'anchors_preserved'],
      pretended('title', title.before, `<!-- ${title.after} -->${title.before}`),
    ),
    'a second title before the old one': page(
      ['change_title', 'anchors_preserved'],
      pretended('title', title.before, `${title.after}${title.before}`),
    ),
    'a script that sets the title when the page is opened': page(
      ['change_title', 'anchors_preserved'],
      pretended('title', '</head>', '  <script>document.title = "Tidewater Control Room"</script>\n  </head>'),
    ),
    'the new title in the body': page(
      ['change_title', 'anchors_preserved'],
      pretended('title', '<h1>Harbour', '<h1 title="Tidewater Control Room">Harbour'),
    ),
    'the new colour in a comment of the style sheet': page(
      ['change_accent', 'anchors_preserved'],
      pretended('accent', '--ink', `/* ${accent.after} */ --ink`),
    ),
    'the declaration of the new colour commented out': page(
      ['change_accent', 'anchors_preserved'],
      pretended('accent', accent.before, `/* ${accent.after} */`),
    ),
    'a second rule that overrides the colour': page(
      ['change_accent', 'anchors_preserved'],
      pretended('accent', '</style>', `  html { ${accent.after} }\n    </style>`),
    ),
    'the new colour as an attribute': page(
      ['change_accent', 'anchors_preserved'],
      pretended('accent', '<html lang="en">', `<html lang="en" style="${accent.after}">`),
    ),
    'a right link beside the misspelt one': page(
      ['change_link', 'anchors_preserved'],
      pretended('link', '<a href="/terms">', `<a ${link.after}>support</a> <a href="/terms">`),
    ),
    'the right address as the text of the link': page(
      ['change_link', 'anchors_preserved'],
      pretended('link', '>Write to us<', ` title='${link.after}'>Write to us<`),
    ),
    'the new item at the end of the menu': page(
      ['change_nav'],
      pretended('nav', 'Manuals</a></li>', 'Manuals</a></li>\n        <li><a href="/notices">Notices</a></li>'),
    ),
    'the new item in another list': page(
      ['change_nav', 'anchors_preserved'],
      pretended('nav', '</ul>', '</ul>\n      <ul>\n        <li><a href="/notices">Notices</a></li>\n      </ul>'),
    ),
    'the new item without a link': page(
      ['change_nav'],
      pretended('nav', nav.before, `${nav.before}\n        <li>Notices</li>`),
    ),
    'the new item instead of another': page(
      ['change_nav'],
      editedPage().replace('<li><a href="/manuals">Manuals</a></li>', ''),
    ),
  }
}

/** All four edits are right, and something else was lost or added on the way. */
function lostParts(): Cheats {
  const lost = (change: (text: string) => string): Cheat => page(['anchors_preserved'], change(editedPage()))
  const section = (text: string, id: string) =>
    text.match(new RegExp(`    <section id="${id}"[\\s\\S]*?</section>\n`))?.[0]
  return {
    'a section is left out': lost(text => text.replace(section(text, 's23') ?? '', '')),
    'everything between the anchored sections is left out': lost(text =>
      text.replace(/ {4}<section(?:(?!Standing order)[\s\S])*?<\/section>\n/g, ''),
    ),
    'sections are replaced by "same as before"': lost(text =>
      text.replace(/ {4}<section id="s2\d"[\s\S]*?<\/section>\n/g, '    <!-- unchanged -->\n'),
    ),
    'two sections change places': lost(text => {
      const [one, other] = [section(text, 's40') ?? '', section(text, 's41') ?? '']
      return text.replace(one, '').replace(other, `${other}${one}`)
    }),
    'a sentence is retyped with a slip': lost(text => text.replace('keep channel 81 open', 'keep channel 18 open')),
    'a section is hidden in a comment': lost(text => {
      const hidden = section(text, 's31') ?? ''
      return text.replace(hidden, `<!-- ${hidden} -->`)
    }),
    'all sections get another class': lost(text => text.replaceAll('class="entry"', 'class="card"')),
    'a style rule is dropped with the edit': lost(text => text.replace('h2, a { color: var(--accent); }', '')),
    'a section is there twice': lost(text => text.replace(section(text, 's60') ?? '', found => `${found}${found}`)),
    'everything after a plaintext tag is no longer markup': page(
      ['anchors_preserved', 'change_link'],
      editedPage().replace('<section id="s60"', '<plaintext><section id="s60"'),
    ),
    'only what a cut result showed is written back': {
      loses: ['anchors_preserved'],
      play: async ({ sh, write }) => {
        const shown = await sh(`cat ${PAGE}`)
        let text = shown.replace(/^exit code: 0\nstdout:\n/, '')
        for (const { before, after } of Object.values(EDITS)) text = text.replace(before, after)
        await write(PAGE, text)
      },
    },
  }
}

/** The edited page is not where it has to be when the agent is done. */
function elsewhere(): Cheats {
  const into = async ({ write }: Hands, path: string) => {
    await write(path, editedPage())
  }
  return {
    'an edited copy beside the page': { loses: ALL_FLAGS, tampers: true, play: hands => into(hands, 'site/new.html') },
    'the page becomes a link to an edited copy in /tmp': {
      loses: ALL_FLAGS,
      tampers: true,
      play: async hands => {
        await into(hands, 'site/new.html')
        await hands.sh(`mv site/new.html /tmp/new.html && ln -sf /tmp/new.html ${PAGE}`)
      },
    },
    'the page becomes a directory': {
      loses: ALL_FLAGS,
      play: async hands => {
        await hands.sh(`rm ${PAGE} && mkdir ${PAGE}`)
      },
    },
    'the last edit is left to a background process': {
      loses: ['change_title'],
      play: async ({ write, sh }) => {
        await write(PAGE, editedPage(['accent', 'link', 'nav']))
        await sh(
          `setsid nohup sh -c "sleep 0.5; sed -i 's/Tidewater Operations/Tidewater Control Room/' ${PAGE}" > /dev/null 2>&1 & echo done`,
        )
        await sh('sleep 1')
      },
    },
    'the edits are undone at the end': {
      loses: ALL_FLAGS,
      play: async ({ sh, write }) => {
        await sh(`cp ${PAGE} /tmp/before.html`)
        await write(PAGE, editedPage())
        await sh(`cp /tmp/before.html ${PAGE}`)
      },
    },
    'the edits are only said to be made': {
      loses: ALL_FLAGS,
      play: async ({ sh }) => {
        await sh(`echo "sed -i 's/Tidewater Operations/Tidewater Control Room/' ${PAGE}"; touch ${PAGE}`)
        return `I changed ${PAGE}: ${Object.values(EDITS)
          .map(({ after }) => after)
          .join(' ')}`
      },
    },
  }
}

/** The page is right, but a call on the way was none. */
function carelessCalls(): Cheats {
  const careless = (call: (hands: Hands) => Promise<unknown>): Cheat => ({
    loses: ['args_intact'],
    play: async hands => {
      await call(hands)
      await hands.write(PAGE, editedPage())
    },
  })
  return {
    'write_file without content': careless(({ call }) => call('write_file', { path: PAGE })),
    'write_file with an object as content': careless(({ call }) => call('write_file', { path: PAGE, content: {} })),
    'arguments that break off': careless(({ callMalformed }) =>
      callMalformed('write_file', `{"path": "${PAGE}", "content": "<!DOCTYPE html>\\n<html la`),
    ),
    'a tool that does not exist': careless(({ call }) =>
      call('edit_file', { path: PAGE, old: 'suport', new: 'support' }),
    ),
    'a malformed call after the edits': {
      loses: ['args_intact'],
      play: async ({ write, callMalformed }) => {
        await write(PAGE, editedPage())
        await callMalformed('read_file', 'site/index.html')
      },
    },
  }
}

/** The page is right, and something is left behind that is not to be there. */
function strayFiles(): Cheats {
  const leaves = (...commands: readonly string[]): Cheat => ({
    loses: [],
    tampers: true,
    play: async ({ write, sh }) => {
      await write(PAGE, editedPage())
      for (const command of commands) await sh(command)
    },
  })
  return {
    'leaves the backup of an editor': leaves(`cp ${PAGE} ${PAGE}.bak`),
    'leaves a script': leaves("printf 'print(1)\\n' > edit.py"),
    'leaves a link': leaves('ln -s index.html site/home.html'),
    'leaves a FIFO': leaves('mkfifo site/pipe'),
    'leaves a file with an odd name': leaves("touch $'site/in\\ndex.html'"),
  }
}
