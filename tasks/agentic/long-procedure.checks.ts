/** Judges the files of `long_procedure_v1` against what the data come to. All of it runs on the host. */

import {
  elementsIn,
  firstDifference,
  isElement,
  outlineOf,
  type PageElement,
  rewrite,
  textOf,
} from 'agent-bench/checks'
import { EXPECTED, HEADER, SKELETON, STEP_FILES } from './long-procedure.files.ts'

export type Step = keyof typeof STEP_FILES

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

const cellsOf = (row: PageElement): string =>
  row.children
    .filter(isElement)
    .map(cell => textOf(cell))
    .join(',')

/** Comments are left out and the table becomes a mark, so that the rest is compared together with the table's place. */
const withTableMarked = (page: PageElement, isTable: (element: PageElement) => boolean, slot?: string): PageElement =>
  rewrite(page, part => {
    if (typeof part === 'string') return part
    if (!isElement(part)) return part.comment === slot ? { comment: 'table' } : null
    return isTable(part) ? { comment: 'table' } : part
  })

function pageProblem(text: string): Problem {
  const page = outlineOf(text)
  const skeleton = outlineOf(SKELETON)
  if (page === null || skeleton === null) return 'it is far too long'
  const isTable = (element: PageElement): boolean => element.tag === 'table'
  const [table, ...more] = elementsIn(page, isTable)
  if (table === undefined || more.length > 0) return `it has ${table === undefined ? 'no table' : 'several tables'}`
  const expected = [HEADER, ...EXPECTED.top]
  const rows = elementsIn(table, element => element.tag === 'tr').map(cellsOf)
  if (rows.length !== expected.length) return `its table has ${rows.length} rows, not ${expected.length}`
  // Names of columns may be written as headings are, with capitals.
  const wrong = rows.findIndex((row, index) => (index === 0 ? row.toLowerCase() : row) !== expected[index])
  if (wrong !== -1) return `row ${wrong + 1} of its table is not the one that belongs there`
  return firstDifference(withTableMarked(skeleton, isTable, 'the table goes here'), withTableMarked(page, isTable))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The six files must be listed, each once, and be there: a list of files that nobody made is no manifest. */
function manifestProblem(text: string, files: readonly string[]): Problem {
  const list = parsed(text)
  if (!Array.isArray(list)) return 'it is no JSON array'
  const wanted = Object.values(STEP_FILES).slice(0, 6)
  if (list.length !== wanted.length) return `it lists ${list.length} paths, not ${wanted.length}`
  const unlisted = wanted.find(path => !list.includes(path))
  if (unlisted !== undefined) return `it does not list ${unlisted}`
  const missing = wanted.find(path => !files.includes(path))
  return missing === undefined ? null : `it lists ${missing}, which is not there`
}

/** What is wrong with the file of a step, or null. `files` are the paths of all files the agent left. */
export function stepProblem(step: Step, text: string | null, files: readonly string[]): Problem {
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
export const IS_ATTEMPT: Readonly<Record<Step, (text: string) => boolean>> = {
  filtered: hasRow,
  sorted: hasRow,
  top: hasRow,
  total: text => /SUM\s*=\s*\d/.test(text),
  page: text => /<table[\s>]/i.test(text),
  check: text => /LINES\s*=\s*\d/.test(text),
  manifest: text => text.includes(STEP_FILES.filtered),
}
