/** Transforms of CSS worked out as matrices, as far as they can take a part out of sight. */
import { type CssNode, generate } from 'css-tree'
import { argumentsOf, isUnset, nodesOf, numberOf } from './page-numbers.ts'
import type { Styles } from './page-styles.ts'

/** Four rows of four. */
type Matrix = readonly number[]

/** What a transform does to a part. */
export interface Move {
  /** Pixels to the right, down, and towards the visitor. */
  readonly x: number
  readonly y: number
  readonly z: number
  /** By how much the part is larger where it becomes smallest: 0 for one that is on edge. */
  readonly scale: number
  /** Its back is turned to the visitor. */
  readonly isTurned: boolean
}

const PROPERTIES = ['translate', 'rotate', 'scale', 'transform'] as const
const UNMOVED: Move = { x: 0, y: 0, z: 0, scale: 1, isTurned: false }
const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
/** Sizes of a part are not known; a percentage of it is taken of one of 600 by 300 pixels. */
const PERCENT = { x: 6, y: 3 } as const

/** The move of a part by `translate`, `rotate`, `scale` and `transform` together; null when it cannot be worked out. */
export function moveOf(styles: Styles): Move | null {
  if (PROPERTIES.every(property => isUnset(styles.get(property)))) return UNMOVED
  let matrix = IDENTITY
  for (const call of callsOf(styles)) {
    const step = call.type === 'Function' ? stepOf(call.name.toLowerCase(), call.children.toArray()) : null
    if (step === null || !step.every(Number.isFinite)) return null
    matrix = product(matrix, step)
  }
  return moved(matrix)
}

/** All transforms as the functions of `transform`, in the order in which they apply. */
function callsOf(styles: Styles): readonly CssNode[] {
  const get = (property: string) => {
    const value = styles.get(property)
    return value === undefined || isUnset(value) ? null : value
  }
  const list = (value: string) =>
    nodesOf(value)
      .filter(({ type }) => type !== 'WhiteSpace')
      .map(node => generate(node))
  const [translate, rotate, scale] = [get('translate'), get('rotate'), get('scale')]
  const texts: string[] = []
  if (translate !== null) {
    const [x = '0', y = '0', z = '0'] = list(translate)
    texts.push(`translate3d(${x},${y},${z})`)
  }
  if (rotate !== null) {
    const parts = list(rotate)
    const axis = parts.find(part => /^[xyz]$/.test(part))
    const angle = parts.find(part => part !== axis) ?? ''
    texts.push(parts.length === 4 ? `rotate3d(${parts.join(',')})` : `rotate${axis ?? 'z'}(${angle})`)
  }
  if (scale !== null)
    texts.push(`scale3d(${[...list(scale), ...(/\s/.test(scale) ? [] : [scale]), '1'].slice(0, 3).join(',')})`)
  texts.push(get('transform') ?? '')
  return nodesOf(texts.join(' ')).filter(({ type }) => type !== 'WhiteSpace')
}

/** The matrix of one function; null when it is not known, or one of its arguments is not. */
function stepOf(name: string, nodes: readonly CssNode[]): Matrix | null {
  const given = argumentsOf(nodes)
  const isMoved = name.startsWith('translate')
  const numbers: number[] = []
  for (const [index, list] of given.entries()) {
    const isDown = name === 'translatey' || index === 1
    const value = numberOf(list, isMoved ? (isDown ? PERCENT.y : PERCENT.x) : 0.01)
    if (value === null) return null
    numbers.push(value)
  }
  const [a, b, c, d = 0] = numbers
  if (a === undefined) return null
  switch (name) {
    case 'translate':
    case 'translate3d':
      return shift(a, b ?? 0, c ?? 0)
    case 'translatex':
      return shift(a, 0, 0)
    case 'translatey':
      return shift(0, a, 0)
    case 'translatez':
      return shift(0, 0, a)
    case 'scale':
      return diagonal(a, b ?? a, 1)
    case 'scale3d':
      return diagonal(a, b ?? 1, c ?? 1)
    case 'scalex':
      return diagonal(a, 1, 1)
    case 'scaley':
      return diagonal(1, a, 1)
    case 'scalez':
      return diagonal(1, 1, a)
    case 'rotate':
    case 'rotatez':
      return rotation(0, 0, 1, a)
    case 'rotatex':
      return rotation(1, 0, 0, a)
    case 'rotatey':
      return rotation(0, 1, 0, a)
    case 'rotate3d':
      return rotation(a, b ?? 0, c ?? 0, d)
    case 'skew':
      return flat(1, tangent(b ?? 0), tangent(a), 1, 0, 0)
    case 'skewx':
      return flat(1, 0, tangent(a), 1, 0, 0)
    case 'skewy':
      return flat(1, tangent(a), 0, 1, 0, 0)
    case 'matrix':
      return numbers.length === 6 ? flat(a, b ?? 0, c ?? 0, d, numbers[4] ?? 0, numbers[5] ?? 0) : null
    case 'matrix3d':
      // Written column by column.
      return numbers.length === 16 ? IDENTITY.map((_, at) => numbers[(at % 4) * 4 + Math.floor(at / 4)] ?? 0) : null
    case 'perspective':
      return IDENTITY.map((value, at) => (at === 14 ? -1 / Math.max(1, a) : value))
    default:
      return null
  }
}

const tangent = (degrees: number) => Math.tan((degrees * Math.PI) / 180)
const shift = (x: number, y: number, z: number): Matrix => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1]
const diagonal = (x: number, y: number, z: number): Matrix => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1]
const flat = (a: number, b: number, c: number, d: number, x: number, y: number): Matrix => [
  ...[a, c, 0, x],
  ...[b, d, 0, y],
  ...[0, 0, 1, 0],
  ...[0, 0, 0, 1],
]

/** https://www.w3.org/TR/css-transforms-2/#Rotate3dDefined */
function rotation(x: number, y: number, z: number, degrees: number): Matrix | null {
  const length = Math.hypot(x, y, z)
  if (length === 0) return IDENTITY
  const [u, v, w] = [x / length, y / length, z / length]
  const angle = (degrees * Math.PI) / 180
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
  const rest = 1 - cos
  return [
    ...[cos + u * u * rest, u * v * rest - w * sin, u * w * rest + v * sin, 0],
    ...[u * v * rest + w * sin, cos + v * v * rest, v * w * rest - u * sin, 0],
    ...[u * w * rest - v * sin, v * w * rest + u * sin, cos + w * w * rest, 0],
    ...[0, 0, 0, 1],
  ]
}

function moved(matrix: Matrix): Move | null {
  const at = (x: number, y: number): readonly [number, number] | null => {
    const row = (index: number) => entry(matrix, index, 0) * x + entry(matrix, index, 1) * y + entry(matrix, index, 3)
    const depth = row(3)
    return depth > 0.001 ? [row(0) / depth, row(1) / depth] : null
  }
  const [origin, right, down] = [at(0, 0), at(1, 0), at(0, 1)]
  if (origin === null || right === null || down === null) return null
  const [a, b] = [right[0] - origin[0], right[1] - origin[1]]
  const [c, d] = [down[0] - origin[0], down[1] - origin[1]]
  // The smaller singular value of the 2 by 2 matrix.
  const half = (a * a + b * b + c * c + d * d) / 2
  const scale = Math.sqrt(Math.max(0, half - Math.sqrt(Math.max(0, half * half - (a * d - b * c) ** 2))))
  return { x: origin[0], y: origin[1], z: entry(matrix, 2, 3), scale, isTurned: entry(matrix, 2, 2) < 0 }
}

const entry = (matrix: Matrix, row: number, column: number) => matrix[row * 4 + column] ?? 0

function product(one: Matrix, other: Matrix): Matrix {
  return IDENTITY.map((_, index) => {
    const [row, column] = [Math.floor(index / 4), index % 4]
    return [0, 1, 2, 3].reduce((sum, at) => sum + entry(one, row, at) * entry(other, at, column), 0)
  })
}
