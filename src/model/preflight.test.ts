import { expect, test } from 'vitest'
import { planFixture } from './plan.fixture.ts'
import { windowProblem } from './preflight.ts'

const withWindow = (contextTokens: number | null) => planFixture({ server: { ...planFixture().server, contextTokens } })

test.each([
  [8_192, 8_192],
  [null, 8_192],
  [100_000, null],
])('a need of %j fits a window of %j', (need, window) => {
  expect(windowProblem('task_v1', need, withWindow(window))).toBeNull()
})

test('a need above the window names the task, both numbers and what to start the server with', () => {
  const problem = windowProblem('task_v1', 8_193, withWindow(8_192))
  for (const part of ['task_v1', '8,193', 'each of 2 slots', '8,192', '-c 16386']) expect(problem).toContain(part)
})
