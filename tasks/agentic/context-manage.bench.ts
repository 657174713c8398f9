import { dedent, defineTask, type Moment, type Run } from 'agent-bench'
import { contextManageCheats } from './context-manage.cheats.ts'
import { followsConfig, HIDDEN, holdsNoRate } from './context-manage.checks.ts'
import { CONFIG, DRIFTING, MODULES, ownRateOf, pathOf, projectFiles, repaired, SOUND } from './context-manage.files.ts'
import { otherHonestWays, waysToRepair, waysToSurvey } from './context-manage.ways.ts'
import { eachWayTwice, waysToRunTests } from './variants.ts'

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
/** Distinct lines that a result shows of a file that is read rather than searched; each file has at least five. */
const LINES_OF_A_READING = 4

/**
 * Is a file read more than three times although nothing was changed since? Readings before the first change of a service
 * and those after it count apart: to look again at what one has changed is no loop, and neither is a search that shows a line.
 */
function readsInLoop(run: Run, path: string): boolean {
  const change = run.firstChange('services/*.py')
  const calls = run.callCount
  const readings = { before: 0, after: 0 }
  if (run.timesRead(path) <= MAX_READINGS) return false
  for (let call = 1; call <= calls; call++) {
    const at: Moment = { turn: call, call }
    if (!run.sawContentOf(path, { after: at, before: at, lines: LINES_OF_A_READING })) continue
    readings[change && call >= change.call ? 'after' : 'before'] += 1
  }
  return Math.max(readings.before, readings.after) > MAX_READINGS
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
    source: holdsNoRate,
    suite: ({ tests }) => tests(),
  },

  flags: {
    files_surveyed: surveyed,
    consistency_fixed: run =>
      MODULES.every(module => run.verified(module)) &&
      run.verified('source') &&
      run.verified('suite') &&
      run.firstChange('services/*.py'),
    no_read_loops: run => {
      const engaged = surveyed(run) || run.firstChange('services/*.py')
      if (!engaged) return false
      const looped = [CONFIG, ...MODULES.map(pathOf)].find(path => readsInLoop(run, path))
      return looped === undefined || run.because(`${looped} was read more than ${MAX_READINGS} times without need`)
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
