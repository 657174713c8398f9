import { expect, it } from 'vitest'
import { defineSuite, isSuite, moduleOf, type SuiteSpec, suiteMistakes } from './suite.ts'

const SPEC: SuiteSpec = {
  title: 'Small tasks',
  description: 'Cheap tasks that tell small models apart.',
  modules: { tools: ['a', 'b'], format: ['c'] },
  weights: { balanced: { tools: 0.7, format: 0.3 } },
  profiles: { fast: ['a', 'c'] },
  byDefault: false,
}

it('a suite has what it says, and its tasks are in modules', () => {
  const suite = defineSuite(SPEC)
  expect(isSuite(suite)).toBe(true)
  expect(isSuite({ ...SPEC })).toBe(false)
  expect(['a', 'c', 'd'].map(id => moduleOf(suite, id))).toEqual(['tools', 'format', null])
  expect(defineSuite({ title: 'Agentic work' })).toMatchObject({ byDefault: true, modules: {}, description: null })
})

it.each<[string, unknown, RegExp]>([
  ['an empty title', { title: ' ' }, /title: is " "/],
  ['a title of two lines', { title: 'a\nb' }, /title/],
  ['a long title', { title: 'x'.repeat(81) }, /title/],
  ['an unknown field', { modulse: {} }, /modulse: is not a field of a suite/],
  ['a description that is none', { description: 7 }, /description: is 7/],
  ['a task twice in a module', { modules: { tools: ['a', 'a'], format: ['c'] } }, /modules\.tools: names "a" twice/],
  ['a task in two modules', { modules: { tools: ['a'], format: ['a'] } }, /modules: "a" is in two modules/],
  ['an empty module', { modules: { tools: [], format: ['c'] } }, /modules\.tools: is a list/],
  ['a module with a bad name', { modules: { 'a b': ['a'] }, weights: {} }, /modules\.a b: is not a name/],
  ['weights without a module', { weights: { balanced: { tools: 1 } } }, /weights\.balanced\.format: is missing/],
  [
    'weights of no module',
    { weights: { x: { tools: 0.5, format: 0.3, tols: 0.2 } } },
    /weights\.x\.tols: is not a mod/,
  ],
  ['weights that do not add up', { weights: { x: { tools: 0.5, format: 0.4 } } }, /weights\.x: adds up to 0\.9, not/],
  ['a default that is neither', { byDefault: 'no' }, /byDefault: is "no"/],
])('refuses %s', (_what, change, message) => {
  expect(() => defineSuite({ ...SPEC, ...(change as object) })).toThrow(message)
})

it('says which tasks are not in the folder, and which are in no module', () => {
  const problems = (tasks: readonly string[]) =>
    suiteMistakes(defineSuite(SPEC), tasks).map(({ field, problem }) => `${field}: ${problem}`)
  expect(problems(['a', 'b', 'c'])).toEqual([])
  expect(problems(['a', 'b', 'd'])).toEqual([
    'modules.format: "c" is no task of this folder',
    'profiles.fast: "c" is no task of this folder',
    'modules: "d" is in no module',
  ])
  expect(suiteMistakes(defineSuite({ title: 'Agentic work' }), ['a'])).toEqual([])
})
