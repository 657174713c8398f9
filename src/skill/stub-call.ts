/** A call of a script as a manifest asks for it: every argument compared separately, in whatever order options may come. */
import { posix } from 'node:path'
import type { ArgumentSpec, ScriptCallSpec } from './manifest-schema.ts'

const WORKSPACE = '/workspace'

/**
 * Do the recorded arguments make the call that is asked for? Every named option is there with its value (as a word of its
 * own or behind `=`; the last one counts, as most parsers have it) unless it is optional, nothing else is, and what remains
 * are the arguments.
 * @param cwd Directory the script was started in: paths are relative to it.
 * @param isShortened May an option be shortened where that is clear? Not for the stub of a script that would refuse it.
 */
export function fitsCall(wanted: ScriptCallSpec, args: readonly string[], cwd: string, isShortened = true): boolean {
  const options = new Map(Object.entries(wanted.options ?? {}))
  const given = new Map<string, string | true>()
  const rest: string[] = []
  const words = args[Symbol.iterator]()
  for (const word of words) {
    if (word === '--' && options.size > 0) {
      rest.push(...words)
      break
    }
    const [, long = word, joined] = /^(--[^=]+)=([\s\S]*)$/.exec(word) ?? []
    const name = optionNamed(long, options, isShortened)
    if (name === null) {
      rest.push(word)
      continue
    }
    const isFlag = options.get(name) === true || isOptional(options.get(name))
    const value = isFlag ? true : (joined ?? words.next().value)
    if (value === undefined || (isFlag && joined !== undefined)) return false
    given.set(name, value)
  }
  const named = wanted.arguments ?? []
  return (
    rest.length === named.length &&
    named.every((value, index) => fitsArgument(value, rest[index] ?? '', cwd)) &&
    [...options].every(([name, value]) => {
      const found = given.get(name)
      if (isOptional(value)) return true
      if (typeof value === 'boolean') return found === value
      return typeof found === 'string' && fitsArgument(value, found, cwd)
    })
  )
}

type OptionSpec = NonNullable<ScriptCallSpec['options']>[string]

const isOptional = (value: OptionSpec | undefined) => typeof value === 'object' && value.optional === true

/** The option a word names, also by a beginning that only one of them has (`--inp` for `--input`), as argparse and getopt do. */
function optionNamed(word: string, options: ReadonlyMap<string, unknown>, isShortened: boolean): string | null {
  if (options.has(word)) return word
  if (!isShortened || !/^--./.test(word)) return null
  const [one, ...more] = [...options.keys()].filter(name => name.startsWith(word))
  return one !== undefined && more.length === 0 ? one : null
}

function fitsArgument(wanted: ArgumentSpec, given: string, cwd: string): boolean {
  if (typeof wanted === 'string') return given === wanted
  if (wanted.path !== undefined) return given !== '' && posix.resolve(cwd, given) === `${WORKSPACE}/${wanted.path}`
  return wanted.matches !== undefined && new RegExp(`^(?:${wanted.matches})$`).test(given)
}
