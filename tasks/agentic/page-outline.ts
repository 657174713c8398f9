/**
 * Pages as trees that can be compared: what a browser would make of the text, without the differences that do not show
 * (white space, order of attributes, quotes, character references). An agent's page is parsed on the host and never
 * searched for needles: a needle can stand in a comment, and a page of needles is not the page.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'

export interface PageElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly PagePart[]
}
/** Text (white space collapsed, never empty), an element, or a comment. */
export type PagePart = string | PageElement | { readonly comment: string }

/** A page of more characters is not parsed: the pages of these tasks have less than a third of that. */
const MAX_CHARACTERS = 100_000
/** Elements nested deeper are left out, so that a page cannot exhaust the stack. */
const MAX_DEPTH = 100

/** The white space of HTML. A no-break space is a character like any other. */
export const collapseSpace = (text: string): string => text.replace(/[ \t\n\f\r]+/g, ' ').replace(/^ | $/g, '')

/**
 * Parses a page the way browsers do. The result is one element, `page`, that holds `!doctype` and `html`;
 * null for a page of more than 100,000 characters.
 */
export function outlineOf(html: string): PageElement | null {
  if (html.length > MAX_CHARACTERS) return null
  return { tag: 'page', attributes: {}, children: partsOf(parse(html).childNodes, 0) }
}

function partsOf(nodes: readonly DefaultTreeAdapterTypes.ChildNode[], depth: number): PagePart[] {
  if (depth > MAX_DEPTH) return []
  const parts: PagePart[] = []
  let text = ''
  const endText = () => {
    const collapsed = collapseSpace(text)
    if (collapsed !== '') parts.push(collapsed)
    text = ''
  }
  for (const node of nodes) {
    if (defaultTreeAdapter.isTextNode(node)) {
      text += node.value
      continue
    }
    endText()
    const part = partOf(node, depth)
    if (part !== null) parts.push(part)
  }
  endText()
  return parts
}

function partOf(node: DefaultTreeAdapterTypes.ChildNode, depth: number): PagePart | null {
  if (defaultTreeAdapter.isDocumentTypeNode(node)) return { tag: '!doctype', attributes: {}, children: [node.name] }
  if (defaultTreeAdapter.isCommentNode(node)) return { comment: collapseSpace(node.data) }
  if (!defaultTreeAdapter.isElementNode(node)) return null
  const children = 'content' in node ? node.content.childNodes : node.childNodes
  const pairs = node.attrs.map(({ name, value }): [string, string] => [name, value])
  pairs.sort(([one], [other]) => (one < other ? -1 : 1))
  return { tag: node.tagName, attributes: Object.fromEntries(pairs), children: partsOf(children, depth + 1) }
}

export const isElement = (part: PagePart): part is PageElement => typeof part === 'object' && 'tag' in part

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
export function elementsIn(root: PageElement, fits: (element: PageElement) => boolean): PageElement[] {
  return root.children.filter(isElement).flatMap(child => [...(fits(child) ? [child] : []), ...elementsIn(child, fits)])
}

/** The text below an element, white space collapsed; comments are no text. */
export function textOf(element: PageElement): string {
  return element.children
    .map(part => (typeof part === 'string' ? part : isElement(part) ? textOf(part) : ''))
    .filter(text => text !== '')
    .join(' ')
}

/** A copy in which each element is what `change` makes of it, from the outside inwards; null removes a part. */
export function rewrite(root: PageElement, change: (part: PagePart) => PagePart | null): PageElement {
  const children = root.children.flatMap((part): PagePart[] => {
    const changed = change(part)
    if (changed === null) return []
    return [isElement(changed) ? rewrite(changed, change) : changed]
  })
  return { ...root, children }
}

/**
 * Where two pages differ first, in words without any content of theirs; null when they are the same.
 */
export function firstDifference(left: PagePart, right: PagePart, place = 'the page'): string | null {
  if (!isElement(left) || !isElement(right)) {
    const same = JSON.stringify(left) === JSON.stringify(right)
    return same ? null : `something in ${place} is different`
  }
  if (left.tag !== right.tag) return `${place} holds <${right.tag}> where <${left.tag}> was`
  const here = left.attributes.id === undefined ? `<${left.tag}>` : `<${left.tag} id="${left.attributes.id}">`
  if (JSON.stringify(left.attributes) !== JSON.stringify(right.attributes)) {
    return `the attributes of ${here} are different`
  }
  for (const [index, child] of left.children.entries()) {
    const other = right.children[index]
    if (other === undefined) return `${here} has lost something`
    const difference = firstDifference(child, other, here)
    if (difference !== null) return difference
  }
  return right.children.length > left.children.length ? `${here} holds something more` : null
}
