/** Programs that start other programs: what really runs in `timeout 5 env X=1 bash -eu script.sh a b`. */

/** What the words of a command start. */
export interface StartedProgram {
  /** The script an interpreter was given, or the program itself; null for an interpreter without a script. */
  readonly program: string | null
  /** How many of the words lead up to and include the program. */
  readonly programWords: number
  readonly args: readonly string[]
  /** A shell runs it: bash, sh… */
  readonly isShell: boolean
  /** The text given with `-c`. */
  readonly code: string | null
  /** Words to be run in the same shell instead (`exec`, `command`, `builtin`). */
  readonly inShell: readonly string[] | null
  readonly replacesShell: boolean
  /** Further commands it starts: those of `xargs` and `find -exec`. */
  readonly alsoRuns: readonly (readonly string[])[]
}

const SHELLS = /^(?:ba|da|z|k|a)?sh$/
const INTERPRETERS = /^(?:python(?:[23](?:\.\d+)?)?|node|nodejs|perl|ruby|php|deno|bun|tsx|ts-node|pypy3?)$/

/** Options that take the next word as their value, by the program that has them. */
const VALUED: Readonly<Record<string, RegExp>> = {
  shell: /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/,
  interpreter: /^(?:-[WXIr]|--require|--import|--loader|--env-file)$/,
  env: /^(?:-[uCS]|--unset|--chdir)$/,
  timeout: /^(?:-[ks]|--kill-after|--signal)$/,
  nice: /^(?:-n|--adjustment)$/,
  ionice: /^-[cnp]$/,
  stdbuf: /^-[ioe]$/,
  sudo: /^-[ugpCh]$/,
  xargs: /^-[aEeIiLlnPsd]$/,
  exec: /^-a$/,
  time: /^-[fo]$/,
  uv: /^--(?:with|python|project|directory|from|extra|group)$|^-p$/,
}
const WRAPPERS = 'env timeout nice ionice nohup setsid stdbuf sudo time unbuffer xvfb-run'.split(' ')

const baseName = (word: string) => word.slice(word.lastIndexOf('/') + 1)

/** Index of the first word from `from` on that is not an option. */
function skipOptions(words: readonly string[], from: number, valued: RegExp | undefined): number {
  let index = from
  while (index < words.length) {
    const word = words[index] ?? ''
    if (word === '--') return index + 1
    if (!/^[-+]./.test(word)) return index
    index += valued?.test(word) ? 2 : 1
  }
  return index
}

/** Index of the program behind wrappers. */
function behindWrappers(words: readonly string[]): number {
  let index = 0
  while (index < words.length) {
    const name = baseName(words[index] ?? '')
    if (name === 'uv' && words[index + 1] === 'run') {
      index = skipOptions(words, index + 2, VALUED.uv)
      continue
    }
    if (!WRAPPERS.includes(name)) return index
    index = skipOptions(words, index + 1, VALUED[name])
    while (name === 'env' && /^\w+=/.test(words[index] ?? '')) index += 1
    if (name === 'timeout') index += 1 // the duration
  }
  return index
}

const NOTHING = { isShell: false, code: null, inShell: null, replacesShell: false, alsoRuns: [] } as const

/** The start of the program at a place of the words, with those after it as its arguments. */
const startAt = (words: readonly string[], at: number, more: Partial<StartedProgram> = {}): StartedProgram => {
  return { ...NOTHING, program: words[at] ?? null, programWords: at + 1, args: words.slice(at + 1), ...more }
}

/** Finds what a command starts. */
export function unwrapped(words: readonly string[]): StartedProgram {
  const at = behindWrappers(words)
  const name = baseName(words[at] ?? '')
  if (at === 0 && (name === 'exec' || name === 'command' || name === 'builtin')) {
    const next = skipOptions(words, 1, VALUED[name])
    const isQuestion = name === 'command' && words.slice(1, next).some(option => /^-[vV]+$/.test(option))
    if (next < words.length && !isQuestion) {
      const inShell = words.slice(next)
      return { ...NOTHING, program: null, programWords: 0, args: [], inShell, replacesShell: name === 'exec' }
    }
  }
  if (name === 'source' || name === '.') return startAt(words, at + 1, { isShell: true })
  if (SHELLS.test(name)) return shellStart(words, at)
  if (INTERPRETERS.test(name)) return interpreterStart(words, at)
  const alsoRuns = name === 'xargs' ? [words.slice(skipOptions(words, at + 1, VALUED.xargs))] : execsOf(name, words)
  return startAt(words, at, { alsoRuns: alsoRuns.filter(inner => inner.length > 0) })
}

function shellStart(words: readonly string[], at: number): StartedProgram {
  const next = skipOptions(words, at + 1, VALUED.shell)
  const options = words.slice(at + 1, next)
  if (options.some(option => /^-[A-Za-z]*c[A-Za-z]*$/.test(option))) {
    // The words after the text are its $0, $1…
    const code = words[next] ?? null
    return startAt(words, at, { program: null, args: words.slice(next + 2), isShell: true, code })
  }
  const isFromInput = next >= words.length || options.some(option => /^-[A-Za-z]*s[A-Za-z]*$/.test(option))
  if (isFromInput) return startAt(words, at, { program: null, args: words.slice(next), isShell: true })
  return startAt(words, next, { isShell: true })
}

function interpreterStart(words: readonly string[], at: number): StartedProgram {
  let next = at + (/^(?:deno|bun)$/.test(baseName(words[at] ?? '')) ? 2 : 1)
  while (next < words.length) {
    const word = words[next] ?? ''
    if (/^-[A-Za-z]*[cep]$|^--(?:eval|print)$/.test(word) || word === '-') {
      return startAt(words, at, { program: null, args: words.slice(next) })
    }
    if (word === '-m') {
      const module = words[next + 1]
      const program = module === undefined ? null : `${module.replaceAll('.', '/')}.py`
      return startAt(words, next + 1, { program })
    }
    if (word === '--') {
      next += 1
      break
    }
    if (!word.startsWith('-')) break
    next += VALUED.interpreter?.test(word) ? 2 : 1
  }
  return startAt(words, next)
}

/** The commands behind `-exec` of find. */
function execsOf(name: string, words: readonly string[]): string[][] {
  if (name !== 'find') return []
  const commands: string[][] = []
  for (let index = 0; index < words.length; index += 1) {
    if (!/^-(?:exec|execdir|ok)$/.test(words[index] ?? '')) continue
    const end = words.findIndex((word, at) => at > index && (word === ';' || word === '+'))
    commands.push(words.slice(index + 1, end === -1 ? undefined : end))
  }
  return commands
}
