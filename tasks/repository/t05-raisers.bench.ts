import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { type Repository, repository } from './fixture.ts'
import { after, graded, SYSTEM, search } from './grading.ts'

const said = after(search('raise RecordError', 'src'))
const nameOf = (path: string) => path.split('/').at(-1) ?? ''
const modules = ({ files }: Repository) =>
  Object.keys(files).filter(path => path.startsWith('src/') && path.endsWith('.py') && !path.endsWith('__init__.py'))
/** Worked out from the sources themselves. */
const raisers = (instance: Repository) =>
  modules(instance)
    .filter(path => instance.files[path]?.includes('raise RecordError'))
    .map(nameOf)
    .sort()
const others = (instance: Repository) =>
  modules(instance)
    .map(nameOf)
    .filter(name => !raisers(instance).includes(name))

/** Search: four modules raise an error, one only defines it. */
export default defineTask({
  id: 'T05',
  title: 'Find what raises an error',
  instance: repository,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt: 'Which modules under src/ raise RecordError? List their file names.',
  ...graded({
    targets: [],
    form: ({ answer }) => /\.py\b/.test(answer),
    right: { modules: run => claims(run.answer).names(raisers(run.instance), { not: others(run.instance) }) },
  }),
  reference: said(instance => raisers(instance).join('\n')),
  honest: {
    'the definition told apart': said(
      instance =>
        `${raisers(instance)
          .map(name => `- ${name}`)
          .join('\n')}\n\nerrors.py only defines it and does not raise it.`,
    ),
    'in a sentence': said(instance => `${raisers(instance).join(', ')} raise it.`),
  },
  cheats: {
    'the definition too': losing(
      'modules',
      said(instance => ['errors.py', ...raisers(instance)].join(', ')),
    ),
    'one missing': losing(
      'modules',
      said(instance => raisers(instance).slice(1).join(', ')),
    ),
    'false ones beside an excuse': losing(
      'modules',
      said(
        instance =>
          `${raisers(instance).join(', ')}, ${others(instance).find(name => name !== 'errors.py')} raise it; errors.py only defines it.`,
      ),
    ),
    'every module': losing(
      'modules',
      said(instance => modules(instance).map(nameOf).join('\n')),
    ),
  },
})
