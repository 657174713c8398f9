import { fileURLToPath } from 'node:url'

/** A place in a source file, for errors and code frames. */
export interface SourcePosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

const UNKNOWN: SourcePosition = { file: '(unknown file)', line: 1, column: 1 }
/** `at name (place:line:column)` and `at place:line:column`. */
const FRAME = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/

/**
 * Place from which `callee` was called.
 * @param callee The exported function whose own frame, and all above it, are left out.
 */
export function callerPosition(callee: (...args: never[]) => unknown): SourcePosition {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, callee)
  const frame = holder.stack?.split('\n').find(line => FRAME.test(line))
  return frame === undefined ? UNKNOWN : (parseFrame(frame) ?? UNKNOWN)
}

/** Reads one line of a V8 stack; null when it names no place. */
function parseFrame(line: string): SourcePosition | null {
  const [, place, row, column] = FRAME.exec(line) ?? []
  if (place === undefined) return null
  // Vite marks an edited module with a query (`?t=…`), which is not part of the file's name.
  const file = place.startsWith('file://') ? fileURLToPath(place) : place.replace(/\?[^/]*$/, '')
  return { file, line: Number(row), column: Number(column) }
}
