/**
 * What a visitor sees of a page: its elements and texts without those that the markup or the styles hide. Not a browser:
 * boxes are not laid out, so what lies beyond the edge for other reasons than an offset, or is covered by something other
 * than a plane from edge to edge, counts as seen.
 */
import { defaultTreeAdapter } from 'parse5'
import { BLACK, type Colour, WHITE } from './page-colours.ts'
import {
  attributeOf,
  type DocumentElement,
  documentOf,
  isElementNode,
  type PageDocument,
  tagOf,
} from './page-document.ts'
import { type Place, placeOf, UNMOVED } from './page-hiding.ts'
import { isUnset, numberIn } from './page-numbers.ts'
import { collapseSpace, outlineOf, type PageElement, type PagePart } from './page-outline.ts'
import { backPaints, isLegible, type Paints, textPaints } from './page-paints.ts'
import { type Cover, isRaised, layerOf, type Sight, sightOf } from './page-sight.ts'
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
  ...['track', 'noframes', 'noembed', 'rp', 'metadata', 'desc', 'defs', 'symbol', 'clippath', 'mask', 'foreignobject'],
]
/** Elements whose content stands in for them where they do not work. */
const REPLACED = ['canvas', 'video', 'audio', 'object', 'iframe', 'progress', 'meter']

/** Links have a colour of their own where the page gives them none. */
const LINK_COLOUR: Colour = [0, 0, 238 / 255, 1]

/** What an element hands on to those inside of it. */
interface Inherited {
  readonly isVisible: boolean
  readonly hasFont: boolean
  readonly isIndented: boolean
  readonly place: Place
  readonly text: Paints
  readonly behind: Paints
  /** What lies over it. */
  readonly covers: readonly Cover[]
}

const OUTSIDE: Inherited = {
  isVisible: true,
  hasFont: true,
  isIndented: false,
  place: UNMOVED,
  text: [BLACK],
  behind: [WHITE],
  covers: [],
}

/** One reading of the page's styles, and what it hands on so far. */
interface Look {
  readonly sight: Sight
  readonly inherited: Inherited
}

/** A page as it is written and as a visitor sees it. */
export interface PageLook {
  /** All that is written, in the order of the page. */
  readonly all: PageElement
  readonly seen: PageElement
  readonly document: PageDocument
  readonly styles: PageStyles
}

/** Several checks in a row ask about one page: what was made of the last one is kept. */
let last: { readonly html: string; readonly look: PageLook | null } | null = null

/** Looks at a page; null when it, or its styles, are too much to be looked at. */
export function lookAt(html: string): PageLook | null {
  if (last?.html !== html) last = { html, look: lookOf(html) }
  return last.look
}

function lookOf(html: string): PageLook | null {
  const all = outlineOf(html)
  const document = all === null ? null : documentOf(html)
  const styles = document === null ? null : stylesOf(document)
  if (all === null || document === null || styles === null) return null
  return { all, seen: seenOf(document, styles), document, styles }
}

/** The page as it is seen, as an outline; null when it, or its styles, are too much to be looked at. */
export const viewOf = (html: string): PageElement | null => lookAt(html)?.seen ?? null

function seenOf(page: PageDocument, styles: PageStyles): PageElement {
  const isHidden = (element: DocumentElement, own: Styles) =>
    UNSEEN.includes(tagOf(element)) || isHiddenByMarkup(element, tagOf(element), own.get('display'))
  const looks = styles.readings.map(
    (reading): Look => ({ sight: sightOf(page, styles, reading, isHidden), inherited: OUTSIDE }),
  )
  return seenElement(page.root, looks) ?? { tag: 'html', attributes: {}, children: [] }
}

function seenElement(element: DocumentElement, around: readonly Look[]): PageElement | null {
  const tag = tagOf(element)
  if (UNSEEN.includes(tag)) return null
  const looks: Look[] = []
  for (const { sight, inherited: outer } of around) {
    const own = sight.stylesOf(element)
    const place = placeOf(own, tag, outer.place)
    if (place === null || isHiddenByMarkup(element, tag, own.get('display'))) return null
    looks.push({ sight, inherited: inherit(element, sight, outer, place) })
  }
  const isHeld = looks.every(({ sight }) => sight.stylesOf(element).get('content-visibility') !== 'hidden')
  const children = isHeld ? seenChildren(element, looks) : []
  // Something invisible, or covered, is there only for what is visible inside of it.
  const isThere = looks.every(({ inherited: { isVisible, covers } }) => isVisible && covers.length === 0)
  if (!isThere && children.length === 0) return null
  const attributes = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
  return { tag, attributes, children }
}

function seenChildren(element: DocumentElement, looks: readonly Look[]): PagePart[] {
  const tag = tagOf(element)
  if (REPLACED.includes(tag)) return []
  const isClosed = tag === 'details' && attributeOf(element, 'open') === null
  const summary = isClosed ? element.childNodes.find(node => isElementNode(node) && tagOf(node) === 'summary') : null
  const isTextSeen = looks.every(({ inherited }) => isReadable(inherited))
  const parts: PagePart[] = []
  for (const node of element.childNodes) {
    if (isClosed && node !== summary) continue
    if (defaultTreeAdapter.isTextNode(node)) {
      const text = isTextSeen ? collapseSpace(node.value) : ''
      if (text !== '') parts.push(text)
    } else if (isElementNode(node)) {
      const seen = seenElement(node, looks)
      if (seen !== null) parts.push(seen)
    }
  }
  return parts
}

const isReadable = ({ isVisible, hasFont, isIndented, covers, text, behind }: Inherited) =>
  isVisible && hasFont && !isIndented && covers.length === 0 && isLegible(text, behind)

/** What HTML hides; a `display` of the page's own brings most of it back. */
function isHiddenByMarkup(element: DocumentElement, tag: string, display: string | undefined): boolean {
  if (tag === 'input' && attributeOf(element, 'type')?.toLowerCase() === 'hidden') return true
  const has = (name: string) => attributeOf(element, name) !== null
  const isHidden = has('hidden') || has('popover') || (tag === 'dialog' && !has('open'))
  return isHidden && (display === undefined || ['initial', 'unset', 'revert', 'inherit'].includes(display))
}

function inherit(element: DocumentElement, sight: Sight, outer: Inherited, place: Place): Inherited {
  const own = sight.stylesOf(element)
  const visibility = own.get('visibility')
  const isKept = visibility === undefined || ['inherit', 'unset'].includes(visibility)
  const isLink = tagOf(element) === 'a' && attributeOf(element, 'href') !== null
  // A page that is dark by itself has light text.
  const isDark = /^(?:only\s+)?dark(?:\s+only)?$/.test(own.get('color-scheme') ?? '')
  const usual = isDark ? [WHITE] : isLink ? [LINK_COLOUR] : outer.text
  const text = textPaints(own, outer.text, usual)
  const covers = sight.coversOf(element)
  const back = own.get('background-clip') === 'text' ? outer.behind : backPaints(own, text?.[0] ?? null, outer.behind)
  return {
    isVisible: isKept ? outer.isVisible : !['hidden', 'collapse'].includes(visibility),
    hasFont: hasFont(outer.hasFont, own),
    isIndented: own.has('text-indent') ? isPushedAway(own.get('text-indent') ?? '') : outer.isIndented,
    place,
    text,
    behind: withCovers(isDark ? [BLACK] : back, covers),
    covers: [
      ...outer.covers.filter(cover => !isAbove(own, sight.orderOf(element), cover)),
      ...covers.filter(cover => cover.isOpaque && !cover.isBehind),
    ],
  }
}

/** Is something painted over a cover? */
function isAbove(own: Styles, order: number, cover: Cover): boolean {
  if (!isRaised(own)) return false
  const layer = layerOf(own)
  return layer > cover.layer || (layer === cover.layer && order >= cover.order)
}

/** Planes that are stretched over an element may be behind what is in it. */
function withCovers(back: Paints, covers: readonly Cover[]): Paints {
  let paints = back
  for (const { styles } of covers) {
    const more = backPaints(styles, null, back)
    paints = paints === null || more === null ? null : [...paints, ...more]
  }
  return paints
}

/** An indent that pushes the text off the page, or that cannot be worked out. */
function isPushedAway(value: string): boolean {
  const length = isUnset(value) ? 0 : numberIn(value, 12.8)
  return length === null || Math.abs(length) >= 500
}

/** A size below 2 pixels cannot be read; one that is relative to the font around keeps a size of nothing. */
function hasFont(outer: boolean, own: Styles): boolean {
  const spacing = own.get('letter-spacing') ?? ''
  // Letters in one heap.
  if (!isUnset(spacing) && (numberIn(spacing, 0.16) ?? -16) <= -8) return false
  const adjusted = own.get('font-size-adjust') ?? ''
  if (!isUnset(adjusted) && (numberIn(adjusted) ?? 1) < 0.1) return false
  const size = own.get('font-size')
  if (size === undefined || isUnset(size) || /^[a-z-]+$/.test(size)) return outer
  const pixels = numberIn(size, 0.16)
  const isRelative = /(?:^|[\d.])(?:em|%|ex|ch|ic|lh|cap)(?![a-z])/.test(size)
  return pixels !== null && pixels >= 2 && (outer || !isRelative)
}
