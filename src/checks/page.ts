/**
 * What a reader gets of a page: its elements and texts without those that the markup or the styles hide by ordinary means.
 * Not a browser: it computes no layout, loads nothing and runs nothing. docs/checks.md lists what is understood, and what is not.
 */
import { isElement, outlineOf, type PageElement, type PagePart, textOf } from './page-outline.ts'
import { MAX_LENGTH, PageRules, type Styles, TooIntricate } from './page-rules.ts'

export interface Page {
  /** All that is written, as {@link outlineOf} gives it. */
  readonly all: PageElement
  /** The `<html>` element with what can be read of it. */
  readonly seen: PageElement
  /** Custom properties in force on `<html>`, by name with the two hyphens. */
  readonly customProperties: ReadonlyMap<string, string>
}

interface Look {
  /** Own values, and inherited ones. */
  readonly styles: Styles
  readonly opacity: number
  /** null where it is not one colour: a picture, a gradient, or something painted beside. */
  readonly background: string | null
  /** The background is seen through the letters. */
  readonly isClipped: boolean
  /** The highest z-index of the positioned boxes it lies in; minus infinity where one of them is negative. */
  readonly layer: number
}

/** What is not positioned lies below what is, and above what has a negative z-index. */
const NO_LAYER = -0.5
const NO_STYLES: Styles = new Map()

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
  readonly #rules: PageRules
  readonly #looks = new Map<PageElement, Look>()
  /** Layer of the highest box that is fixed, opaque and over all of the viewport. */
  #cover = NO_LAYER
  constructor(given: PageElement) {
    this.#root = withoutTemplates(given)
    this.#rules = new PageRules(this.#root)
  }

  page(): Omit<Page, 'all'> {
    const outside = { styles: NO_STYLES, opacity: 1, background: '255,255,255', isClipped: false, layer: NO_LAYER }
    this.#look(this.#root, outside)
    const custom = [...this.#rules.cascade(this.#root, 'own')].filter(([name]) => name.startsWith('--'))
    return { seen: this.#seen(this.#root) ?? { ...this.#root, children: [] }, customProperties: new Map(custom) }
  }

  /** Works out how an element and those inside of it look; one that is not shown at all gets no entry. */
  #look(element: PageElement, outer: Look): void {
    const look = lookOf(element, this.#rules.cascade(element, 'own'), outer)
    if (look === null) return
    this.#rules.count(4 * look.styles.size)
    if (isCover(look.styles) && textOf(element) === '') this.#cover = Math.max(this.#cover, layerOf(look.styles) + 0.5)
    let inside = look
    for (const box of ['before', 'after'] as const) {
      const cascaded = this.#rules.cascade(element, box)
      const own = cascaded.has('content') ? styled(cascaded, look.styles) : NO_STYLES
      if (!isPainted(own)) continue
      inside = { ...inside, background: null }
      if (isCover(own)) this.#cover = Math.max(this.#cover, layerOf(own) + (box === 'after' ? 0.5 : 0))
    }
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
    const isVisible = !/hidden|collapse/.test(valueIn(look.styles, 'visibility')) && look.layer >= this.#cover
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

function withoutTemplates(element: PageElement): PageElement {
  const children = element.children.filter(part => !isElement(part) || part.tag !== 'template')
  return { ...element, children: children.map(part => (isElement(part) ? withoutTemplates(part) : part)) }
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
  const layer = layerOf(styles)
  const plain = colour === 'translucent' ? null : colour === 'transparent' ? outer.background : colour
  return {
    styles,
    opacity,
    background: NOTHING.test(valueIn(styles, 'background-image')) ? plain : null,
    isClipped: outer.isClipped || valueIn(styles, 'background-clip') === 'text',
    layer: Math.min(outer.layer, layer) < NO_LAYER ? Number.NEGATIVE_INFINITY : Math.max(outer.layer, layer),
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
  if (valueIn(styles, 'position') !== 'fixed' || layerOf(styles) < 0 || !isPainted(styles)) return false
  const isZero = (...names: readonly string[]) => names.every(name => /^(?:0(?:px|%)? ?)+$/.test(valueIn(styles, name)))
  const isFull = (name: string) => /^100(?:%|d?v[wh])$/.test(valueIn(styles, name))
  const isStretched = isZero('inset') || isZero('top', 'right', 'bottom', 'left')
  const isOver = isStretched || (isZero('top', 'left') && isFull('width') && isFull('height'))
  const isOpaque = colourOf(valueIn(styles, 'background-color')) !== 'translucent' && !(opacityOf(styles) < 0.9)
  return isOver && isOpaque && valueIn(styles, 'visibility') !== 'hidden' && !isHiding(styles, '')
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
    value = value.replace(VARIABLE, (_, name, otherwise) => (styles.get(name) ?? otherwise ?? '\0').trim())
    if (value.length > MAX_LENGTH) throw new TooIntricate()
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
