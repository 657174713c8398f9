/** Shapes of `clip-path`: how much of a part they leave to be seen. */
import type { CssNode } from 'css-tree'
import { argumentsOf, isUnset, nodesOf, numberOf } from './page-numbers.ts'

/** The size of a part is not known; lengths are taken of one of this many pixels, and percentages are exact. */
const SIDE = 300
const PERCENT = SIDE / 100
/** Points along each side that are asked about. */
const POINTS = 20
const MAX_CORNERS = 60
/** A slanted edge or a round corner leaves more than that. */
const LEAST = 0.75

type Shape = (x: number, y: number) => boolean

/** Does a `clip-path` leave hardly less than all of a part? Not so for one that cannot be worked out. */
export function leavesMost(value: string): boolean {
  if (isUnset(value)) return true
  const nodes = nodesOf(value).filter(({ type }) => type !== 'WhiteSpace')
  const calls = nodes.filter(({ type }) => type === 'Function')
  const [call] = calls
  if (call?.type !== 'Function') return nodes.every(node => node.type === 'Identifier' && /-box$/.test(node.name))
  const shape = calls.length === 1 ? shapeOf(call.name.toLowerCase(), call.children.toArray()) : null
  if (shape === null) return false
  let inside = 0
  for (let row = 0; row < POINTS; row++) {
    for (let column = 0; column < POINTS; column++) {
      if (shape(((column + 0.5) / POINTS) * SIDE, ((row + 0.5) / POINTS) * SIDE)) inside += 1
    }
  }
  return inside / POINTS ** 2 >= LEAST
}

function shapeOf(name: string, nodes: readonly CssNode[]): Shape | null {
  switch (name) {
    case 'inset':
      return inset(nodes)
    case 'polygon':
      return polygon(nodes)
    case 'circle':
    case 'ellipse':
      return ellipse(nodes)
    default:
      return null
  }
}

const isWord = (node: CssNode, word: string) => node.type === 'Identifier' && node.name.toLowerCase() === word
const before = (nodes: readonly CssNode[], word: string): readonly CssNode[] => {
  const at = nodes.findIndex(node => isWord(node, word))
  return at === -1 ? nodes : nodes.slice(0, at)
}

/** Numbers of a list of single values; null when one of them is not known. */
function numbersOf(nodes: readonly CssNode[]): readonly number[] | null {
  const numbers = nodes.filter(({ type }) => type !== 'WhiteSpace').map(node => numberOf([node], PERCENT))
  return numbers.some(number => number === null) ? null : numbers.flatMap(number => number ?? [])
}

function inset(nodes: readonly CssNode[]): Shape | null {
  const edges = numbersOf(before(nodes, 'round'))
  if (edges === null) return null
  const [top = 0, right = top, bottom = top, left = right] = edges
  return (x, y) => x >= left && x <= SIDE - right && y >= top && y <= SIDE - bottom
}

function ellipse(nodes: readonly CssNode[]): Shape | null {
  const radii = numbersOf(before(nodes, 'at'))
  const at = nodes.findIndex(node => isWord(node, 'at'))
  const words: Readonly<Record<string, number>> = { left: 0, top: 0, center: 50, right: 100, bottom: 100 }
  const place = nodes
    .slice(at === -1 ? nodes.length : at + 1)
    .filter(({ type }) => type !== 'WhiteSpace')
    .map(node =>
      node.type === 'Identifier' ? (words[node.name.toLowerCase()] ?? 50) * PERCENT : numberOf([node], PERCENT),
    )
  const [x = SIDE / 2, y = SIDE / 2] = place
  if (radii === null || x === null || y === null || place.length > 2) return null
  const [wide = SIDE / 2, high = wide] = radii
  return (column, row) => ((column - x) / wide) ** 2 + ((row - y) / high) ** 2 <= 1
}

function polygon(nodes: readonly CssNode[]): Shape | null {
  const lists = argumentsOf(nodes)
  const isEvenOdd = lists[0]?.some(node => isWord(node, 'evenodd')) === true
  const corners: (readonly [number, number])[] = []
  for (const list of lists) {
    if (list.length === 1 && list[0]?.type === 'Identifier') continue
    const [x, y] = numbersOf(list) ?? []
    if (x === undefined || y === undefined || corners.length > MAX_CORNERS) return null
    corners.push([x, y])
  }
  return (column, row) => {
    let turns = 0
    let crossings = 0
    for (const [index, [x, y]] of corners.entries()) {
      const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [x, y]
      if (y <= row === nextY <= row) continue
      if (x + ((row - y) / (nextY - y)) * (nextX - x) <= column) continue
      crossings += 1
      turns += nextY > y ? 1 : -1
    }
    return isEvenOdd ? crossings % 2 === 1 : turns !== 0
  }
}
