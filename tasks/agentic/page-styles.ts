/**
 * The styles a page gives its elements, as far as they decide what can be seen: rules that apply at an ordinary screen,
 * in the order of the cascade. Rules with selectors that are not understood are left out; rules of which it cannot be
 * said whether they apply make two readings.
 */
import {
  type Atrule,
  type Block,
  type CssNode,
  type Declaration,
  generate,
  ident,
  tokenize,
  tokenTypes,
  walk,
} from 'css-tree'
import { parseCss } from './page-css.ts'
import { attributeOf, type DocumentElement, ownTextOf, type PageDocument, tagOf } from './page-document.ts'
import { longhandsOf } from './page-longhands.ts'
import { applicationOf, includesScreen } from './page-media.ts'
import { type CompiledSelector, compareSpecificity, compileSelector } from './page-selectors.ts'

/** Values by property, in lower case and without escapes; those of custom properties as they are written. */
export type Styles = ReadonlyMap<string, string>

/** Boxes that a style sheet puts before and after what is in an element. */
export type Beside = 'before' | 'after'

/** One way to understand the styles of a page. */
export interface StyleReading {
  /** What the page's own rules say about an element: cascaded, not inherited, `var()` not put in. */
  of(element: DocumentElement): Styles
  /** What they say about its `::before` or `::after`. */
  beside(element: DocumentElement, beside: Beside): Styles
}

export interface PageStyles extends StyleReading {
  /**
   * Ways to understand the styles, this one first: with all rules that apply perhaps and layers as if they were not there,
   * and without such rules and layers below all else. What is hidden in one of them counts as hidden.
   */
  readonly readings: readonly StyleReading[]
  /** Custom properties that rules for `:root` declare, by name. */
  readonly rootRules: Styles
  readonly animations: ReadonlyMap<string, Animation>
  /** The initial values of custom properties with `@property`. */
  readonly initial: Styles
}

/** The styles at both ends of an animation. */
export interface Animation {
  readonly from: Styles
  readonly to: Styles
}

interface Value {
  readonly property: string
  readonly value: string
  readonly isImportant: boolean
}
interface Rule {
  readonly selector: CompiledSelector
  readonly isRoot: boolean
  readonly beside: Beside | null
  readonly values: readonly Value[]
  readonly context: Context
}
/** What is around a rule. */
interface Context {
  /** Selectors of the rule around; null outside of any. */
  readonly parents: readonly string[] | null
  /** It cannot be said whether the rule applies. */
  readonly isPerhaps: boolean
  /** The layer's name, '' outside of any. */
  readonly layer: string
}

/** Brackets in brackets, and questions whether a rule fits an element: enough for any ordinary page. */
const MAX_NESTING = 40
const MAX_QUESTIONS = 5_000_000

/** Reads the styles of a page; null when they are too intricate to be followed. */
export function stylesOf({ root, elements }: PageDocument): PageStyles | null {
  const rules: Rule[] = []
  const animations = new Map<string, Animation>()
  const initial = new Map<string, string>()
  const layers: string[] = []
  for (const element of elements) {
    if (!isStyleSheet(element, root)) continue
    const text = ownTextOf(element)
    if (nestingOf(text) > MAX_NESTING) return null
    const sheet = parseCss(text, 'stylesheet')
    const context = { parents: null, isPerhaps: false, layer: '' }
    if (sheet?.type === 'StyleSheet')
      readBlock(sheet.children.toArray(), context, { rules, animations, layers, initial })
  }
  const size = { elements: elements.length, siblings: Math.max(...elements.map(one => one.childNodes.length)) }
  const questions = rules.reduce((sum, { selector }) => sum + elements.length * selector.cost(size), 0)
  if (questions > MAX_QUESTIONS || elements.some(one => nestingOf(attributeOf(one, 'style') ?? '') > MAX_NESTING)) {
    return null
  }
  const [all, certain] = [
    readingOf(rules, []),
    readingOf(
      rules.filter(({ context }) => !context.isPerhaps),
      layers,
    ),
  ]
  const isPlain = rules.every(({ context }) => !context.isPerhaps && context.layer === '')
  return {
    ...all,
    readings: isPlain ? [all] : [all, certain],
    rootRules: cascade(rules.filter(({ isRoot }) => isRoot).map(({ values }) => values)),
    animations,
    initial,
  }
}

/** @param layers From the weakest to the strongest, which is still weaker than what is in none. */
function readingOf(rules: readonly Rule[], layers: readonly string[]): StyleReading {
  const rankOf = ({ context }: Rule) => (layers.includes(context.layer) ? layers.indexOf(context.layer) : layers.length)
  const sorted = rules
    .map((rule, order) => ({ ...rule, order, rank: rankOf(rule) }))
    .sort(
      (a, b) =>
        a.rank - b.rank || compareSpecificity(a.selector.specificity, b.selector.specificity) || a.order - b.order,
    )
  const fitting = (element: DocumentElement, wanted: Beside | null) =>
    sorted.filter(({ selector, beside }) => beside === wanted && selector.matches(element)).map(({ values }) => values)
  const isUsed = (wanted: Beside) => sorted.some(({ beside }) => beside === wanted)
  const used = { before: isUsed('before'), after: isUsed('after') }
  return {
    of: element => cascade([...fitting(element, null), inlineOf(element)]),
    beside: (element, beside) => (used[beside] ? cascade(fitting(element, beside)) : new Map()),
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
  readonly animations: Map<string, Animation>
  readonly initial: Map<string, string>
  /** Names of layers in the order in which they are first told of. */
  readonly layers: string[]
}

/** Reads rules, and those nested in them. */
function readBlock(given: readonly CssNode[], context: Context, reading: Reading): void {
  const { parents } = context
  const nodes = parents === null ? given : given.flatMap(withNested)
  const values = nodes.flatMap(node => (node.type === 'Declaration' ? valuesOf(node) : []))
  for (const text of values.length === 0 ? [] : (parents ?? [])) {
    const [beside = null] = /::?(?:before|after)$/i.exec(text.trim()) ?? []
    // A first line can be all there is.
    const [line = null] = /::?first-line$/i.exec(text.trim()) ?? []
    const end = beside ?? line
    const selector = compileSelector(end === null ? text : text.trim().slice(0, -end.length) || '*')
    if (selector === null) continue
    const kind = beside === null ? null : /before/i.test(beside) ? 'before' : 'after'
    reading.rules.push({
      selector,
      isRoot: /^:root$/i.test(text.trim()),
      beside: kind,
      values,
      context: { ...context, isPerhaps: context.isPerhaps || line !== null },
    })
  }
  for (const node of nodes) {
    if (node.type === 'Rule') {
      const { prelude, block } = node
      const own = prelude.type === 'Raw' ? [prelude.value] : prelude.children.toArray().map(one => generate(one))
      readBlock(block.children.toArray(), { ...context, parents: nested(own, parents) }, reading)
    } else if (node.type === 'Atrule') readAtrule(node, context, reading)
  }
}

function readAtrule({ name: given, prelude, block }: Atrule, context: Context, reading: Reading): void {
  const name = ident.decode(given).toLowerCase()
  const inside = { ...context }
  if (name === 'layer') inside.layer = layerOf(prelude, context, reading)
  if (block === null) return
  if (/^(?:-\w+-)?keyframes$/.test(name)) {
    readAnimation(prelude, block, reading)
    return
  }
  if (name === 'property' && prelude !== null) {
    const value = block.children
      .toArray()
      .find(node => node.type === 'Declaration' && node.property === 'initial-value')
    if (value?.type === 'Declaration') reading.initial.set(generate(prelude), generate(value.value).trim())
    return
  }
  const application = applicationOf(name, prelude)
  if (application === 'never') return
  if (application === 'perhaps') inside.isPerhaps = true
  const root = name === 'scope' && prelude !== null ? scopeOf(generate(prelude)) : null
  if (root !== null) inside.parents = nested([root], context.parents)
  readBlock(block.children.toArray(), inside, reading)
}

/** The selector of `@scope (selector) to (selector)`. */
function scopeOf(prelude: string): string | null {
  return /^\s*\((.*?)\)\s*(?:to\b.*)?$/i.exec(prelude)?.[1] ?? null
}

/** The full name of a layer; those that are listed are told of. */
function layerOf(prelude: CssNode | null, { layer }: Context, { layers }: Reading): string {
  const around = layer === '' ? '' : `${layer}.`
  const names = prelude === null ? [` ${layers.length}`] : generate(prelude).split(',')
  const full = names.map(name => `${around}${name.trim() === '' ? name : name.trim()}`)
  for (const name of full) {
    // What is in a layer is weaker than what is in the one around it.
    const at = layers.indexOf(layer)
    if (!layers.includes(name)) layers.splice(at === -1 ? layers.length : at, 0, name)
  }
  return full[0] ?? layer
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
  return own
    .map(given => given.replaceAll(':scope', '&'))
    .map(text => (text.includes('&') ? text.replaceAll('&', around) : `${around} ${text}`))
}

function readAnimation(prelude: CssNode | null, block: Block, { animations }: Reading): void {
  const stylesAt = (place: RegExp) => {
    const rules = block.children.toArray().filter(node => node.type === 'Rule' && place.test(generate(node.prelude)))
    const nodes = rules.flatMap(node => (node.type === 'Rule' ? node.block.children.toArray() : []))
    return cascade([nodes.flatMap(node => (node.type === 'Declaration' ? valuesOf(node) : []))])
  }
  const ends = { from: stylesAt(/(?:^|,)(?:from|0%)(?:,|$)/i), to: stylesAt(/(?:^|,)(?:to|100%)(?:,|$)/i) }
  if (prelude !== null) animations.set(ident.decode(generate(prelude)).toLowerCase().replaceAll(/["']/g, ''), ends)
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
  if (name.startsWith('--')) return [{ property: name, value: generate(declaration.value).trim(), isImportant }]
  // What is in strings and addresses makes no difference, and is no identifier to be decoded.
  walk(declaration.value, node => {
    if (node.type === 'Url') node.value = 'data:,'
    if (node.type === 'String') node.value = ''
  })
  const value = ident.decode(generate(declaration.value)).toLowerCase()
  return longhandsOf(name.toLowerCase(), value).map(([property, part]) => ({ property, value: part, isImportant }))
}
