/**
 * What a reader gets of a page: its elements and texts without those that the markup or the styles hide by ordinary means.
 * Not a browser: it computes no layout, loads nothing and runs nothing. docs/checks.md lists what is understood, and what is not.
 */
import { isElement, outlineOf, type PageElement, type PagePart, textOf, withinBounds } from './page-outline.ts'
import { type Styles, stylesIn } from './page-rules.ts'

export interface Page {
  /** All that is written, as {@link outlineOf} gives it. */
  readonly all: PageElement
  /** The `<html>` element with what can be read of it. */
  readonly seen: PageElement
  /** Custom properties in force on `<html>`, by name with the two hyphens. */
  readonly customProperties: ReadonlyMap<string, string>
}

/**
 * Reads a page as somebody does who opens it on a large screen and touches nothing.
 * @returns null for a page that {@link outlineOf} does not read, or whose styles are too intricate to be followed.
 * @example
 * const page = readPage('<h1>King<span>fisher</span></h1><p hidden>draft</p>')
 * page && textOf(page.seen) // 'Kingfisher'
 */
export function readPage(html: string): Page | null {
  const all = outlineOf(html)
  const root = all?.children.filter(isElement).find(({ tag }) => tag === 'html')
  if (all === null || root === undefined) return null
  return withinBounds(() => {
    const reading: Reading = { stylesOf: stylesIn(root), isCovered: false }
    const seen = seenOf(root, reading, { styles: new Map(), opacity: 1 })
    const custom = [...reading.stylesOf(root)].filter(([name]) => name.startsWith('--'))
    const nothing = { ...root, children: [] }
    return { all, seen: (reading.isCovered ? null : seen) ?? nothing, customProperties: new Map(custom) }
  })
}

/** `isCovered`: a box that is fixed, opaque, empty and in front lies over all of the viewport. */
type Reading = { readonly stylesOf: (element: PageElement) => Styles; isCovered: boolean }
type Look = { readonly styles: Styles; readonly opacity: number }

/** An element with what can be read of it; null where nothing can. */
function seenOf(element: PageElement, reading: Reading, outer: Look): PageElement | null {
  const inherited = [...outer.styles].filter(([name]) => INHERITED.includes(name))
  const own = [...reading.stylesOf(element)].filter(([, value]) => !/^(?:inherit|unset)$|var\(/.test(value))
  const styles = new Map([...inherited, ...own])
  const opacity = outer.opacity * opacityOf(styles)
  if (isUnseen(element, styles) || opacity < 0.1) return null
  if (isCover(styles) && textOf(element) === '') reading.isCovered = true
  const isVisible = !/hidden|collapse/.test(styles.get('visibility') ?? '')
  const children = shownChildren(element).flatMap((part): PagePart | readonly PagePart[] => {
    if (isElement(part)) return seenOf(part, reading, { styles, opacity }) ?? []
    return isVisible && isLegible(styles) ? part : []
  })
  // Something invisible is there only for what is visible inside of it.
  if (!isVisible && children.length === 0) return null
  const display = styles.get('display')
  return { ...element, children, isBlock: display ? !/^(?:inline|contents|ruby)/.test(display) : element.isBlock }
}

/** `background-clip: text` shows through the letters of what is inside as well. */
const INHERITED = ['visibility', 'color', 'text-fill-color', 'font-size', 'text-indent', 'background-clip']
/** Elements that are not shown, or only where something else cannot be. */
const UNSEEN = new Set(
  `template head noscript script style title meta link base datalist param source track noframes noembed rp metadata desc
  defs symbol clippath mask foreignobject`.split(/\s+/),
)
/** Elements whose content is for browsers that do not know them. */
const REPLACED = ['canvas', 'video', 'audio', 'object', 'iframe', 'progress', 'meter']
const CONTROLS = ['input', 'select', 'button', 'textarea', 'img', 'svg']

function shownChildren({ tag, attributes, children }: PageElement): readonly PagePart[] {
  if (REPLACED.includes(tag)) return []
  const isClosed = tag === 'details' && attributes.open === undefined
  return isClosed ? children.filter(part => isElement(part) && part.tag === 'summary').slice(0, 1) : children
}

/** Is nothing of it shown, whatever is in it? */
function isUnseen({ tag, attributes }: PageElement, styles: Styles): boolean {
  const isHiddenInput = tag === 'input' && attributes.type?.toLowerCase() === 'hidden'
  const isClosed = 'hidden' in attributes || 'popover' in attributes || (tag === 'dialog' && !('open' in attributes))
  return UNSEEN.has(tag) || isHiddenInput || (isClosed && !styles.has('display')) || isHiding(styles, tag)
}

/** Does one of these properties have such a value? */
const has = (styles: Styles, names: readonly string[], value: RegExp) =>
  names.some(name => value.test(styles.get(name) ?? ''))
/** An animation leads to other values than those that are set. */
const isAnimated = (styles: Styles) => has(styles, ['animation', 'animation-name'], /^(?!none$)./)

function opacityOf(styles: Styles): number {
  const value = isAnimated(styles) ? '1' : (styles.get('opacity') ?? '1').replace(/^calc\(/, '')
  return Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1)
}

function isLegible(styles: Styles): boolean {
  const colour = styles.get('text-fill-color') ?? styles.get('color') ?? ''
  const isClear = styles.get('background-clip') !== 'text' && /^transparent$|^rgba\(.*,0?(?:\.0\d*)?\)$/.test(colour)
  return !isClear && !has(styles, ['font-size'], NO_FONT) && !has(styles, ['text-indent'], FAR)
}

function isCover(styles: Styles): boolean {
  const paint = ['background', 'background-color', 'background-image'].map(name => styles.get(name) ?? '').join('')
  const isOpaque = paint !== '' && !/none|transparent|url\(|rgba|\/|#[\da-f]{8}/.test(paint) && opacityOf(styles) > 0.9
  const isOver = (names: readonly string[], size: RegExp) => names.every(name => has(styles, [name], size))
  const isStretched = has(styles, ['inset'], ZERO) || isOver(['top', 'right', 'bottom', 'left'], ZERO)
  const isFull = isOver(['top', 'left'], ZERO) && isOver(['width', 'height'], /^100(?:%|d?v[wh])$/)
  const isInFront = styles.get('position') === 'fixed' && has(styles, ['z-index'], /^[1-9]/)
  return isInFront && isOpaque && (isStretched || isFull) && styles.get('visibility') !== 'hidden'
}

/** A length of 1,000 pixels or more, and about as much in other units; what is in `calc()` is not worked out. */
const FAR = /\d{4}(?:\.\d+)?px|\d{3}(?:\.\d+)?r?em|(?:[2-9]\d{2}|\d{4})(?:\.\d+)?(?:d?v[wh]|%)/
const NO_FONT = /^(?:calc\()?(?:0|0?\.[01]\d*|0?\.\d+(?=px)|1(?:\.\d+)?(?=px))(?:[a-z%]|$)/
const NO_SIZE = /^(?:calc\()?0(?![.\d])|^[01](?:\.\d+)?px/
const ZERO = /^(?:0(?:px|%)? ?)+$/

/** The properties that hide an element, each with the values that do. */
const HIDING: readonly (readonly [property: RegExp, value: RegExp])[] = [
  [/^(?:display|content-visibility)$/, /^(?:none|hidden)$/],
  [/^z-index$/, /^-/],
  [/^(?:top|right|bottom|left|inset|inset-.*|margin|margin-.*|translate|transform)$/, FAR],
  [/^transform$/, /scale[xy]?\((?:[^()]*,)?\s*0?(?:\.0\d*)?[,)]/],
  [/^(?:scale|zoom)$/, /(?:^|\s)0?(?:\.0\d*)?(?:\s|$)/],
  [/^clip-path$/, /^inset\(.*(?:4[5-9]|[5-9]\d|\d{3})(?:\.\d+)?(?:%|px)/],
  [/^clip$/, /^rect\((?:[01](?:px)?[,\s]*)+\)$/],
  [/^filter$/, /opacity\(0?(?:\.0\d*)?%?\)/],
]
/** An animation may bring back what these hide. */
const MOVES = /^(?:transform|translate|scale|filter|clip-path)$/

function isHiding(styles: Styles, tag: string): boolean {
  // In a row that shares out its width, a width of nothing is where that begins.
  const isShared = has(styles, ['flex', 'flex-grow'], /^(?!none$|0$)./)
  const isCut = has(styles, ['overflow', 'overflow-x', 'overflow-y'], /^(?!visible$)./) || CONTROLS.includes(tag)
  if (isCut && !isShared && has(styles, ['width', 'height', 'max-width', 'max-height'], NO_SIZE)) return true
  const fixed = [...styles].filter(([name]) => !(MOVES.test(name) && isAnimated(styles)))
  return fixed.some(([name, value]) => HIDING.some(([property, hides]) => property.test(name) && hides.test(value)))
}
