import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CapturedStream, ExecResult } from '../sandbox/sandbox.ts'
import { RESULT_CHARACTERS, showExec, showRead } from './tool-result.ts'

const EMPTY: CapturedStream = { head: new Uint8Array(), tail: new Uint8Array(), totalBytes: 0 }
const DELTA = { root: '', changed: new Map(), deleted: [], contents: new Map(), truncated: null }

function streamOf(text: string, half = 32_768): CapturedStream {
  const bytes = Buffer.from(text)
  if (bytes.length <= 2 * half)
    return { head: bytes.subarray(0, half), tail: bytes.subarray(half), totalBytes: bytes.length }
  return { head: bytes.subarray(0, half), tail: bytes.subarray(bytes.length - half), totalBytes: bytes.length }
}

function exec(over: Partial<ExecResult>): ExecResult {
  return {
    exitCode: 0,
    stopped: null,
    durationMs: 1,
    stdout: EMPTY,
    stderr: EMPTY,
    testReports: [],
    stubReports: [],
    delta: DELTA,
    ...over,
  }
}

describe('showExec', () => {
  it('shows short output whole, with the exit code first', () => {
    expect(showExec(exec({ exitCode: 3, stdout: streamOf('hello\n'), stderr: streamOf('oops\n') }), 60_000)).toBe(
      'exit code: 3\nstdout:\nhello\n\nstderr:\noops\n',
    )
  })

  it('says so when nothing was printed', () => {
    expect(showExec(exec({}), 60_000)).toBe('exit code: 0\nstdout: (empty)')
  })

  it('keeps the beginning and the end of long output, and says how much is missing and how to get it', () => {
    const text = showExec(exec({ stdout: streamOf(`FIRST${'x'.repeat(20_000)}LAST`) }), 60_000)
    expect(text).toMatch(/FIRST/)
    expect(text).toMatch(/LAST$/)
    expect(text).toContain('14,009 characters of stdout left out')
    expect(text).toContain('read_file')
    expect(text.length).toBeLessThan(RESULT_CHARACTERS + 500)
  })

  it('counts bytes when the sandbox itself dropped the middle', () => {
    const text = showExec(exec({ stdout: streamOf('y'.repeat(10_000_000)) }), 60_000)
    expect(text).toContain('9,994,000 bytes of stdout left out')
  })

  it('names the signal and the time limit of a command that was ended', () => {
    const text = showExec(exec({ exitCode: -9, stopped: 'timeout' }), 1_500)
    expect(text).toContain('stopped after 1.5 s')
    expect(text).toContain('exit code: 137 (killed by signal 9)')
  })

  it('never splits a character, wherever the cut falls', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.constantFrom('é', '€', '😀'), (offset, character) => {
        const text = showExec(exec({ stdout: streamOf('a'.repeat(offset) + character.repeat(60_000)) }), 60_000)
        expect(text).not.toContain('\uFFFD')
        expect(text.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('showRead', () => {
  const read = (text: string, firstLine = 1, totalLines = text.split('\n').length - 1) =>
    showRead('a.txt', {
      bytes: Buffer.from(text),
      firstLine,
      lineCount: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
      totalLines,
      totalBytes: 10_000,
    })

  it('gives a short file exactly as it is', () => {
    expect(read('one\ntwo\n')).toBe('one\ntwo\n')
  })

  it('says where to go on when lines are left', () => {
    expect(read('one\ntwo\n', 1, 9)).toBe(
      'one\ntwo\n[these are lines 1 to 2 of 9; to go on, call read_file with offset 3]',
    )
  })

  it('stops at a whole line before 8,000 characters', () => {
    const text = read(`${'z'.repeat(99)}\n`.repeat(200))
    expect(text).toContain('lines 1 to 80 of 200')
    expect(text).toContain('offset 81')
  })

  it('shows the beginning of a line that alone is too long', () => {
    const text = read(`${'w'.repeat(20_000)}\n`)
    expect(text).toContain('cut -c')
    expect(text.startsWith('w'.repeat(8_000))).toBe(true)
  })

  it('tells an empty file from an offset behind the end', () => {
    expect(showRead('e', { bytes: new Uint8Array(), firstLine: 1, lineCount: 0, totalLines: 0, totalBytes: 0 })).toBe(
      '[e is empty]',
    )
    expect(showRead('e', { bytes: new Uint8Array(), firstLine: 50, lineCount: 0, totalLines: 3, totalBytes: 9 })).toBe(
      '[e has 3 lines; there is nothing from line 50 on]',
    )
  })
})
