/** Work of a verify sandbox for unit tests: what a test does not give is refused. */
import type { VerifyWork } from './verify-tools.ts'

const refuse = () => Promise.reject(new Error('not asked'))

export const workOf = (given: Partial<VerifyWork> = {}): VerifyWork => ({
  evaluate: refuse,
  run: refuse,
  suites: refuse,
  ...given,
})
