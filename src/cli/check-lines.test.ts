import { describe, expect, it } from 'vitest'
import { brokenLines, checkLines } from './check-lines.ts'

const RED = '\u001b[31m[PARSE_ERROR]\u001b[0m Expected `}`\u0007'

describe('what a check says', () => {
  it('leaves out the colours of a compiler, and makes other control characters visible', () => {
    expect(brokenLines('tasks/a.bench.ts', `cannot be loaded: ${RED}\n  remedy: Correct it.`)).toEqual([
      'FAIL tasks/a.bench.ts',
      '     cannot be loaded: [PARSE_ERROR] Expected `}`\\x07',
      '       remedy: Correct it.',
    ])
  })

  it('does the same with what a play threw', () => {
    const counts = { nopScore: null, cheats: 0, honest: 0, steps: 0, judgesAnswer: null, reasons: [], durationMs: 100 }
    const problems = [{ about: 'reference', problem: RED }]
    const failed = {
      task: 'a_v1',
      mode: 'agent',
      instances: 0,
      status: 'failed',
      reference: { passed: 0, trials: 3 },
    } as const
    expect(checkLines({ ...failed, ...counts, problems })).toEqual([
      expect.stringMatching(/^FAIL a_v1 \(agent\) /),
      '     reference: [PARSE_ERROR] Expected `}`\\x07',
    ])
  })
})
