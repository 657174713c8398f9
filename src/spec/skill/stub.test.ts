import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stubLanguage, stubText } from './stub.ts'

const SPEC = { outputs: ['output/my-report.txt', 'output/a.json'], exit_status: 2 }

describe('the language of a stub', () => {
  it.each([
    ['a.sh', 'echo', 'shell'],
    ['a.py', 'print()', 'python'],
    ['a.mjs', '', 'node'],
    ['run', 'echo', 'shell'],
    ['run', '#!/usr/bin/env python3\n', 'python'],
    ['run.txt', '#!/bin/sh -e\n', 'shell'],
    ['a.py', '#!/bin/bash\n', 'shell'],
    ['a.rb', '#!/usr/bin/env ruby\n', null],
    ['notes.md', '# Notes\n', null],
  ])('of %s with %j is %s', (path, text, language) => {
    expect(stubLanguage(path, text)).toBe(language)
  })
})

describe('the text of a stub', () => {
  it('begins as the script does', () => {
    expect(stubText('shell', '#!/bin/sh -e\n# Makes it.\n\n# usage: x\nset -u\n# inner\n', SPEC)).toMatch(
      /^#!\/bin\/sh -e\n# Makes it\.\n\n# usage: x\n\n/,
    )
    expect(stubText('python', '"""Makes it."""\nimport os\n', SPEC)).toMatch(
      /^#!\/usr\/bin\/env python3\n"""Makes it\."""\nimport os\n/,
    )
    expect(stubText('node', '/* Makes it. */\nlet x\n', SPEC)).toMatch(
      /^#!\/usr\/bin\/env node\n\/\* Makes it\. \*\/\n/,
    )
  })

  it('never says what it is', () => {
    for (const language of ['shell', 'python', 'node'] as const) {
      const text = stubText(language, '# Real work.\n', { ...SPEC, stdout: 'done\n' })
      expect(text).not.toMatch(/stub|mock|fake|dummy|benchmark|test/i)
    }
  })

  it('keeps any output apart from its own code', () => {
    const outputs = { 'output/x.txt': 'EOF\n\'\'\'\n"""\n$HOME `id` \\ 💥\n' }
    expect(stubText('shell', '', { outputs })).toContain("<<'EOF_'\nEOF\n")
    expect(stubText('python', '', { outputs })).toContain('\\U0001f4a5')
  })
})

describe('a stub in Node', () => {
  it.each(['x.mjs', 'x.cjs'])('runs as %s, where nobody listens', async name => {
    const folder = await mkdtemp(join(tmpdir(), 'stub '))
    try {
      const file = join(folder, name)
      await writeFile(file, stubText('node', '// Makes it.\n', { stdout: 'é "1"\n', exit_status: 3 }))
      expect(spawnSync(process.execPath, [file, 'a b'], { encoding: 'utf8' })).toMatchObject({
        stdout: 'é "1"\n',
        status: 3,
      })
      expect(spawnSync(process.execPath, [file, '-h'], { encoding: 'utf8' })).toMatchObject({
        stdout: 'Makes it.\n',
        status: 0,
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
