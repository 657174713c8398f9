import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../../test/folder.ts'
import { candidatesOf, parseAnswer } from './interpreter.ts'

const root = folderOfEachTest()
const programs = (...paths: readonly string[]) => {
  for (const path of paths) root.write({ [path]: '#!/bin/sh\n' }, 0o755)
}
const ours = (path: string) => candidatesOf({ PATH: path }).filter(candidate => candidate.startsWith(root()))

describe('candidates for the interpreter', () => {
  it('are python3 of all of PATH before python3.N, the newest first, and none that is too old', () => {
    programs('a/python3', 'a/python3.9', 'a/python3.10', 'a/python3.12', 'a/python3-config', 'b/python3')
    const inOrder = ['a/python3', 'b/python3', 'a/python3.12', 'a/python3.10'].map(name => root(name))
    expect(ours(`${root('a')}:/nowhere:${root('b')}:relative`)).toEqual(inOrder)
  })

  it('name one program once, whatever links lead to it', () => {
    programs('c/python3.11')
    symlinkSync('python3.11', root('c/python3'))
    expect(ours(root('c'))).toEqual([root('c/python3')])
  })

  it('keep the python3 of a virtual environment apart from the one it links to', () => {
    programs('d/bin/python3')
    root.write({ 'venv/pyvenv.cfg': '', 'venv/bin/activate': '' })
    symlinkSync(root('d/bin/python3'), root('venv/bin/python3'))
    expect(ours(`${root('venv/bin')}:${root('d/bin')}`)).toEqual([root('venv/bin/python3'), root('d/bin/python3')])
  })
})

describe('the answer of an interpreter', () => {
  const places = { executable: '/p/bin/python3.11', prefix: '/p', packages: ['/p/s'] }
  const answer = { version: [3, 11, 7], pytest: '9.0.3', ...places }

  it('says what it is', () => {
    expect(parseAnswer(JSON.stringify(answer))).toEqual({ ...answer, version: '3.11.7' })
    expect(parseAnswer(JSON.stringify({ ...answer, pytest: null, packages: [] }))).toMatchObject({ pytest: null })
  })

  it('is nothing when the interpreter is too old or the answer odd', () => {
    const odd = [{ version: [3, 9, 1] }, { version: [2, 7, 18] }, { version: 'x' }, { prefix: 1 }, { packages: 1 }]
    for (const change of odd) expect(parseAnswer(JSON.stringify({ ...answer, ...change }))).toBeNull()
    expect(parseAnswer('null')).toBeNull()
  })
})
