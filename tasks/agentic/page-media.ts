/** Which conditions of a style sheet hold for a visitor at an ordinary screen, 1280 by 800, that likes it light. */
import { type Atrule, type CssNode, generate, lexer } from 'css-tree'
import { parseCss } from './page-css.ts'

export const SCREEN = { width: 1280, height: 800 } as const
const FONT_SIZE = 16

const FEATURES: Readonly<Record<string, string>> = {
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-contrast': 'no-preference',
  orientation: 'landscape',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  scripting: 'enabled',
  update: 'fast',
}

/** Do the media of a `<style media="…">` or `@media` take in such a screen? Without any they do. */
export function includesScreen(media: string): boolean {
  if (media.trim() === '') return true
  const list = parseCss(media, 'mediaQueryList')
  return list?.type === 'MediaQueryList' && list.children.toArray().some(query => matchesQuery(query))
}

/** Does the content of an at-rule apply, as far as that can be said? */
export type Application = 'always' | 'perhaps' | 'never'

/**
 * Whether a container is as wide as it is asked to be, which features a browser has, and what a scope leaves out, is not
 * worked out: such rules apply perhaps, and what is hidden with them or without them is not seen.
 */
export function applicationOf(name: string, prelude: Atrule['prelude']): Application {
  const text = prelude === null ? '' : generate(prelude)
  switch (name) {
    case 'media':
      return includesScreen(text) ? 'always' : 'never'
    case 'supports':
      return supportOf(text)
    case 'container':
      return mayContain(text) ? 'perhaps' : 'never'
    case 'layer':
      return 'always'
    case 'scope':
      return 'perhaps'
    default:
      return 'never'
  }
}

/** Browsers have what css-tree knows, and perhaps what it does not. */
function supportOf(condition: string): Application {
  const plain = condition.replace(/selector\([^()]*(?:\([^()]*\)[^()]*)*\)/gi, '(color:red)')
  const declarations = [...plain.matchAll(/\(\s*([\w-]+)\s*:\s*([^()]*(?:\([^()]*\)[^()]*)*)\)/g)]
  const isKnown = declarations.every(([, name = '', value = '']) => lexer.matchProperty(name, value).error === null)
  const isNegated = /\bnot\b/i.test(plain)
  if (declarations.length === 0 || !isKnown || (isNegated && declarations.length > 1)) return 'perhaps'
  return isNegated ? 'never' : 'always'
}

/** Widths that the containers of a page at such a screen may have. */
const CONTAINERS = [SCREEN.width, 1_000, 720]

/** May a condition of `@container` hold in some container? What is not about its size may. */
function mayContain(text: string): boolean {
  // A name may stand before the condition.
  const condition = text
    .slice(Math.max(0, text.search(/\(|not\b|style\(|scroll-state\(/i)))
    .replaceAll(/\b(inline|block)-size\b/gi, (_, axis: string) =>
      axis.toLowerCase() === 'inline' ? 'width' : 'height',
    )
  if (!/width|height/i.test(condition) || /style\(|scroll-state\(/i.test(condition)) return true
  const list = parseCss(condition, 'mediaQueryList')
  if (list?.type !== 'MediaQueryList') return true
  return CONTAINERS.some(width => list.children.toArray().some(query => matchesQuery(query, width)))
}

function matchesQuery(query: CssNode, width: number = SCREEN.width): boolean {
  if (query.type !== 'MediaQuery') return false
  const isType = query.mediaType === null || ['all', 'screen'].includes(query.mediaType.toLowerCase())
  const matches = isType && (query.condition === null || holds(query.condition, width))
  return query.modifier?.toLowerCase() === 'not' ? !matches : matches
}

function holds(condition: CssNode, width: number): boolean {
  if (condition.type === 'Feature') return holdsFeature(condition.name.toLowerCase(), condition.value, width)
  if (condition.type === 'FeatureRange') return holdsRange(condition, width)
  if (condition.type !== 'Condition') return false
  let result: boolean | null = null
  let operator = 'and'
  let isNegated = false
  for (const part of condition.children.toArray()) {
    const word = part.type === 'Identifier' ? part.name.toLowerCase() : null
    if (word === 'not') isNegated = true
    else if (word === 'and' || word === 'or') operator = word
    else {
      const value = holds(part, width) !== isNegated
      isNegated = false
      result = result === null ? value : operator === 'and' ? result && value : result || value
    }
  }
  return result ?? false
}

function holdsFeature(name: string, value: CssNode | null, width: number): boolean {
  const screen = { ...SCREEN, width }
  const [, bound, dimension] = /^(?:(min|max)-)?(width|height)$/.exec(name) ?? []
  if (dimension === 'width' || dimension === 'height') {
    const size = value === null ? null : pixelsOf(value)
    if (size === null) return value === null
    if (bound === 'min') return screen[dimension] >= size
    return bound === 'max' ? screen[dimension] <= size : screen[dimension] === size
  }
  if (name === 'color') return true
  const own = FEATURES[name]
  if (own === undefined) return false
  return value === null ? own !== 'no-preference' : value.type === 'Identifier' && value.name.toLowerCase() === own
}

function holdsRange(range: Extract<CssNode, { type: 'FeatureRange' }>, width: number): boolean {
  const screen = { ...SCREEN, width }
  const sizeOf = (node: CssNode): number | null => {
    const name = node.type === 'Identifier' ? node.name.toLowerCase() : ''
    return name === 'width' || name === 'height' ? screen[name] : pixelsOf(node)
  }
  const compares = (left: CssNode, sign: string, right: CssNode): boolean => {
    const [one, other] = [sizeOf(left), sizeOf(right)]
    if (one === null || other === null) return false
    if (sign === '=') return one === other
    if (sign.includes('=') && one === other) return true
    return sign.startsWith('<') ? one < other : one > other
  }
  const { left, leftComparison, middle, rightComparison, right } = range
  if (!compares(left, leftComparison, middle)) return false
  return rightComparison === null || right === null || compares(middle, rightComparison, right)
}

function pixelsOf(node: CssNode): number | null {
  if (node.type === 'Number') return Number(node.value)
  if (node.type !== 'Dimension') return null
  return pixels(Number(node.value), node.unit.toLowerCase())
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  em: FONT_SIZE,
  rem: FONT_SIZE,
  lh: FONT_SIZE,
  rlh: FONT_SIZE,
  ic: FONT_SIZE,
  cap: FONT_SIZE,
  ex: FONT_SIZE / 2,
  ch: FONT_SIZE / 2,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  '%': SCREEN.width / 100,
  // `vw`, `svw`, `cqw`, … and so on for the other sides.
  ...Object.fromEntries(
    ['v', 'sv', 'lv', 'dv', 'cq'].flatMap(prefix => [
      ...['w', 'i', 'max'].map(side => [`${prefix}${side}`, SCREEN.width / 100]),
      ...['h', 'b', 'min'].map(side => [`${prefix}${side}`, SCREEN.height / 100]),
    ]),
  ),
}

/** A length in CSS pixels; font-relative units count as if the font were 16 pixels. null for units not known. */
export function pixels(value: number, unit: string): number | null {
  const factor = FACTORS[unit]
  return factor === undefined ? null : value * factor
}
