/** Properties of the long texts of big_file_edit_v1, doc_trap_v1 and long_procedure_v1 that their difficulty rests on. */
import { describe, expect, test } from 'vitest'
import { ANCHORED, anchorOf, EDITS, editedPage, isEditMade, isRestKept, pageText } from './big-file-edit.page.ts'
import docTrap from './doc-trap.bench.ts'
import { DOC, DOC_FOLDER, OLD_KEY, RIGHT_KEY, whyNotTheKey } from './doc-trap.files.ts'
import { IS_ATTEMPT, stepProblem } from './long-procedure.checks.ts'
import { EXPECTED, PROCEDURE, RIGHT, SKELETON, STEP_FILES, workspace } from './long-procedure.files.ts'

const EDIT_NAMES = ['title', 'accent', 'link', 'nav'] as const
const STEPS = ['filtered', 'sorted', 'top', 'total', 'page', 'check', 'manifest'] as const

const count = (text: string, part: string) => text.split(part).length - 1

describe('the page of big_file_edit_v1', () => {
  test('takes several calls of read_file, and its places are spread from the beginning to the end', () => {
    const page = pageText()
    expect(page.length).toBeGreaterThan(28_000)
    expect(page.length).toBeLessThan(30_000)
    const places = ANCHORED.map(section => page.indexOf(anchorOf(section)) / page.length)
    expect(places.map(place => Math.round(place * 10))).toEqual([1, 3, 5, 7, 9])
  })

  test('holds each place to be edited once', () => {
    for (const { before } of Object.values(EDITS)) expect(count(pageText(), before)).toBe(1)
    for (const section of ANCHORED) expect(count(pageText(), anchorOf(section))).toBe(1)
  })

  test.each(EDIT_NAMES)('is judged edit by edit: %s', edit => {
    for (const other of EDIT_NAMES) {
      expect(isEditMade(other, editedPage([edit])) === true).toBe(other === edit)
    }
    expect(isRestKept(editedPage([edit]))).toBe(true)
  })

  test('is not judged when it is not there or far too long', () => {
    for (const html of [null, 'x'.repeat(200_000)]) {
      expect(isEditMade('title', html)).toMatch(/not there, or far too long/)
      expect(isRestKept(html)).toMatch(/not there, or far too long/)
    }
  })
})

describe('the procedure of long_procedure_v1', () => {
  const procedure = String(workspace()[PROCEDURE])

  test('is long, and still fits into one result of read_file and of execute_command', () => {
    expect(procedure.length).toBeGreaterThan(5_500)
    expect(procedure.length).toBeLessThanOrEqual(6_000)
    expect(procedure).toContain(SKELETON)
    expect(count(SKELETON, '<aside')).toBe(12)
  })

  test('has one right order: 27 of 40 rows, no two of the same weight', () => {
    expect(EXPECTED.all).toHaveLength(40)
    expect(EXPECTED.sorted).toHaveLength(27)
    expect(new Set(EXPECTED.all.map(row => row.split(',')[3])).size).toBe(40)
  })

  test('comes to figures that the procedure does not tell', () => {
    expect(procedure).not.toContain(String(EXPECTED.sum))
    expect(procedure).not.toContain(`LINES=${EXPECTED.lines}`)
  })

  const files = Object.values(STEP_FILES)
  test.each(STEPS)('is judged step by step: %s', step => {
    expect(stepProblem(step, RIGHT[step], files)).toBe(null)
    expect(stepProblem(step, null, files)).toBe('it is not there')
    for (const other of STEPS) {
      expect(stepProblem(step, RIGHT[other], files) === null).toBe(other === step)
    }
    expect(IS_ATTEMPT[step](RIGHT[step])).toBe(true)
    expect(IS_ATTEMPT[step]('')).toBe(false)
  })

  test('accepts carriage returns, quotes, and a last line without its end', () => {
    const quoted = RIGHT.top.replace(/^(\d+),(parcel-\d+)/gm, '$1,"$2"').replaceAll('\n', '\r\n')
    expect(stepProblem('top', quoted, files)).toBe(null)
    expect(stepProblem('total', `SUM=${EXPECTED.sum}`, files)).toBe(null)
  })
})

describe('the guide of doc_trap_v1', () => {
  test('is named nowhere but by its place', async () => {
    const { setup, prompt } = await docTrap.resolve()
    const texts = [...setup.values()].map(({ bytes }) => new TextDecoder().decode(bytes))
    for (const text of [prompt, ...texts]) expect(text).not.toMatch(new RegExp(`\\b${DOC_FOLDER}\\b|relay-install`))
    expect(setup.has(DOC)).toBe(true)
    expect(setup.has('docs/INSTALL.md')).toBe(false)
  })

  test.each([
    `DEPLOY_KEY=${RIGHT_KEY}`,
    `# key\n\nexport DEPLOY_KEY='${RIGHT_KEY}'\r\n`,
    `MODE=live\nDEPLOY_KEY="${RIGHT_KEY}" # from the guide\n`,
  ])('gives a key that is accepted as %j', text => {
    expect(whyNotTheKey(text)).toBe(null)
  })

  test.each([
    '',
    `DEPLOY_KEY=${OLD_KEY}\n`,
    `DEPLOY_KEY=${RIGHT_KEY}\nDEPLOY_KEY=${RIGHT_KEY}\n`,
    `DEPLOY_KEY = ${RIGHT_KEY}\n`,
    `DEPLOY_KEY='${RIGHT_KEY}"\n`,
    `see DEPLOY_KEY=${RIGHT_KEY}\n`,
  ])('gives a key that is not accepted as %j', text => {
    expect(whyNotTheKey(text)).not.toBe(null)
  })
})
