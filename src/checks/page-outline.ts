/**
 * Pages as trees: what a browser would make of the text, without comments and without the differences that do not show
 * (white space, order of attributes, quotes, character references). An agent's page is parsed on the host and never
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

const MAX_CHARACTERS = 100_000
const MAX_ELEMENTS = 5_000
const MAX_DEPTH = 100

const BLOCKS = new Set(
  `!doctype address article aside blockquote body br button caption center col colgroup dd details dialog div dl dt
  fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html input legend li main menu nav ol
  optgroup option p page pre search section select style summary table tbody td template textarea tfoot th thead title tr
  ul`.split(/\s+/),
)

const collapsed = (text: string) => text.replace(/[ \t\n\f\r]+/g, ' ')

/**
 * Parses a page as browsers do. The result is one element, `page`, that holds `!doctype` and `html`; what is in a
 * template counts as its children. null for a page of more than 100,000 characters, 5,000 elements or 100 levels.
 */
export function outlineOf(html: string): PageElement | null {
  if (html.length > MAX_CHARACTERS) return null
  const budget = { elements: MAX_ELEMENTS }
  const children = partsOf(parse(html).childNodes, true, 0, budget)
  return budget.elements < 0 ? null : { tag: 'page', attributes: {}, children, isBlock: true }
}

type Budget = { elements: number }
type Node = DefaultTreeAdapterTypes.ChildNode

function partsOf(nodes: readonly Node[], isInBlock: boolean, depth: number, budget: Budget): PagePart[] {
  if (depth > MAX_DEPTH) budget.elements = -1
  if (budget.elements < 0) return []
  const parts = nodes.flatMap(node => partOf(node, depth, budget) ?? [])
  const isEdge = (part: PagePart | undefined) => (part === undefined ? isInBlock : isElement(part) && part.isBlock)
  // White space beside a block does not show.
  return parts.filter((part, at) => part !== ' ' || !(isEdge(parts[at - 1]) || isEdge(parts[at + 1])))
}

function partOf(node: Node, depth: number, budget: Budget): PagePart | null {
  if (defaultTreeAdapter.isTextNode(node)) return collapsed(node.value)
  if (defaultTreeAdapter.isDocumentTypeNode(node))
    return { tag: '!doctype', attributes: {}, children: [node.name], isBlock: true }
  if (!defaultTreeAdapter.isElementNode(node)) return null
  budget.elements -= 1
  const tag = node.tagName.toLowerCase()
  const pairs = node.attrs.map(({ name, value }): [string, string] => [name.toLowerCase(), value])
  pairs.sort(([one], [other]) => (one < other ? -1 : 1))
  const nodes = 'content' in node ? node.content.childNodes : node.childNodes
  const isBlock = BLOCKS.has(tag)
  return { tag, attributes: Object.fromEntries(pairs), children: partsOf(nodes, isBlock, depth + 1, budget), isBlock }
}

export const isElement = (part: PagePart): part is PageElement => typeof part !== 'string'

/** Fits elements with one of these tags. */
export const tagged =
  (...tags: readonly string[]) =>
  (element: PageElement): boolean =>
    tags.includes(element.tag)

/** Fits elements that have this class, among others or alone. */
export const hasClass =
  (name: string) =>
  (element: PageElement): boolean =>
    (element.attributes.class ?? '').split(/\s+/).includes(name)

/** All elements below one, in the order of the page, that fit. */
export function elementsIn(root: PageElement, fits: (element: PageElement) => boolean = () => true): PageElement[] {
  return root.children.filter(isElement).flatMap(child => [...(fits(child) ? [child] : []), ...elementsIn(child, fits)])
}

/**
 * The text below an element as it reads: inline elements join what is around them, blocks and `<br>` keep it apart, a
 * no-break space is a blank, and characters that only mark where a word may break are left out.
 */
export const textOf = (element: PageElement): string =>
  collapsed(
    rawText(element)
      .replaceAll('\u00a0', ' ')
      .replaceAll(/[\u00ad\u200b\u2060\ufeff]/g, ''),
  ).trim()

function rawText({ children, isBlock }: PageElement): string {
  const inside = children.map(part => (isElement(part) ? rawText(part) : part)).join('')
  return isBlock ? ` ${inside} ` : inside
}
