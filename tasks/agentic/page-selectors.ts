/** Selectors of a style sheet, compiled for the elements of a page, with their weight in the cascade. */
import { compile } from 'css-select'
import type { CssNode } from 'css-tree'
import { parseCss } from './page-css.ts'
import {
  attributeOf,
  type DocumentElement,
  type DocumentNode,
  isElementNode,
  ownTextOf,
  tagOf,
} from './page-document.ts'

export interface CompiledSelector {
  readonly matches: (element: DocumentElement) => boolean
  readonly specificity: Specificity
  /** How much one question costs, in questions of a plain selector. */
  readonly cost: (page: PageSize) => number
}

export interface PageSize {
  readonly elements: number
  /** Children of the element that has most. */
  readonly siblings: number
}

/** Ids; classes, attributes and pseudo-classes; types. */
export type Specificity = readonly [number, number, number]

const MAX_LENGTH = 2_000

const children = (node: DocumentNode): DocumentNode[] => ('childNodes' in node ? [...node.childNodes] : [])
const parentOf = (node: DocumentNode): DocumentElement | null => {
  const parent = 'parentNode' in node ? node.parentNode : null
  return isElementNode(parent) ? parent : null
}

const never = () => false
/** What depends on a visitor's hand is not so: nothing is hovered, in focus, or jumped to. */
const OF_VISITORS = ['hover', 'active', 'visited', 'focus', 'focus-within', 'focus-visible', 'target', 'target-within']

const OPTIONS = {
  adapter: {
    isTag: isElementNode,
    getAttributeValue: (element: DocumentElement, name: string) => attributeOf(element, name) ?? undefined,
    hasAttrib: (element: DocumentElement, name: string) => attributeOf(element, name) !== null,
    getChildren: children,
    getName: tagOf,
    getParent: parentOf,
    getSiblings: (node: DocumentNode) => {
      const parent = parentOf(node)
      return parent === null ? [node] : children(parent)
    },
    getText: (node: DocumentNode) => (isElementNode(node) ? ownTextOf(node) : ''),
    removeSubsets: (nodes: DocumentNode[]) => nodes,
  },
  pseudos: {
    ...Object.fromEntries(OF_VISITORS.map(name => [name, never])),
    'any-link': 'a[href], area[href]',
    link: 'a[href], area[href]',
    defined: () => true,
  },
}

/** Compiles one selector; null when it is for no element (`::before`), or not understood. */
export function compileSelector(text: string): CompiledSelector | null {
  const node = text.length > MAX_LENGTH ? null : parseCss(text, 'selector')
  if (node === null) return null
  const seen = partsOf(node)
  if (seen.some(({ type }) => type === 'PseudoElementSelector' || type === 'Raw')) return null
  // Each of these looks at all siblings or descendants; chains of them could go on for ever.
  const amongSiblings = seen.filter(looksAtSiblings).length
  const below = seen.filter(looksBelow).length
  const matches = amongSiblings > 3 || below > 1 ? null : compiled(text)
  if (matches === null) return null
  const cost = ({ elements, siblings }: PageSize) => siblings ** amongSiblings * elements ** below
  return { matches, specificity: specificityOf(node), cost }
}

function compiled(text: string): ((element: DocumentElement) => boolean) | null {
  try {
    return compile<DocumentNode, DocumentElement>(text, OPTIONS)
  } catch (error) {
    // css-select throws for what it does not know; browsers leave such a rule out as well.
    if (!(error instanceof Error)) throw error
    return null
  }
}

function looksAtSiblings(part: CssNode): boolean {
  if (part.type === 'Combinator') return part.name === '~'
  return part.type === 'PseudoClassSelector' && /^(?:nth-|only-|first-|last-)/.test(part.name)
}

const looksBelow = (part: CssNode) =>
  part.type === 'PseudoClassSelector' && /^(?:has|contains|icontains)$/.test(part.name)

/** A node and all below it. */
function partsOf(node: CssNode): CssNode[] {
  return [node, ...childrenOf(node).flatMap(partsOf)]
}

function childrenOf(node: CssNode): readonly CssNode[] {
  if (node.type === 'Nth') return node.selector === null ? [] : [node.selector]
  return 'children' in node && node.children !== null ? node.children.toArray() : []
}

/** https://www.w3.org/TR/selectors-4/#specificity-rules */
function specificityOf(node: CssNode): Specificity {
  switch (node.type) {
    case 'IdSelector':
      return [1, 0, 0]
    case 'ClassSelector':
    case 'AttributeSelector':
      return [0, 1, 0]
    case 'TypeSelector':
      return node.name === '*' ? [0, 0, 0] : [0, 0, 1]
    case 'PseudoClassSelector': {
      const name = node.name.toLowerCase()
      if (name === 'where') return [0, 0, 0]
      const most = highest(childrenOf(node).map(specificityOf))
      return ['is', 'not', 'has', 'matches'].includes(name) ? most : [most[0], most[1] + 1, most[2]]
    }
    case 'SelectorList':
      return highest(childrenOf(node).map(specificityOf))
    default:
      return childrenOf(node)
        .map(specificityOf)
        .reduce<Specificity>((sum, own) => [sum[0] + own[0], sum[1] + own[1], sum[2] + own[2]], [0, 0, 0])
  }
}

export function compareSpecificity(one: Specificity, other: Specificity): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2]
}

function highest(all: readonly Specificity[]): Specificity {
  return all.reduce((best, own) => (compareSpecificity(own, best) > 0 ? own : best), [0, 0, 0])
}
