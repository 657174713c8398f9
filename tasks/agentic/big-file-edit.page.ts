/** The page of `big_file_edit_v1`: about 29 KB in 700 lines, the same each time, and its four edits. */
import { plainMarkup } from 'agent-bench/checks'

export const PAGE = 'site/index.html'
const SECTIONS = 60
/** Sections that hold a sentence of their own, spread over the page from its beginning to its end. */
const ANCHORED = [5, 18, 31, 44, 57]

/** The four edits, as texts that occur once in the page. */
export const EDITS = {
  title: { before: '<title>Tidewater Operations</title>', after: '<title>Tidewater Control Room</title>' },
  accent: { before: '--accent: #2f7d5b;', after: '--accent: #b3261e;' },
  link: { before: 'href="/suport"', after: 'href="/support"' },
  nav: {
    before: '<li><a href="/log">Log</a></li>',
    after: '<li><a href="/log">Log</a></li>\n        <li><a href="/notices">Notices</a></li>',
  },
} as const
export type Edit = keyof typeof EDITS

const SUBJECTS = 'The pilot boat,The east lock,Berth four,The fuel barge,The night crew,The tide gauge,A coaster'.split(
  ',',
)
const VERBS = 'waits for,reports to,is moored beside,gives way to,is inspected with,takes on stores from'.split(',')
const OBJECTS = 'the harbour office,the outer buoy,the dry dock,a survey launch,the north crane'.split(',')
const TIMES = 'at slack water,before the morning ebb,after the second bell,once the fog has lifted'.split(',')

const pick = (list: readonly string[], seed: number): string => list[seed % list.length] ?? ''

/** One line of filler; 7, 6, 5 and 4 choices that step differently, so lines repeat seldom and no section repeats. */
const filler = (n: number): string =>
  `${pick(SUBJECTS, n)} ${pick(VERBS, n + Math.floor(n / 7))} ${pick(OBJECTS, n * 3)} ${pick(TIMES, n + Math.floor(n / 4))}.`

const twoDigits = (n: number): string => String(n).padStart(2, '0')

const anchorOf = (section: number): string =>
  `Standing order ${twoDigits(section)}: keep channel ${section * 4 + 9} open and log every call by hand.`

function sectionOf(n: number): string {
  const lines = Array.from({ length: 5 }, (_, line) => `        ${filler(n * 11 + line * 2)}`)
  return [
    `    <section id="s${twoDigits(n)}" class="entry">`,
    `      <h2>Watch ${twoDigits(n)}</h2>`,
    '      <p>',
    ...lines,
    '      </p>',
    ...(ANCHORED.includes(n) ? [`      <p class="order">${anchorOf(n)}</p>`] : []),
    '    </section>',
    '',
  ].join('\n')
}

/** The page as it is laid into the workspace. */
export function pageText(): string {
  const sections = Array.from({ length: SECTIONS }, (_, index) => sectionOf(index + 1)).join('\n')
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    ${EDITS.title.before}
    <style>
      :root {
        ${EDITS.accent.before}
        --ink: #1c2430;
      }
      body { color: var(--ink); font: 16px/1.5 sans-serif; }
      h2, a { color: var(--accent); }
    </style>
  </head>
  <body>
    <header>
      <h1>Harbour watch book</h1>
      <ul id="nav">
        <li><a href="/">Home</a></li>
        ${EDITS.nav.before}
        <li><a href="/manuals">Manuals</a></li>
      </ul>
    </header>

${sections}
    <footer>
      <p>Questions about the watch book? <a ${EDITS.link.before}>Write to us</a> or see the <a href="/terms">terms</a>.</p>
    </footer>
  </body>
</html>
`
}

/** The page with the named edits made. */
export function editedPage(edits: readonly Edit[] = ['title', 'accent', 'link', 'nav']): string {
  return edits.reduce((text, edit) => text.replace(EDITS[edit].before, EDITS[edit].after), pageText())
}

const STYLE = /<style>(.*?)<\/style>/
const ACCENT = /(--accent ?: ?)([^;}]*)/g
const FOOTER_LINK = /(<footer>.*?<a href=")([^"]*)(")/
const MENU = /(<ul id="nav">)(.*?)(<\/ul>)/
const MENU_ITEMS = ['/ Home', '/log Log', '/notices Notices', '/manuals Manuals']
  .map(item => item.split(' '))
  .map(([href, text]) => `<li><a href="${href}">${text}</a></li>`)
  .join('')

/** A page as it is compared: white space between tags and the kind of quotes count for nothing. */
const plain = (html: string): string => plainMarkup(html).replace(/='([^'"]*)'/g, '="$1"')

/** Whether an edit is in the page (as plain markup), at its place. */
const IS_MADE: Readonly<Record<Edit, (page: string) => boolean>> = {
  title: page =>
    [...page.matchAll(/<title>(.*?)<\/title>/g)].map(found => found[1]).join('|') === 'Tidewater Control Room',
  accent: page => {
    const css = (STYLE.exec(page)?.[1] ?? '').replace(/\/\*.*?(?:\*\/|$)/g, '')
    return [...css.matchAll(ACCENT)].map(found => found[2]?.trim().toLowerCase()).join('|') === '#b3261e'
  },
  link: page => FOOTER_LINK.exec(page)?.[2] === '/support' && !page.includes('/suport'),
  nav: page => MENU.exec(page)?.[2] === MENU_ITEMS,
}

/** The page with the four places blanked that are to be edited. */
const besidesTheEdits = (page: string): string =>
  page
    .replace(/<title>.*?<\/title>/, '<title></title>')
    .replace(STYLE, style => style.replace(/(--accent ?: ?)[^;}]*/, '$1'))
    .replace(FOOTER_LINK, '$1$3')
    .replace(MENU, '$1$3')

/** Is the edit made in the page an agent left (null: none)? */
export const isEditMade = (edit: Edit, html: string | null): boolean => html !== null && IS_MADE[edit](plain(html))

/** The place where the rest of the page first differs from what it was, as text; null where it is all there. */
export function firstLoss(html: string | null): string | null {
  if (html === null) return `${PAGE} is not there`
  // The page of the setup has none, and plain markup is without.
  if (html.includes('<!--')) return 'the page has a comment that it did not have'
  const [found, wanted] = [html, pageText()].map(text => besidesTheEdits(plain(text)))
  if (found === undefined || wanted === undefined || found === wanted) return null
  let same = 0
  while (found[same] === wanted[same]) same++
  return `the page differs at "${found.slice(same, same + 40)}", where "${wanted.slice(same, same + 40)}" was`
}
