import { describe, expect, it } from 'vitest'
import type { Hands } from '../task/task.ts'
import { showRead } from '../tools/tool-result.ts'
import { pagingProblem } from './paging.ts'

/** Hands whose read_file shows a text as the toolbox would; `spoil` changes what is shown. */
function handsOn(content: string, spoil: (page: string) => string = page => page): Hands {
  const lines = content.split('\n')
  if (content.endsWith('\n')) lines.pop()
  const refuse = () => Promise.reject(new Error('only reads are expected'))
  return {
    read: async (path, range) => {
      const firstLine = range?.offset ?? 1
      const rest = lines.slice(firstLine - 1)
      const isWhole = content.endsWith('\n') && rest.length > 0
      const bytes = Buffer.from(rest.join('\n') + (isWhole ? '\n' : ''))
      const totals = { totalLines: content === '' ? 0 : lines.length, totalBytes: Buffer.byteLength(content) }
      return spoil(showRead(path, { bytes, firstLine, lineCount: rest.length, ...totals }))
    },
    write: refuse,
    sh: refuse,
    call: refuse,
    callMalformed: refuse,
    instance: undefined,
    answer: async () => undefined,
    turn: calls => calls(),
    optional: (_, calls) => calls(),
  }
}

const LONG = Array.from({ length: 2_000 }, (_, i) => `line ${i} of a long file, in words\n`).join('')

describe('a file can be read whole', () => {
  it.each([
    ['short', 'one\ntwo\n'],
    ['empty', ''],
    ['without a line end', 'one\ntwo'],
    ['of many pages', LONG],
    ['that ends like a note', 'one\n[see below]'],
    ['with Windows line ends', 'one\r\ntwo\r\n'],
  ])('when it is %s', async (_, content) => {
    expect(await pagingProblem(handsOn(content), 'a.txt', content)).toBeNull()
  })

  it('not when a line does not fit into a result', async () => {
    const content = `first\n${'x'.repeat(9_000)}\nlast\n`
    expect(await pagingProblem(handsOn(content), 'a.txt', content)).toMatch(/a\.txt: line 2 is longer than/)
  })

  it('not when a page loses a line or does not say how to go on', async () => {
    const lossy = handsOn(LONG, page => page.replace(/line 300 .*\n/, ''))
    expect(await pagingProblem(lossy, 'a.txt', LONG)).toMatch(/do not add up/)
    const silent = handsOn(LONG, page => page.replace(/\n\[[^\n]*\]$/, '\n'))
    expect(await pagingProblem(silent, 'a.txt', LONG)).toMatch(/do not add up/)
  })
})
