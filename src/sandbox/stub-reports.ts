/** Reports of stubs as they came out of the sandbox: the executor made them, of words that anything there may have said. */
import type { StubReport } from './sandbox.ts'

const MAX_PATH = 4_096

/**
 * A report, or null when it has not the form of one.
 * @param uid User of the room: nobody else runs a stub.
 */
export function parseStubReport(report: unknown, uid: number): StubReport | null {
  if (typeof report !== 'object' || report === null) return null
  const fields: Readonly<Record<string, unknown>> = { ...report }
  const { path, sha256, args, interpreter, cwd, pid, status } = fields
  if (!isText(path) || !isText(interpreter) || !isText(cwd) || typeof pid !== 'number' || fields.uid !== uid)
    return null
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || !Array.isArray(args)) return null
  const words = args.filter(word => typeof word === 'string')
  if (words.length < args.length) return null
  if (status !== undefined && status !== null && !isExitStatus(status)) return null
  return {
    path,
    sha256,
    args: words,
    interpreter,
    cwd,
    sender: { pid, uid },
    ...(status === undefined ? {} : { status }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_PATH
}

function isExitStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255
}
