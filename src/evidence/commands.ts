/**
 * The simple commands that a command line executes, as far as its text tells: parsed by a real shell parser, so that a
 * word in a string, a comment or an `echo` is no command. Variables, `cd`, `&&`, `||`, loops, functions, sub-shells,
 * `bash -c`, here-documents given to a shell and scripts with a known text are followed.
 *
 * Known limits: what only the running shell knows (values of variables that come from a command, whether a condition
 * holds) is taken as possible. Stubs report by themselves and do not need this.
 */
import { posix } from 'node:path'
import { type CommandNode, parse, type ScriptNode, type SimpleCommandNode, type StatementNode } from 'just-bash'
import { expandWord, type ShellVariables, type WordNode } from './shell-words.ts'
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

/** null = unknown. */
type Status = boolean | null

/** A shell as it is known. Sub-shells get a copy. */
interface Shell {
  readonly variables: Map<string, string>
  readonly functions: Map<string, CommandNode>
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
    let script: ScriptNode
    try {
      script = parse(text)
    } catch (error) {
      // Every error of the parser means: no shell would run this.
      if (!(error instanceof Error)) throw error
      return false
    }
    return this.#statements(script.statements, shell)
  }

  #statements(statements: readonly StatementNode[], shell: Shell): Status {
    let status: Status = true
    for (const statement of statements) {
      if (shell.hasEnded || this.found.length >= MAX_COMMANDS) return status
      if (statement.deferredError !== undefined) return false
      status = this.#statement(statement, statement.background ? copyOf(shell) : shell)
    }
    return status
  }

  #statement(statement: StatementNode, shell: Shell): Status {
    let status: Status = true
    for (const [index, pipeline] of statement.pipelines.entries()) {
      const operator = index === 0 ? ';' : statement.operators[index - 1]
      if (shell.hasEnded) return status
      if (operator === '&&' && status === false) continue
      if (operator === '||' && status === true) continue
      const isOne = pipeline.commands.length === 1
      let last: Status = null
      for (const command of pipeline.commands) last = this.#command(command, isOne ? shell : copyOf(shell))
      const result: Status = pipeline.negated && last !== null ? !last : last
      // `a && b`: where a is not known, neither is the whole.
      status = operator === ';' || status !== null || result === (operator === '||') ? result : null
    }
    return status
  }

  #command(command: CommandNode, shell: Shell): Status {
    switch (command.type) {
      case 'SimpleCommand':
        return this.#simple(command, shell)
      case 'FunctionDef':
        shell.functions.set(command.name, command.body)
        return true
      case 'Group':
        return this.#statements(command.body, shell)
      case 'Subshell':
        return this.#statements(command.body, copyOf(shell))
      case 'If':
        return this.#if(command, shell)
      case 'For':
        return this.#for(command, shell)
      case 'CStyleFor':
        return this.#maybe(command.body, shell)
      case 'While':
      case 'Until': {
        const status = this.#statements(command.condition, shell)
        if (status === (command.type === 'Until')) return true
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
  #maybe(body: readonly StatementNode[], shell: Shell): Status {
    const hadEnded = shell.hasEnded
    this.#statements(body, shell)
    shell.hasEnded = hadEnded
    return null
  }

  #if(command: Extract<CommandNode, { type: 'If' }>, shell: Shell): Status {
    let isCertain = true
    for (const clause of command.clauses) {
      const status = this.#statements(clause.condition, shell)
      if (status === false) continue
      if (status === true) return isCertain ? this.#statements(clause.body, shell) : this.#maybe(clause.body, shell)
      isCertain = false
      this.#maybe(clause.body, shell)
    }
    if (command.elseBody === null) return isCertain ? true : null
    return isCertain ? this.#statements(command.elseBody, shell) : this.#maybe(command.elseBody, shell)
  }

  #for(command: Extract<CommandNode, { type: 'For' }>, shell: Shell): Status {
    if (command.words === null) return this.#maybe(command.body, shell)
    this.#substitutions(command.words, shell)
    const values = command.words.flatMap(word => expandWord(word, this.#variablesOf(shell)))
    let status: Status = true
    for (const value of values.slice(0, MAX_ITERATIONS)) {
      shell.variables.set(command.variable, value)
      status = this.#statements(command.body, shell)
      if (shell.hasEnded) break
    }
    return status
  }

  #variablesOf(shell: Shell): ShellVariables {
    return { get: name => (name === 'PWD' ? (shell.cwd ?? undefined) : shell.variables.get(name)) }
  }

  /** Commands inside words, as `$(…)` and `<(…)`. */
  #substitutions(words: readonly (WordNode | null)[], shell: Shell): void {
    for (const word of words) {
      for (const part of word?.parts ?? []) this.#part(part, shell)
    }
  }

  #part(part: WordNode['parts'][number], shell: Shell): void {
    if (part.type === 'CommandSubstitution' || part.type === 'ProcessSubstitution') {
      this.#statements(part.body.statements, copyOf(shell))
    } else if (part.type === 'DoubleQuoted') {
      for (const inner of part.parts) this.#part(inner, shell)
    }
  }

  #simple(command: SimpleCommandNode, shell: Shell): Status {
    const arrays = command.assignments.flatMap(({ array, value }) => [...(array ?? []), value])
    this.#substitutions([...arrays, command.name, ...command.args], shell)
    const variables = this.#variablesOf(shell)
    const expand = (word: WordNode) => expandWord(word, variables)
    const words = [...(command.name === null ? [] : expand(command.name)), ...command.args.flatMap(expand)]
    // In front of a command an assignment is for that command only; it cannot matter for what is executed.
    if (words.length === 0) {
      for (const { name, value, append } of command.assignments) {
        const text = value === null ? '' : expand(value).join(' ')
        shell.variables.set(name, append ? (shell.variables.get(name) ?? '') + text : text)
      }
      return true
    }
    return this.run(words, shell, inputOf(command, expand))
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

/** A text given to standard input: a here-document or here-string. */
function inputOf(command: SimpleCommandNode, expand: (word: WordNode) => readonly string[]): string | null {
  for (const { target, operator } of command.redirections) {
    if (target.type === 'HereDoc') return expand(target.content).join(' ')
    if (operator === '<<<') return expand(target).join(' ')
  }
  return null
}

/** Is a script's text one that a shell runs? By path, its first line says so; without one the shell takes it. */
function isShellText(text: string, isGivenToShell: boolean): boolean {
  const shebang = /^#!.*/.exec(text)?.[0]
  return isGivenToShell || shebang === undefined || /\b(?:ba|da|z|k)?sh\b/.test(shebang)
}

/**
 * The commands a command line executes, in order, as far as can be told.
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
