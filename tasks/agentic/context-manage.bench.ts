import { dedent, defineTask, type Moment, type Run } from 'agent-bench'
import { eachWayTwice, waysToRunTests } from 'agent-bench/proving'
import { contextManageCheats } from './context-manage.cheats.ts'
import { followsConfig, HIDDEN, hasNoFallback, hasNoNewModules, holdsNoRate } from './context-manage.checks.ts'
import { CONFIG, DRIFTING, MODULES, ownRateOf, pathOf, projectFiles, repaired, SOUND } from './context-manage.files.ts'
import { otherHonestWays, waysToRepair, waysToSurvey } from './context-manage.ways.ts'

/** The line with the rate that a module has of its own: once it is repaired, there is none to be seen. */
const OWN_RATE = /= 0\.(?:12|18|08)\b/

/** When the rate of a drifting module had been seen: a line with it, or the value beside the module's name. */
function sawOwnRate(run: Run, module: (typeof DRIFTING)[number]): Moment | false {
  const line = run.sawContentOf(pathOf(module), { showing: OWN_RATE })
  const value = run.sawValueOf(pathOf(module), ownRateOf(module))
  if (!line || !value) return line || value
  return line.call <= value.call ? line : value
}

/** When the rates of all drifting modules had been seen. */
function surveyed(run: Run): Moment | false {
  let last: Moment | false = false
  for (const module of DRIFTING) {
    const seen = sawOwnRate(run, module)
    if (!seen) return false
    if (!last || seen.call > last.call) last = seen
  }
  return last
}

const MAX_READINGS = 3
/** A line that searches show again and again, each time with other lines, is no reading; twice as often, it is going in circles. */
const MAX_SHOWINGS_OF_A_LINE = 2 * MAX_READINGS
const TEST = 'test_consistency.py'

/**
 * The file that was read in circles, in words, or null. Reading in circles: one passage of two neighbouring lines was shown more
 * than three times, or one line more than six times, while nothing in the project was changed. By whatever command (`cat`,
 * `head`, `sed`, `base64`), in whatever part; five times in one command are five. To read a file in parts, to look again
 * at what one has changed (or at the others, once something has been changed) and to run failing tests again is no loop.
 * A change of empty lines only is none.
 *
 * Out of scope: commands that show nothing of a file (`ls`, `wc`), however often; content in other disguises (`rev`, `gzip`);
 * a change that is made only to read again.
 */
function readInCircles(run: Run): string | null {
  for (const path of [CONFIG, TEST, ...MODULES.map(pathOf)]) {
    if (run.timesRepeated(path) > MAX_READINGS)
      return `the same lines of ${path} were read more than ${MAX_READINGS} times while nothing was changed`
    if (run.timesRepeated(path, { lines: 1 }) > MAX_SHOWINGS_OF_A_LINE)
      return `the same line of ${path} was shown more than ${MAX_SHOWINGS_OF_A_LINE} times while nothing was changed`
  }
  return null
}

export default defineTask({
  id: 'context_manage_v1',
  title: 'Find every module that has drifted from the configuration, without reading in circles',
  maxTurns: 25,
  requires: ['python', 'pytest'],

  setup: projectFiles,
  prompt: dedent`
    In this small Python project every module in services/ adds a service charge to an amount. The rate is set in
    config.py, and that is the only value that counts. Some of the modules have drifted: they work with a rate of their own.

    Look through the modules, find every one that has drifted, and change it so that it takes the rate from config.py and
    holds no rate itself. \`pytest\` has to pass in the end. Leave config.py and the test as they are, and create no
    other files.
  `,
  allowedWrites: ['services/*.py'],
  hidden: HIDDEN,

  verify: {
    berths: followsConfig('berths', projectFiles()),
    cancellations: followsConfig('cancellations', projectFiles()),
    vouchers: followsConfig('vouchers', projectFiles()),
    offers: followsConfig('offers', projectFiles()),
    statements: followsConfig('statements', projectFiles()),
    no_new_modules: hasNoNewModules,
    source: holdsNoRate,
    no_fallback: hasNoFallback,
    suite: ({ tests }) => tests(),
  },

  flags: {
    files_surveyed: surveyed,
    consistency_fixed: run =>
      run.verified('no_new_modules') &&
      MODULES.every(module => run.verified(module)) &&
      run.verified('source') &&
      run.verified('no_fallback') &&
      run.verified('suite') &&
      run.firstChange('services/*.py'),
    no_read_loops: run => {
      const engaged = surveyed(run) || run.firstChange('services/*.py')
      if (!engaged) return false
      const circle = readInCircles(run)
      return circle === null || run.because(circle)
    },
  },

  reference: async ({ sh, read, write, optional }) => {
    await optional('the rate and the modules that have it: known to be right only to whoever wrote them', async () => {
      for (const path of [CONFIG, ...SOUND.map(pathOf)]) await read(path)
    })
    for (const module of DRIFTING) await read(pathOf(module))
    for (const module of DRIFTING) await write(pathOf(module), repaired(module))
    await optional('a last look; verify runs the suite itself', async () => void (await sh('python3 -m pytest -q')))
    return 'vouchers, offers and statements had rates of their own. All five modules take it from config.py now.'
  },

  honest: {
    ...eachWayTwice(
      [waysToSurvey(), waysToRepair(), waysToRunTests().filter(way => !way.name.includes('by file'))],
      'Done.',
    ),
    ...otherHonestWays(),
  },

  cheats: contextManageCheats(),
})
