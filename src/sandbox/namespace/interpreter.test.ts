import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { candidatesOf, parseAnswer } from './interpreter.ts'

const root = mkdtempSync(join(tmpdir(), 'interpreter-'))
afterAll(() => rmSync(root, { recursive: true }))

function program(path: string): string {
  const full = join(root, path)
  mkdirSync(join(full, '..'), { recursive: true })
  writeFileSync(full, '#!/bin/sh\n')
  chmodSync(full, 0o755)
  return full
}

const ours = (path: string) => candidatesOf({ PATH: path }).filter(candidate => candidate.startsWith(root))

describe('candidates for the interpreter', () => {
  it('are python3 of all of PATH before python3.N, the newest first, and none that is too old', () => {
    const names = ['a/python3', 'a/python3.9', 'a/python3.10', 'a/python3.12', 'a/python3-config', 'b/python3']
    for (const name of names) program(name)
    expect(ours(`${root}/a:/nowhere:${root}/b:relative`)).toEqual(
      ['a/python3', 'b/python3', 'a/python3.12', 'a/python3.10'].map(name => join(root, name)),
    )
  })

  it('name one program once, whatever links lead to it', () => {
    program('c/python3.11')
    symlinkSync('python3.11', join(root, 'c/python3'))
    expect(ours(`${root}/c`)).toEqual([join(root, 'c/python3')])
  })

  it('keep the python3 of a virtual environment apart from the one it links to', () => {
    const base = program('d/bin/python3')
    mkdirSync(join(root, 'venv/bin'), { recursive: true })
    writeFileSync(join(root, 'venv/pyvenv.cfg'), '')
    symlinkSync(base, join(root, 'venv/bin/python3'))
    expect(ours(`${root}/venv/bin:${root}/d/bin`)).toEqual([join(root, 'venv/bin/python3'), base])
  })
})

describe('the answer of an interpreter', () => {
  const answer = {
    version: [3, 11, 7],
    executable: '/p/bin/python3.11',
    prefix: '/p',
    pytest: '9.0.3',
    packages: ['/p/s'],
  }

  it('says what it is', () => {
    expect(parseAnswer(JSON.stringify(answer))).toEqual({ ...answer, version: '3.11.7' })
    expect(parseAnswer(JSON.stringify({ ...answer, pytest: null, packages: [] }))).toMatchObject({ pytest: null })
  })

  it('is nothing when the interpreter is too old or the answer odd', () => {
    for (const odd of [
      { version: [3, 9, 1] },
      { version: [2, 7, 18] },
      { version: 'x' },
      { prefix: 1 },
      { packages: 1 },
    ]) {
      expect(parseAnswer(JSON.stringify({ ...answer, ...odd }))).toBeNull()
    }
    expect(parseAnswer('null')).toBeNull()
  })
})
