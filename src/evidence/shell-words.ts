/** Expands shell words as far as their text tells. */
import { posix } from 'node:path'
import {
  type CommandArgument,
  type CommandNode,
  type HereDocBody,
  parse,
  type Script,
  type Statement,
  type Word,
  type WordPart,
} from 'unbash'

export interface ShellVariables {
  get(name: string): string | undefined
}

/** The pipelines that a statement joins with `&&` and `||`. */
export function pipelinesOf({
  command,
}: Statement): readonly { readonly commands: readonly CommandNode[]; readonly isNegated: boolean }[] {
  const nodes = command.type === 'AndOr' ? command.commands : [command]
  return nodes.map(node => {
    if (node.type !== 'Pipeline') return { commands: [node], isNegated: false }
    const negations = node.prefixes.filter(({ type }) => type === 'Negation')
    return { commands: node.commands, isNegated: negations.length % 2 === 1 }
  })
}

/**
 * The words that one word becomes: none for an unquoted empty variable, several for an unquoted one with spaces or `{a,b}`.
 * What is not known keeps the text it was written as.
 */
export function expandWord(word: Word, variables: ShellVariables): string[] {
  if (word.parts === undefined) return [withHome(word)]
  const choices = choicesOf(word)
  if (choices !== null) {
    const made: string[] = []
    for (const choice of choices) if (made.length < MAX_WORDS) made.push(...expandText(choice, variables))
    return made.slice(0, MAX_WORDS)
  }
  const words: { text: string; isQuoted: boolean }[] = [{ text: '', isQuoted: false }]
  for (const part of word.parts) {
    const isQuoted = QUOTED.includes(part.type)
    const text = part.type === 'Literal' && part === word.parts[0] ? withHome(part) : textOf(part, variables)
    const [first = '', ...more] = SPLIT.includes(part.type) ? text.split(/[ \t\n]+/) : [text]
    const last = words.pop() ?? { text: '', isQuoted: false }
    words.push({ text: last.text + first, isQuoted: last.isQuoted || isQuoted })
    for (const piece of more) words.push({ text: piece, isQuoted: false })
  }
  return words.filter(({ text, isQuoted }) => text !== '' || isQuoted).map(({ text }) => text)
}

const QUOTED: readonly WordPart['type'][] = ['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString']
/** Results of these are split at white space where they are not quoted. */
const SPLIT: readonly WordPart['type'][] = ['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion']

/** The same for an argument, which may be an assignment (`export A=b`). */
export function expandArgument(argument: CommandArgument, variables: ShellVariables): string[] {
  if (argument.type === 'Word') return expandWord(argument, variables)
  const { name, value } = argument
  return value.type === 'ArrayValue' ? [argument.text] : [`${name}=${expandWord(value, variables).join(' ')}`]
}

/** The text of a here-document. */
export function hereDocText(body: HereDocBody, variables: ShellVariables): string {
  return body.parts === undefined ? body.text : body.parts.map(part => textOf(part, variables)).join('')
}

/** A literal with its `~`, which means a home only where it was typed without quotes. */
function withHome({ text, value }: { readonly text: string; readonly value: string }): string {
  return text === '~' || text.startsWith('~/') ? `/home/agent${value.slice(1)}` : value
}

function textOf(part: WordPart, variables: ShellVariables): string {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(inner => textOf(inner, variables)).join('')
    case 'SimpleExpansion':
      return variables.get(part.text.slice(1)) ?? part.text
    case 'ParameterExpansion':
      return parameterText(part, variables)
    case 'CommandExpansion':
      return part.script === undefined ? UNKNOWN : substitutionText(part.script, variables)
    case 'ProcessSubstitution':
      return '/dev/fd/63'
    case 'ArithmeticExpansion':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return part.text
    default:
      return part.value
  }
}

function parameterText(part: Extract<WordPart, { type: 'ParameterExpansion' }>, variables: ShellVariables): string {
  const { parameter, prefix, index, operation } = part
  const unknown = `\${${parameter}}`
  if (prefix !== undefined || index !== undefined) return unknown
  const value = variables.get(parameter)
  if (operation === undefined) return value ?? `$${parameter}`
  if (operation.type === 'Default' && /^:?[-=]$/.test(operation.operator)) {
    return value === undefined || value === '' ? expandWord(operation.operand, variables).join(' ') : value
  }
  // `${0%/*}` is the usual short form of dirname.
  const isDirname = operation.type === 'Remove' && operation.operator === '%' && operation.operand.value === '/*'
  if (!isDirname || value === undefined) return unknown
  return value.includes('/') ? posix.dirname(value) : value
}

/** The few commands whose output their text tells: `pwd`, `dirname`, `basename`, `echo`, and `cd x && pwd`. */
function substitutionText(script: Script, variables: ShellVariables): string {
  let cwd = variables.get('PWD')
  let output = ''
  for (const { commands } of script.commands.flatMap(pipelinesOf)) {
    const [command, more] = commands
    if (command?.type !== 'Command' || command.name === undefined || more !== undefined) return UNKNOWN
    const [name, ...args] = [command.name, ...command.args].flatMap(word => expandArgument(word, variables))
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
const MAX_SEQUENCE = 100
/** `{a,b}{a,b}…` would be any number of words. */
const MAX_WORDS = 1_000

/** The words, as text, that the first braces of a word make of it; null where none of them mean anything. */
function choicesOf({ parts, text, pos }: Word): readonly string[] | null {
  for (const part of parts ?? []) {
    if (part.type !== 'BraceExpansion') continue
    const items = bracesOf(part.text)
    if (items.length < 2) continue
    const [before, after] = [text.slice(0, part.pos - pos), text.slice(part.end - pos)]
    return items.map(item => before + item + after)
  }
  return null
}

function expandText(text: string, variables: ShellVariables): string[] {
  // Not alone: `a=b` alone would be an assignment.
  const command = parse(`: ${text}`).commands[0]?.command
  return command?.type === 'Command' ? command.args.flatMap(word => expandArgument(word, variables)) : [text]
}

/** What stands in `{a,b}` and `{1..3}`. */
function bracesOf(text: string): readonly string[] {
  const [, from, to] = /^\{(-?\d+)\.\.(-?\d+)\}$/.exec(text) ?? []
  if (from === undefined || to === undefined) {
    return (`${text.slice(1, -1)},`.match(BRACE_ITEM) ?? []).map(item => item.slice(0, -1))
  }
  const [start, end] = [Number(from), Number(to)]
  const length = Math.min(Math.abs(end - start) + 1, MAX_SEQUENCE)
  return Array.from({ length }, (_, index) => String(start + (start <= end ? index : -index)))
}

/** Up to and with the next comma that stands neither in quotes nor in inner braces. */
const BRACE_ITEM = /(?:[^,{'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*,/g
