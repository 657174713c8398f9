/** Shorthand properties of CSS taken apart, as far as they decide what can be seen. */
import { type CssNode, generate, lexer } from 'css-tree'
import { nodesOf, numberOf } from './page-numbers.ts'

const SIDES = ['top', 'right', 'bottom', 'left'] as const
const ofSides = (start: string) => SIDES.map(side => `${start}${side}`)

/** The properties that a shorthand sets here. */
const LONGHANDS: Readonly<Record<string, readonly string[]>> = {
  font: ['font-size'],
  background: ['background-image', 'background-color', 'background-clip'],
  inset: SIDES,
  'inset-inline': ['left', 'right'],
  'inset-block': ['top', 'bottom'],
  margin: ofSides('margin-'),
  'margin-inline': ['margin-left', 'margin-right'],
  'margin-block': ['margin-top', 'margin-bottom'],
  padding: ofSides('padding-'),
  'padding-inline': ['padding-left', 'padding-right'],
  'padding-block': ['padding-top', 'padding-bottom'],
  overflow: ['overflow-x', 'overflow-y'],
  'border-width': SIDES.map(side => `border-${side}-width`),
  border: ['border-top-width', 'border-left-width'],
  'border-top': ['border-top-width'],
  'border-left': ['border-left-width'],
}
/** Other names of properties, in a text that runs from left to right. */
const ALIASES: Readonly<Record<string, string>> = {
  animation: 'animation-name',
  '-webkit-background-clip': 'background-clip',
  '-webkit-clip-path': 'clip-path',
  '-webkit-transform': 'transform',
  '-webkit-filter': 'filter',
  '-webkit-backface-visibility': 'backface-visibility',
  '-webkit-opacity': 'opacity',
  'inset-inline-start': 'left',
  'inset-inline-end': 'right',
  'inset-block-start': 'top',
  'inset-block-end': 'bottom',
  'margin-inline-start': 'margin-left',
  'margin-block-start': 'margin-top',
  'padding-inline-start': 'padding-left',
  'padding-block-start': 'padding-top',
  'overflow-inline': 'overflow-x',
  'overflow-block': 'overflow-y',
}

/** Stands before a shorthand whose parts are known only when its `var()` are. */
const PENDING = '\u0000'

/** A declaration as the properties it sets; none for a value that browsers do not know. */
export function longhandsOf(property: string, value: string): readonly (readonly [string, string])[] {
  if (!value.includes('var(')) return isKnown(property, value) ? takenApart(property, value) : []
  const parts = LONGHANDS[property]
  if (parts === undefined) return [[ALIASES[property] ?? property, value]]
  return parts.map(part => [part, `${PENDING}${property}${PENDING}${value}`])
}

/** The value of a property in which `fill` puts in custom properties; null for one that then means nothing. */
export function valueWith(fill: (value: string) => string, property: string, value: string): string | null {
  if (!value.includes('var(')) return value.toLowerCase()
  const [, shorthand = property, text = value] = value.split(PENDING)
  const filled = fill(text)
  if (filled.includes('var(') || !isKnown(shorthand, filled)) return null
  return (
    takenApart(shorthand, filled).find(([part]) => part === property)?.[1] ?? (shorthand === property ? filled : null)
  )
}

/** Functions that browsers know and css-tree does not, at least not everywhere. */
const NEWER = [
  ...[
    'sin',
    'cos',
    'tan',
    'asin',
    'acos',
    'atan',
    'atan2',
    'pow',
    'sqrt',
    'hypot',
    'log',
    'exp',
    'round',
    'mod',
    'rem',
  ],
  ...['abs', 'sign', 'calc-size', 'anchor', 'anchor-size', 'env', 'attr', 'if', 'path', 'shape', 'rect', 'xywh', 'ray'],
  ...['progress', 'random', 'sibling-index', 'sibling-count', 'color-mix', 'contrast-color', 'light-dark', 'color'],
]
const IS_NEWER = new RegExp(`(?:^|[\\s(,])(?:(?:${NEWER.join('|')})\\(|[a-z]+\\(\\s*from\\s)`, 'i')

function isKnown(property: string, value: string): boolean {
  if (ALIASES[property] !== undefined || lexer.matchProperty(property, value).error === null) return true
  return IS_NEWER.test(value)
}

function takenApart(property: string, value: string): readonly (readonly [string, string])[] {
  if (property === 'font') {
    const call = '(?:calc|min|max|clamp)\\(.*\\)'
    const size = new RegExp(`(?:^|\\s)(${call}|[\\d.]+(?:e[+-]?\\d+)?[a-z%]*)(?=\\s|/)`).exec(value)?.[1]
    return size === undefined ? [] : [['font-size', size]]
  }
  if (property === 'background') return background(value)
  const parts = LONGHANDS[property]
  if (parts === undefined) return [[ALIASES[property] ?? property, value]]
  if (/^border(?:-top|-left)?$/.test(property)) {
    const width = nodesOf(value).find(node => numberOf([node]) !== null)
    return width === undefined ? [] : parts.map(part => [part, generate(width)])
  }
  const list = nodesOf(value).flatMap(node => (node.type === 'WhiteSpace' ? [] : [generate(node)]))
  const [first = '', second = first, third = first, fourth = second] = list
  return parts.map((part, index) => [part, [first, second, third, fourth][index] ?? ''])
}

const COLOUR_FUNCTION = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)$/i
const isPicture = (node: CssNode) =>
  node.type === 'Url' || (node.type === 'Function' && /gradient|image|element|cross-fade/i.test(node.name))

function background(value: string): readonly (readonly [string, string])[] {
  const nodes = nodesOf(value)
  const pictures = nodes.filter(isPicture).map(node => generate(node))
  const colour = nodes.find(
    node =>
      node.type === 'Hash' ||
      (node.type === 'Function' && COLOUR_FUNCTION.test(node.name)) ||
      (node.type === 'Identifier' && lexer.matchType('color', node.name).error === null),
  )
  const isText = nodes.some(node => node.type === 'Identifier' && node.name.toLowerCase() === 'text')
  return [
    ['background-image', pictures.length === 0 ? 'none' : pictures.join(',')],
    ['background-color', colour === undefined ? 'transparent' : generate(colour)],
    ['background-clip', isText ? 'text' : 'border-box'],
  ]
}
