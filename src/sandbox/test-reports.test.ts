import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTestReport } from './test-reports.ts'

const COUNTS = { collected: 3, passed: 1, failed: 1, errors: 0, skipped: 1 }
const REPORT = { event: 'finish', cwd: '/workspace', ...COUNTS, status: 1, failures: ['test_a.py::test_b'] }
const SENDER = { pid: 7, uid: 1000, argv: ['pytest'] }
const messageOf = (report: unknown, more: object = {}) => ({ ...SENDER, text: JSON.stringify(report), ...more })

describe('a report of the witness', () => {
  it('is read with its sender', () => {
    expect(parseTestReport(messageOf(REPORT), 1000)).toEqual({ ...REPORT, sender: SENDER })
    const start = { event: 'start', status: null }
    const started = parseTestReport(messageOf({ ...REPORT, ...start }, { argv: null }), 1000)
    expect(started).toMatchObject({ ...start, sender: { argv: null } })
  })

  const digests = (count: number) => Array.from({ length: count }, (_, index) => index.toString(16).padStart(12, '0'))
  it.each<[string, unknown, unknown]>([
    ['named', { passed: digests(2), failed: [] }, { passed: digests(2), failed: [] }],
    ['too many, as the witness says it', null, null],
    ['too many', { passed: digests(401), failed: [] }, null],
    ['no digests', { passed: ['test_a'], failed: [] }, null],
    ['half a list', { passed: digests(1) }, null],
    ['not told', undefined, undefined],
  ])('whose tests are %s', (_title, tests, expected) => {
    expect(parseTestReport(messageOf({ ...REPORT, tests }), 1000)?.tests).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['of another user', messageOf(REPORT, { uid: 0 })],
    ['that is not JSON', messageOf(REPORT, { text: '{' })],
    ['that is a list', messageOf([REPORT])],
    ['with an unknown event', messageOf({ ...REPORT, event: 'done' })],
    ['with a negative count', messageOf({ ...REPORT, passed: -1 })],
    ['with a count that is not a number', messageOf({ ...REPORT, passed: true })],
    ['with a fraction', messageOf({ ...REPORT, passed: 0.5 })],
    ['without a status at its finish', messageOf({ ...REPORT, status: null })],
    ['with a status at its start', messageOf({ ...REPORT, event: 'start' })],
    ['with too many failures', messageOf({ ...REPORT, failures: Array.from({ length: 51 }, () => 'x') })],
    ['with a failure that is not text', messageOf({ ...REPORT, failures: [1] })],
  ])('%s is dropped', (_title, message) => {
    expect(parseTestReport(message, 1000)).toBeNull()
  })

  it('that is anything at all never breaks the harness', () => {
    fc.assert(
      fc.property(fc.anything(), fc.jsonValue(), (message, report) => {
        parseTestReport(message, 1000)
        parseTestReport(messageOf(report), 1000)
      }),
    )
  })
})
