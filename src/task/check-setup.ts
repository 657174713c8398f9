/** Files of a setup are checked before anything is sent: a sandbox must not be asked to write what it would have to refuse. */
import { types } from 'node:util'
import type { FileContent, FileMap } from '../sandbox/snapshot.ts'
import type { Mistake } from './mistakes.ts'

const DEFAULT_MODE = 0o644
const MAX_FILES = 5_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_SEGMENT_BYTES = 255
const MAX_PATH_BYTES = 1_024
const LONE_SURROGATE = /\p{Surrogate}/u

const encoder = new TextEncoder()

/** What is wrong with a workspace-relative path, or null. */
export function pathProblem(path: string): string | null {
  if (path === '') return 'is empty'
  if (path.startsWith('/')) return 'is absolute; paths are relative to the workspace'
  if (path.includes('\\')) return 'holds a backslash; use /'
  if (path.includes('\0')) return 'holds a NUL character'
  if (LONE_SURROGATE.test(path)) return 'is not well-formed text (half of a surrogate pair)'
  if (encoder.encode(path).length > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty segment (// or a / at the end)'
    if (segment === '..' || segment === '.') return `has the segment "${segment}"`
    if (encoder.encode(segment).length > MAX_SEGMENT_BYTES)
      return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`
  }
  return null
}

/** What is wrong with a text that is sent or written, or null. */
export function textProblem(text: string): string | null {
  return LONE_SURROGATE.test(text) ? 'is not well-formed text (half of a surrogate pair)' : null
}

/** Turns a setup into bytes and modes, with every mistake in it. */
export function checkSetup(setup: unknown): { readonly files: FileMap; readonly mistakes: readonly Mistake[] } {
  const files = new Map<string, FileContent>()
  const mistakes: Mistake[] = []
  if (typeof setup !== 'object' || setup === null || Array.isArray(setup)) {
    mistakes.push({
      field: 'setup',
      problem: 'is not an object of paths and contents',
      remedy: "Write it as { 'main.py': 'text' }, or as a function that returns such an object.",
    })
    return { files, mistakes }
  }
  let bytes = 0
  for (const [path, value] of Object.entries(setup)) {
    const field = `setup[${JSON.stringify(path)}]`
    const problem = pathProblem(path)
    if (problem !== null) {
      mistakes.push({
        field,
        problem: `the path ${problem}`,
        remedy: 'Use a plain relative path such as "src/main.py".',
      })
      continue
    }
    const file = parseFile(value, field)
    if ('problem' in file) mistakes.push(file)
    else {
      files.set(path, file)
      bytes += file.bytes.length
    }
  }
  mistakes.push(...directoryClashes(Object.keys(setup)))
  if (files.size > MAX_FILES || bytes > MAX_BYTES) {
    mistakes.push({
      field: 'setup',
      problem: `holds ${files.size} files and ${bytes} bytes; the bounds are ${MAX_FILES} files and ${MAX_BYTES} bytes`,
      remedy: 'Make the workspace smaller: it is written again before every trial.',
    })
  }
  return { files, mistakes }
}

function parseFile(value: unknown, field: string): FileContent | Mistake {
  const plain = toBytes(value)
  if (plain !== null) return checkedBytes(value, plain, DEFAULT_MODE, field)
  if (typeof value !== 'object' || value === null || !('content' in value)) {
    return {
      field,
      problem: 'is neither text, nor bytes, nor { content, mode }',
      remedy: "Give the file's text as a string, for example 'hello\\n'.",
    }
  }
  const unknown = Object.keys(value).find(key => key !== 'content' && key !== 'mode')
  if (unknown !== undefined) {
    return { field, problem: `has the unknown field "${unknown}"`, remedy: 'A file has only content and mode.' }
  }
  const bytes = toBytes(value.content)
  if (bytes === null) {
    return { field: `${field}.content`, problem: 'is neither text nor bytes', remedy: 'Give a string or a Uint8Array.' }
  }
  const mode = 'mode' in value && value.mode !== undefined ? value.mode : DEFAULT_MODE
  if (typeof mode !== 'number' || !Number.isInteger(mode) || mode < 0 || mode > 0o777) {
    return {
      field: `${field}.mode`,
      problem: `is ${String(mode)}, not permission bits from 0 to 0o777`,
      remedy: 'Write it in octal, for example 0o755 for a script.',
    }
  }
  return checkedBytes(value.content, bytes, mode, field)
}

function checkedBytes(source: unknown, bytes: Uint8Array, mode: number, field: string): FileContent | Mistake {
  const problem = typeof source === 'string' ? textProblem(source) : null
  if (problem === null) return { bytes, mode }
  return { field, problem: `the content ${problem}`, remedy: 'Give bytes (a Uint8Array) where the file is not text.' }
}

/** Bytes of a text or a byte array (also one of another realm, as Vitest's VM pools make them); null for anything else. */
function toBytes(value: unknown): Uint8Array | null {
  if (typeof value === 'string') return encoder.encode(value)
  return types.isUint8Array(value) ? Uint8Array.from(value) : null
}

function directoryClashes(paths: readonly string[]): Mistake[] {
  const known = new Set(paths)
  const clashes: Mistake[] = []
  for (const path of paths) {
    const segments = path.split('/')
    for (let length = 1; length < segments.length; length += 1) {
      const parent = segments.slice(0, length).join('/')
      if (!known.has(parent)) continue
      clashes.push({
        field: `setup[${JSON.stringify(parent)}]`,
        problem: `is a file, but ${JSON.stringify(path)} needs a directory there`,
        remedy: 'Rename one of the two.',
      })
    }
  }
  return clashes
}
