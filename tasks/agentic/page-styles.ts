/**
 * The styles a page gives its elements, as far as they decide what can be seen: rules that apply at an ordinary screen,
 * in the order of the cascade. Layers count as if they were not there; rules with selectors or conditions that are not
 * understood are left out.
 */
import { type Block, type CssNode, type Declaration, generate, ident, lexer, tokenize, tokenTypes } from 'css-tree'
import { parseCss } from './page-css.ts'
import { attributeOf, type DocumentElement, ownTextOf, type PageDocument, tagOf } from './page-document.ts'
import { includesScreen, isApplied } from './page-media.ts'
import { type CompiledSelector, compareSpecificity, compileSelector } from './page-selectors.ts'

/** Values by property, in lower case and without escapes; those of custom properties as they are written. */
export type Styles = ReadonlyMap<string, string>

export interface PageStyles {
  /** What the page's own rules say about an element: cascaded, not inherited, `var()` not put in. */
  of(element: DocumentElement): Styles
  /** Custom properties that rules for `:root` declare, by name. */
  readonly rootRules: Styles
  /** The styles at the end of an animation, by its name. */
  readonly animations: ReadonlyMap<string, Styles>
  /** Rules for `::before` or `::after` paint something. */
  readonly paintsBeside: boolean
}

interface Value {
  readonly property: string
  readonly value: string
  readonly isImportant: boolean
}
interface Rule {
  readonly selector: CompiledSelector
  readonly isRoot: boolean
  readonly values: readonly Value[]
}

/** Brackets in brackets, and questions whether a rule fits an element: enough for any ordinary page. */
const MAX_NESTING = 40
const MAX_QUESTIONS = 5_000_000

/** Reads the styles of a page; null when they are too intricate to be followed. */
export function stylesOf({ root, elements }: PageDocument): PageStyles | null {
  const rules: Rule[] = []
  const animations = new Map<string, Styles>()
  const besides: Value[] = []
  for (const element of elements) {
    if (!isStyleSheet(element, root)) continue
    const text = ownTextOf(element)
    if (nestingOf(text) > MAX_NESTING) return null
    const sheet = parseCss(text, 'stylesheet')
    if (sheet?.type === 'StyleSheet') readBlock(sheet.children.toArray(), null, { rules, animations, besides })
  }
  const size = { elements: elements.length, siblings: Math.max(...elements.map(one => one.childNodes.length)) }
  const questions = rules.reduce((sum, { selector }) => sum + elements.length * selector.cost(size), 0)
  if (questions > MAX_QUESTIONS || elements.some(one => nestingOf(attributeOf(one, 'style') ?? '') > MAX_NESTING)) {
    return null
  }
  const sorted = rules
    .map((rule, order) => ({ ...rule, order }))
    .sort((a, b) => compareSpecificity(a.selector.specificity, b.selector.specificity) || a.order - b.order)
  return {
    of: element => {
      const fitting = sorted.filter(({ selector }) => selector.matches(element)).map(({ values }) => values)
      return cascade([...fitting, inlineOf(element)])
    },
    rootRules: cascade(rules.filter(({ isRoot }) => isRoot).map(({ values }) => values)),
    animations,
    paintsBeside: besides.some(({ property }) => property.startsWith('background')),
  }
}

function isStyleSheet(element: DocumentElement, root: DocumentElement): boolean {
  if (tagOf(element) !== 'style') return false
  const type = (attributeOf(element, 'type') ?? '').trim().toLowerCase()
  if (!['', 'text/css'].includes(type) || !includesScreen(attributeOf(element, 'media') ?? '')) return false
  // What lies in a template is not part of the page.
  for (let node = element.parentNode; node !== null; node = 'parentNode' in node ? node.parentNode : null) {
    if (node === root) return true
  }
  return false
}

/** How deep brackets lie in each other: parsers call themselves for each. */
function nestingOf(css: string): number {
  let depth = 0
  let deepest = 0
  tokenize(css, type => {
    const { Function: call, LeftParenthesis, LeftCurlyBracket, LeftSquareBracket } = tokenTypes
    const { RightParenthesis, RightCurlyBracket, RightSquareBracket } = tokenTypes
    if ([call, LeftParenthesis, LeftCurlyBracket, LeftSquareBracket].includes(type)) depth += 1
    if ([RightParenthesis, RightCurlyBracket, RightSquareBracket].includes(type)) depth = Math.max(0, depth - 1)
    deepest = Math.max(deepest, depth)
  })
  return deepest
}

interface Reading {
  readonly rules: Rule[]
  readonly animations: Map<string, Styles>
  /** What rules for `::before` and `::after` say. */
  readonly besides: Value[]
}

/** Reads rules, and those nested in them. `parents` are the selectors of the rule around, null outside of any. */
function readBlock(given: readonly CssNode[], parents: readonly string[] | null, reading: Reading): void {
  const nodes = parents === null ? given : given.flatMap(withNested)
  const values = nodes.flatMap(node => (node.type === 'Declaration' ? valuesOf(node) : []))
  for (const text of parents ?? []) {
    if (/:(?:before|after)\b/i.test(text)) reading.besides.push(...values)
    const selector = values.length === 0 ? null : compileSelector(text)
    if (selector !== null) reading.rules.push({ selector, isRoot: /^:root$/i.test(text.trim()), values })
  }
  for (const node of nodes) {
    if (node.type === 'Rule') {
      const { prelude, block } = node
      const own = prelude.type === 'Raw' ? [prelude.value] : prelude.children.toArray().map(one => generate(one))
      readBlock(block.children.toArray(), nested(own, parents), reading)
    } else if (node.type === 'Atrule' && node.block !== null) {
      const name = ident.decode(node.name).toLowerCase()
      if (/^(?:-\w+-)?keyframes$/.test(name)) readAnimation(node.prelude, node.block, reading)
      else if (isApplied(name, node.prelude)) readBlock(node.block.children.toArray(), parents, reading)
    }
  }
}

/** css-tree knows a nested rule by its `&`; one without is left as it is, with whatever follows. */
function withNested(node: CssNode): readonly CssNode[] {
  const isRuleInside = node.type === 'Declaration' && node.value.type === 'Raw' && node.value.value.includes('{')
  const text = node.type === 'Raw' ? node.value : isRuleInside ? generate(node) : null
  if (text === null) return [node]
  const sheet = parseCss(text, 'stylesheet')
  if (sheet?.type !== 'StyleSheet') return []
  return sheet.children.toArray().flatMap(child => (child.type === 'Raw' ? declarationsIn(child.value) : [child]))
}

function declarationsIn(text: string): readonly CssNode[] {
  const list = parseCss(text, 'declarationList')
  return list?.type === 'DeclarationList' ? list.children.toArray() : []
}

/** Selectors of a nested rule: `&` is the rule around, and a selector without one lies below it. */
function nested(own: readonly string[], parents: readonly string[] | null): readonly string[] {
  if (parents === null) return own
  const around = `:is(${parents.join(',')})`
  return own.map(text => (text.includes('&') ? text.replaceAll('&', around) : `${around} ${text}`))
}

function readAnimation(prelude: CssNode | null, block: Block, { animations }: Reading): void {
  const last = block.children
    .toArray()
    .filter(node => node.type === 'Rule' && /(?:^|,)(?:to|100%)(?:,|$)/i.test(generate(node.prelude)))
  const values = last.flatMap(node => (node.type === 'Rule' ? node.block.children.toArray() : []))
  const styles = cascade([values.flatMap(node => (node.type === 'Declaration' ? valuesOf(node) : []))])
  if (prelude !== null) animations.set(ident.decode(generate(prelude)).toLowerCase().replaceAll(/["']/g, ''), styles)
}

function inlineOf(element: DocumentElement): readonly Value[] {
  const style = attributeOf(element, 'style')
  if (style === null) return []
  return declarationsIn(style).flatMap(node => (node.type === 'Declaration' ? valuesOf(node) : []))
}

/** The last of the important values, else the last one. */
function cascade(groups: readonly (readonly Value[])[]): Styles {
  const styles = new Map<string, string>()
  const all = groups.flat()
  for (const isImportant of [false, true]) {
    for (const value of all) if (value.isImportant === isImportant) styles.set(value.property, value.value)
  }
  return styles
}

/** A declaration, with shorthands taken apart as far as they matter; none for one that a browser leaves out. */
function valuesOf(declaration: Declaration): readonly Value[] {
  const isImportant = declaration.important !== false
  const name = ident.decode(declaration.property)
  const text = generate(declaration.value)
  if (name.startsWith('--')) return [{ property: name, value: text.trim(), isImportant }]
  const property = name.toLowerCase()
  const value = ident.decode(text).toLowerCase()
  const isKnown = value.includes('var(') || lexer.matchProperty(property, value).error === null
  if (!isKnown) return []
  return [...longhands(property, value)].map(([key, part]) => ({
    property: key,
    value: part,
    isImportant,
  }))
}

function* longhands(property: string, value: string): Generator<readonly [string, string]> {
  switch (property) {
    case 'font': {
      const size = /(?:^|\s)([\d.]+[a-z%]*)(?=\s|\/)/.exec(value)?.[1]
      if (size !== undefined) yield ['font-size', size]
      return
    }
    case 'background': {
      const isPlain = !/url\(|gradient\(|image|element\(/.test(value)
      yield ['background-image', isPlain ? 'none' : 'something']
      yield ['background-color', isPlain ? value : 'transparent']
      if (/(?:^|\s)text(?:\s|$)/.test(value)) yield ['background-clip', 'text']
      return
    }
    case 'inset': {
      const [top = '', right = top, bottom = top, left = right] = value.split(/\s+/)
      yield* Object.entries({ top, right, bottom, left })
      return
    }
    case 'margin': {
      const [top = '', right = top, , left = right] = value.split(/\s+/)
      yield* Object.entries({ 'margin-top': top, 'margin-left': left })
      return
    }
    case 'overflow':
      yield ['overflow-x', value.split(/\s+/)[0] ?? '']
      yield ['overflow-y', value.split(/\s+/).at(-1) ?? '']
      return
    case 'animation':
      yield ['animation-name', value]
      return
    case '-webkit-background-clip':
      yield ['background-clip', value]
      return
    default:
      yield [property, value]
  }
}
