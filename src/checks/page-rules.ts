/** The rules of a page's style sheets, as far as they apply on an ordinary screen, in the order of the cascade. */
import { compile } from 'css-select'
import { type CssNode, generate, ident, parse, walk } from 'css-tree'
import { elementsIn, isElement, type PageElement, type PagePart } from './page-outline.ts'

/** Values by property in lower case, without escapes and vendor prefixes; custom properties are left as they are. */
export type Styles = ReadonlyMap<string, string>
type Declaration = readonly [property: string, value: string, isImportant: boolean]
/** The element itself, or what a style sheet puts before or after its content. */
export type Box = 'own' | 'before' | 'after'
interface Rule {
  readonly fits: (element: PageElement) => boolean
  readonly box: Box
  readonly specificity: number
  readonly declarations: readonly Declaration[]
}

/** Enough for any ordinary page: nodes and values looked at, brackets in brackets, characters of a selector or value. */
const MAX_STEPS = 5_000_000
const MAX_NESTING = 40
export const MAX_LENGTH = 2_000
/** The styles go beyond these bounds. */
export class TooIntricate extends Error {}

export class PageRules {
  readonly #parents = new Map<PageElement, PageElement>()
  readonly #rules: Rule[] = []
  #steps = 0

  /** @param root `<html>`, without templates. */
  constructor(root: PageElement) {
    const elements = [root, ...elementsIn(root)]
    for (const element of elements) {
      for (const child of element.children.filter(isElement)) this.#parents.set(child, element)
    }
    for (const { tag, attributes, children } of elements) {
      const isStyle = tag === 'style' && /^(?:text\/css)?$/i.test((attributes.type ?? '').trim())
      if (isStyle && includesScreen(attributes.media ?? '')) this.#read(nodesOf(children.join(''), 'stylesheet'))
    }
    this.#rules.sort((one, other) => one.specificity - other.specificity)
  }

  /** Reads rules, also those in at-rules. What is nested in a rule is left out. */
  #read(nodes: readonly CssNode[]): void {
    for (const node of nodes) {
      if (node.type === 'Atrule' && isInForce(node)) this.#read(node.block?.children.toArray() ?? [])
      if (node.type !== 'Rule' || node.prelude.type !== 'SelectorList') continue
      const declarations = node.block.children.toArray().flatMap(declarationsOf)
      for (const selector of node.prelude.children.toArray()) this.#add(generate(selector), declarations)
    }
  }

  #add(text: string, declarations: readonly Declaration[]): void {
    const [end = '', box = 'own'] = /::?(before|after)$/.exec(text.toLowerCase()) ?? []
    const selector = text.slice(0, text.length - end.length) || '*'
    if (selector.length > MAX_LENGTH) return
    const fits = this.#compiled(selector)
    if (fits !== null) this.#rules.push({ fits, box: box as Box, specificity: specificityOf(selector), declarations })
  }

  /** A selector as a question; null for one that css-select does not know: browsers leave such a rule out as well. */
  #compiled(selector: string): Rule['fits'] | null {
    const getChildren = (node: PagePart) => {
      const children = isElement(node) ? [...node.children] : []
      this.count(children.length)
      return children
    }
    const getParent = (node: PagePart) => {
      this.count(1)
      return isElement(node) ? (this.#parents.get(node) ?? null) : null
    }
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
    try {
      return compile<PagePart, PageElement>(selector, { adapter, pseudos: PSEUDOS })
    } catch (error) {
      if (error instanceof Error) return null
      throw error
    }
  }

  /** Counts what is looked at, so that following the styles comes to an end. */
  count(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS) throw new TooIntricate()
  }

  /** What the rules say about a box: the last of the important values, else the last one. */
  cascade(element: PageElement, box: Box): Styles {
    this.count(this.#rules.length)
    const fitting = this.#rules.filter(rule => rule.box === box && rule.fits(element))
    const style = box === 'own' ? (element.attributes.style ?? '') : ''
    const inline = style === '' ? [] : nodesOf(style, 'declarationList').flatMap(declarationsOf)
    const all = [...fitting.flatMap(({ declarations }) => declarations), ...inline]
    this.count(all.length)
    const styles = new Map<string, string>()
    for (const [name, value] of [...all.filter(one => !one[2]), ...all.filter(one => one[2])]) {
      // Put at the end, where it holds against a shorthand before it.
      styles.delete(name)
      styles.set(name, value)
    }
    return styles
  }
}

/** The nodes of a style sheet, or of a `style` attribute. */
function nodesOf(css: string, context: 'stylesheet' | 'declarationList'): readonly CssNode[] {
  let depth = 0
  for (const char of css) {
    depth = '([{'.includes(char) ? depth + 1 : ')]}'.includes(char) ? Math.max(0, depth - 1) : depth
    if (depth > MAX_NESTING) throw new TooIntricate()
  }
  const tree = parse(css, { context, onParseError: () => undefined, positions: false })
  return tree.type === 'StyleSheet' || tree.type === 'DeclarationList' ? tree.children.toArray() : []
}

function declarationsOf(node: CssNode): readonly Declaration[] {
  if (node.type !== 'Declaration') return []
  const isImportant = node.important !== false
  const name = ident.decode(node.property)
  if (name.startsWith('--')) return [[name, generate(node.value).trim().slice(0, MAX_LENGTH), isImportant]]
  // What is in strings and addresses makes no difference, and is not an identifier to be decoded.
  walk(node.value, part => {
    if (part.type === 'Url' || part.type === 'String') part.value = ''
  })
  const value = ident.decode(generate(node.value)).toLowerCase()
  return [[name.toLowerCase().replace(/^-(?:webkit|moz|ms)-/, ''), value, isImportant]]
}

/** Ids count most, then classes and the like, then types; in `:is()` and `:not()` the sum counts, not the highest. */
function specificityOf(selector: string): number {
  const plain = selector.replaceAll(/:where\((?:[^()]|\([^()]*\))*\)|:(?:is|not|has)\(/g, '')
  const parts = plain.matchAll(/#[\w-]+|\.[\w\\-]+|\[[^\]]*\]|:[\w-]+(?:\([^()]*\))?|(?<![\w.#:-])[a-z][\w-]*/gi)
  return [...parts].reduce((sum, [{ 0: first = '' }]) => sum + (first === '#' ? 1e6 : /[.[:]/.test(first) ? 1e3 : 1), 0)
}

/** What depends on a visitor's hand is not so: nothing is hovered, in focus, or jumped to. */
const OF_VISITORS = 'hover active visited focus focus-within focus-visible target target-within'.split(' ')
const LINKS = { 'any-link': '[href]', link: '[href]' }
const PSEUDOS = { ...Object.fromEntries(OF_VISITORS.map(name => [name, () => false])), ...LINKS }

/** What `@supports` asks for a browser has, a container is as wide as the screen, and a scope is all of the page. */
function isInForce({ name: given, prelude }: Extract<CssNode, { type: 'Atrule' }>): boolean {
  const name = ident.decode(given).toLowerCase()
  const text = prelude === null ? '' : generate(prelude)
  if (name === 'media') return includesScreen(text)
  if (name === 'container') return includesScreen(text.slice(Math.max(0, text.indexOf('('))))
  return ['layer', 'scope'].includes(name) || (name === 'supports' && !/^not\b/i.test(text))
}

const FEATURES =
  /^(?:prefers-color-scheme:light|prefers-[a-z-]+:no-preference|orientation:landscape|hover:hover|pointer:fine)$/

/** Do media take in a screen of 1280 by 800 whose visitor likes it light? Without any they do. */
function includesScreen(media: string): boolean {
  const queries = media.toLowerCase().split(',')
  return queries.some(query => {
    const [, not = '', type = 'screen', rest = ''] = /^\s*(not\s+|only\s+)?([a-z]+\b)?(.*)$/s.exec(query) ?? []
    const features = [...rest.matchAll(/\(([^()]*)\)/g)].map(([, feature = '']) => feature.replaceAll(/\s/g, ''))
    return (/^(?:all|screen)$/.test(type) && features.every(holds)) !== not.startsWith('not')
  })
}

function holds(feature: string): boolean {
  const parts = /^(?:(min|max)-)?(width|height)(?::|([<>])=?)([\d.]+)(r?em)?/.exec(feature)
  if (parts === null) return FEATURES.test(feature)
  const [, bound, side, sign, size, isRelative] = parts
  const beyond = Number(size) * (isRelative === undefined ? 1 : 16) - (side === 'width' ? 1280 : 800)
  return bound === 'min' || sign === '>' ? beyond <= 0 : beyond >= 0
}
