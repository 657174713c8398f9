/** The page of `big_file_edit_v1`: about 29 KB in 700 lines, the same each time, and what may be different at the end. */
import {
  collapseSpace,
  elementsIn,
  firstDifference,
  isElement,
  outlineOf,
  type PageElement,
  type PagePart,
  rewrite,
  tagged,
  textOf,
} from 'agent-bench/checks'

export const PAGE = 'site/index.html'
const SECTIONS = 60
/** Sections that hold a sentence of their own, spread over the page from its beginning to its end. */
export const ANCHORED = [5, 18, 31, 44, 57] as const

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

const NAV_ITEMS = ['/ Home', '/log Log', '/notices Notices', '/manuals Manuals']
const NEW_TITLE = 'Tidewater Control Room'
const NEW_ACCENT = '#b3261e'
const NEW_LINK = '/support'
const OLD_LINK = '/suport'

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

export const anchorOf = (section: number): string =>
  `Standing order ${twoDigits(section)}: keep channel ${section * 4 + 9} open and log every call by hand.`

function sectionOf(n: number): string {
  const isAnchored = ANCHORED.some(section => section === n)
  const lines = Array.from({ length: 5 }, (_, line) => `        ${filler(n * 11 + line * 2)}`)
  return [
    `    <section id="s${twoDigits(n)}" class="entry">`,
    `      <h2>Watch ${twoDigits(n)}</h2>`,
    '      <p>',
    ...lines,
    '      </p>',
    ...(isAnchored ? [`      <p class="order">${anchorOf(n)}</p>`] : []),
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

/** The values that the style sheets of a page give to `--accent`, comments left out. */
function accentsOf(page: PageElement): string[] {
  const css = elementsIn(page, tagged('style')).map(textOf).join('\n')
  const declared = css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ').matchAll(/--accent\s*:([^;}]*)/g)
  return [...declared].map(([, value]) => collapseSpace(value ?? '').toLowerCase())
}

const navOf = (page: PageElement): PageElement | undefined =>
  elementsIn(page, element => element.tag === 'ul' && element.attributes.id === 'nav')[0]

const footerLinksOf = (page: PageElement): PageElement[] =>
  elementsIn(page, tagged('footer')).flatMap(footer => elementsIn(footer, tagged('a')))

/** An item of the menu as `target text` when it has the form of the others, else what no item is. */
function itemOf(part: PagePart): string {
  if (!isElement(part) || part.tag !== 'li' || Object.keys(part.attributes).length > 0) return '?'
  const [link, ...more] = part.children
  if (link === undefined || !isElement(link) || link.tag !== 'a' || more.length > 0) return '?'
  if (Object.keys(link.attributes).join() !== 'href' || link.children.length !== 1) return '?'
  return `${link.attributes.href} ${textOf(link)}`
}

/** Whether each edit is in the page, at its place. */
const IS_MADE: Readonly<Record<Edit, (page: PageElement) => boolean>> = {
  title: page => {
    const titles = elementsIn(page, tagged('title'))
    return titles.length === 1 && titles.every(title => textOf(title) === NEW_TITLE)
  },
  accent: page => accentsOf(page).join() === NEW_ACCENT,
  link: page => {
    const targets = footerLinksOf(page).map(link => link.attributes.href)
    return targets[0] === NEW_LINK && !targets.includes(OLD_LINK)
  },
  nav: page => navOf(page)?.children.map(itemOf).join() === NAV_ITEMS.join(),
}

/** The page with the four places that are to be edited blanked out; everything else is as it was, or is not. */
function besidesTheEdits(page: PageElement): PageElement {
  const nav = navOf(page)
  const link = footerLinksOf(page)[0]
  const style = elementsIn(page, tagged('style'))[0]
  return rewrite(page, part => {
    if (!isElement(part)) return part
    if (part.tag === 'title' || part === nav) return { ...part, children: [] }
    if (part === link) return { ...part, attributes: { ...part.attributes, href: '' } }
    if (part === style) {
      return { ...part, children: [collapseSpace(textOf(part).replace(/--accent\s*:[^;}]*/, '--accent: '))] }
    }
    return part
  })
}

/** Result of looking at a page: true, or in words what is not as it should be. */
export type Judgement = true | string

/** Is the edit made in the page an agent left (null: none)? */
export function isEditMade(edit: Edit, html: string | null): Judgement {
  const page = html === null ? null : outlineOf(html)
  if (page === null) return `${PAGE} is not there, or far too long`
  return IS_MADE[edit](page) || `the parsed page does not have the ${edit} that was asked for at its place`
}

/** Is everything else in the page as it was? */
export function isRestKept(html: string | null): Judgement {
  const page = html === null ? null : outlineOf(html)
  const original = outlineOf(pageText())
  if (page === null || original === null) return `${PAGE} is not there, or far too long`
  return firstDifference(besidesTheEdits(original), besidesTheEdits(page)) ?? true
}
