/** Mistakes of a spec are collected and reported together, so that an author corrects a file once and not once per error. */
import { relative } from 'node:path'
import { types } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'
import { SpecError } from '../errors.ts'
import type { SourcePosition } from './position.ts'

export interface Mistake {
  /** Where in the spec, for example `flags.file_edit`. */
  readonly field: string
  /** What is wrong. */
  readonly problem: string
  /** What to do about it. */
  readonly remedy: string
  /** In the text of the file, counted from 1, where it is known. */
  readonly place?: { readonly line: number; readonly column: number }
}

/** Mistakes beyond this number are only counted: a spec made by a broken loop must not print a book. */
const MAX_SHOWN = 30

/**
 * One error for all mistakes of a spec (code `spec_invalid`). Its stack holds nothing but the place in the spec file, so
 * that a test runner prints the author's lines and not ours.
 */
export function specError(position: SourcePosition, mistakes: readonly Mistake[], cause?: unknown): SpecError {
  const file = shortPath(position.file)
  const shown = mistakes.slice(0, MAX_SHOWN)
  const lines = shown.map(({ field, problem, remedy, place }) => {
    const where = place === undefined ? file : `${file}:${place.line}:${place.column}`
    return { problem: `${where}: ${field}: ${problem}`, remedy }
  })
  if (mistakes.length > shown.length) {
    const problem = `${file}: and ${mistakes.length - shown.length} more mistakes`
    lines.push({ problem, remedy: 'Correct the others first.' })
  }
  const { message, remedy } = inPairs(lines)
  const error = new SpecError(message, { code: 'spec_invalid', remedy, cause })
  error.stack = `SpecError: ${message}\n    at ${position.file}:${position.line}:${position.column}`
  return error
}

/** Message and remedy of one error for several mistakes, a line for each in both: `explainError` shows them in pairs. */
export function inPairs(mistakes: readonly Pick<Mistake, 'problem' | 'remedy'>[]): { message: string; remedy: string } {
  const lines = (of: 'problem' | 'remedy') => mistakes.map(one => one[of].replace(/\s*\n\s*/g, ' ')).join('\n')
  return { message: lines('problem'), remedy: lines('remedy') }
}

/** The known name that is nearest to a mistyped one, or null when none is near (more than a third of it differs). */
function nearest(name: string, known: readonly string[]): string | null {
  if (known.length === 0) return null
  const candidate = closest(name, [...known])
  return distance(name, candidate) <= Math.max(2, Math.ceil(name.length / 3)) ? candidate : null
}

/** Remedy for a name that is not known: the nearest one, else the list of all. A name is never its own correction. */
export function didYouMean(name: string, known: readonly string[]): string {
  const candidate = nearest(
    name,
    known.filter(one => one !== name),
  )
  if (candidate !== null) return `Did you mean "${candidate}"?`
  return known.length === 0
    ? 'There is none yet: write it first.'
    : `Use one of: ${known.map(one => `"${one}"`).join(', ')}.`
}

/** As {@link didYouMean}, with all names that are known, for names that are made and stand nowhere to be looked up. */
export function didYouMeanOrAny(name: string, known: readonly string[]): string {
  const candidate = nearest(name, known)
  if (candidate === null) return didYouMean(name, known)
  return `Did you mean "${candidate}"? There are: ${known.map(one => `"${one}"`).join(', ')}.`
}

/**
 * What an author's code is handed, with a clear error for a name it does not have: `undefined is not a function` would not
 * tell that a question was mistyped. Names that every object has, and symbols, are let through.
 * @param kind What its members are called, for example `question`.
 * @throws SpecError code `spec_invalid` when another name is read.
 * @example
 * knownOnly(run, 'question').sawContent // there is no question "sawContent"; remedy: Did you mean "sawContentOf"?
 */
export function knownOnly<Target extends object>(target: Target, kind: string): Target {
  return new Proxy(target, {
    get(of, name) {
      if (typeof name === 'string' && !(name in of)) {
        const problem = `there is no ${kind} ${JSON.stringify(name)}`
        throw new SpecError(problem, { code: 'spec_invalid', remedy: didYouMean(name, Object.keys(of)) })
      }
      return Reflect.get(of, name)
    },
  })
}

/** A value in a message: short, on one line. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'a function' : String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

/** Relative to the working directory where the file is below it. */
function shortPath(file: string): string {
  const path = relative(process.cwd(), file)
  return path === '' || path.startsWith('..') ? file : path
}

/** Text of an unknown thrown thing. Not by `instanceof`: in Vitest's VM pools an error may be of another realm. */
export function messageOf(error: unknown): string {
  return types.isNativeError(error) ? `${error.name}: ${error.message}` : String(error)
}
