/** The styles that hold for each element of a page in one reading of its styles, and what lies over and behind its parts. */
import { attributeOf, type DocumentElement, isElementNode, type PageDocument, tagOf } from './page-document.ts'
import { placeOf, resolved, UNMOVED } from './page-hiding.ts'
import { valueWith } from './page-longhands.ts'
import { isUnset, numberIn } from './page-numbers.ts'
import { isOpaque } from './page-paints.ts'
import type { Beside, PageStyles, StyleReading, Styles } from './page-styles.ts'

/** Something without content, as large as what it lies in. */
export interface Cover {
  readonly styles: Styles
  /** It lies behind what is in its container. */
  readonly isBehind: boolean
  readonly isOpaque: boolean
  readonly layer: number
  /** Where it comes in the order of the page. */
  readonly order: number
}

export interface Sight {
  /** An element's own styles with `var()` put in, at the end of its animation. */
  stylesOf(element: DocumentElement): Styles
  orderOf(element: DocumentElement): number
  /** What is stretched over all of an element. */
  coversOf(element: DocumentElement): readonly Cover[]
}

interface Around {
  readonly custom: Styles
  /** Positioned elements around, from the outside inwards. */
  readonly containers: readonly DocumentElement[]
  /** That of the outermost one with a layer of its own. */
  readonly layer: number | null
  readonly isSeen: boolean
}

/** @param isHidden Whether the markup hides an element. */
export function sightOf(
  page: PageDocument,
  styles: PageStyles,
  reading: StyleReading,
  isHidden: (element: DocumentElement, own: Styles) => boolean,
): Sight {
  const own = new Map<DocumentElement, Styles>()
  const orders = new Map<DocumentElement, number>()
  const covers = new Map<DocumentElement, Cover[]>()
  let count = 0

  const cover = (container: DocumentElement | undefined, box: Styles, layer: number | null, order: number) => {
    const place = container ?? page.root
    const number = layerOf(box)
    covers.set(place, [
      ...(covers.get(place) ?? []),
      { styles: box, isBehind: number < 0, isOpaque: isOpaque(box), layer: layer ?? number, order },
    ])
  }

  const visit = (element: DocumentElement, around: Around): void => {
    const custom = new Map(around.custom)
    const cascaded = reading.of(element)
    for (const [name, value] of cascaded) if (name.startsWith('--')) custom.set(name, value)
    const ends = animationOf(cascaded, styles)
    const filled = filledIn([...hintsOf(element), ...cascaded, ...ends], custom)
    own.set(element, filled)
    const order = count++
    orders.set(element, order)
    const isSeen = around.isSeen && !isHidden(element, filled) && isBox(filled, tagOf(element))
    const isContainer = !isUnset(filled.get('position')) && filled.get('position') !== 'static'
    const container = (box: Styles, containers: readonly DocumentElement[]) =>
      box.get('position') === 'fixed' ? undefined : containers.at(-1)
    if (isSeen && isStretched(filled) && isEmpty(element))
      cover(container(filled, around.containers), filled, around.layer, order)
    const inside: Around = {
      custom,
      containers: isContainer ? [...around.containers, element] : around.containers,
      layer: around.layer ?? (isContainer && !isUnset(filled.get('z-index')) ? layerOf(filled) : null),
      isSeen,
    }
    const paint = (beside: Beside) => {
      const box = filledIn([...reading.beside(element, beside)], custom)
      const isThere = isSeen && !['', 'none', 'normal'].includes(box.get('content') ?? '')
      if (!isThere || !isStretched(box) || !isBox(box, '')) return
      const within = container(box, inside.containers)
      // What lies in the container has its layer from there.
      cover(within, box, within === undefined ? inside.layer : null, count++)
    }
    paint('before')
    for (const child of element.childNodes) if (isElementNode(child)) visit(child, inside)
    paint('after')
  }
  visit(page.root, { custom: styles.initial, containers: [], layer: null, isSeen: true })

  return {
    stylesOf: element => own.get(element) ?? new Map(),
    orderOf: element => orders.get(element) ?? 0,
    coversOf: element => covers.get(element) ?? [],
  }
}

function filledIn(pairs: readonly (readonly [string, string])[], custom: Styles): Styles {
  const styles = new Map<string, string>()
  for (const [name, value] of new Map(pairs)) {
    const filled = name.startsWith('--') ? null : valueWith(text => resolved(text, custom), name, value)
    if (filled !== null) styles.set(name, filled)
  }
  return styles
}

/** Attributes that say what styles would: they are weaker than any rule. */
function hintsOf(element: DocumentElement): readonly (readonly [string, string])[] {
  const tag = tagOf(element)
  const hint = (attribute: string, property: string, applies = true): readonly (readonly [string, string])[] => {
    const value = applies ? attributeOf(element, attribute)?.trim().toLowerCase() : undefined
    return value === undefined || value === '' ? [] : [[property, value]]
  }
  return [
    ...hint('bgcolor', 'background-color'),
    ...hint('text', 'color', tag === 'body'),
    ...hint('color', 'color', tag === 'font'),
    ...hint('width', 'width', tag === 'svg' || tag === 'img'),
    ...hint('height', 'height', tag === 'svg' || tag === 'img'),
  ]
}

/** Seconds that a visitor waits for something to appear. */
const PATIENCE = 10

/** What an animation leaves in force, or sets for longer than anybody waits. */
function animationOf(styles: Styles, { animations }: PageStyles): readonly (readonly [string, string])[] {
  const get = (name: string) => styles.get(`animation-${name}`) ?? ''
  const names = get('name').split(/[\s,]+/)
  const text = ['name', 'fill-mode', 'iteration-count', 'play-state', 'duration', 'delay'].map(get).join(' ')
  const seconds = [...text.matchAll(/([\d.]+)(m?)s\b/g)].map(([, number, milli]) => Number(number) / (milli ? 1000 : 1))
  const stays = /\b(?:forwards|both|infinite)\b|var\(/.test(text)
  const isSlow = /\bpaused\b/.test(text) || seconds.some(time => time > PATIENCE)
  return names.flatMap(name => {
    const { from = new Map(), to = new Map() } = animations.get(name) ?? {}
    return [...(stays ? to : []), ...(isSlow ? from : [])]
  })
}

/** The layer of `z-index`; 0 without one. */
export function layerOf(styles: Styles): number {
  const value = styles.get('z-index') ?? ''
  return isUnset(value) ? 0 : (numberIn(value) ?? 0)
}

/** Is it painted in a layer, rather than with the text around? */
export function isRaised(styles: Styles): boolean {
  const isSet = (name: string) => !isUnset(styles.get(name))
  const isPositioned = isSet('position') && styles.get('position') !== 'static'
  const isFaded = isSet('opacity') && styles.get('opacity') !== '1'
  return isPositioned || isFaded || ['z-index', 'transform', 'filter', 'translate', 'scale', 'rotate'].some(isSet)
}

/** Can it be seen at all, apart from its layer? */
function isBox(styles: Styles, tag: string): boolean {
  const isShown = !['hidden', 'collapse'].includes(styles.get('visibility') ?? '')
  const flat = new Map([...styles].filter(([name]) => name !== 'z-index'))
  return isShown && placeOf(flat, tag, UNMOVED) !== null
}

/** Lies out of the flow, from edge to edge. */
function isStretched(styles: Styles): boolean {
  if (!['absolute', 'fixed'].includes(styles.get('position') ?? '')) return false
  const lengthOf = (property: string, percent: number) => {
    const value = styles.get(property)
    return value === undefined || isUnset(value) ? null : numberIn(value, percent)
  }
  return (
    [
      ['left', 'right', 'width', 'inline-size', 12.8],
      ['top', 'bottom', 'height', 'block-size', 8],
    ] as const
  ).every(([start, end, size, logical, percent]) => {
    const [near, far] = [lengthOf(start, percent), lengthOf(end, percent)]
    const length = lengthOf(size, percent) ?? lengthOf(logical, percent)
    if (length === null) return near !== null && far !== null && near <= percent * 5 && far <= percent * 5
    return length >= percent * 95 && (near ?? 0) <= percent * 5
  })
}

/** Has no words to speak of: it is a mere plane. */
function isEmpty(element: DocumentElement): boolean {
  const words = (node: DocumentElement): number =>
    node.childNodes.reduce((sum, child) => {
      if ('value' in child) return sum + child.value.split(/\s+/).filter(word => word !== '').length
      return sum + (isElementNode(child) ? words(child) : 0)
    }, 0)
  return words(element) < 3
}
