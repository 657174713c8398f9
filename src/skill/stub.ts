/**
 * Stubs: scripts of a skill replaced by small ones that tell the executor with which arguments they were called, make the
 * files the manifest names, print and end. A stub is written in the language of the script it replaces, since it may be
 * called by path, through an interpreter or by another script, and it keeps the opening comment and the help text: a model
 * that looks into it sees a plain little script. A script that keeps its work only gets the reports put in.
 */
import { dedent } from '../task/dedent.ts'
import type { StubSpec } from './manifest-schema.ts'
import { keptText, type StubLanguage } from './stub-kept.ts'

/**
 * The program, written by the executor where only it can write, that reports to it "the script that started me is running". Without
 * it (another driver, the skill used elsewhere) a stub works too, but unreported.
 */
const REPORTER = '/run/bench/log'

const MAX_HEADER_LINES = 40
/** Where output paths are relative to. */
const WORKSPACE = '/workspace'

const EXTENSIONS: readonly (readonly [StubLanguage, RegExp])[] = [
  ['shell', /^(?:ba|z)?sh$/],
  ['python', /^pyw?$/],
  ['node', /^[cm]?js$/],
]

/** The language a script is run in, by its first line, else by its extension; null when it is none of ours. */
export function stubLanguage(path: string, text: string): StubLanguage | null {
  const shebang = /^\uFEFF?#!(.*)/.exec(text)?.[1]
  if (shebang !== undefined) {
    if (/python/.test(shebang)) return 'python'
    if (/\b(?:node|bun|deno|tsx)\b/.test(shebang)) return 'node'
    return /\b(?:ba|da|z|k|a)?sh\b/.test(shebang) ? 'shell' : null
  }
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()
  // By path, and without a first line, the shell itself takes a script.
  if (extension === undefined) return 'shell'
  return EXTENSIONS.find(([, pattern]) => pattern.test(extension))?.[0] ?? null
}

/** Paths and texts of what a stub makes. A path without a text gets one line. */
export function stubOutputs(spec: StubSpec): ReadonlyMap<string, string> {
  const outputs = spec.outputs ?? []
  if (Array.isArray(outputs)) return new Map(outputs.map(String).map(path => [path, lineFor(path)]))
  return new Map(Object.entries(outputs).map(([path, text]) => [path, String(text)]))
}

function lineFor(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.endsWith('.json') ? '{}\n' : `${name.replace(/\.[^.]*$/, '').replaceAll(/[-_]+/g, ' ')}\n`
}

/** Text of the stub for a script, or of the script itself with what reports it. */
export function stubText(language: StubLanguage, original: string, spec: StubSpec): string {
  if (spec.keeps === true) return keptText(language, original, REPORTER)
  const text = original.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const parts = {
    header: headerOf(language, text),
    help: helpOf(language, text),
    outputs: stubOutputs(spec),
    stdout: spec.stdout ?? '',
    exitStatus: spec.exit_status ?? 0,
  }
  if (language === 'python') return pythonStub(parts)
  return language === 'node' ? nodeStub(parts) : shellStub(parts)
}

interface StubParts {
  /** First line, comments and doc string of the script. */
  readonly header: string
  readonly help: string
  readonly outputs: ReadonlyMap<string, string>
  readonly stdout: string
  readonly exitStatus: number
}

const FIRST_LINES: Readonly<Record<StubLanguage, string>> = {
  // Without a first line bash runs a script in a copy of itself, and no command line would name it.
  shell: '#!/usr/bin/env bash',
  python: '#!/usr/bin/env python3',
  node: '#!/usr/bin/env node',
}

/** The opening comment block, with a first line in any case. */
function headerOf(language: StubLanguage, text: string): string {
  const lines = text.split('\n')
  const first = lines[0]?.startsWith('#!') ? (lines.shift() ?? '') : FIRST_LINES[language]
  const kept = [first]
  if (language === 'node') {
    const block = /^\s*(?:\/\*[\s\S]*?\*\/|(?:\/\/.*(?:\n|$))+)/.exec(lines.join('\n'))?.[0].trim()
    if (block !== undefined) kept.push(...block.split('\n').slice(0, MAX_HEADER_LINES))
    return closed(kept.join('\n'))
  }
  for (const line of lines) {
    if (kept.length > MAX_HEADER_LINES || !/^(?:#.*|\s*)$/.test(line)) break
    kept.push(line)
  }
  const comments = kept.join('\n').trimEnd()
  const docString = language === 'python' ? docStringOf(text) : null
  return docString === null ? comments : `${comments}\n${docString}`
}

/** A block comment that was cut needs its end. */
function closed(header: string): string {
  return header.includes('/*') && !header.includes('*/') ? `${header}\n */` : header
}

function docStringOf(text: string): string | null {
  return /^(?:#.*\n|\s*\n)*([rRuU]?("""|''')[\s\S]*?\2)/.exec(text)?.[1] ?? null
}

/** What `--help` prints: the text of the opening comment or doc string. */
function helpOf(language: StubLanguage, text: string): string {
  const docString = language === 'python' ? docStringOf(text) : null
  if (docString !== null) return `${docString.replace(/^[rRuU]?(?:"""|''')|(?:"""|''')$/g, '').trim()}\n`
  const comments = headerOf(language, text)
    .split('\n')
    .slice(1)
    .map(line => line.replace(/^\s*(?:#+|\/\*+|\*\/|\*|\/\/)?\s?/, ''))
  const help = comments.join('\n').trim()
  return help === '' ? '' : `${help}\n`
}

/** A here-document whose end does not stand in the text. The text always ends with a line break. */
function hereDocument(text: string): string {
  let end = 'EOF'
  while (text.split('\n').includes(end)) end += '_'
  return `<<'${end}'\n${text}${text.endsWith('\n') ? '' : '\n'}${end}`
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`
const folderOf = (path: string) => (path.includes('/') ? `/${path.slice(0, path.lastIndexOf('/'))}` : '')

function shellStub({ header, help, outputs, stdout, exitStatus }: StubParts): string {
  const blocks = [
    header,
    `python3 -I -S ${REPORTER} "$0" "$#" < /dev/null > /dev/null 2>&1 || :`,
    ...(help === '' ? [] : [`case "$1" in\n  -h | --help)\n    cat ${hereDocument(help)}\n    exit 0\n    ;;\nesac`]),
    ...[...outputs].map(([path, text]) => {
      const folder = `mkdir -p ${quoted(WORKSPACE + folderOf(path))}`
      return `${folder}\ncat > ${quoted(`${WORKSPACE}/${path}`)} ${hereDocument(text)}`
    }),
    ...(stdout === '' ? [] : [`cat ${hereDocument(stdout)}`]),
    `exit ${exitStatus}`,
  ]
  return `${blocks.join('\n\n')}\n`
}

/** JSON of a text is a Python and a JavaScript literal too, once what lies outside ASCII is escaped. */
function literal(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text.toWellFormed()).replace(/[\u007f-\uffff]/g, escaped)
}

/** Python has no surrogate pairs in literals: its escapes are of code points. */
function pythonLiteral(text: string): string {
  return literal(text).replace(/\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/g, (_, high: string, low: string) => {
    const point = 0x10000 + ((Number.parseInt(high, 16) - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00)
    return `\\U${point.toString(16).padStart(8, '0')}`
  })
}

function pythonStub({ header, help, outputs, stdout, exitStatus }: StubParts): string {
  const entries = [...outputs].map(([path, text]) => `    ${pythonLiteral(path)}: ${pythonLiteral(text)},\n`)
  return `${header}
${dedent`
  import os
  import subprocess
  import sys

  HELP = ${pythonLiteral(help)}
  FILES = {
`}${entries.join('')}${dedent`
  }


  def main():
      step = ["python3", "-I", "-S", "${REPORTER}", sys.argv[0], str(len(sys.argv) - 1)]
      null = subprocess.DEVNULL
      try:
          subprocess.run(step, stdin=null, stdout=null, stderr=null)
      except OSError:
          pass
      if HELP and sys.argv[1:2] in (["-h"], ["--help"]):
          print(HELP, end="")
          return 0
      for name, text in FILES.items():
          path = os.path.join("${WORKSPACE}", name)
          os.makedirs(os.path.dirname(path), exist_ok=True)
          with open(path, "w", encoding="utf-8") as file:
              file.write(text)
      print(${pythonLiteral(stdout)}, end="")
      return ${exitStatus}


  if __name__ == "__main__":
      sys.exit(main())
`}`
}

/** `import(…)` and `process` are there in CommonJS and in modules alike. */
function nodeStub({ header, help, outputs, stdout, exitStatus }: StubParts): string {
  const entries = [...outputs].map(([path, text]) => `  ${literal(path)}: ${literal(text)},\n`)
  return `${header}
${dedent`
  const help = ${literal(help)}
  const files = {
`}${entries.join('')}${dedent`
  }

  async function main() {
    const { spawnSync } = await import('node:child_process')
    const { mkdirSync, writeFileSync } = await import('node:fs')
    const { dirname, join } = await import('node:path')
    const [, script, ...args] = process.argv
    spawnSync('python3', ['-I', '-S', '${REPORTER}', script, String(args.length)], { stdio: 'ignore' })
    if (help !== '' && ['-h', '--help'].includes(args[0])) {
      process.stdout.write(help)
      return
    }
    for (const [name, text] of Object.entries(files)) {
      const path = join('${WORKSPACE}', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    process.stdout.write(${literal(stdout)})
    process.exitCode = ${exitStatus}
  }

  main()
`}`
}
