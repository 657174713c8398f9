/**
 * The simple commands that a command line executes, as far as its text tells: parsed by a real shell parser, so that a
 * word in a string, a comment or an `echo` is not a command. Variables, `cd`, `&&`, `||`, loops, functions, sub-shells,
 * `bash -c`, here-documents given to a shell and scripts with a known text are followed.
 *
 * Known limits: what only the running shell knows (values of variables that come from a command, whether a condition
 * holds) is taken as possible. Stubs report by themselves and do not need this.
 */
import { posix } from 'node:path'
import {
  type Command,
  type CommandNode,
  type CompoundList,
  forEachChild,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash'
import { expandArgument, expandWord, hereDocText, pipelinesOf, type ShellVariables } from './shell-words.ts'
import { unwrapped } from './shell-wrappers.ts'
import { WORKSPACE } from './workspace.ts'

/** A program that was started with its arguments. */
export interface ExecutedCommand {
  /** The words as they were typed, after quotes and known variables; an unknown value keeps its own text (`$x`). */
  readonly words: readonly string[]
  /** How many of the words name the program: 2 for `bash x.sh …`, more with options of the interpreter. */
  readonly programWords: number
  /** The file that is executed, relative to the workspace where it lies in it, else absolute; null when not known. */
  readonly script: string | null
  /** Its arguments. */
  readonly args: readonly string[]
}

/** Text of a script by its path (as in {@link ExecutedCommand.script}), or null when it is not known. */
export type ScriptText = (path: string) => string | null

const MAX_COMMANDS = 2_000
const MAX_DEPTH = 6
const MAX_LINE = 200_000
const MAX_ITERATIONS = 50
/** Levels of a syntax tree. */
const MAX_NESTING = 400

/** null = unknown. */
type Status = boolean | null

/** A shell as it is known. Sub-shells get a copy. */
interface Shell {
  readonly variables: Map<string, string>
  readonly functions: Map<string, CommandNode | CompoundList>
  /** Absolute; null when it is not known. */
  cwd: string | null
  hasEnded: boolean
  readonly depth: number
  readonly script: string
}

class Execution {
  readonly found: ExecutedCommand[] = []
  readonly #textOf: ScriptText

  constructor(textOf: ScriptText) {
    this.#textOf = textOf
  }

  /** Runs the text of a script or command line. */
  text(text: string, shell: Shell): Status {
    if (shell.depth > MAX_DEPTH || text.length > MAX_LINE) return null
    return this.#statements(readableStatements(text), shell)
  }

  #statements(statements: readonly Statement[], shell: Shell): Status {
    let status: Status = true
    for (const statement of statements) {
      if (shell.hasEnded || this.found.length >= MAX_COMMANDS) return status
      status = this.#statement(statement, statement.background === true ? copyOf(shell) : shell)
    }
    return status
  }

  #statement(statement: Statement, shell: Shell): Status {
    const operators = statement.command.type === 'AndOr' ? statement.command.operators : []
    let status: Status = true
    for (const [index, { commands, isNegated }] of pipelinesOf(statement).entries()) {
      const operator = index === 0 ? ';' : operators[index - 1]
      if (shell.hasEnded) return status
      if (operator === '&&' && status === false) continue
      if (operator === '||' && status === true) continue
      let last: Status = null
      for (const command of commands) last = this.#command(command, commands.length === 1 ? shell : copyOf(shell))
      const result: Status = isNegated && last !== null ? !last : last
      // `a && b`: where a is not known, neither is the whole.
      status = operator === ';' || status !== null || result === (operator === '||') ? result : null
    }
    return status
  }

  #command(command: CommandNode | CompoundList, shell: Shell): Status {
    switch (command.type) {
      case 'Command':
        return this.#simple(command, shell)
      case 'Function':
        shell.functions.set(command.name.value, command.body)
        return true
      case 'Redirected':
        this.#substitutions(wordsOf(command.redirects), shell)
        return this.#command(command.command, shell)
      case 'CompoundList':
        return this.#statements(command.commands, shell)
      case 'BraceGroup':
        return this.#command(command.body, shell)
      case 'Subshell':
      case 'Coproc':
        return this.#command(command.body, copyOf(shell))
      case 'If':
        return this.#if(command, shell)
      case 'For':
        return this.#for(command, shell)
      case 'ArithmeticFor':
        return this.#maybe(command.body, shell)
      case 'While': {
        const status = this.#command(command.clause, shell)
        if (status === (command.kind === 'until')) return true
        return this.#maybe(command.body, shell)
      }
      case 'Case':
        this.#substitutions([command.word], shell)
        for (const item of command.items) this.#maybe(item.body, shell)
        return null
      default:
        return null
    }
  }

  /** A body that may or may not be executed: what it changes in the shell is kept, an `exit` in it ends nothing for sure. */
  #maybe(body: CompoundList, shell: Shell): Status {
    const hadEnded = shell.hasEnded
    this.#command(body, shell)
    shell.hasEnded = hadEnded
    return null
  }

  #if(command: Extract<CommandNode, { type: 'If' }>, shell: Shell): Status {
    let isCertain = true
    for (const { clause, then } of [command, ...command.elif]) {
      const status = this.#command(clause, shell)
      if (status === false) continue
      if (status === true) return isCertain ? this.#command(then, shell) : this.#maybe(then, shell)
      isCertain = false
      this.#maybe(then, shell)
    }
    if (command.else === undefined) return isCertain ? true : null
    return isCertain ? this.#command(command.else, shell) : this.#maybe(command.else, shell)
  }

  #for(command: Extract<CommandNode, { type: 'For' }>, shell: Shell): Status {
    if (command.wordlist === undefined) return this.#maybe(command.body, shell)
    this.#substitutions(command.wordlist, shell)
    const values = command.wordlist.flatMap(word => expandWord(word, this.#variablesOf(shell)))
    let status: Status = true
    for (const value of values.slice(0, MAX_ITERATIONS)) {
      shell.variables.set(command.name.value, value)
      status = this.#command(command.body, shell)
      if (shell.hasEnded) break
    }
    return status
  }

  #variablesOf(shell: Shell): ShellVariables {
    return { get: name => (name === 'PWD' ? (shell.cwd ?? undefined) : shell.variables.get(name)) }
  }

  /** Commands inside words, as `$(…)` and `<(…)`. */
  #substitutions(words: readonly Word[], shell: Shell): void {
    for (const word of words) {
      for (const part of word.parts ?? []) this.#part(part, shell)
    }
  }

  #part(part: WordPart, shell: Shell): void {
    if (part.type === 'CommandExpansion' || part.type === 'ProcessSubstitution') {
      this.#statements(part.script?.commands ?? [], copyOf(shell))
    } else if (part.type === 'DoubleQuoted') {
      for (const inner of part.parts) this.#part(inner, shell)
    }
  }

  #simple(command: Command, shell: Shell): Status {
    const { name, args, redirects } = command
    const assignments = [...command.prefix, ...args].filter(item => item.type === 'Assignment')
    const values = assignments.flatMap(({ value }) => (value.type === 'ArrayValue' ? value.elements : [value]))
    const plain = args.filter(arg => arg.type === 'Word')
    this.#substitutions([...values, ...(name === undefined ? [] : [name]), ...plain, ...wordsOf(redirects)], shell)
    const variables = this.#variablesOf(shell)
    const words = [
      ...(name === undefined ? [] : expandWord(name, variables)),
      ...args.flatMap(arg => expandArgument(arg, variables)),
    ]
    if (words.length > 0) return this.run(words, shell, inputOf(redirects, variables))
    // In front of a command an assignment is for that command only; it cannot matter for what is executed.
    for (const { name, value, append } of assignments) {
      const text = value.type === 'ArrayValue' ? '' : expandWord(value, variables).join(' ')
      shell.variables.set(name, append === true ? (shell.variables.get(name) ?? '') + text : text)
    }
    return true
  }

  /** Executes words. `input` is a text given to standard input, where it is known. */
  run(words: readonly string[], shell: Shell, input: string | null): Status {
    const [name = '', ...args] = words
    const body = shell.functions.get(name)
    if (body !== undefined) {
      if (shell.depth >= MAX_DEPTH) return null
      const inner: Shell = { ...shell, variables: withPositions(shell.variables, name, args), depth: shell.depth + 1 }
      const status = this.#command(body, inner)
      shell.cwd = inner.cwd
      return status
    }
    switch (name) {
      case ':':
      case 'true':
        return true
      case 'false':
        return false
      case 'exit':
      case 'return':
        shell.hasEnded = true
        return args[0] === undefined ? null : args[0] === '0'
      case 'cd':
        shell.cwd = directoryAfter(shell.cwd, args)
        return null
      case 'export':
      case 'declare':
      case 'local':
      case 'readonly':
        for (const [, key, value] of args.map(arg => /^(\w+)=([\s\S]*)$/.exec(arg) ?? [])) {
          if (key !== undefined && value !== undefined) shell.variables.set(key, value)
        }
        return true
      case 'eval':
        return this.text(args.join(' '), { ...shell, depth: shell.depth + 1 })
    }
    return this.#program(words, shell, input)
  }

  #program(words: readonly string[], shell: Shell, input: string | null): Status {
    const started = unwrapped(words)
    for (const inner of started.alsoRuns) this.run(inner, copyOf(shell), null)
    if (started.replacesShell) shell.hasEnded = true
    if (started.inShell !== null) {
      // `exec x`, `command x`: a program or builtin in this very shell.
      return this.run(started.inShell, shell, input)
    }
    const { program, programWords, args, isShell, code } = started
    const script = program === null ? null : resolved(program, shell.cwd)
    this.found.push({ words: [...words], programWords, script, args })
    const below: Shell = {
      ...copyOf(shell),
      functions: new Map(),
      variables: withPositions(shell.variables, program ?? '', args),
      depth: shell.depth + 1,
      script: script ?? '',
    }
    if (isShell && code !== null) this.text(code, below)
    else if (isShell && program === null && input !== null) this.text(input, below)
    else if (program !== null && (isShell || programWords === 1)) {
      const text = script === null ? null : this.#textOf(script)
      if (text !== null && isShellText(text, isShell)) this.text(text, below)
    }
    return null
  }
}

function copyOf(shell: Shell): Shell {
  return { ...shell, variables: new Map(shell.variables), functions: new Map(shell.functions) }
}

/** `$0`, `$1`, … and `$@` of a script or function. */
function withPositions(
  variables: ReadonlyMap<string, string>,
  name: string,
  args: readonly string[],
): Map<string, string> {
  const made = new Map([...variables].filter(([key]) => !/^\d+$/.test(key)))
  made.set('0', name)
  for (const [index, value] of args.entries()) made.set(String(index + 1), value)
  made.set('#', String(args.length))
  made.set('@', args.join(' '))
  made.set('*', args.join(' '))
  return made
}

function directoryAfter(cwd: string | null, args: readonly string[]): string | null {
  const target = args.find(arg => arg !== '--' && !/^-[LPe@]+$/.test(arg))
  if (target === undefined || target === '-' || /[$`]/.test(target)) return null
  if (target.startsWith('/')) return posix.normalize(target)
  return cwd === null ? null : posix.join(cwd, target)
}

/** The file a word names, relative to the workspace where it lies in it. A word without a slash is looked for in PATH. */
function resolved(program: string, cwd: string | null): string | null {
  if (/[$`*?]/.test(program) || (!program.startsWith('/') && cwd === null)) return null
  const absolute = posix.resolve(cwd ?? '/', program)
  return absolute.startsWith(`${WORKSPACE}/`) ? absolute.slice(WORKSPACE.length + 1) : absolute
}

/** The words of redirections; a here-document is text and no word. */
function wordsOf(redirects: readonly Redirection[]): readonly Word[] {
  return redirects.flatMap(redirect =>
    redirect.type === 'HereDoc' || redirect.target === undefined ? [] : [redirect.target],
  )
}

/** A text given to standard input: a here-document or here-string. */
function inputOf(redirects: readonly Redirection[], variables: ShellVariables): string | null {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return hereDocText(redirect.body, variables)
    if (redirect.type === 'HereString' && redirect.target !== undefined)
      return expandWord(redirect.target, variables).join(' ')
  }
  return null
}

/** The statements that a shell comes to: it reads line by line, and runs nothing from the first line with an error on. */
function readableStatements(text: string): readonly Statement[] {
  const script = parse(text)
  const error = firstError(script)
  if (error === null) return script.commands
  const lineStart = text.lastIndexOf('\n', error - 1) + 1
  // A compound command without its end has none.
  return script.commands.filter(({ pos, end }) => pos < end && end <= lineStart)
}

/** Where the first error of a script or of one inside it is; null without one. What is nested too deeply is one. */
function firstError(node: SyntaxNode, depth = 0): number | null {
  if (depth > MAX_NESTING) return 0
  let first = node.type === 'Script' ? (node.errors?.[0]?.pos ?? null) : null
  forEachChild(node, child => {
    const inner = firstError(child, depth + 1)
    if (inner !== null && (first === null || inner < first)) first = inner
  })
  return first
}

/** Is a script's text one that a shell runs? By path, its first line says so; without one the shell takes it. */
function isShellText(text: string, isGivenToShell: boolean): boolean {
  const shebang = /^#!.*/.exec(text)?.[0]
  return isGivenToShell || shebang === undefined || /\b(?:ba|da|z|k)?sh\b/.test(shebang)
}

/**
 * The commands a command line executes, in order, as far as its text shows.
 * @param textOf Texts of scripts, as they were when the command ran.
 */
export function executedCommands(commandLine: string, textOf: ScriptText = () => null): readonly ExecutedCommand[] {
  const execution = new Execution(textOf)
  execution.text(commandLine, {
    variables: new Map(),
    functions: new Map(),
    cwd: WORKSPACE,
    hasEnded: false,
    depth: 0,
    script: '',
  })
  return execution.found
}
