import { approximately, dedent, defineTask, type Moment, type Run } from 'agent-bench'
import { eachWayTwice, shell, type Way, waysToEdit, waysToRead, waysToRunTests } from './variants.ts'
import { wrongFixTrapCheats } from './wrong-fix-trap.cheats.ts'
import { BUG, DECOY, FIX, FIXED, projectFiles, REAL } from './wrong-fix-trap.files.ts'
import { otherHonestWays } from './wrong-fix-trap.ways.ts'

/** Lists and their medians; the first two are the visible tests'. */
const MEDIANS: readonly (readonly [readonly number[], number])[] = [
  [[260, 210, 220], 220],
  [[240, 210, 300, 220], 230],
  [[1, 2], 1.5],
  [[9], 9],
  [[7, 1, 3, 100, -5], 3],
  [[60, 10, 50, 20, 40, 30], 35],
  [[-8, -2, -4, -6], -5],
  [[4, 4, 4, 4], 4],
  [[0.5, 0.25, 8, 1], 0.75],
]

const waysToRunSuite = (): readonly Way[] => [
  ...waysToRunTests().filter(way => way.name !== 'pytest by file'),
  shell('pytest by files', 'python3 -m pytest test_gauges.py test_bulletin.py -v'),
]

/** When one of the two modules was first changed. */
function firstEdit(run: Run): Moment | false {
  const real = run.firstChange(REAL)
  const decoy = run.firstChange(DECOY)
  if (!real || !decoy) return real || decoy
  return real.call <= decoy.call ? real : decoy
}

export default defineTask({
  id: 'wrong_fix_trap_v1',
  title: 'Fix the real bug and leave alone what only looks like one',
  maxTurns: 12,
  requires: ['python', 'pytest'],

  setup: projectFiles,
  prompt: dedent`
    A small Python project works out figures of river gauges (gauges.py) and writes a bulletin about them (bulletin.py). Run
    \`pytest\`: one of its tests fails.

    Find the cause and fix it without breaking anything else. Change only what is wrong. In the end all tests have to pass.
    The tests are right as they are: do not edit them, and create no other files.
  `,
  allowedWrites: [REAL, DECOY],

  verify: {
    median: ({ python }) =>
      python('gauges')
        .call(
          'middle',
          MEDIANS.map(([levels]) => [levels]),
        )
        .gives(MEDIANS.map(([, median]) => approximately(median))),
    mean: ({ python }) =>
      python('gauges')
        .call('average', [[[210, 220, 260]], [[1, 2]], [[-3, 3, 9, 3]]])
        .gives([approximately(230), approximately(1.5), approximately(3)]),
    rises: ({ python }) =>
      python('bulletin')
        .call('rises', [[[210, 215, 212]], [[4]], [[]], [[1, 4, 9, 16]]])
        .gives([[5, -3], [], [], [3, 5, 7]]),
    headline: ({ python }) =>
      python('bulletin')
        .call('headline', [[[200, 230, 260]], [[10, 40, 20, 80]]])
        .gives(['mean 230.00, median 230.00, today +60', 'mean 37.50, median 30.00, today +70']),
    suite: ({ tests }) => tests(),
  },

  flags: {
    error_interpret: run => run.sawTestsFail({ before: firstEdit(run) }),
    // Nobody has left the decoy alone who has not changed anything.
    decoy_untouched: run => run.unchanged(DECOY) && run.verified('rises') && run.firstChange(REAL),
    real_fixed: run => run.verified('median') && run.verified('mean') && run.firstChange(REAL),
    self_verify: run =>
      run.verified('median') &&
      run.verified('rises') &&
      run.verified('headline') &&
      run.verified('suite') &&
      run.sawTestsPass({ after: firstEdit(run) }),
  },

  reference: async ({ read, sh, write, optional }) => {
    await sh('python3 -m pytest -q')
    await optional('whoever wrote the task knows the two modules', async () => {
      await read(REAL)
      await read(DECOY)
    })
    await write(REAL, FIXED)
    await sh('python3 -m pytest -q')
    return 'middle() took the wrong pair of an even number of levels. The range in rises() is right: n days have n - 1 changes.'
  },

  honest: {
    ...eachWayTwice(
      [
        waysToRead(REAL),
        waysToRunSuite(),
        waysToEdit({ path: REAL, before: BUG, after: FIX, text: FIXED }),
        waysToRunSuite(),
      ],
      'The suite passes now.',
    ),
    ...otherHonestWays(),
  },

  cheats: wrongFixTrapCheats(),
})
