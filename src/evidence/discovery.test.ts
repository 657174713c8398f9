import { describe, expect, test } from 'vitest'
import { type CallFixture, makeLog } from './log.fixture.ts'
import { createRun } from './run.ts'

const DOC = 'attic/kept-guide.txt'
const setup = { 'README.md': 'Start with the manual.\n', [DOC]: 'How the pump is primed\nSECRET=abc-123\n' }

function found(path: string, calls: readonly CallFixture[], prompt = 'Find out how the pump is primed and stopped.') {
  return createRun(makeLog({ setup, calls, prompt })).run.discovered(path)
}
const read = { tool: 'read_file', args: { path: DOC }, delivered: setup[DOC] }

describe('a file is discovered when a result gives its name away', () => {
  test.each([
    ['ls -R', './attic:\nkept-guide.txt\n'],
    ["find . -name '*guide*'", './attic/kept-guide.txt\n'],
    ['grep -rn SECRET .', './attic/kept-guide.txt:2:SECRET=abc-123\n'],
    ['python3 -c \'import os; print(os.listdir("attic"))\'', "['kept-guide.txt']\n"],
    ['ls attic', '\u001b[0m\u001b[32mkept-guide.txt\u001b[0m\n'],
  ])('%s', (sh, delivered) => {
    const first = { sh: 'cat README.md', delivered: setup['README.md'] }
    expect(found(DOC, [first, { sh, delivered }, read])).toEqual({ turn: 2, call: 2 })
  })

  test('or its content, by a command that does not name it', () => {
    const sh = 'find . -type f -exec cat {} +'
    expect(found(DOC, [{ sh, delivered: `${setup['README.md']}${setup[DOC]}` }])).toEqual({ turn: 1, call: 1 })
  })

  test('and so is a directory', () => {
    expect(found('attic', [{ sh: 'ls', delivered: 'README.md\nattic\n' }])).toEqual({ turn: 1, call: 1 })
  })
})

describe('a file is not discovered', () => {
  test.each<[string, readonly CallFixture[]]>([
    ['by opening it at a guess', [read]],
    ['by listing it after opening it at a guess', [read, { sh: 'ls attic', delivered: 'kept-guide.txt\n' }]],
    ['by typing its name', [{ sh: 'echo attic/kept-guide.txt', delivered: 'attic/kept-guide.txt\n' }]],
    ['by typing its name in pieces', [{ sh: "echo kept-'gui''de'.txt", delivered: 'kept-guide.txt\n' }]],
    ['by typing its name with backslashes', [{ sh: 'echo kept-gu\\ide.txt', delivered: 'kept-guide.txt\n' }]],
    ['by a listing that does not show it', [{ sh: 'ls', delivered: 'README.md\nattic\n' }]],
    ['by a longer name', [{ sh: 'ls /tmp', delivered: 'kept-guide.txt.old not-kept-guide.txt\n' }]],
    ['when nothing was shown', [{ sh: 'ls -R > /dev/null', delivered: '' }]],
    ['by doing nothing', []],
  ])('%s', (_name, calls) => {
    expect(found(DOC, calls)).toBe(false)
  })

  test('when the prompt names it', () => {
    expect(found(DOC, [{ sh: 'ls attic', delivered: 'kept-guide.txt\n' }], `Read ${DOC}.`)).toBe(false)
  })

  test('when it is not there', () => {
    expect(found('cellar', [{ sh: 'cat log', delivered: 'cellar\n' }])).toBe(false)
  })
})

test('the answer keeps to its bounds', () => {
  const { run } = createRun(makeLog({ setup, prompt: '', calls: [{ sh: 'ls *', delivered: 'kept-guide.txt' }, read] }))
  expect(run.discovered(DOC, { before: { turn: 1, call: 1 } })).toEqual({ turn: 1, call: 1 })
  expect(run.discovered(DOC, { after: { turn: 2, call: 2 } })).toBe(false)
  expect(run.discovered(DOC, { before: false })).toBe(false)
})

describe('firstText', () => {
  const path = 'output/a.csv'
  const log = makeLog({
    setup,
    calls: [
      { sh: 'touch output/a.csv', writes: { [path]: '' } },
      { sh: 'seq 2', delivered: '1\n2\n' },
      { sh: 'fill', writes: { [path]: 'id\n7\n' } },
      { sh: 'rm', writes: { [path]: null } },
    ],
  })

  test('answers with the call after which the text fitted, also when it is gone later', () => {
    expect(createRun(log).run.firstText(path, text => text.includes('7'))).toEqual({ turn: 3, call: 3 })
    expect(createRun(log).run.firstText('README.md', text => text.includes('manual'))).toEqual({ turn: 0, call: 0 })
  })

  test('is false when no text fitted or there was no file', () => {
    expect(createRun(log).run.firstText(path, text => text.includes('8'))).toBe(false)
    expect(createRun(log).run.firstText('output/b.csv', () => true)).toBe(false)
  })
})

describe('firstCall', () => {
  const log = makeLog({
    calls: [
      { sh: 'ls', delivered: 'nothing' },
      { tool: 'write_file', args: { path: 'a.txt', content: 'seven' }, writes: { 'a.txt': 'seven' } },
      { sh: 'cat a.txt', delivered: 'seven' },
    ],
  })

  test('finds a call by what it sent, what came back, and what it wrote', () => {
    const { run } = createRun(log)
    expect(run.firstCall(({ sent }) => sent.includes('seven'))).toEqual({ turn: 2, call: 2 })
    expect(run.firstCall(({ result }) => result.includes('seven'))).toEqual({ turn: 3, call: 3 })
    expect(run.firstCall(({ written }) => written.get('a.txt') === 'seven')).toEqual({ turn: 2, call: 2 })
    expect(run.firstCall(({ tool }) => tool === 'read_file')).toBe(false)
  })

  test('keeps to its bounds', () => {
    const { run } = createRun(log)
    const written = run.firstCall(({ written }) => written.size > 0)
    expect(run.firstCall(({ result }) => result === 'seven', { before: written })).toBe(false)
    expect(run.firstCall(() => true, { after: written })).toEqual({ turn: 2, call: 2 })
    expect(run.firstCall(() => true, { after: false })).toBe(false)
  })
})
