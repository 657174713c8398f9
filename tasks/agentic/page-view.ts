/**
 * What a visitor sees of a page: its elements and texts without those that the markup or the styles hide. Not a browser:
 * boxes are not laid out, so what is covered by something else, or lies beyond the edge for other reasons than a plain
 * offset, counts as seen.
 */
import { defaultTreeAdapter } from 'parse5'
import {
  attributeOf,
  type DocumentElement,
  documentOf,
  isElementNode,
  type PageDocument,
  tagOf,
} from './page-document.ts'
import { colourIn, isGone, isTransparent, resolved } from './page-hiding.ts'
import { collapseSpace, type PageElement, type PagePart } from './page-outline.ts'
import { type PageStyles, type Styles, stylesOf } from './page-styles.ts'

/** Elements that are not shown, or only where something else cannot be. */
const UNSEEN = [
  ...[
    'head',
    'template',
    'noscript',
    'script',
    'style',
    'title',
    'meta',
    'link',
    'base',
    'datalist',
    'param',
    'source',
  ],
  ...['track', 'noframes', 'noembed', 'rp', 'metadata', 'desc', 'defs', 'symbol', 'clippath', 'mask'],
]
/** Elements whose content stands in for them where they do not work. */
const REPLACED = ['canvas', 'video', 'audio', 'object', 'iframe', 'progress', 'meter']

/** Links have a colour of their own where the page gives them none. */
const LINK_COLOUR = '#0000ee'

/** What an element hands on to those inside of it. */
interface Inherited {
  readonly custom: Styles
  readonly isVisible: boolean
  readonly hasFont: boolean
  readonly isIndented: boolean
  /** Normalised; null when it is not known. */
  readonly colour: string | null
  /** Colour behind the text; null when there is a picture or it is not known. */
  readonly behind: string | null
}

const OUTSIDE: Inherited = {
  custom: new Map(),
  isVisible: true,
  hasFont: true,
  isIndented: false,
  colour: '#000000',
  behind: '#ffffff',
}

/** The page as it is seen, as an outline; null when it, or its styles, are too much to be looked at. */
export function viewOf(html: string): PageElement | null {
  const page = documentOf(html)
  const styles = page === null ? null : stylesOf(page)
  return page === null || styles === null ? null : seenOf(page, styles)
}

/** {@link viewOf} for a page whose styles have been read. */
export function seenOf(page: PageDocument, styles: PageStyles): PageElement {
  return seenElement(page.root, OUTSIDE, styles) ?? { tag: 'html', attributes: {}, children: [] }
}

function seenElement(element: DocumentElement, outer: Inherited, styles: PageStyles): PageElement | null {
  const tag = tagOf(element)
  if (UNSEEN.includes(tag)) return null
  const { own, custom } = styleOf(element, outer, styles)
  if (isHiddenByMarkup(element, tag, own.get('display')) || isGone(own, tag)) return null
  const isLink = tag === 'a' && attributeOf(element, 'href') !== null
  const inherited = inherit(outer, own, { custom, colour: isLink ? LINK_COLOUR : outer.colour })
  const children = own.get('content-visibility') === 'hidden' ? [] : seenChildren(element, inherited, styles)
  // Something invisible is there only for what is visible inside of it.
  if (!inherited.isVisible && children.length === 0) return null
  const attributes = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
  return { tag, attributes, children }
}

/** An element's own styles with `var()` put in, at the end of its animation, and the custom properties that hold in it. */
function styleOf(
  element: DocumentElement,
  outer: Inherited,
  styles: PageStyles,
): { readonly own: Styles; readonly custom: Styles } {
  const cascaded = styles.of(element)
  const custom = new Map(outer.custom)
  for (const [name, value] of cascaded) if (name.startsWith('--')) custom.set(name, value)
  const own = new Map<string, string>()
  for (const [name, value] of cascaded) {
    if (!name.startsWith('--')) own.set(name, resolved(value, custom))
  }
  const names = (own.get('animation-name') ?? '').split(/[\s,]+/)
  for (const name of names) {
    for (const [property, value] of styles.animations.get(name) ?? []) own.set(property, resolved(value, custom))
  }
  return { own, custom }
}

function seenChildren(element: DocumentElement, inherited: Inherited, styles: PageStyles): PagePart[] {
  const tag = tagOf(element)
  if (REPLACED.includes(tag)) return []
  const isClosed = tag === 'details' && attributeOf(element, 'open') === null
  const summary = isClosed ? element.childNodes.find(node => isElementNode(node) && tagOf(node) === 'summary') : null
  const isTextSeen = inherited.isVisible && inherited.hasFont && !inherited.isIndented && isLegible(inherited, styles)
  const parts: PagePart[] = []
  for (const node of element.childNodes) {
    if (isClosed && node !== summary) continue
    if (defaultTreeAdapter.isTextNode(node)) {
      const text = isTextSeen ? collapseSpace(node.value) : ''
      if (text !== '') parts.push(text)
    } else if (isElementNode(node)) {
      const seen = seenElement(node, inherited, styles)
      if (seen !== null) parts.push(seen)
    }
  }
  return parts
}

/** Not text in no colour, or in the very one behind it; what `::before` may paint there is not known. */
function isLegible({ colour, behind }: Inherited, { paintsBeside }: PageStyles): boolean {
  if (colour === null) return true
  return !isTransparent(colour) && (paintsBeside || colour !== behind)
}

/** What HTML hides; a `display` of the page's own brings most of it back. */
function isHiddenByMarkup(element: DocumentElement, tag: string, display: string | undefined): boolean {
  if (tag === 'input' && attributeOf(element, 'type')?.toLowerCase() === 'hidden') return true
  const has = (name: string) => attributeOf(element, name) !== null
  const isHidden = has('hidden') || has('popover') || (tag === 'dialog' && !has('open'))
  return isHidden && (display === undefined || ['initial', 'unset', 'revert', 'inherit'].includes(display))
}

/** @param usual What holds where the element's own styles do not say otherwise. */
function inherit(outer: Inherited, own: Styles, usual: Pick<Inherited, 'custom' | 'colour'>): Inherited {
  const visibility = own.get('visibility')
  const isKept = visibility === undefined || ['inherit', 'unset'].includes(visibility)
  const colour = colourOf(outer, own, usual.colour)
  return {
    custom: usual.custom,
    isVisible: isKept ? outer.isVisible : !['hidden', 'collapse'].includes(visibility),
    hasFont: hasFont(outer.hasFont, own.get('font-size')),
    isIndented: own.has('text-indent') ? isPushedAway(own.get('text-indent') ?? '') : outer.isIndented,
    colour,
    behind: behindOf(outer, own, colour),
  }
}

/** An indent that pushes the text off the page. */
const isPushedAway = (value: string) => /^-(?:\d{4,}|[5-9]\d\d)/.test(value) || /^-[1-9]\d{2,}(?:%|vw|em)/.test(value)

/** A size below 2 pixels cannot be read; one that is relative to the font around keeps a size of nothing. */
function hasFont(outer: boolean, size: string | undefined): boolean {
  const [, number, unit = ''] = /^([\d.]+(?:e[+-]?\d+)?)([a-z%]*)$/.exec(size ?? '') ?? []
  if (number === undefined) return outer
  const value = Number(number)
  if (['em', '%', 'ex', 'ch'].includes(unit)) return outer && value > (unit === '%' ? 10 : 0.1)
  return value >= (unit === '' || unit === 'px' || unit === 'pt' ? 2 : 0.1)
}

function colourOf(outer: Inherited, own: Styles, usual: string | null): string | null {
  const given = own.get('-webkit-text-fill-color') ?? own.get('color')
  // Text through which a picture or colour shows.
  if (own.get('background-clip') === 'text') return null
  if (given === undefined) return usual
  if (['inherit', 'unset', 'currentcolor'].includes(given)) return outer.colour
  return given === 'initial' ? '#000000' : colourIn(given)
}

function behindOf(outer: Inherited, own: Styles, colour: string | null): string | null {
  const image = own.get('background-image')
  if (image !== undefined && image !== 'none') return null
  const given = own.get('background-color')
  if (given === undefined) return outer.behind
  const background = given === 'currentcolor' ? colour : colourIn(given)
  return background !== null && isTransparent(background) ? outer.behind : background
}
