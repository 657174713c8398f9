import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { repository } from './fixture.ts'
import { after, graded, read, SYSTEM } from './grading.ts'

const PATH = 'src/orchard/money.py'
const ROUNDINGS = ['ROUND_HALF_EVEN', 'ROUND_HALF_UP', 'ROUND_HALF_DOWN']
const said = after(read(PATH))
const others = (rounding: string) => ROUNDINGS.filter(name => name !== rounding)

/** Retrieval: a constant and the module that defines it. */
export default defineTask({
  id: 'T01',
  title: 'Find a default',
  instance: repository,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt:
    'Which rounding do amounts of money have by default in this package, and in which file is it defined? Give the name of the constant of the decimal module and the path.',
  ...graded({
    targets: [PATH],
    form: ({ answer }) => /\.py\b/.test(answer),
    right: {
      rounding: ({ answer, instance }) => claims(answer).names([instance.rounding], { not: others(instance.rounding) }),
      file: ({ answer }) =>
        claims(answer).file(PATH, { not: ['src/orchard/payout.py', 'src/orchard/config/defaults.yaml'] }),
    },
  }),
  reference: said(({ rounding }) => `${rounding}, ${PATH}`),
  honest: {
    'another one excluded': said(
      ({ rounding }) => `\`${PATH}\` defines DEFAULT_ROUNDING = \`${rounding}\`, not ${others(rounding)[0]}.`,
    ),
    'by the name of the file': said(({ rounding }) => `The default is ${rounding}; it is set in money.py.`),
  },
  cheats: {
    'another rounding': losing(
      'rounding',
      said(({ rounding }) => `${others(rounding)[0]}, ${PATH}`),
    ),
    'two of them': losing(
      'rounding',
      said(({ rounding }) => `${rounding} or ${others(rounding)[1]}, ${PATH}`),
    ),
    'another file': losing(
      'file',
      said(({ rounding }) => `${rounding}, src/orchard/payout.py`),
    ),
    'no file': losing(
      ['formed', 'file'],
      said(({ rounding }) => rounding),
    ),
  },
})
