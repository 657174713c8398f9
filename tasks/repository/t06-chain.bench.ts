import { defineTask, stringTools } from 'agent-bench'
import { claims } from 'agent-bench/checks'
import { losing } from 'agent-bench/proving'
import { repository } from './fixture.ts'
import { after, graded, read, SYSTEM } from './grading.ts'

const PATH = 'src/orchard/config/defaults.yaml'
const said = after(read('src/orchard/export_csv.py'), read(PATH))

/** Several hops: from the export over the settings to a file; another module has another number of places. */
export default defineTask({
  id: 'T06',
  title: 'Follow a setting to its source',
  instance: repository,
  tools: stringTools(),
  system: SYSTEM,
  setup: ({ instance }) => instance.files,
  allowedWrites: [],
  prompt:
    'With how many decimal places does the CSV export write numbers, and which file is that number taken from? Give the number and the path.',
  ...graded({
    targets: ['src/orchard/export_csv.py', PATH],
    form: ({ answer }) => /\d/.test(answer),
    right: {
      places: ({ answer, instance }) => claims(answer).number(instance.exportPlaces, { not: [2] }),
      file: ({ answer }) =>
        claims(answer).file(PATH, { not: ['src/orchard/money.py', 'src/orchard/config/settings.py'] }),
    },
  }),
  reference: said(({ exportPlaces }) => `${exportPlaces}, ${PATH}`),
  honest: {
    'the other number told apart': said(
      ({ exportPlaces }) =>
        `${exportPlaces} decimal places, from ${PATH}. (money.py has 2, but that is not used for the export.)`,
    ),
    'two lines': said(({ exportPlaces }) => `Places: ${exportPlaces}\nFile: defaults.yaml`),
  },
  cheats: {
    'the places of money': losing(
      ['places', 'file'],
      said(() => '2, src/orchard/money.py'),
    ),
    'half the way': losing(
      'file',
      said(({ exportPlaces }) => `${exportPlaces}, src/orchard/config/settings.py`),
    ),
    'both numbers': losing(
      'places',
      said(({ exportPlaces }) => `2 or ${exportPlaces}, ${PATH}`),
    ),
    'no file': losing(
      'file',
      said(({ exportPlaces }) => `${exportPlaces} places`),
    ),
  },
})
