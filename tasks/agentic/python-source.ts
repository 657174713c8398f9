/**
 * What stands in a Python file, read from its syntax tree on the host. An agent's file is never run to find this out,
 * and never searched for words: a word can stand in a comment or a string.
 */
import { parser } from '@lezer/python'

/** Longer files are not parsed: what agents write in these tasks has a hundredth of that. */
const MAX_CHARACTERS = 200_000

export interface PythonSource {
  /** Modules that an import statement anywhere in the file names: `a.b` for `from a.b import c`. */
  readonly imports: ReadonlySet<string>
  /** Functions and methods whose name begins with `test`, as pytest collects them. */
  readonly tests: readonly string[]
  /** Does anything in it assert: an `assert`, `raise AssertionError`, a call of a method like `assertEqual`, or `pytest.raises`? */
  readonly asserts: boolean
  /** Every name that is used or bound, attributes included. */
  readonly names: ReadonlySet<string>
  /** Values of number literals, in order. */
  readonly numbers: readonly number[]
  /** Texts of string literals, in order; those with escapes and the parts of f-strings are absent. */
  readonly strings: readonly string[]
  /**
   * Names and texts on either side of each comparison by value: of operators, or among the arguments of a method like
   * `assertEqual`, or of `startswith` and its like. A comparison with None, True or False is none.
   */
  readonly comparisons: readonly ReadonlySet<string>[]
  /** Names with the names and texts that they were made from, by an assignment, a `for` or the body of a `def`. */
  readonly origins: readonly { readonly name: string; readonly from: ReadonlySet<string> }[]
  /**
   * Names that the file gives a meaning of its own, with how it does: by `def`, `class` or an assignment (also to an
   * attribute, as in `main.f = …`), by an import from the module named, or by name in a call of `setattr`.
   */
  readonly bindings: readonly { readonly name: string; readonly by: string }[]
}

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

/**
 * Reads a Python file. Broken syntax gives what can be made out around it, as an editor would.
 * @returns null for a file of more than 200,000 characters.
 */
export function readPython(source: string): PythonSource | null {
  if (source.length > MAX_CHARACTERS) return null
  const textOf = (node: { readonly from: number; readonly to: number }) => source.slice(node.from, node.to)
  const imports = new Set<string>()
  const tests: string[] = []
  const names = new Set<string>()
  const numbers: number[] = []
  const strings: string[] = []
  const comparisons: ReadonlySet<string>[] = []
  const origins: { name: string; from: ReadonlySet<string> }[] = []
  const bindings: { name: string; by: string }[] = []
  let asserts = false

  parser.parse(source).iterate({
    enter({ name: kind, node }) {
      switch (kind) {
        case 'ImportStatement':
          readImport(node)
          break
        case 'FunctionDefinition':
        case 'ClassDefinition': {
          const name = node.getChild('VariableName')
          if (name === null) break
          bindings.push({ name: textOf(name), by: kind === 'FunctionDefinition' ? 'def' : 'class' })
          if (kind === 'FunctionDefinition' && textOf(name).startsWith('test')) tests.push(textOf(name))
          origins.push({ name: textOf(name), from: wordsIn(node) })
          break
        }
        case 'AssignStatement':
        case 'NamedExpression':
          for (const name of targetsOf(node)) {
            bindings.push({ name, by: moduleImportedBy(node) ?? 'assignment' })
            origins.push({ name, from: wordsIn(node) })
          }
          break
        case 'ForStatement':
          readLoop(node)
          break
        case 'AssertStatement':
          asserts = true
          break
        case 'RaiseStatement':
          if (/^raise\s+AssertionError\b/.test(textOf(node))) asserts = true
          break
        case 'BinaryExpression':
          if (childrenOf(node).some(isComparison)) addComparison(node)
          break
        case 'String': {
          const text = stringValue(textOf(node))
          if (text !== null) strings.push(text)
          break
        }
        case 'VariableName':
          names.add(textOf(node))
          break
        case 'PropertyName':
          names.add(textOf(node))
          if (/^(?:assert|fail\b|raises$)/.test(textOf(node))) asserts = true
          break
        case 'CallExpression':
        case 'Decorator':
          readCall(node)
          break
        case 'Number':
          numbers.push(Number(textOf(node).replaceAll('_', '')))
          break
      }
    },
  })
  return { imports, tests, asserts, names, numbers, strings, comparisons, origins, bindings }

  /** Names, attributes and texts of strings below a node, and itself. */
  function wordsIn(node: SyntaxNode): Set<string> {
    const words = new Set<string>()
    node.cursor().iterate(({ name, node: part }) => {
      if (name === 'VariableName' || name === 'PropertyName') words.add(textOf(part))
      if (name === 'String') words.add(stringValue(textOf(part)) ?? '')
    })
    return words
  }

  function readLoop(loop: SyntaxNode): void {
    const parts = childrenOf(loop)
    const at = parts.findIndex(({ name }) => name === 'in')
    const from = new Set(parts.slice(at + 1, -1).flatMap(part => [...wordsIn(part)]))
    for (const part of parts.slice(0, at)) for (const name of wordsIn(part)) origins.push({ name, from })
  }

  function isComparison(node: SyntaxNode): boolean {
    return node.name === 'CompareOp' || node.name === 'in'
  }

  function addComparison(node: SyntaxNode): void {
    if (!childrenOf(node).some(({ name }) => name === 'None' || name === 'Boolean')) comparisons.push(wordsIn(node))
  }

  /** `x = importlib.import_module('a')` is an import. */
  function moduleImportedBy(statement: SyntaxNode): string | null {
    const value = statement.lastChild
    const module = value === null ? null : importedByCall(value)
    return module === null ? null : `import from ${module}`
  }

  function importedByCall(call: SyntaxNode): string | null {
    const list = call.name === 'CallExpression' ? call.getChild('ArgList') : null
    const name = list?.getChild('String') ?? null
    if (list === null || name === null || !/\bimport_module$/.test(source.slice(call.from, list.from))) return null
    return stringValue(textOf(name))
  }

  function readImport(statement: SyntaxNode): void {
    const words = childrenOf(statement).map(textOf)
    const at = words.indexOf('import')
    const isFrom = words[0] === 'from'
    const listed = words
      .slice(at + 1)
      .join(' ')
      .replace(/[()]/g, '')
      .split(',')
    const from = words.slice(1, at).join('')
    if (isFrom) imports.add(from)
    for (const item of listed) {
      const [name = '', alias = name] = item
        .trim()
        .split(/ as /)
        .map(part => part.replaceAll(' ', ''))
      if (name === '') continue
      if (!isFrom) imports.add(name)
      bindings.push({ name: alias, by: `import from ${isFrom ? from : name}` })
    }
  }

  /** Names on the left of every `=`, attributes by their last part. */
  function targetsOf(statement: SyntaxNode): string[] {
    const children = childrenOf(statement)
    const last = children.findLastIndex(child => child.name === 'AssignOp')
    return children.slice(0, Math.max(0, last)).flatMap(boundNames)
  }

  function boundNames(node: SyntaxNode): string[] {
    if (node.name === 'VariableName') return [textOf(node)]
    if (node.name === 'MemberExpression') {
      const property = node.getChild('PropertyName')
      // `sys.modules['main'] = …` binds what the text in brackets names.
      const keys = node.getChildren('String').flatMap(key => stringValue(textOf(key)) ?? [])
      return property === null ? keys : [textOf(property)]
    }
    return /^(?:Tuple|Array|Parenthesized)Expression$/.test(node.name) ? childrenOf(node).flatMap(boundNames) : []
  }

  function readCall(call: SyntaxNode): void {
    const list = call.getChild('ArgList')
    const imported = importedByCall(call)
    if (imported !== null) imports.add(imported)
    const callee = list === null ? '' : source.slice(call.from, list.from)
    if (/\bassert\w*(?:Equal|Is|In|Match)\w*$/i.test(callee)) addComparison(list ?? call)
    if (/\.(?:startswith|endswith|match|fullmatch|search|__eq__)$/.test(callee)) comparisons.push(wordsIn(call))
    if (list === null || !/\b(?:setattr|setitem|patch|object)$/.test(source.slice(call.from, list.from))) return
    for (const argument of list.getChildren('String')) {
      const named = stringValue(textOf(argument))?.split('.').at(-1)
      if (named !== undefined && named !== '') bindings.push({ name: named, by: 'setattr' })
    }
  }
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** The text of a literal without its prefix and quotes; null when it has escapes, whose meaning is not worked out. */
function stringValue(literal: string): string | null {
  const match = /^[rRuUbB]{0,2}('''|"""|'|")([^\\]*)\1$/s.exec(literal)
  return match?.[2] ?? null
}
