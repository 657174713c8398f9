import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
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
    const python = stubText('python', '"""Makes it."""\nimport os\n', SPEC)
    expect(python).toMatch(/^#!\/usr\/bin\/env python3\n"""Makes it\."""\nimport os\n/)
    const node = stubText('node', '/* Makes it. */\nlet x\n', SPEC)
    expect(node).toMatch(/^#!\/usr\/bin\/env node\n\/\* Makes it\. \*\/\n/)
  })

  it('never says what it is', () => {
    for (const language of ['shell', 'python', 'node'] as const) {
      for (const spec of [{ ...SPEC, stdout: 'done\n' }, { keeps: true } as const]) {
        expect(stubText(language, '# Real work.\n', spec)).not.toMatch(/stub|mock|fake|dummy|benchmark|test/i)
      }
    }
  })

  it('keeps any output apart from its own code', () => {
    const outputs = { 'output/x.txt': 'EOF\n\'\'\'\n"""\n$HOME `id` \\ 💥\n' }
    expect(stubText('shell', '', { outputs })).toContain("<<'EOF_'\nEOF\n")
    expect(stubText('python', '', { outputs })).toContain('\\U0001f4a5')
  })
})

describe('a stub in Node', () => {
  const folder = folderOfEachTest()
  it.each(['x.mjs', 'x.cjs'])('runs as %s, where nobody listens', name => {
    folder.write({ [name]: stubText('node', '// Makes it.\n', { stdout: 'é "1"\n', exit_status: 3 }) })
    const run = (word: string) => spawnSync(process.execPath, [folder(name), word], { encoding: 'utf8' })
    expect(run('a b')).toMatchObject({ stdout: 'é "1"\n', status: 3 })
    expect(run('-h')).toMatchObject({ stdout: 'Makes it.\n', status: 0 })
  })
})

describe('the text of a script that keeps its work', () => {
  const kept = (language: 'shell' | 'python' | 'node', text: string) => stubText(language, text, { keeps: true })
  /** The lines of the script itself, in order, with `…` for what was put in. */
  const outline = (language: 'shell' | 'python' | 'node', text: string) => {
    const own = text.split('\n').filter(line => line !== '')
    const lines = kept(language, text)
      .split('\n')
      .map(line => (own.includes(line) ? line : '…'))
    return lines.filter((line, index) => line !== '…' || lines[index - 1] !== '…').join('|')
  }

  it.each([
    [
      'shell',
      '#!/bin/sh -e\n# Makes it.\n\n# usage\nset -u\necho\n',
      '#!/bin/sh -e|# Makes it.|…|# usage|…|set -u|echo|…',
    ],
    ['shell', 'echo', '…|echo|…'],
    [
      'python',
      '#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n"""Doc\n\nmore."""  # why\nimport os\n',
      '#!/usr/bin/python3|# -*- coding: utf-8 -*-|"""Doc|…|more."""  # why|…|import os|…',
    ],
    [
      'python',
      "'Doc.'\n\nfrom __future__ import (\n  annotations,\n)\nfrom __future__ import division\nx = 1\n",
      "'Doc.'|…|from __future__ import (|  annotations,|)|from __future__ import division|…|x = 1|…",
    ],
    ['python', 'x = """no doc"""\n', '…|x = """no doc"""|…'],
    [
      'node',
      "#!/usr/bin/env node\n// Makes it.\n'use strict'\nlet x\n",
      "#!/usr/bin/env node|// Makes it.|'use strict'|…|let x|…",
    ],
    ['node', '/* Makes\n it. */ const a = 1\nlet x\n', '/* Makes| it. */ const a = 1|…|let x|…'],
  ] as const)('in %s, of %j, has everything in its place', (language, text, expected) => {
    expect(outline(language, text)).toBe(expected)
  })

  const folder = folderOfEachTest()
  it.each([
    ['x.cjs', "'use strict'\nconst { argv } = require('node:process')\nprocess.exitCode = argv ? 3 : 1\n", 3],
    ['x.mjs', "import { argv } from 'node:process'\nconsole.log(JSON.stringify(argv.slice(2)))\n", 0],
    ['y.mjs', 'throw new Error(String(await 1))\n', 1],
  ])('in Node says its arguments and its end: %s', (name, work, status) => {
    // In place of the reporter's interpreter: it writes down what it is told.
    folder.write({ python3: '#!/bin/sh\nfor w; do echo "$w"; done >> "$OUT"\n' }, 0o755)
    folder.write({ [name]: kept('node', work) })
    const env = { ...process.env, PATH: `${folder()}:${process.env.PATH}`, OUT: folder('told') }
    const args = ['a b', '', 'ü"']
    const result = spawnSync(process.execPath, [folder(name), ...args], { encoding: 'utf8', env })
    expect(result.status).toBe(status)
    const call = ['-I', '-S', '/run/bench/log', folder(name), '3']
    const told = readFileSync(folder('told'), 'utf8').trimEnd().split('\n')
    expect(told).toEqual([...call, '?', ...call, String(status)])
    if (name === 'x.mjs') expect(result.stdout).toBe(`${JSON.stringify(args)}\n`)
  })
})
