/** Numbers, lengths and angles of CSS, worked out as far as that can be done without laying out boxes. */
import { type CssNode, parse } from 'css-tree'
import { pixels } from './page-media.ts'

/** What stands for "no value of its own". */
const UNSET = ['', 'auto', 'none', 'normal', 'initial', 'inherit', 'unset', 'revert', 'revert-layer', 'content']
export const isUnset = (value: string | undefined): boolean => value === undefined || UNSET.includes(value)

const CONSTANTS: Readonly<Record<string, number>> = {
  pi: Math.PI,
  e: Math.E,
  infinity: Number.POSITIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
}
const DEGREES: Readonly<Record<string, number>> = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 }

/** The nodes of a value; empty when it cannot be parsed. */
export function nodesOf(value: string): readonly CssNode[] {
  try {
    const node = parse(value, { context: 'value', onParseError: () => undefined, positions: false })
    return node.type === 'Value' ? node.children.toArray() : []
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SyntaxError') throw error
    return []
  }
}

/**
 * A number, a length in pixels, or an angle in degrees, with `calc()`, `min()`, `max()`, `clamp()` and `abs()` worked out.
 * null for anything that cannot be worked out.
 *
 * @param percent What one per cent comes to.
 */
export function numberIn(value: string, percent = 0.01): number | null {
  // What most values are needs no parser.
  const [, number, unit = ''] = /^([+-]?(?:\d+\.?|\d*\.\d+))(px|rem|em|%|)$/.exec(value) ?? []
  if (number !== undefined) return unit === '%' ? Number(number) * percent : pixels(Number(number), unit)
  return numberOf(nodesOf(value), percent)
}

/** {@link numberIn} for nodes. */
export function numberOf(nodes: readonly CssNode[], percent = 0.01): number | null {
  const parts = nodes.filter(({ type }) => type !== 'WhiteSpace' && type !== 'Comment')
  const sum = sumOf(parts, percent)
  return sum === null || Number.isNaN(sum) ? null : sum
}

/** The arguments of a function, or the parts of a list: between commas, or else one by one. */
export function argumentsOf(nodes: readonly CssNode[]): readonly (readonly CssNode[])[] {
  const lists: CssNode[][] = [[]]
  for (const node of nodes) {
    if (node.type === 'Operator' && node.value.trim() === ',') lists.push([])
    else if (node.type !== 'WhiteSpace' && node.type !== 'Comment') lists.at(-1)?.push(node)
  }
  return lists.filter(list => list.length > 0)
}

/** Sums and differences of products and quotients. */
function sumOf(nodes: readonly CssNode[], percent: number): number | null {
  const terms: { readonly sign: number; readonly factors: CssNode[] }[] = [{ sign: 1, factors: [] }]
  for (const node of nodes) {
    const sign = node.type === 'Operator' ? node.value.trim() : ''
    if (sign === '+' || sign === '-') terms.push({ sign: sign === '+' ? 1 : -1, factors: [] })
    else terms.at(-1)?.factors.push(node)
  }
  let sum = 0
  for (const { sign, factors } of terms) {
    const product = productOf(factors, percent)
    if (product === null) return null
    sum += sign * product
  }
  return sum
}

function productOf(nodes: readonly CssNode[], percent: number): number | null {
  let product: number | null = null
  let operator: string | null = null
  for (const node of nodes) {
    if (node.type === 'Operator') {
      if (product === null || operator !== null) return null
      operator = node.value.trim()
      continue
    }
    const value = amountOf(node, percent)
    if (value === null || (product !== null && operator === null)) return null
    if (product === null) product = value
    else if (operator === '*') product *= value
    else if (operator === '/') product /= value
    else return null
    operator = null
  }
  return operator === null ? product : null
}

function amountOf(node: CssNode, percent: number): number | null {
  switch (node.type) {
    case 'Number':
      return Number(node.value)
    case 'Percentage':
      return Number(node.value) * percent
    case 'Dimension': {
      const unit = node.unit.toLowerCase()
      const degrees = DEGREES[unit]
      return degrees === undefined ? pixels(Number(node.value), unit) : Number(node.value) * degrees
    }
    case 'Identifier':
      return CONSTANTS[node.name.toLowerCase()] ?? null
    case 'Parentheses':
      return numberOf(node.children.toArray(), percent)
    case 'Function':
      return callOf(node.name.toLowerCase(), node.children.toArray(), percent)
    default:
      return null
  }
}

function callOf(name: string, nodes: readonly CssNode[], percent: number): number | null {
  const values: number[] = []
  for (const list of argumentsOf(nodes)) {
    const value = numberOf(list, percent)
    if (value === null) return null
    values.push(value)
  }
  const [first, second, third] = values
  if (first === undefined) return null
  if (/^(?:-\w+-)?calc$/.test(name)) return values.length === 1 ? first : null
  if (name === 'min') return Math.min(...values)
  if (name === 'max') return Math.max(...values)
  if (name === 'abs') return Math.abs(first)
  if (name !== 'clamp' || second === undefined || third === undefined) return null
  return Math.max(first, Math.min(second, third))
}
