/** Expands shell words as far as their text tells. */
import { posix } from 'node:path'
import type { ScriptNode, WordNode } from 'just-bash'

export type { WordNode }

type Part = WordNode['parts'][number]

export interface ShellVariables {
  get(name: string): string | undefined
}

/**
 * The words that one word becomes: none for an unquoted empty variable, several for an unquoted one with spaces or `{a,b}`.
 * What is not known keeps the text it was written as.
 */
export function expandWord(word: WordNode, variables: ShellVariables): string[] {
  let words: { text: string; isQuoted: boolean }[] = [{ text: '', isQuoted: false }]
  for (const part of word.parts) {
    if (part.type === 'BraceExpansion') {
      const choices = bracesOf(part, variables)
      words = words.flatMap(({ text, isQuoted }) => choices.map(choice => ({ text: text + choice, isQuoted })))
      continue
    }
    const isQuoted = part.type === 'SingleQuoted' || part.type === 'DoubleQuoted' || part.type === 'Escaped'
    const pieces = isSplit(part) ? textOf(part, variables).split(/[ \t\n]+/) : [textOf(part, variables)]
    const last = words.pop() ?? { text: '', isQuoted: false }
    const [first = '', ...more] = pieces
    words.push({ text: last.text + first, isQuoted: last.isQuoted || isQuoted })
    for (const piece of more) words.push({ text: piece, isQuoted: false })
  }
  return words.filter(({ text, isQuoted }) => text !== '' || isQuoted).map(({ text }) => text)
}

/** Results of these are split at white space where they are not quoted. */
function isSplit(part: Part): boolean {
  return part.type === 'ParameterExpansion' || part.type === 'CommandSubstitution'
}

function textOf(part: Part, variables: ShellVariables): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'Escaped':
      return part.value
    case 'DoubleQuoted':
      return part.parts.map(inner => textOf(inner, variables)).join('')
    case 'ParameterExpansion':
      return parameterText(part, variables)
    case 'CommandSubstitution':
      return substitutionText(part.body, variables)
    case 'TildeExpansion':
      return part.user === null ? '/home/agent' : `~${part.user}`
    case 'Glob':
      return part.pattern
    case 'ProcessSubstitution':
      return '/dev/fd/63'
    case 'ArithmeticExpansion':
      return `$((${part.expression.originalText ?? ''}))`
    default:
      return ''
  }
}

function parameterText(part: Extract<Part, { type: 'ParameterExpansion' }>, variables: ShellVariables): string {
  const value = variables.get(part.parameter)
  const operation = part.operation
  if (operation === null) return value ?? `$${part.parameter}`
  if (operation.type === 'DefaultValue' || operation.type === 'AssignDefault') {
    return value === undefined || value === '' ? expandWord(operation.word, variables).join(' ') : value
  }
  if (operation.type === 'PatternRemoval' && value !== undefined) {
    // `${0%/*}` is the usual short form of dirname.
    const pattern = operation.pattern.parts.map(inner => textOf(inner, variables)).join('')
    if (operation.side === 'suffix' && pattern === '/*') return value.includes('/') ? posix.dirname(value) : value
  }
  return `\${${part.parameter}}`
}

/** The few commands whose output their text tells: `pwd`, `dirname`, `basename`, `echo`, and `cd x && pwd`. */
function substitutionText(script: ScriptNode, variables: ShellVariables): string {
  const pipelines = script.statements.flatMap(statement => statement.pipelines)
  let cwd = variables.get('PWD')
  let output = ''
  for (const { commands } of pipelines) {
    const [command, more] = commands
    if (command?.type !== 'SimpleCommand' || command.name === null || more !== undefined) return UNKNOWN
    const [name, ...args] = [command.name, ...command.args].flatMap(word => expandWord(word, variables))
    const target = args.find(arg => arg !== '--' && !arg.startsWith('-')) ?? ''
    switch (name) {
      case 'pwd':
        if (cwd === undefined) return UNKNOWN
        output = cwd
        break
      case 'dirname':
        output = posix.dirname(target)
        break
      case 'basename':
        output = posix.basename(target, args[args.indexOf(target) + 1] ?? '')
        break
      case 'echo':
        output = args.join(' ')
        break
      case 'cd':
        cwd = cwd === undefined ? undefined : posix.resolve(cwd, target)
        break
      default:
        return UNKNOWN
    }
  }
  return output
}

const UNKNOWN = '$(…)'

function bracesOf(part: Extract<Part, { type: 'BraceExpansion' }>, variables: ShellVariables): string[] {
  return part.items.flatMap(item => {
    if (item.type === 'Word') {
      const words = expandWord(item.word, variables)
      return words.length === 0 ? [''] : words
    }
    const { start, end } = item
    if (typeof start !== 'number' || typeof end !== 'number') return [`{${start}..${end}}`]
    const step = start <= end ? 1 : -1
    const length = Math.min(Math.abs(end - start) + 1, 100)
    return Array.from({ length }, (_, index) => String(start + index * step))
  })
}
