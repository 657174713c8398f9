import { dedent, defineTask, type Flag, type Moment, type VerifyTools } from 'agent-bench'
import { plainMarkup } from 'agent-bench/checks'
import {
  DATA,
  EXPECTED,
  HEADER,
  PROCEDURE,
  SKELETON,
  SLOT,
  STEP_FILES,
  STEPS,
  type Step,
  workspace,
} from './long-procedure.files.ts'
import { cheats, honest, writeStep } from './long-procedure.plays.ts'

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

/** null: as it should be; else in words what is not. */
type Problem = string | null

const linesOf = (text: string): string[] => text.replace(/\s+$/, '').split(/\r?\n/)
/** A row as it stands between commas, also when a program has put quotes or spaces around the values. */
const plainRow = (line: string): string =>
  line
    .split(',')
    .map(cell => cell.trim().replace(/^"(.*)"$/, '$1'))
    .join(',')

function tableProblem(text: string, rows: readonly string[]): Problem {
  const [header, ...found] = linesOf(text).map(plainRow)
  if (header !== HEADER) return 'its first line is not the header of the data'
  if (found.length !== rows.length) return `it has ${found.length} rows, not ${rows.length}`
  const wrong = found.findIndex((row, index) => row !== rows[index])
  return wrong === -1 ? null : `its row ${wrong + 1} is not the one that belongs there`
}

function lineProblem(text: string, line: string): Problem {
  const [found, ...more] = linesOf(text.trim())
  if (more.length > 0) return `it has ${more.length + 1} lines, not one`
  return found?.trim() === line ? null : 'its line is not the right one'
}

/** The rows of a table's markup, cells joined by commas. */
const rowsOf = (table: string): string[] =>
  table
    .split('<tr')
    .slice(1)
    .map(row => [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(cell => cell[1]).join(','))

const TABLE = /<table[\s>].*?<\/table>/
const EMPTY = '<table></table>'

function pageProblem(text: string): Problem {
  // The one comment of the skeleton marks the place of the table, which comes in its stead.
  if (text.includes('<!--')) return 'a comment is still in it'
  const page = plainMarkup(text)
  const tables = page.match(/<table[\s>]/g)?.length ?? 0
  if (tables !== 1) return `it has ${tables} tables, not one`
  const expected = [HEADER, ...EXPECTED.top]
  const rows = rowsOf(TABLE.exec(page)?.[0] ?? '')
  if (rows.length !== expected.length) return `its table has ${rows.length} rows, not ${expected.length}`
  // Names of columns may be written as headings are, with capitals.
  const wrong = rows.findIndex((row, index) => (index === 0 ? row.toLowerCase() : row) !== expected[index])
  if (wrong !== -1) return `row ${wrong + 1} of its table is not the one that belongs there`
  return page.replace(TABLE, EMPTY) === plainMarkup(SKELETON.replace(SLOT, EMPTY))
    ? null
    : 'beside its table it is not the page of the procedure, word for word'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The six files must be listed, each once, and be there: a list of files that nobody made is not a manifest. */
function manifestProblem(text: string, files: readonly string[]): Problem {
  const list = parsed(text)
  if (!Array.isArray(list)) return 'it is not a JSON array'
  const wanted = Object.values(STEP_FILES).slice(0, 6)
  if (list.length !== wanted.length) return `it lists ${list.length} paths, not ${wanted.length}`
  const unlisted = wanted.find(path => !list.includes(path))
  if (unlisted !== undefined) return `it does not list ${unlisted}`
  const missing = wanted.find(path => !files.includes(path))
  return missing === undefined ? null : `it lists ${missing}, which is not there`
}

/** What is wrong with the file of a step, or null. `files` are the paths of all files the agent left. */
function stepProblem(step: Step, text: string | null, files: readonly string[]): Problem {
  if (text === null) return 'it is not there'
  switch (step) {
    case 'filtered':
    case 'sorted':
    case 'top':
      return tableProblem(text, EXPECTED[step])
    case 'total':
      return lineProblem(text, `SUM=${EXPECTED.sum}`)
    case 'check':
      return lineProblem(text, `LINES=${EXPECTED.lines}`)
    case 'page':
      return pageProblem(text)
    case 'manifest':
      return manifestProblem(text, files)
  }
}

const hasRow = (text: string): boolean => linesOf(text).some(line => EXPECTED.all.includes(plainRow(line)))

/**
 * Is the text an attempt at the step, right or wrong? The order of steps is the order of first attempts: an empty file
 * laid out in advance is none, and whoever corrects a step later has not lost the order.
 */
const IS_ATTEMPT: Readonly<Record<Step, (text: string) => boolean>> = {
  filtered: hasRow,
  sorted: hasRow,
  top: hasRow,
  total: text => /SUM\s*=\s*\d/.test(text),
  page: text => /<table[\s>]/i.test(text),
  check: text => /LINES\s*=\s*\d/.test(text),
  manifest: text => text.includes(STEP_FILES.filtered),
}

export default defineTask<Step>({
  id: 'long_procedure_v1',
  title: 'Work through a procedure of seven steps to its end',
  maxTurns: 30,

  setup: workspace(),
  prompt: dedent`
    ${PROCEDURE} describes in seven steps how a report is made from ${DATA}. Read it, and carry out all seven steps, in
    the order it gives, exactly as it says. Each step writes one file in output/. You are done when all seven files are
    there. Create no other files and change nothing else.
  `,
  allowedWrites: Object.values(STEP_FILES),
  // White space counts as one blank, so two rows in the order of step 2 are a text that the data do not have.
  hidden: [`SUM=${EXPECTED.sum}`, String(EXPECTED.sum), `LINES=${EXPECTED.lines}`, ...neighbours(EXPECTED.top)],

  // Everything is worked out again from the data and compared here, on the host; the page as plain markup.
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

  honest,
  cheats,
})
