/** Reports of the pytest witness, as they came out of the sandbox: anything may have sent them, so each is checked here. */
import type { TestDigests, TestReport } from './sandbox.ts'

const MAX_FAILURES = 50
const MAX_TEXT = 2_000
const MAX_COUNT = 1_000_000
/** As many as the witness names; of more it names none. */
const MAX_TESTS = 400
const DIGEST = /^[0-9a-f]{12}$/
const COUNTS = ['collected', 'passed', 'failed', 'errors', 'skipped'] as const

/**
 * A message of the witness with the sender the kernel named, or null when it is not a report.
 * @param uid User of the room: nobody else has a reason to report.
 */
export function parseTestReport(message: unknown, uid: number): TestReport | null {
  if (!isObject(message) || typeof message.text !== 'string') return null
  if (typeof message.pid !== 'number' || message.uid !== uid) return null
  const report = parseJson(message.text)
  if (!isObject(report) || (report.event !== 'start' && report.event !== 'finish')) return null
  if (typeof report.cwd !== 'string' || report.cwd.length > MAX_TEXT) return null
  const counts = { collected: 0, passed: 0, failed: 0, errors: 0, skipped: 0 }
  for (const name of COUNTS) {
    const count = report[name]
    if (!isCount(count)) return null
    counts[name] = count
  }
  const isFinish = report.event === 'finish'
  const { status } = report
  if (isFinish ? !isCount(status) : status !== null) return null
  const failures = textList(report.failures, MAX_FAILURES)
  if (failures === null) return null
  const tests = report.tests === undefined ? undefined : testDigests(report.tests)
  const argv = message.argv === null ? null : textList(message.argv, MAX_TEXT)
  return {
    event: report.event,
    sender: { pid: message.pid, uid, argv },
    cwd: report.cwd,
    ...counts,
    status: isCount(status) ? status : null,
    failures,
    ...(tests === undefined ? {} : { tests }),
  }
}

/** null for anything that is not two short lists of digests: such a session names no tests. */
function testDigests(value: unknown): TestDigests | null {
  if (!isObject(value)) return null
  const [passed, failed] = [value.passed, value.failed].map(list => textList(list, MAX_TESTS))
  if (!passed || !failed || [...passed, ...failed].some(digest => !DIGEST.test(digest))) return null
  return { passed, failed }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever runs in the sandbox may send anything; that is what the null of the caller says.
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
}

function textList(value: unknown, bound: number): readonly string[] | null {
  if (!Array.isArray(value) || value.length > bound) return null
  const texts = value.filter(item => typeof item === 'string' && item.length <= MAX_TEXT)
  return texts.length === value.length ? texts : null
}
