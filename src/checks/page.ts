/**
 * What a reader gets of a page: its elements and texts without those that the markup or the styles hide by ordinary means.
 * Not a browser: nothing is laid out, loaded or run. docs/checks.md lists what is understood, and what is not.
 */
import { compile } from 'css-select'
import { type CssNode, generate, ident, parse, walk } from 'css-tree'
import { elementsIn, isElement, outlineOf, type PageElement, type PagePart, rewrite, textOf } from './page-outline.ts'

export interface Page {
  /** All that is written, as {@link outlineOf} gives it. */
  readonly all: PageElement
  /** The `<html>` element with what can be read of it. */
  readonly seen: PageElement
  /** Custom properties in force on `<html>`, by name with the two hyphens. */
  readonly customProperties: ReadonlyMap<string, string>
}

/** Values by property in lower case, without escapes and vendor prefixes; custom properties are left as they are. */
type Styles = ReadonlyMap<string, string>
type Declaration = readonly [property: string, value: string, isImportant: boolean]
/** The element itself, or what a style sheet puts before or after its content. */
type Box = 'own' | 'before' | 'after'
interface Rule {
  readonly fits: (element: PageElement) => boolean
  readonly box: Box
  readonly specificity: number
  readonly declarations: readonly Declaration[]
}
interface Look {
  /** Own values, and inherited ones. */
  readonly styles: Styles
  readonly opacity: number
  /** null where it is not one colour: a picture, a gradient, or something painted beside. */
  readonly background: string | null
  /** The background is seen through the letters. */
  readonly isClipped: boolean
  /** The highest z-index of the positioned boxes it lies in. */
  readonly layer: number
  /** It has a negative z-index, or lies in something that has. */
  readonly isBehind: boolean
}

/** Enough for any ordinary page: questions whether a selector fits, brackets in brackets, characters of a value. */
const MAX_STEPS = 3_000_000
const MAX_NESTING = 40
const MAX_LENGTH = 2_000
/** What is not positioned lies below what is, and above what has a negative z-index. */
const NO_LAYER = -0.5
const NO_STYLES: Styles = new Map()
class TooIntricate extends Error {}

/**
 * Reads a page as somebody does who opens it and touches nothing, at a screen of 1280 by 800.
 * @returns null for a page that {@link outlineOf} does not read, or whose styles are too intricate to be followed.
 * @example
 * const page = readPage('<h1>King<span>fisher</span></h1><p hidden>draft</p>')
 * page && textOf(page.seen) // 'Kingfisher'
 */
export function readPage(html: string): Page | null {
  const all = outlineOf(html)
  const root = all?.children.filter(isElement).find(({ tag }) => tag === 'html')
  if (all === null || root === undefined) return null
  try {
    return { all, ...new Reading(root).page() }
  } catch (error) {
    if (error instanceof TooIntricate) return null
    throw error
  }
}

/** Elements that are not shown, or only where something else cannot be. */
const UNSEEN = new Set(
  `head noscript script style title meta link base datalist param source track noframes noembed rp metadata desc defs
  symbol clippath mask foreignobject`.split(/\s+/),
)
/** Elements whose content stands in for them where they do not work. */
const REPLACED = ['canvas', 'video', 'audio', 'object', 'iframe', 'progress', 'meter']
const CONTROLS = ['input', 'select', 'button', 'textarea', 'img', 'svg']
const INHERITED = ['visibility', 'color', 'text-fill-color', 'font-size', 'text-indent']

class Reading {
  readonly #root: PageElement
  readonly #parents = new Map<PageElement, PageElement>()
  readonly #rules: Rule[] = []
  readonly #looks = new Map<PageElement, Look>()
  /** Layer of the highest box that is fixed, opaque and over all of the viewport. */
  #cover = Number.NEGATIVE_INFINITY
  /** Children of the element that has most. */
  readonly #siblings: number
  #steps = 0

  constructor(given: PageElement) {
    this.#root = rewrite(given, part => (isElement(part) && part.tag === 'template' ? null : part))
    const elements = [this.#root, ...elementsIn(this.#root)]
    this.#siblings = Math.max(...elements.map(({ children }) => children.length))
    for (const element of elements) {
      for (const child of element.children.filter(isElement)) this.#parents.set(child, element)
    }
    for (const { tag, attributes, children } of elements) {
      const isStyle = tag === 'style' && /^(?:text\/css)?$/i.test((attributes.type ?? '').trim())
      if (isStyle && includesScreen(attributes.media ?? '')) this.#read(nodesOf(children.join(''), 'stylesheet'))
    }
    this.#rules.sort((one, other) => one.specificity - other.specificity)
  }

  page(): Omit<Page, 'all'> {
    const outside = {
      styles: new Map(),
      opacity: 1,
      background: '255,255,255',
      isClipped: false,
      layer: NO_LAYER,
      isBehind: false,
    }
    this.#look(this.#root, outside)
    const custom = [...this.#cascade(this.#root, 'own')].filter(([name]) => name.startsWith('--'))
    return { seen: this.#seen(this.#root) ?? { ...this.#root, children: [] }, customProperties: new Map(custom) }
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
    const counts = [/~|:nth|:first|:last|:only/gi, /:has|:contains/gi].map(wide => selector.match(wide)?.length ?? 0)
    const [amongSiblings = 0, below = 0] = counts
    this.#steps += this.#parents.size ** (1 + below) * this.#siblings ** amongSiblings
    if (this.#steps > MAX_STEPS) throw new TooIntricate()
    const fits = compiled(selector, this.#parents)
    if (fits !== null) this.#rules.push({ fits, box: box as Box, specificity: specificityOf(selector), declarations })
  }

  /** What the rules say about a box: the last of the important values, else the last one. */
  #cascade(element: PageElement, box: Box): Styles {
    const fitting = this.#rules.filter(rule => rule.box === box && rule.fits(element))
    const style = box === 'own' ? (element.attributes.style ?? '') : ''
    const inline = style === '' ? [] : nodesOf(style, 'declarationList').flatMap(declarationsOf)
    const all = [...fitting.flatMap(({ declarations }) => declarations), ...inline]
    const styles = new Map<string, string>()
    for (const [name, value] of [...all.filter(one => !one[2]), ...all.filter(one => one[2])]) {
      // Put at the end, where it holds against a shorthand before it.
      styles.delete(name)
      styles.set(name, value)
    }
    return styles
  }

  /** Works out how an element and those inside of it look; one that is not shown at all gets no entry. */
  #look(element: PageElement, outer: Look): void {
    const look = lookOf(element, this.#cascade(element, 'own'), outer)
    if (look === null) return
    if (isCover(look.styles) && textOf(element) === '') this.#cover = Math.max(this.#cover, layerOf(look.styles) + 0.5)
    const boxes = (['before', 'after'] as const).map(box => styled(this.#cascade(element, box), look.styles))
    const [before, after] = boxes.map(box => (box.has('content') && isPainted(box) ? box : null))
    if (before && isCover(before)) this.#cover = Math.max(this.#cover, layerOf(before))
    if (after && isCover(after)) this.#cover = Math.max(this.#cover, layerOf(after) + 0.5)
    let inside = before || after ? { ...look, background: null } : look
    this.#looks.set(element, inside)
    for (const child of element.children.filter(isElement)) {
      this.#look(child, inside)
      const { styles = NO_STYLES } = this.#looks.get(child) ?? {}
      const isBackdrop = layerOf(styles) !== NO_LAYER && isPainted(styles) && textOf(child) === ''
      if (isBackdrop) inside = { ...inside, background: null }
    }
  }

  #seen(element: PageElement): PageElement | null {
    const look = this.#looks.get(element)
    if (look === undefined) return null
    const isVisible =
      !/hidden|collapse/.test(valueIn(look.styles, 'visibility')) && !look.isBehind && look.layer >= this.#cover
    const children = shownChildren(element).flatMap((part): PagePart | readonly PagePart[] => {
      if (typeof part === 'string') return isVisible && isLegible(look) ? part : []
      return isElement(part) ? (this.#seen(part) ?? []) : []
    })
    // Something invisible is there only for what is visible inside of it.
    if (!isVisible && children.length === 0) return null
    const display = valueIn(look.styles, 'display')
    const isBlock = display === '' ? element.isBlock : !/^(?:inline|contents|ruby)/.test(display)
    return { ...element, children, isBlock }
  }
}

function shownChildren({ tag, attributes, children }: PageElement): readonly PagePart[] {
  if (REPLACED.includes(tag)) return []
  if (tag !== 'details' || attributes.open !== undefined) return children
  return children.filter(part => isElement(part) && part.tag === 'summary').slice(0, 1)
}

/** null for what is not shown, whatever is in it. */
function lookOf({ tag, attributes }: PageElement, cascaded: Styles, outer: Look): Look | null {
  const isHiddenInput = tag === 'input' && attributes.type?.toLowerCase() === 'hidden'
  const isClosed = 'hidden' in attributes || 'popover' in attributes || (tag === 'dialog' && !('open' in attributes))
  const link: Styles = new Map(tag === 'a' && 'href' in attributes ? [['color', '#00e']] : [])
  const styles = styled(new Map([...link, ...cascaded]), outer.styles)
  const opacity = outer.opacity * (isAnimated(styles) ? 1 : opacityOf(styles))
  if (UNSEEN.has(tag) || isHiddenInput || (isClosed && !styles.has('display'))) return null
  if (opacity < 0.1 || isHiding(styles, tag)) return null
  const colour = colourOf(valueIn(styles, 'background-color') || 'transparent')
  const plain = colour === 'translucent' ? null : colour === 'transparent' ? outer.background : colour
  return {
    styles,
    opacity,
    background: NOTHING.test(valueIn(styles, 'background-image')) ? plain : null,
    isClipped: outer.isClipped || valueIn(styles, 'background-clip') === 'text',
    layer: Math.max(outer.layer, layerOf(styles)),
    isBehind: outer.isBehind || layerOf(styles) < NO_LAYER,
  }
}

const NOTHING = /^(?:none|normal|transparent)?$/
const valueIn = (styles: Styles, name: string) => styles.get(name) ?? ''
const numberIn = (styles: Styles, name: string) => Number.parseFloat(valueIn(styles, name).replace(/^calc\(/, ''))
const opacityOf = (styles: Styles) =>
  (valueIn(styles, 'opacity').endsWith('%') ? 0.01 : 1) * numberIn(new Map([['opacity', '1'], ...styles]), 'opacity')
const layerOf = (styles: Styles) =>
  /^(?:static)?$/.test(valueIn(styles, 'position')) ? NO_LAYER : numberIn(styles, 'z-index') || 0
/** An animation leads to other values than those that are set. */
const isAnimated = (styles: Styles) =>
  ['animation', 'animation-name'].some(name => !NOTHING.test(valueIn(styles, name)))
const isPainted = (styles: Styles) =>
  ['background-color', 'background-image'].some(name => !NOTHING.test(valueIn(styles, name)))

function isLegible({ styles, background, isClipped }: Look): boolean {
  const colour = colourOf(valueIn(styles, 'text-fill-color') || valueIn(styles, 'color') || 'black')
  if (NO_FONT.test(valueIn(styles, 'font-size')) || FAR.test(valueIn(styles, 'text-indent'))) return false
  return isClipped || (colour !== 'transparent' && colour !== background)
}

/** Is it fixed, opaque and over all of the viewport, and neither hidden nor behind the page? */
function isCover(styles: Styles): boolean {
  const isZero = (...names: readonly string[]) => names.every(name => /^(?:0(?:px|%)? ?)+$/.test(valueIn(styles, name)))
  const isFull = (name: string) => /^100(?:%|d?v[wh])$/.test(valueIn(styles, name))
  const isStretched = isZero('inset') || isZero('top', 'right', 'bottom', 'left')
  const isOver = isStretched || (isZero('top', 'left') && isFull('width') && isFull('height'))
  const isOpaque = colourOf(valueIn(styles, 'background-color')) !== 'translucent' && !(opacityOf(styles) < 0.9)
  const isShown = valueIn(styles, 'visibility') !== 'hidden' && !isHiding(styles, '')
  return (
    valueIn(styles, 'position') === 'fixed' &&
    layerOf(styles) >= 0 &&
    isOver &&
    isPainted(styles) &&
    isOpaque &&
    isShown
  )
}

/** A length of 1,000 pixels or more, and about as much in other units; what is in `calc()` is not worked out. */
const FAR = /\d{4}(?:\.\d+)?px|\d{3}(?:\.\d+)?r?em|(?:[2-9]\d{2}|\d{4})(?:\.\d+)?(?:d?v[wh]|%)/
const NO_FONT = /^(?:calc\()?(?:0|0?\.[01]\d*|0?\.\d+(?=px)|1(?:\.\d+)?(?=px))(?:[a-z%]|$)/
const NO_SIZE = /^(?:calc\()?0(?![.\d])|^[01](?:\.\d+)?px/

/** The properties that hide an element, each with the values that do. */
const HIDING: readonly (readonly [property: RegExp, value: RegExp])[] = [
  [/^display$/, /^none$/],
  [/^content-visibility$/, /^hidden$/],
  [/^content$/, /^url\(/],
  [/^(?:top|right|bottom|left|inset|inset-.*|margin|margin-.*|translate|transform)$/, FAR],
  [/^transform$/, /(?:scale[xy]?|matrix)\((?:[^()]*,)?\s*0?(?:\.0\d*)?[,)]/],
  [/^(?:transform|rotate)$/, /(?:rotate[xy]\(|[xy] )-?(?:90|270)deg/],
  [/^(?:scale|zoom)$/, /(?:^|\s)0?(?:\.0\d*)?(?:\s|$)|^[0-4](?:\.\d+)?%/],
  [/^clip-path$/, /^inset\(.*(?:4[5-9]|[5-9]\d|\d{3})(?:\.\d+)?(?:%|px)/],
  [/^clip-path$/, /^(?:circle|ellipse)\([0-4](?:\.\d+)?(?:px|%)?\b/],
  [/^clip-path$/, /^polygon\(([^,]+)(?:,\1)*\)$/],
  [/^clip$/, /^rect\((?:[01](?:px)?[,\s]*)+\)$/],
  [/^mask(?:-image)?$/, /^[a-z-]+\((?:transparent[,\s]*)+\)$/],
  [/^filter$/, /(?:opacity|contrast)\(0?(?:\.0\d*)?%?\)|blur\(\d{2}/],
]
/** An animation may bring back what these hide. */
const MOVES = /^(?:transform|translate|scale|rotate|filter|clip-path)$/

function isHiding(styles: Styles, tag: string): boolean {
  const isMoved = isAnimated(styles)
  // In a row that shares out its width, a width of nothing is where that begins.
  const isShared = !/^(?:none|0)?$/.test(valueIn(styles, 'flex') || valueIn(styles, 'flex-grow'))
  const isCut = ['overflow', 'overflow-x', 'overflow-y'].some(name => !/^(?:visible)?$/.test(valueIn(styles, name)))
  const isSmall = ['width', 'height', 'max-width', 'max-height'].some(name => NO_SIZE.test(valueIn(styles, name)))
  if (isSmall && !isShared && (isCut || CONTROLS.includes(tag))) return true
  return [...styles].some(([name, value]) =>
    HIDING.some(([property, hides]) => property.test(name) && hides.test(value) && !(isMoved && MOVES.test(name))),
  )
}

/** One way to write a colour: red, green and blue, `transparent`, `translucent`, or what is written. */
function colourOf(value: string): string {
  const hex = /^#([\da-f]{3,8})$/.exec(value)?.[1]
  if (hex === undefined && !/^rgba?\(/.test(value)) return { white: '255,255,255', black: '0,0,0' }[value] ?? value
  const digits = hex === undefined || hex.length > 5 ? (hex ?? '') : hex.replaceAll(/./g, '$&$&')
  const bytes = (digits.match(/../g) ?? []).map((pair, at) => Number.parseInt(pair, 16) / (at === 3 ? 255 : 1))
  const parts = hex === undefined ? (value.match(/[\d.]+%?/g) ?? []).map(part => Number.parseFloat(part)) : bytes
  const alpha = (parts[3] ?? 1) / (/%\)$/.test(value) ? 100 : 1)
  return alpha < 0.1 ? 'transparent' : alpha < 0.9 ? 'translucent' : parts.slice(0, 3).join()
}

/** Own values with what is inherited, variables put in, and shorthands taken apart as far as they matter. */
function styled(own: Styles, outer: Styles): Styles {
  const styles = new Map([...outer].filter(([name]) => name.startsWith('--') || INHERITED.includes(name)))
  for (const [name, value] of own) if (name.startsWith('--')) styles.set(name, value)
  for (const [name, given] of own) {
    const value = filledIn(given, styles)
    if (name.startsWith('--') || value === null || KEEPS.test(value)) continue
    for (const [property, part] of longhands(name, value)) styles.set(property, part)
  }
  return styles
}

const VARIABLE = /var\(\s*(--[^\s,()]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)/g
const KEEPS = /^(?:inherit|initial|unset|revert|revert-layer)$/

/** Puts the values of custom properties in; null where one has none. */
function filledIn(given: string, styles: Styles): string | null {
  let value = given
  for (let round = 0; round < 20 && value.includes('var('); round += 1) {
    if (value.length > MAX_LENGTH) throw new TooIntricate()
    value = value.replace(VARIABLE, (_, name, otherwise) => (styles.get(name) ?? otherwise ?? '\0').trim())
  }
  return /\0|var\(/.test(value) ? null : value.slice(0, MAX_LENGTH).toLowerCase()
}

function longhands(name: string, value: string): readonly (readonly [string, string])[] {
  if (name === 'font') {
    const [size = '16px'] = /(?<![\w.])(?:calc\(|[\d.]+(?:[a-z]+|%)?(?=[\s/]))[^\s/]*/.exec(value) ?? []
    return [['font-size', size]]
  }
  if (name !== 'background') return [[name, value]]
  const picture = /gradient\(|url\(|image-set\(/.exec(value)?.[0] ?? 'none'
  const [colour = 'transparent'] = /#[\da-f]+|[a-z-]+\([^()]*\)|[a-z]+/.exec(picture === 'none' ? value : '') ?? []
  return Object.entries({ 'background-color': colour, 'background-image': picture })
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
  if (name.startsWith('--')) return [[name, generate(node.value).trim(), isImportant]]
  // What is in strings and addresses makes no difference, and is no identifier to be decoded.
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

/** A selector as a question; null for one that css-select does not know: browsers leave such a rule out as well. */
function compiled(selector: string, parents: ReadonlyMap<PageElement, PageElement>): Rule['fits'] | null {
  const childrenOf = (node: PagePart) => (isElement(node) ? [...node.children] : [])
  const getParent = (node: PagePart) => (isElement(node) ? (parents.get(node) ?? null) : null)
  const adapter = {
    isTag: isElement,
    getAttributeValue: ({ attributes }: PageElement, name: string) => attributes[name],
    hasAttrib: ({ attributes }: PageElement, name: string) => name in attributes,
    getChildren: childrenOf,
    getName: ({ tag }: PageElement) => tag,
    getParent,
    getSiblings: (node: PagePart) => childrenOf(getParent(node) ?? node),
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
