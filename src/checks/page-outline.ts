/**
 * Pages as trees: what a browser would make of the text, without comments and without differences that do not show (runs
 * of white space, quotes, character references). An agent's page is parsed on the host and never
 * searched for needles: a needle can stand in a comment, and a page of needles is not the page.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'

export interface PageElement {
  /** In lower case. */
  readonly tag: string
  /** By name, without a prefix such as `xlink:`. */
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly PagePart[]
  /** Text before, inside and after it is kept apart, as lines or cells are. */
  readonly isBlock: boolean
}
/** Text (runs of white space are one blank), or an element. */
export type PagePart = string | PageElement

const [MAX_CHARACTERS, MAX_ELEMENTS, MAX_DEPTH] = [100_000, 5_000, 100]

const BLOCKS = new Set(
  `!doctype address article aside blockquote body br button caption center col colgroup dd details dialog div dl dt
  fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html input legend li main menu nav ol
  optgroup option p page pre search section select style summary table tbody td template textarea tfoot th thead title tr
  ul`.split(/\s+/),
)

/**
 * Parses a page as browsers do. The result is one element, `page`, that holds `!doctype` and `html`; what is in a
 * template counts as its children. null for a page of more than 100,000 characters, 5,000 elements or 100 levels.
 */
export function outlineOf(html: string): PageElement | null {
  if (html.length > MAX_CHARACTERS) return null
  const children = withinBounds(() => parse(html).childNodes.flatMap(node => partOf(node, 1) ?? []))
  if (children === null) return null
  const page = { tag: 'page', attributes: {}, children, isBlock: true }
  return elementsIn(page).length > MAX_ELEMENTS ? null : page
}

/** What is given; null where that goes beyond a bound, and throws a RangeError. */
export function withinBounds<Given>(give: () => Given): Given | null {
  try {
    return give()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function partOf(node: DefaultTreeAdapterTypes.ChildNode, depth: number): PagePart | null {
  if (depth > MAX_DEPTH) throw new RangeError('too deep')
  if (defaultTreeAdapter.isTextNode(node)) return node.value.replace(/[ \t\n\f\r]+/g, ' ')
  if (defaultTreeAdapter.isDocumentTypeNode(node))
    return { tag: '!doctype', attributes: {}, children: [node.name], isBlock: true }
  if (!defaultTreeAdapter.isElementNode(node)) return null
  const tag = node.tagName.toLowerCase()
  const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name.toLowerCase(), value]))
  const { childNodes } = 'content' in node ? node.content : node
  const children = childNodes.flatMap(child => partOf(child, depth + 1) ?? [])
  return { tag, attributes, children, isBlock: BLOCKS.has(tag) }
}

export const isElement = (part: PagePart): part is PageElement => typeof part !== 'string'

type Fits = (element: PageElement) => boolean
/** Fits elements with one of these tags. */
export const tagged =
  (...tags: readonly string[]): Fits =>
  ({ tag }) =>
    tags.includes(tag)
/** Fits elements that have this class, among others or alone. */
export const hasClass =
  (name: string): Fits =>
  ({ attributes }) =>
    (attributes.class ?? '').split(/\s+/).includes(name)

/** All elements below one, in the order of the page, that fit. */
export function elementsIn(root: PageElement, fits: Fits = () => true): PageElement[] {
  return root.children.filter(isElement).flatMap(child => [...(fits(child) ? [child] : []), ...elementsIn(child, fits)])
}

/**
 * The text below an element as it reads: inline elements join what is around them, blocks and `<br>` keep it apart, a
 * no-break space is a blank, and characters that only mark where a word may break are left out.
 */
export const textOf = (element: PageElement): string => {
  const seen = rawText(element).replaceAll(/[\u00ad\u200b\u2060\ufeff]/g, '')
  return seen.replaceAll(/[ \t\n\f\r\u00a0]+/g, ' ').trim()
}

function rawText({ children, isBlock }: PageElement): string {
  const inside = children.map(part => (isElement(part) ? rawText(part) : part)).join('')
  return isBlock ? ` ${inside} ` : inside
}
