/**
 * Values of CSS that take an element out of sight with all that is in it. What cannot be worked out, and what never stands
 * on a part of an honest page that is to be read, counts as hiding.
 */
import { isUnset, nodesOf, numberIn, numberOf } from './page-numbers.ts'
import { leavesMost } from './page-shapes.ts'
import type { Styles } from './page-styles.ts'
import { moveOf } from './page-transforms.ts'

/** What adds up from the outside inwards. */
export interface Place {
  /** Pixels from where the part would lie by itself. */
  readonly x: number
  readonly y: number
  readonly scale: number
  readonly opacity: number
}
export const UNMOVED: Place = { x: 0, y: 0, scale: 1, opacity: 1 }

/** Pixels of an offset; menus that slide in and parts that overlap their neighbours are nearer. */
const FAR = 400
/** Right of that, or further down, is out of view (one can scroll down). */
const FAR_RIGHT = 1_000
const FAR_DOWN = 5_000
const LEAST_SCALE = 0.2
const MOST_SCALE = 5
const LEAST_OPACITY = 0.1
const MOST_BLUR = 2
/** What one per cent of the screen comes to, in pixels. */
const PERCENT = { x: 12.8, y: 8 } as const

/** A value with custom properties put in for `var()`; what has no value is left as it is. */
export function resolved(value: string, custom: Styles): string {
  let text = value
  // A property may name others, in a circle too, and grow with each.
  for (let round = 0; round < 10 && text.includes('var(') && text.length < 1_000; round++) {
    text = text.replace(/var\(\s*(--[^\s,()]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)/g, (all, name, fallback) => {
      return custom.get(name) ?? fallback?.trim() ?? all
    })
  }
  return text.trim().toLowerCase()
}

/**
 * Where an element with these styles lies in a place around it; null when it takes itself and all inside of it out of
 * sight.
 */
export function placeOf(styles: Styles, tag: string, outer: Place): Place | null {
  const get = (property: string) => styles.get(property) ?? ''
  if (get('display') === 'none' || isPainted(styles) || isWithoutSize(styles, tag)) return null
  if (!leavesMost(get('clip-path')) || isClippedAway(styles) || isBehind(styles)) return null
  const opacity = shareOf(get('opacity'))
  const zoom = shareOf(get('zoom'))
  const move = moveOf(styles)
  if (opacity === null || zoom === null || move === null) return null
  if (move.isTurned && get('backface-visibility') === 'hidden') return null
  const [x, y] = [offsetOf(styles, 'x'), offsetOf(styles, 'y')]
  if (x === null || y === null) return null
  const place = {
    x: outer.x + x + move.x,
    y: outer.y + y + move.y,
    scale: outer.scale * move.scale * zoom,
    opacity: outer.opacity * opacity,
  }
  const isFar = place.x < -FAR || place.x > FAR_RIGHT || place.y < -FAR || place.y > FAR_DOWN
  const isBelow = get('position') === 'fixed' && place.y >= PERCENT.y * 100
  const isTiny = !(place.scale >= LEAST_SCALE && place.scale <= MOST_SCALE) || Math.abs(move.z) > FAR
  return isFar || isBelow || isTiny || !(place.opacity >= LEAST_OPACITY) ? null : place
}

/** A number or a percentage; 1 where nothing is said. */
function shareOf(value: string): number | null {
  return isUnset(value) ? 1 : numberIn(value)
}

/** Filters, masks and the like that leave nothing, or what nobody can know. */
function isPainted(styles: Styles): boolean {
  const isSet = (...properties: readonly string[]) => properties.some(property => !isUnset(styles.get(property)))
  const content = styles.get('content') ?? ''
  return (
    isFiltered(styles.get('filter') ?? '') ||
    isSet('mask', 'mask-image', 'mask-border', 'mask-border-source', '-webkit-mask', '-webkit-mask-image') ||
    isSet('-webkit-mask-box-image', 'mix-blend-mode', 'offset', 'offset-path') ||
    // A picture in place of what is in the element.
    /\(/.test(content)
  )
}

/** Amounts of filters between which a part can be read. */
const FILTERS: Readonly<Record<string, (amount: number) => boolean>> = {
  blur: amount => amount <= MOST_BLUR,
  opacity: amount => amount >= LEAST_OPACITY,
  contrast: amount => amount >= 0.3,
  brightness: amount => amount >= 0.3 && amount <= 3,
  // Half of it makes all colours grey.
  invert: amount => amount <= 0.3 || amount >= 0.7,
  grayscale: () => true,
  sepia: () => true,
  saturate: () => true,
  'hue-rotate': () => true,
}

function isFiltered(value: string): boolean {
  if (isUnset(value)) return false
  return nodesOf(value).some(node => {
    if (node.type === 'WhiteSpace') return false
    if (node.type !== 'Function') return true
    const name = node.name.toLowerCase()
    if (name === 'drop-shadow') return false
    const nodes = node.children.toArray()
    // Without an amount: nothing for a blur, all for the others.
    const amount = nodes.length === 0 ? (name === 'blur' ? 0 : 1) : numberOf(nodes)
    return amount === null || FILTERS[name]?.(amount) !== true
  })
}

function isClippedAway(styles: Styles): boolean {
  const isPositioned = ['absolute', 'fixed'].includes(styles.get('position') ?? '')
  const clip = styles.get('clip')
  if (!isPositioned || clip === undefined || isUnset(clip)) return false
  const [call] = nodesOf(clip)
  if (call?.type !== 'Function') return true
  const edges = call.children.toArray().filter(({ type }) => type !== 'WhiteSpace' && type !== 'Operator')
  const [top, right, bottom, left] = edges.map((node, index) => {
    if (node.type !== 'Identifier') return numberOf([node])
    return index === 0 || index === 3 ? 0 : FAR
  })
  if (top == null || right == null || bottom == null || left == null) return true
  return right - left < 20 || bottom - top < 20
}

/** Something behind its surroundings is covered as soon as one of them has a colour. */
function isBehind(styles: Styles): boolean {
  const order = styles.get('z-index')
  if (order === undefined || isUnset(order)) return false
  const number = numberIn(order)
  return number === null || number < 0
}

/** Pixels by which a part is put off its place along an axis; null when that cannot be worked out, or is out of view. */
function offsetOf(styles: Styles, axis: 'x' | 'y'): number | null {
  const [start, end] = axis === 'x' ? (['left', 'right'] as const) : (['top', 'bottom'] as const)
  const lengthOf = (property: string): number | null => {
    const value = styles.get(property)
    if (value === undefined || isUnset(value)) return 0
    return numberIn(value, PERCENT[axis])
  }
  const isSet = (property: string) => !isUnset(styles.get(property))
  const margin = lengthOf(`margin-${start}`)
  const padding = lengthOf(`padding-${start}`)
  if (margin === null || padding === null) return null
  const border = lengthOf(`border-${start}-width`)
  const inside = Math.max(padding, border ?? 0)
  const flow = margin + (inside > FAR ? inside : 0)
  const position = styles.get('position') ?? ''
  if (!['absolute', 'fixed', 'relative', 'sticky'].includes(position)) return flow
  const [near, far] = [lengthOf(start), lengthOf(end)]
  if (near === null || far === null) return null
  // Where a sticky part stays is no shift of its place.
  if (position === 'sticky') return Math.abs(near) + Math.abs(far) > FAR_RIGHT ? null : flow
  if (isSet(start)) return flow + near
  if (position === 'relative') return flow - far
  return far < -FAR || far > FAR_RIGHT ? null : flow
}

function isWithoutSize(styles: Styles, tag: string): boolean {
  const isSmall = (axis: 'x' | 'y', ...properties: readonly string[]) =>
    properties.some(property => {
      const value = styles.get(property) ?? ''
      const length = isUnset(value) ? null : numberIn(value, PERCENT[axis])
      return length !== null && length <= 3
    })
  // In a row that shares out its width, a width of nothing is where that begins.
  const grows = !['', '0', 'none', 'initial'].includes(styles.get('flex') ?? styles.get('flex-grow') ?? '')
  const isNarrow = (!grows && isSmall('x', 'width', 'inline-size')) || isSmall('x', 'max-width', 'max-inline-size')
  const isLow = (!grows && isSmall('y', 'height', 'block-size')) || isSmall('y', 'max-height', 'max-block-size')
  if (['button', 'textarea', 'img', 'svg'].includes(tag)) return isNarrow || isLow
  // The bar of a slider may be as thin as a line.
  if (['input', 'select'].includes(tag)) return isNarrow || isSmall('y', 'max-height') || isFlat(styles)
  const isContained = /\b(?:paint|content|strict)\b/.test(styles.get('contain') ?? '')
  const cuts = (side: 'x' | 'y') =>
    isContained || ['hidden', 'clip', 'auto', 'scroll'].includes(styles.get(`overflow-${side}`) ?? '')
  return (isNarrow && cuts('x')) || (isLow && cuts('y'))
}

const isFlat = (styles: Styles) => {
  const height = styles.get('height') ?? styles.get('block-size') ?? ''
  const length = isUnset(height) ? null : numberIn(height, PERCENT.y)
  return length !== null && length <= 1
}
