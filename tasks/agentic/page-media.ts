/** Which conditions of a style sheet hold for a visitor at an ordinary screen, 1280 by 800, that likes it light. */
import { type Atrule, type CssNode, generate } from 'css-tree'
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
  return list?.type === 'MediaQueryList' && list.children.toArray().some(matchesQuery)
}

/** Does the content of an at-rule apply? Conditions on what a browser supports are taken as true. */
export function isApplied(name: string, prelude: Atrule['prelude']): boolean {
  switch (name) {
    case 'media':
      return includesScreen(prelude === null ? '' : generate(prelude))
    case 'supports':
      return prelude === null || !/^\s*not\b/i.test(generate(prelude))
    case 'layer':
      return true
    default:
      return false
  }
}

function matchesQuery(query: CssNode): boolean {
  if (query.type !== 'MediaQuery') return false
  const isType = query.mediaType === null || ['all', 'screen'].includes(query.mediaType.toLowerCase())
  const matches = isType && (query.condition === null || holds(query.condition))
  return query.modifier?.toLowerCase() === 'not' ? !matches : matches
}

function holds(condition: CssNode): boolean {
  if (condition.type === 'Feature') return holdsFeature(condition.name.toLowerCase(), condition.value)
  if (condition.type === 'FeatureRange') return holdsRange(condition)
  if (condition.type !== 'Condition') return false
  let result: boolean | null = null
  let operator = 'and'
  let isNegated = false
  for (const part of condition.children.toArray()) {
    const word = part.type === 'Identifier' ? part.name.toLowerCase() : null
    if (word === 'not') isNegated = true
    else if (word === 'and' || word === 'or') operator = word
    else {
      const value = holds(part) !== isNegated
      isNegated = false
      result = result === null ? value : operator === 'and' ? result && value : result || value
    }
  }
  return result ?? false
}

function holdsFeature(name: string, value: CssNode | null): boolean {
  const [, bound, dimension] = /^(?:(min|max)-)?(width|height)$/.exec(name) ?? []
  if (dimension === 'width' || dimension === 'height') {
    const size = value === null ? null : pixelsOf(value)
    if (size === null) return value === null
    if (bound === 'min') return SCREEN[dimension] >= size
    return bound === 'max' ? SCREEN[dimension] <= size : SCREEN[dimension] === size
  }
  if (name === 'color') return true
  const own = FEATURES[name]
  if (own === undefined) return false
  return value === null ? own !== 'no-preference' : value.type === 'Identifier' && value.name.toLowerCase() === own
}

function holdsRange(range: Extract<CssNode, { type: 'FeatureRange' }>): boolean {
  const sizeOf = (node: CssNode): number | null => {
    const name = node.type === 'Identifier' ? node.name.toLowerCase() : ''
    return name === 'width' || name === 'height' ? SCREEN[name] : pixelsOf(node)
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

/** A length in CSS pixels; font-relative units count as if the font were 16 pixels. null for units not known. */
export function pixels(value: number, unit: string): number | null {
  const factors: Readonly<Record<string, number>> = {
    '': 1,
    px: 1,
    em: FONT_SIZE,
    rem: FONT_SIZE,
    ex: FONT_SIZE / 2,
    ch: FONT_SIZE / 2,
    pt: 4 / 3,
    pc: 16,
    in: 96,
    cm: 96 / 2.54,
    mm: 96 / 25.4,
    vw: SCREEN.width / 100,
    vh: SCREEN.height / 100,
    '%': SCREEN.width / 100,
  }
  const factor = factors[unit]
  return factor === undefined ? null : value * factor
}
