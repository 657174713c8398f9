/** What a suite is: a folder of tasks, and what `suite.ts` in it says of them all. */
import { SpecError } from '../errors.ts'

export interface SuiteSpec {
  /** What reports call the suite; without a `suite.ts` they use the name of the folder. At most 80 characters. */
  readonly title: string
}

/** A checked suite. */
export interface Suite extends SuiteSpec {
  readonly isSuite: true
}

/**
 * Defines the suite of a folder of tasks: the default export of `tasks/<suite>/suite.ts`.
 *
 * @example
 * export default defineSuite({ title: 'Agentic work' })
 * @throws SpecError code `suite_invalid`
 */
export function defineSuite(spec: SuiteSpec): Suite {
  const { title } = spec
  if (typeof title !== 'string' || title.trim() === '' || title.length > 80 || /\p{Cc}/u.test(title)) {
    throw new SpecError('the title of a suite is a line of 1 to 80 characters', {
      code: 'suite_invalid',
      remedy: "Write `export default defineSuite({ title: 'Agentic work' })`.",
    })
  }
  return Object.freeze({ title, isSuite: true })
}

/** Whether a module's default export was made by {@link defineSuite}, in this copy of the module or another. */
export function isSuite(value: unknown): value is Suite {
  return typeof value === 'object' && value !== null && 'isSuite' in value && value.isSuite === true
}
