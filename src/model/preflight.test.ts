import { describe, expect, test } from 'vitest'
import { planFixture } from './plan.fixture.ts'
import { preflightContext } from './preflight.ts'

const needs = (contextTokens: number | null) => [{ name: 'task_v1', contextTokens }]
const withWindow = (contextTokens: number | null) => planFixture({ server: { ...planFixture().server, contextTokens } })

describe('the context window before a run', () => {
  test.each([
    [8_192, 8_192],
    [null, 8_192],
    [100_000, null],
  ])('a need of %j fits a window of %j', (need, window) => {
    expect(preflightContext(needs(need), withWindow(window))).toEqual([])
  })

  test('a need above the window names the task, both numbers and what to start the server with', () => {
    const [problem] = preflightContext(needs(8_193), planFixture())
    expect(problem).toMatchObject({ code: 'window_too_small', name: 'task_v1', isFatal: true })
    expect(problem?.detail).toContain('8,193')
    expect(problem?.detail).toContain('each of 2 slots')
    expect(problem?.remedy).toContain('-c 16386')
  })

  test('an output limit that is not below the window is a warning for all', () => {
    const sampling = { ...planFixture().sampling, maxTokens: 8_192 }
    expect(preflightContext([], planFixture({ sampling }))).toMatchObject([
      { code: 'output_limit_over_window', name: null, isFatal: false },
    ])
    expect(preflightContext([], planFixture({ sampling: { ...sampling, maxTokens: 8_191 } }))).toEqual([])
  })
})
