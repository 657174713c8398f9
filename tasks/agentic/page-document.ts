/** A page as a browser's parser makes it, within bounds: whatever an agent wrote, looking at it comes to an end. */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'

export type DocumentNode = DefaultTreeAdapterTypes.Node
export type DocumentElement = DefaultTreeAdapterTypes.Element

/** The pages of these tasks have less than a third of that. */
const MAX_CHARACTERS = 100_000
const MAX_ELEMENTS = 5_000
const MAX_DEPTH = 100

export interface PageDocument {
  /** The `<html>` element. */
  readonly root: DocumentElement
  /** All elements in the order of the page, those inside of templates included. */
  readonly elements: readonly DocumentElement[]
}

/** Parses a page. null for one of more than 100,000 characters, 5,000 elements or 100 levels. */
export function documentOf(html: string): PageDocument | null {
  if (html.length > MAX_CHARACTERS) return null
  const document = parse(html)
  const elements: DocumentElement[] = []
  const open: { readonly node: DefaultTreeAdapterTypes.ParentNode; readonly depth: number }[] = [
    { node: document, depth: 0 },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    if (elements.length > MAX_ELEMENTS || depth > MAX_DEPTH) return null
    if (isElementNode(node)) elements.push(node)
    const children = childNodesOf(node)
    for (const child of [...children].reverse()) {
      if (isElementNode(child)) open.push({ node: child, depth: depth + 1 })
    }
  }
  const root = elements.find(({ tagName }) => tagName === 'html')
  return root === undefined ? null : { root, elements }
}

export function isElementNode(node: DocumentNode | null | undefined): node is DocumentElement {
  return node !== null && node !== undefined && defaultTreeAdapter.isElementNode(node)
}

/** Children of a node; of a template, those of its content. */
function childNodesOf(node: DefaultTreeAdapterTypes.ParentNode): readonly DefaultTreeAdapterTypes.ChildNode[] {
  return 'content' in node ? node.content.childNodes : node.childNodes
}

/** Value of an attribute (its name in lower case, without a prefix such as `xlink:`), or null. */
export function attributeOf(element: DocumentElement, name: string): string | null {
  return element.attrs.find(attribute => attribute.name.toLowerCase() === name)?.value ?? null
}

export const tagOf = (element: DocumentElement): string => element.tagName.toLowerCase()

/** The text of an element as it was written, without that of elements below it. */
export function ownTextOf(element: DocumentElement): string {
  return element.childNodes.map(node => (defaultTreeAdapter.isTextNode(node) ? node.value : '')).join('')
}
