/** A standing for tests: three passed trials of one task. */
import type { Standing } from './standings.ts'

/** A passing standing; `changes` replace its fields. A score below 1 makes it a failing one unless `changes` say otherwise. */
export function sampleStanding(changes: Partial<Standing> = {}): Standing {
  const score = changes.score === undefined ? 1 : changes.score
  const doesPass = score === 1
  return {
    file: 'result_a.json',
    suite: 'agentic',
    suiteTitle: changes.suite ?? 'agentic',
    task: 'debug_python',
    row: changes.task ?? 'debug_python',
    instance: 0,
    fingerprint: 'f',
    model: 'tiny-1b',
    agent: 'tools',
    driver: 'docker',
    isModel: true,
    observed: false,
    verdict: doesPass ? 'pass' : 'fail',
    k: 3,
    n: 3,
    passes: doesPass ? 3 : 1,
    score,
    isWhole: true,
    isOneSample: false,
    toolCalls: 12,
    seconds: 30,
    latest: '2026-01-01T00:00:00.000Z',
    ...changes,
  }
}
