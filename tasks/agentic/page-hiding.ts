/** Values of CSS that hide an element with all that is in it, and colours as far as they can be compared. */
import { pixels } from './page-media.ts'
import type { Styles } from './page-styles.ts'

/** Pixels beyond the edge from which on something is out of the way: menus that slide in are nearer. */
const FAR = 1_000

/** A value with custom properties put in for `var()`; what has no value is left as it is. */
export function resolved(value: string, custom: Styles): string {
  let text = value
  // A property may name others, in a circle too, and grow with each.
  for (let round = 0; round < 10 && text.includes('var(') && text.length < 1_000; round++) {
    text = text.replace(/var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/g, (all, name: string, fallback?: string) => {
      return custom.get(name) ?? fallback?.trim() ?? all
    })
  }
  return text.trim().toLowerCase()
}

/** Does an element with these styles take itself and all inside of it out of sight? */
export function isGone(styles: Styles, tag: string): boolean {
  const get = (property: string) => styles.get(property) ?? ''
  return (
    get('display') === 'none' ||
    isFaint(get('opacity')) ||
    isFaint(/opacity\(\s*([^\s()]+)\s*\)/.exec(get('filter'))?.[1] ?? '') ||
    isClippedAway(styles) ||
    isOffScreen(styles) ||
    isScaledAway(
      `${get('transform')} ${get('scale') === '' ? '' : `scale(${get('scale').replaceAll(/\s+/g, ',')})`}`,
    ) ||
    isWithoutSize(styles, tag)
  )
}

/** An opacity below a tenth. */
function isFaint(value: string): boolean {
  const [, number, percent] = /^(-?[\d.]+(?:e[+-]?\d+)?)(%?)$/.exec(value) ?? []
  return number !== undefined && Number(number) / (percent === '%' ? 100 : 1) < 0.1
}

/** A length in pixels; null for what is no plain length. */
function lengthOf(value: string): number | null {
  const [, number, unit = ''] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)([a-z%]*)$/.exec(value.trim()) ?? []
  return number === undefined ? null : pixels(Number(number), unit)
}

function isClippedAway(styles: Styles): boolean {
  const path = styles.get('clip-path') ?? ''
  if (/^inset\(\s*(?:50|[5-9]\d|100)(?:\.\d+)?%/.test(path) || /^(?:circle|ellipse)\(\s*0(?![\d.])/.test(path))
    return true
  const [, ...edges] =
    /^rect\(\s*([^\s,]+)[\s,]+([^\s,]+)[\s,]+([^\s,]+)[\s,]+([^\s,]+)\s*\)$/.exec(styles.get('clip') ?? '') ?? []
  const [top, right, bottom, left] = edges.map(lengthOf)
  const isPositioned = ['absolute', 'fixed'].includes(styles.get('position') ?? '')
  if (!isPositioned || top == null || right == null || bottom == null || left == null) return false
  return right - left <= 1 && bottom - top <= 1
}

function isOffScreen(styles: Styles): boolean {
  const isFar = (value: string | undefined) => {
    const length = value === undefined ? null : lengthOf(value)
    return length !== null && length <= -FAR
  }
  const isMoved = ['absolute', 'fixed', 'relative', 'sticky'].includes(styles.get('position') ?? '')
  if (isMoved && ['top', 'left', 'right', 'bottom'].some(side => isFar(styles.get(side)))) return true
  if (isFar(styles.get('margin-left')) || isFar(styles.get('margin-top'))) return true
  const shifts = [...(styles.get('transform') ?? '').matchAll(/translate(?:x|y|3d)?\(([^()]*)\)/g)].flatMap(
    ([, list = '']) => list.split(','),
  )
  return [...shifts, ...(styles.get('translate') ?? '').split(/\s+/)].some(isFar)
}

const isScaledAway = (transform: string) =>
  /scale(?:x|y|3d)?\(\s*(?:0|0?\.0\d*)\s*[,)]|scale\([^,()]+,\s*(?:0|0?\.0\d*)\s*\)/.test(transform)

function isWithoutSize(styles: Styles, tag: string): boolean {
  const isSmall = (...properties: readonly string[]) =>
    properties.some(property => {
      const length = lengthOf(styles.get(property) ?? '')
      return length !== null && length <= 1
    })
  // In a row that shares out its width, a width of nothing is where that begins.
  const grows = !['', '0', 'none', 'initial'].includes(styles.get('flex') ?? styles.get('flex-grow') ?? '')
  const isNarrow = !grows && isSmall('width', 'max-width', 'inline-size')
  const isLow = isSmall('height', 'max-height', 'block-size')
  if (['input', 'select', 'button', 'textarea', 'img'].includes(tag)) return isNarrow || isLow
  const cuts = (axis: 'x' | 'y') => ['hidden', 'clip'].includes(styles.get(`overflow-${axis}`) ?? '')
  return (isNarrow && cuts('x')) || (isLow && cuts('y'))
}

const NAMES: Readonly<Record<string, string>> = {
  white: '#ffffff',
  black: '#000000',
  red: '#ff0000',
  lime: '#00ff00',
  blue: '#0000ff',
  gray: '#808080',
  grey: '#808080',
  silver: '#c0c0c0',
  whitesmoke: '#f5f5f5',
  snow: '#fffafa',
  transparent: '#00000000',
}

/** A colour as `#rrggbb` or `#rrggbbaa` where that can be said, a name as it is; null for anything else. */
export function colourIn(value: string): string | null {
  const named = value === 'none' ? NAMES.transparent : NAMES[value]
  if (named !== undefined) return named
  if (/^#[\da-f]{3,4}$/.test(value))
    return `#${[...value.slice(1)].map(digit => digit + digit).join('')}`.replace(/^(#.{6})ff$/, '$1')
  if (/^#(?:[\da-f]{6}|[\da-f]{8})$/.test(value)) return value.replace(/^(#.{6})ff$/, '$1')
  const [, list] = /^rgba?\(([^()]*)\)$/.exec(value) ?? []
  if (list !== undefined) return ofNumbers(list.split(/[\s,/]+/).filter(part => part !== ''))
  return /^[a-z]+$/.test(value) ? value : null
}

function ofNumbers([red = '', green = '', blue = '', alpha = '1']: readonly string[]): string | null {
  const channel = (text: string) => Math.round(text.endsWith('%') ? Number(text.slice(0, -1)) * 2.55 : Number(text))
  const opacity = alpha.endsWith('%') ? Number(alpha.slice(0, -1)) / 100 : Number(alpha)
  const all = [channel(red), channel(green), channel(blue), Math.round(opacity * 255)]
  if (all.some(number => !(number >= 0 && number <= 255))) return null
  const hex = all.map(number => number.toString(16).padStart(2, '0')).join('')
  return `#${hex}`.replace(/^(#.{6})ff$/, '$1')
}

/** Colours one cannot see, or hardly. */
export const isTransparent = (colour: string): boolean => /^#[\da-f]{6}0[\da-f]$/.test(colour)
