/** Values that a Python file holds, however they are written: as a number, as a text, or as sums of such. Never run to find out. */
import { parser } from '@lezer/python'

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

/** A value that stands in the file. */
export interface Constant {
  readonly value: number
  /** How it is written there. */
  readonly source: string
  /** It says to how many places `round` rounds. */
  readonly isPlaces: boolean
}

/** Makers of numbers from a number or a text. */
const NUMERIC = /^(?:float|int|abs|Decimal|Fraction|(?:decimal|fractions)\.(?:Decimal|Fraction))$/
/** A text that is a number, a percentage or a fraction. */
const NUMBER_IN_TEXT = /^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(?:(%)|\/\s*(\d+))?\s*$/i

const OPERATIONS: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '//': (left, right) => Math.floor(left / right),
  '**': (left, right) => left ** right,
  '%': (left, right) => left - right * Math.floor(left / right),
}

/** Every expression of the file that has the same value in every run, the parts of larger ones included. */
export function constantsOf(source: string): readonly Constant[] {
  const textOf = (node: SyntaxNode) => source.slice(node.from, node.to)
  const found: Constant[] = []
  parser.parse(source).iterate({
    enter({ node }) {
      const value = constantIn(node)
      if (value !== null) found.push({ value, source: textOf(node), isPlaces: isPlacesOfRound(node) })
    },
  })
  return found

  function constantIn(node: SyntaxNode): number | null {
    switch (node.name) {
      case 'Number':
        return finite(Number(textOf(node).replaceAll('_', '')))
      case 'String':
        return numberIn(textOf(node))
      case 'ParenthesizedExpression':
        return node.firstChild?.nextSibling ? constantIn(node.firstChild.nextSibling) : null
      case 'UnaryExpression':
        return negated(node)
      case 'BinaryExpression':
        return combined(node)
      case 'CallExpression':
        return converted(node)
      default:
        return null
    }
  }

  function negated(node: SyntaxNode): number | null {
    const [sign, operand] = childrenOf(node)
    const value = operand === undefined ? null : constantIn(operand)
    if (sign === undefined || value === null || !/^[+-]$/.test(textOf(sign))) return null
    return textOf(sign) === '-' ? -value : value
  }

  function combined(node: SyntaxNode): number | null {
    const [left, operator, right] = childrenOf(node)
    if (left === undefined || operator === undefined || right === undefined) return null
    const operation = OPERATIONS[textOf(operator)]
    const values = [constantIn(left), constantIn(right)] as const
    if (operation === undefined || values[0] === null || values[1] === null) return null
    return finite(operation(values[0], values[1]))
  }

  function converted(node: SyntaxNode): number | null {
    const list = node.getChild('ArgList')
    if (list === null || !NUMERIC.test(source.slice(node.from, list.from).trim())) return null
    const [first, second] = childrenOf(list).filter(child => !/^[(),]$/.test(child.name))
    const value = first === undefined ? null : constantIn(first)
    if (second === undefined) return value
    const divisor = constantIn(second)
    return value === null || divisor === null ? null : finite(value / divisor)
  }

  function isPlacesOfRound(node: SyntaxNode): boolean {
    const list = node.parent
    const call = list?.parent
    if (list?.name !== 'ArgList' || call?.name !== 'CallExpression') return false
    return source.slice(call.from, list.from).trim() === 'round' && source.slice(list.from, node.from).includes(',')
  }
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

function numberIn(literal: string): number | null {
  const text = /^[rRuUbB]{0,2}('''|"""|'|")([^\\]*)\1$/s.exec(literal)?.[2]
  const [, number, percent, divisor] = NUMBER_IN_TEXT.exec(text ?? '') ?? []
  if (number === undefined) return null
  return finite(Number(number) / (percent === undefined ? Number(divisor ?? 1) : 100))
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}
