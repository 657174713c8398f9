/** The rules of a page's style sheets, as far as they apply on an ordinary screen, in the order of the cascade. */
import { compile } from 'css-select'
import { type CssNode, generate, ident, parse } from 'css-tree'
import { isElement, type PageElement, type PagePart } from './page-outline.ts'

/** Values by property in lower case, without escapes and vendor prefixes; custom properties are left as they are. */
export type Styles = ReadonlyMap<string, string>
type Declaration = readonly [property: string, value: string, isImportant: boolean]
type Fits = (element: PageElement) => boolean
type Rule = { readonly fits: Fits; readonly specificity: number; readonly declarations: readonly Declaration[] }

/** Enough for any ordinary page: nodes and rules looked at, and values, which are looked at more than once. */
const MAX_STEPS = 5_000_000

/**
 * What the rules say about each element below `<html>`: the last of the important values, else the last one.
 * @throws RangeError, as what is given back does, where the styles are too intricate to be followed.
 */
export function stylesIn(root: PageElement): (element: PageElement) => Styles {
  const rules: Rule[] = []
  const parents = new Map<PagePart, PageElement>()
  let steps = 0
  /** Counts what is looked at, so that following the styles comes to an end. */
  const counted = <Looked>(list: readonly Looked[], weight = 1): Looked[] => {
    steps += weight * list.length
    if (steps > MAX_STEPS) throw new RangeError('too intricate')
    return [...list]
  }
  const getChildren = (node: PagePart) => (isElement(node) ? counted(node.children) : [])
  const getParent = (node: PagePart) => counted([parents.get(node)])[0] ?? null
  const adapter = {
    isTag: isElement,
    getAttributeValue: ({ attributes }: PageElement, name: string) => attributes[name],
    hasAttrib: ({ attributes }: PageElement, name: string) => name in attributes,
    getChildren,
    getName: ({ tag }: PageElement) => tag,
    getParent,
    getSiblings: (node: PagePart) => getChildren(getParent(node) ?? node),
    getText: () => '',
    removeSubsets: (nodes: PagePart[]) => nodes,
  }
  /** Reads rules, also those in at-rules, but not what is nested in a rule, nor what css-select does not know. */
  const read = (nodes: readonly CssNode[]): void => {
    for (const node of nodes) {
      if (node.type === 'Atrule' && isInForce(node)) read(node.block?.children.toArray() ?? [])
      if (node.type !== 'Rule' || node.prelude.type !== 'SelectorList') continue
      const declarations = node.block.children.toArray().flatMap(declarationsOf)
      for (const selector of node.prelude.children.toArray().map(one => generate(one))) {
        try {
          const fits = compile<PagePart, PageElement>(selector, { adapter, pseudos: OF_VISITORS })
          rules.push({ fits, specificity: specificityOf(selector), declarations })
        } catch (error) {
          if (!(error instanceof Error)) throw error
        }
      }
    }
  }
  const visit = (element: PageElement): void => {
    const { tag, attributes, children } = element
    const isStyle = tag === 'style' && /^\s*(?:text\/css\s*)?$/i.test(attributes.type ?? '')
    if (isStyle && includesScreen(attributes.media ?? '')) read(nodesOf(children.join(''), 'stylesheet'))
    for (const child of children.filter(isElement)) {
      parents.set(child, element)
      if (child.tag !== 'template') visit(child)
    }
  }
  visit(root)
  rules.sort((one, other) => one.specificity - other.specificity)
  return element => {
    const fitting = counted(rules).filter(({ fits }) => fits(element))
    const inline = nodesOf(element.attributes.style ?? '', 'declarationList').flatMap(declarationsOf)
    const all = counted([...fitting.flatMap(({ declarations }) => declarations), ...inline], 10)
    const inOrder = [false, true].flatMap(isImportant => all.filter(one => one[2] === isImportant))
    return new Map(inOrder.map(([name, value]) => [name, value]))
  }
}

/** The nodes of a style sheet, or of a `style` attribute. */
function nodesOf(css: string, context: 'stylesheet' | 'declarationList'): readonly CssNode[] {
  const tree = parse(css, { context, onParseError: () => undefined, positions: false })
  return tree.type === 'StyleSheet' || tree.type === 'DeclarationList' ? tree.children.toArray() : []
}

function declarationsOf(node: CssNode): readonly Declaration[] {
  if (node.type !== 'Declaration') return []
  const [name, given, isImportant] = [
    ident.decode(node.property),
    generate(node.value).trim(),
    node.important !== false,
  ]
  if (name.startsWith('--')) return [[name, given, isImportant]]
  const value = ident.decode(given).toLowerCase()
  // Of a whole font only the size counts, and whether it is nothing.
  if (name === 'font') return [['font-size', /(?<![\d.])0(?=[\s/])/.test(value) ? '0' : '16px', isImportant]]
  return [[name.toLowerCase().replace(/^-(?:webkit|moz|ms)-/, ''), value, isImportant]]
}

/** Ids count most, then classes and the like, then types; in `:is()` and `:not()` the sum counts, not the highest. */
function specificityOf(selector: string): number {
  const plain = selector.replaceAll(/:where\((?:[^()]|\([^()]*\))*\)|:(?:is|not|has)\(/g, '')
  const parts = plain.matchAll(/#[\w-]+|\.[\w\\-]+|\[[^\]]*\]|:[\w-]+(?:\([^()]*\))?|(?<![\w.#:-])[a-z][\w-]*/gi)
  return [...parts].reduce((sum, [{ 0: first = '' }]) => sum + (first === '#' ? 1e6 : /[.[:]/.test(first) ? 1e3 : 1), 0)
}

/** What depends on a visitor's hand is not so: nothing is hovered, in focus, or jumped to. */
const VISITORS = 'hover active visited focus focus-within focus-visible target target-within'.split(' ')
const OF_VISITORS = Object.fromEntries(VISITORS.map(name => [name, () => false]))

/** What `@supports` asks for a browser has. */
const isInForce = ({ name, prelude }: Extract<CssNode, { type: 'Atrule' }>): boolean =>
  /^(?:layer|scope|supports)$/i.test(name) ||
  (/^media$/i.test(name) && includesScreen(prelude ? generate(prelude) : ''))

/** Do media take in a large screen of no special wishes? Least sizes hold, greatest ones do not. Without any they do. */
const includesScreen = (media: string): boolean =>
  media.split(',').some(query => !/print|speech|max-|<|not\b|dark|reduce|more|portrait|none|coarse/i.test(query))
