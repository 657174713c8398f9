import { dedent, defineTask, type Flag, type Moment, type VerifyTools } from 'agent-bench'
import { eachWayTwice } from 'agent-bench/proving'
import { longProcedureCheats } from './long-procedure.cheats.ts'
import { IS_ATTEMPT, type Step, stepProblem } from './long-procedure.checks.ts'
import { DATA, EXPECTED, PROCEDURE, RIGHT, STEP_FILES, workspace } from './long-procedure.files.ts'
import { waysToCompute, waysToFinish, waysToMakePage, waysToReadProcedure, writeStep } from './long-procedure.ways.ts'

const STEPS = ['filtered', 'sorted', 'top', 'total', 'page', 'check', 'manifest'] as const

const right =
  (step: Step) =>
  ({ text, files, check }: VerifyTools) => {
    const path = STEP_FILES[step]
    const problem = stepProblem(step, text(path), files)
    return problem === null ? check(true, `${path} is right`) : { ok: false, reason: `${path}: ${problem}` }
  }
const made =
  (step: Step): Flag<Step> =>
  run =>
    run.verified(step) && run.firstExists(STEP_FILES[step])

/** In order means by call: what one command did has no order in itself. One step alone has no order to keep. */
const orderKept: Flag<Step> = run => {
  const attempts = STEPS.map(step => run.firstText(STEP_FILES[step], IS_ATTEMPT[step])).filter(
    (attempt): attempt is Moment => attempt !== false,
  )
  if (attempts.length < 2) return run.because(`${attempts.length} of the steps were begun: there is no order to keep`)
  const early = attempts.findIndex((attempt, index) => index > 0 && attempt.call < (attempts[index - 1]?.call ?? 0))
  if (early === -1) return attempts.at(-1)
  return run.because(`call ${attempts[early]?.call} began a step before the one that comes before it`)
}

const neighbours = (rows: readonly string[]): readonly string[] =>
  rows.slice(1).map((row, index) => `${rows[index]}\n${row}`)

export default defineTask<Step>({
  id: 'long_procedure_v1',
  title: 'Work through a procedure of seven steps to its end',
  maxTurns: 30,

  setup: workspace(),
  prompt: dedent`
    ${PROCEDURE} describes in seven steps how a report is made from ${DATA}. Read it, and carry out all seven steps, in
    the order it gives, exactly as it says. Each step writes one file in output/. You are done when all seven files are
    there. Change nothing outside of output/.
  `,
  allowedWrites: ['output/*'],
  // White space counts as one blank, so two rows in the order of step 2 are a text that the data do not have.
  hidden: [`SUM=${EXPECTED.sum}`, String(EXPECTED.sum), `LINES=${EXPECTED.lines}`, ...neighbours(EXPECTED.top)],

  // Everything is worked out again from the data and compared here, on the host; the page is parsed.
  verify: {
    filtered: right('filtered'),
    sorted: right('sorted'),
    top: right('top'),
    total: right('total'),
    page: right('page'),
    check: right('check'),
    manifest: right('manifest'),
  },

  flags: {
    step_1_filter: made('filtered'),
    step_2_sort: made('sorted'),
    step_3_top10: made('top'),
    step_4_total: made('total'),
    step_5_page: made('page'),
    step_6_check: made('check'),
    step_7_manifest: made('manifest'),
    order_kept: orderKept,
  },

  reference: async hands => {
    await hands.optional('a model cannot know the steps without them; this script does', async () => {
      await hands.read(PROCEDURE)
      await hands.read(DATA)
    })
    for (const step of STEPS) await writeStep(hands, step)
    return 'All seven files are written, in the order of the procedure.'
  },

  honest: {
    ...eachWayTwice(
      [waysToReadProcedure(), waysToCompute(), waysToMakePage(), waysToFinish()],
      'All seven steps are done.',
    ),
    'all calls in one turn': async hands => {
      await hands.turn(async () => {
        await hands.sh(`cat ${PROCEDURE} ${DATA}`)
        for (const step of STEPS) await writeStep(hands, step)
      })
    },
    'a wrong file first, put right after the next steps': async hands => {
      await hands.read(PROCEDURE)
      await hands.write(STEP_FILES.filtered, RIGHT.filtered.replace('3,parcel-03,open,567\n', ''))
      await writeStep(hands, 'sorted')
      await writeStep(hands, 'top')
      await hands.write(STEP_FILES.total, 'SUM=1\n')
      await writeStep(hands, 'page')
      await writeStep(hands, 'filtered')
      await writeStep(hands, 'total')
      await writeStep(hands, 'check')
      await writeStep(hands, 'manifest')
    },
    'empty files laid out first': async hands => {
      await hands.sh(`cat ${PROCEDURE}; mkdir -p output; touch ${Object.values(STEP_FILES).toReversed().join(' ')}`)
      for (const step of STEPS) await writeStep(hands, step)
    },
    'the skeleton of the page copied first, filled in its turn': async hands => {
      await hands.read(PROCEDURE)
      await hands.sh(`mkdir output; sed -n '/^\`\`\`html/,/^\`\`\`$/p' ${PROCEDURE} | sed '1d;$d' > ${STEP_FILES.page}`)
      for (const step of STEPS) await writeStep(hands, step)
    },
    'scratch files and a backup, removed at the end': async hands => {
      await hands.read(PROCEDURE)
      await hands.sh(`grep ,open, ${DATA} > rows.tmp; wc -l rows.tmp`)
      for (const step of STEPS) await writeStep(hands, step)
      await hands.sh(`sed -i.bak 's/SUM= */SUM=/' ${STEP_FILES.total}; rm output/*.bak rows.tmp`)
    },
    'stumbles over calls that are no calls': async hands => {
      await hands.call('filter', { state: 'open' })
      await hands.callMalformed('read_file', `{"path": "${PROCEDURE}"`)
      await hands.sh('cat PROCEDUR.md')
      await hands.read(PROCEDURE)
      for (const step of STEPS) await writeStep(hands, step)
    },
  },

  cheats: longProcedureCheats(),
})
