/** Colours of CSS as numbers, and how well one can be told from another. */
import type { CssNode } from 'css-tree'
import { NAMED_COLOURS } from './page-colour-names.ts'
import { argumentsOf, nodesOf, numberOf } from './page-numbers.ts'

/** Red, green, blue and opacity, each from 0 to 1. */
export type Colour = readonly [number, number, number, number]

export const WHITE: Colour = [1, 1, 1, 1]
export const BLACK: Colour = [0, 0, 0, 1]
export const TRANSPARENT: Colour = [0, 0, 0, 0]

/** Two colours nearer to each other cannot be told apart. */
const LEAST_CONTRAST = 1.5
/** Colours of other hues can, whatever their contrast: the usual blue of links on a dark footer. */
const DISTANCE = 0.4

/** A colour in any of the ways to write one; null when it cannot be worked out. */
export function colourIn(value: string, current: Colour | null = null): Colour | null {
  const nodes = nodesOf(value).filter(({ type }) => type !== 'WhiteSpace')
  const [node] = nodes
  return nodes.length !== 1 || node === undefined ? null : colourOf(node, current)
}

/** {@link colourIn} for a node of a value. */
export function colourOf(node: CssNode, current: Colour | null = null): Colour | null {
  if (node.type === 'Hash') return ofHex(node.value.toLowerCase())
  if (node.type === 'Identifier') return ofName(node.name.toLowerCase(), current)
  if (node.type !== 'Function') return null
  const name = node.name.toLowerCase()
  const nodes = node.children.toArray()
  if (name === 'color-mix') return mixed(nodes, current)
  if (name === 'light-dark') {
    const [light] = argumentsOf(nodes)
    return light?.[0] === undefined ? null : colourOf(light[0], current)
  }
  return ofFunction(name, nodes)
}

function ofName(name: string, current: Colour | null): Colour | null {
  if (name === 'transparent') return TRANSPARENT
  if (name === 'currentcolor') return current
  const hex = NAMED_COLOURS.get(name)
  return hex === undefined ? null : ofHex(hex)
}

function ofHex(hex: string): Colour | null {
  const digits = hex.length < 5 ? [...hex].map(digit => digit + digit).join('') : hex
  if (!/^(?:[\da-f]{6}|[\da-f]{8})$/.test(digits)) return null
  const at = (index: number) => Number.parseInt(digits.slice(index, index + 2) || 'ff', 16) / 255
  return [at(0), at(2), at(4), at(6)]
}

/** What a percentage of each channel comes to. */
const PERCENTS: Readonly<Record<string, readonly [number, number, number]>> = {
  rgb: [2.55, 2.55, 2.55],
  hsl: [1, 1, 1],
  hwb: [1, 1, 1],
  lab: [1, 1.25, 1.25],
  lch: [1, 1.5, 1],
  oklab: [0.01, 0.004, 0.004],
  oklch: [0.01, 0.004, 1],
  color: [0.01, 0.01, 0.01],
}

function ofFunction(called: string, given: readonly CssNode[]): Colour | null {
  const name = called.replace(/^(rgb|hsl)a$/, '$1')
  const percents = PERCENTS[name]
  const nodes = given.filter(({ type }) => type !== 'WhiteSpace')
  const isSpace = (node: CssNode | undefined) =>
    node?.type === 'Identifier' && node.name.toLowerCase().startsWith('srgb')
  // Wider spaces than that of the web are near enough.
  const isWide = nodes[0]?.type === 'Identifier' && ['display-p3', 'a98-rgb'].includes(nodes[0].name.toLowerCase())
  if (name === 'color' && !isSpace(nodes[0]) && !isWide) return null
  const isLinear = name === 'color' && nodes[0]?.type === 'Identifier' && nodes[0].name.toLowerCase() === 'srgb-linear'
  const parts = (name === 'color' ? nodes.slice(1) : nodes).filter(({ type }) => type !== 'Operator')
  if (percents === undefined || parts.length < 3 || parts.length > 4) return null
  const numbers = parts.map((part, index) =>
    part.type === 'Identifier' && part.name.toLowerCase() === 'none' ? 0 : numberOf([part], percents[index] ?? 0.01),
  )
  const [first, second, third, alpha = 1] = numbers
  if (first == null || second == null || third == null || alpha === null) return null
  const [red, green, blue] = toRgb(name, first, second, third).map(one => within(isLinear ? gamma(one) : one))
  return [red ?? 0, green ?? 0, blue ?? 0, within(alpha)]
}

const within = (value: number) => Math.min(1, Math.max(0, value))

function toRgb(name: string, a: number, b: number, c: number): readonly number[] {
  switch (name) {
    case 'rgb':
      return [a / 255, b / 255, c / 255]
    case 'hsl':
      return ofHue(a).map(channel => {
        const light = within(c / 100)
        return light + (channel - 0.5) * within(b / 100) * (1 - Math.abs(2 * light - 1))
      })
    case 'hwb': {
      const [white, black] = [within(b / 100), within(c / 100)]
      if (white + black >= 1) return [0, 1, 2].map(() => white / (white + black))
      return ofHue(a).map(channel => channel * (1 - white - black) + white)
    }
    case 'lab':
      return ofLab(a, b, c)
    case 'lch':
      return ofLab(a, b * cosine(c), b * sine(c))
    case 'oklab':
      return ofOklab(a, b, c)
    case 'oklch':
      return ofOklab(a, b * cosine(c), b * sine(c))
    default:
      return [a, b, c]
  }
}

const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180)
const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180)
const gamma = (linear: number) => (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055)
const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

/** A hue at full saturation. */
function ofHue(degrees: number): readonly number[] {
  return [0, 8, 4].map(shift => {
    const at = (((shift + degrees / 30) % 12) + 12) % 12
    return 0.5 - 0.5 * Math.max(-1, Math.min(at - 3, 9 - at, 1))
  })
}

/** https://www.w3.org/TR/css-color-4/#color-conversion-code */
function ofOklab(light: number, a: number, b: number): readonly number[] {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(gamma)
}

function ofLab(light: number, a: number, b: number): readonly number[] {
  const y = (light + 16) / 116
  const back = (value: number) => (value ** 3 > 0.008856 ? value ** 3 : (116 * value - 16) / 903.3)
  // White of D50, and from there to linear sRGB.
  const [X, Y, Z] = [back(y + a / 500) * 0.96422, back(y), back(y - b / 200) * 0.82521]
  return [
    3.1338561 * X - 1.6168667 * Y - 0.4906146 * Z,
    -0.9787684 * X + 1.9161415 * Y + 0.033454 * Z,
    0.0719453 * X - 0.2289914 * Y + 1.4052427 * Z,
  ].map(gamma)
}

/** `color-mix()`, in whatever space, as if it were sRGB. */
function mixed(nodes: readonly CssNode[], current: Colour | null): Colour | null {
  const [, one, other] = argumentsOf(nodes)
  const [first, second] = [shareOf(one, current), shareOf(other, current)]
  if (first === null || second === null) return null
  const left = first.share ?? (second.share === null ? 0.5 : 1 - second.share)
  const right = second.share ?? 1 - left
  const whole = left + right
  if (whole <= 0) return null
  const alpha = (first.colour[3] * left + second.colour[3] * right) / whole
  const at = (index: 0 | 1 | 2) => {
    const sum = first.colour[index] * first.colour[3] * left + second.colour[index] * second.colour[3] * right
    return alpha === 0 ? 0 : sum / whole / alpha
  }
  return [at(0), at(1), at(2), alpha * Math.min(1, whole)]
}

function shareOf(
  nodes: readonly CssNode[] | undefined,
  current: Colour | null,
): { readonly colour: Colour; readonly share: number | null } | null {
  const isShare = (node: CssNode) => node.type === 'Percentage' || (node.type === 'Function' && node.name === 'calc')
  const share = nodes?.find(isShare)
  const colour = nodes?.find(node => node !== share)
  const known = colour === undefined ? null : colourOf(colour, current)
  return known === null ? null : { colour: known, share: share === undefined ? null : numberOf([share]) }
}

/** A colour as it looks before another one. */
export function over([red, green, blue, alpha]: Colour, behind: Colour): Colour {
  const mix = (front: number, back: number) => front * alpha + back * (1 - alpha)
  return [mix(red, behind[0]), mix(green, behind[1]), mix(blue, behind[2]), 1]
}

const luminance = ([red, green, blue]: Colour) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio, of a text and what is behind it. */
export function canBeTold(text: Colour, behind: Colour): boolean {
  const seen = over(text, behind)
  const [one, other] = [luminance(seen), luminance(behind)]
  const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  return (
    contrast >= LEAST_CONTRAST || Math.hypot(...[0, 1, 2].map(at => (seen[at] ?? 0) - (behind[at] ?? 0))) >= DISTANCE
  )
}
