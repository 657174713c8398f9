import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FileContent, Sandbox } from '../../src/sandbox/index.ts'
import { stubText } from '../../src/skill/stub.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { outputOf, run, textOf } from './fixture.ts'

const SPEC = {
  outputs: { 'output/report.txt': 'A report\nEOF\nof lines\n' },
  stdout: 'made "it" · 1\n',
  exit_status: 3,
}
const SHELL = stubText('shell', '#!/bin/sh\n# Makes the report.\n# usage: make.sh --title TITLE\nreal work\n', SPEC)
const BARE = stubText('shell', 'echo hello\n', SPEC)
const PYTHON = stubText('python', '#!/usr/bin/env python3\n"""Makes the report."""\nprint(1)\n', SPEC)

const KEEPS = { keeps: true } as const
/** Each writes its arguments, one a line as bytes in hexadecimal, and ends with the status that END names. */
const KEPT_SHELL = stubText(
  'shell',
  '#!/bin/sh -e\n# Lists.\ntrap "echo bye" EXIT\nset -u\nfor word in "$@"; do printf %s "$word" | od -An -v -tx1 | tr -d " \\n"; echo; done\nexit $END\n',
  KEEPS,
)
const KEPT_PYTHON = stubText(
  'python',
  '#!/usr/bin/env python3\n"""Lists."""\nfrom __future__ import annotations\nimport os, sys\nfor word in sys.argv[1:]:\n    print(os.fsencode(word).hex())\nprint("bye")\nraise SystemExit(int(os.environ.get("END", 0)))\n',
  KEEPS,
)

const script = (text: string, mode = 0o644): FileContent => ({ bytes: Buffer.from(text), mode })
const FILES = new Map([
  ['skill/scripts/make.sh', script(SHELL, 0o755)],
  ['skill/scripts/plain.sh', script(SHELL)],
  ['skill/scripts/bare', script(BARE, 0o755)],
  ['skill/scripts/make.py', script(PYTHON, 0o755)],
  ['skill/my scripts/größe.sh', script(SHELL, 0o755)],
  ['skill/kept/list.sh', script(KEPT_SHELL, 0o755)],
  ['skill/kept/list.py', script(KEPT_PYTHON, 0o755)],
  ['skill/kept/stop.sh', script(stubText('shell', 'kill -9 $$\n', KEEPS))],
  ['skill/kept/away.sh', script(stubText('shell', '#!/bin/bash\nexec false\n', KEEPS))],
  ['skill/kept/fall.py', script(stubText('python', 'import os\nos.kill(os.getpid(), 9)\n', KEEPS))],
  ['skill/kept/break.py', script(stubText('python', 'import sys\nsys.stdout.write("so far")\n1 / 0\n', KEEPS))],
  ['skill/all.sh', script('#!/bin/bash\nset -eu\n"$(dirname "$0")/scripts/make.sh" "$@"\n', 0o755)],
])

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** The stub's path with its arguments, for every report of a command. */
async function reported(sandbox: Sandbox, command: string): Promise<string[][]> {
  return (await run(sandbox, command)).stubReports.map(({ path, args }) => [path, ...args])
}

const LOG = 'python3 -I -S /run/bench/log'
const hex = (word: string) => Buffer.from(word).toString('hex')

const KEPT = ['END=0 bash skill/kept/list.sh', 'END=0 skill/kept/list.py']
const NASTY = ['', ' ', 'a b', '"', "'", '$HOME', '*', '\n', 'x\ny\n', '-c', '--title=ü', '\\', '\t', '💥', '`id`']

export function stubContract(sandbox: TheSandbox): void {
  describe('a stub', () => {
    beforeEach(async () => {
      await sandbox().reset(FILES, { room: 'agent' })
    })

    it.each([
      ['by path', 'skill/scripts/make.sh', 'make.sh'],
      ['by bash', 'bash skill/scripts/plain.sh', 'plain.sh'],
      ['by sh with options', 'sh -eu skill/scripts/plain.sh', 'plain.sh'],
      ['by bash with options', 'bash -eu -o pipefail -x skill/scripts/plain.sh', 'plain.sh'],
      ['without a first line of its own', './skill/scripts/bare', 'bare'],
      ['by python3', 'python3 skill/scripts/make.py', 'make.py'],
      ['by python3 with options', 'python3 -u -W ignore skill/scripts/make.py', 'make.py'],
      ['as a python program', 'skill/scripts/make.py', 'make.py'],
      ['as a python module', 'cd skill && python3 -m scripts.make', 'make.py'],
      ['after cd', 'cd skill/scripts && ./make.sh', 'make.sh'],
      ['through a variable', 's=skill/scripts/make.sh; bash "$s"', 'make.sh'],
      ['from another script', 'bash skill/all.sh', 'make.sh'],
      ['from python', `python3 -c "import os, sys; os.execv('skill/scripts/make.sh', sys.argv)"`, 'make.sh'],
    ])('called %s is reported with its very arguments', async (_way, command, name) => {
      const calls = await reported(sandbox(), `${command} ${NASTY.map(quote).join(' ')}`)
      expect(calls).toEqual([[`skill/scripts/${name}`, ...NASTY]])
    })

    it.each([
      ['make.sh', 'bash skill/scripts/make.sh'],
      ['make.py', 'python3 skill/scripts/make.py'],
    ])('%s makes its outputs, prints, and ends with its status', async (_name, command) => {
      const result = await run(sandbox(), `cd /tmp && cd /workspace && ${command}`)
      expect(result.exitCode).toBe(3)
      expect(textOf(result.stdout)).toBe(SPEC.stdout)
      expect(textOf(result.stderr)).toBe('')
      expect(await outputOf(sandbox(), 'cat output/report.txt')).toBe(SPEC.outputs['output/report.txt'])
    })

    it('shows its help and makes nothing', async () => {
      const result = await run(sandbox(), 'skill/scripts/make.sh --help; python3 skill/scripts/make.py -h; ls output')
      expect(textOf(result.stdout)).toBe('Makes the report.\nusage: make.sh --title TITLE\nMakes the report.\n')
    })

    it('whose path has spaces and other letters is reported', async () => {
      const calls = await reported(sandbox(), "cd 'skill/my scripts'; ./größe.sh a")
      expect(calls).toEqual([['skill/my scripts/größe.sh', 'a']])
    })

    it.each([
      ['a shell script', 'skill/kept/list.sh', 'list.sh'],
      ['a shell script by bash -eu', 'bash -eu skill/kept/list.sh', 'list.sh'],
      ['a shell script from another place', 'cd skill/kept; ./list.sh', 'list.sh'],
      ['a Python program', 'skill/kept/list.py', 'list.py'],
      ['a Python program by python3', 'cd /tmp && python3 -u /workspace/skill/kept/list.py', 'list.py'],
      ['a Python module', 'cd skill && python3 -m kept.list', 'list.py'],
    ])('that keeps its work, %s, does it and is reported with arguments and end', async (_way, command, name) => {
      for (const status of [0, 7]) {
        const line = `export END=${status}; ${command} ${NASTY.map(quote).join(' ')}`
        const { stubReports, stdout, exitCode } = await run(sandbox(), line)
        expect(stubReports).toMatchObject([{ path: `skill/kept/${name}`, args: NASTY, status }])
        expect(stubReports).toHaveLength(1)
        expect(textOf(stdout)).toBe([...NASTY.map(hex), 'bye', ''].join('\n'))
        expect(exitCode).toBe(status)
      }
    })

    it('is told any arguments unchanged, and so is the work it keeps', async () => {
      const word = fc
        .string({ unit: 'binary', maxLength: 30 })
        .filter(text => !text.includes('\0') && text.isWellFormed())
      const command = fc.constantFrom('bash skill/scripts/make.sh', 'skill/scripts/make.py', ...KEPT)
      await fc.assert(
        fc.asyncProperty(command, fc.array(word, { maxLength: 8 }), async (command, args) => {
          const { stubReports, stdout } = await run(sandbox(), `${command} ${args.map(quote).join(' ')}`)
          expect(stubReports.map(report => report.args)).toEqual([args])
          if (!KEPT.includes(command)) return
          expect(stubReports[0]?.status).toBe(0)
          expect(textOf(stdout)).toBe([...args.map(hex), 'bye', ''].join('\n'))
        }),
        { numRuns: 80 },
      )
    })

    it.each([
      ['kills itself', 'bash skill/kept/stop.sh', [null]],
      ['is killed at its work', 'python3 skill/kept/fall.py', [137]],
      ['becomes another program', 'bash skill/kept/away.sh', [1]],
      ['breaks', 'python3 skill/kept/break.py', [1]],
      ['is only parsed', 'bash -n skill/kept/list.sh; python3 -h skill/kept/list.py', []],
      ['has code run in its place', 'BASH_ENV=/tmp/f bash skill/kept/list.sh', []],
      ['is run by a copy of its interpreter', 'cp /bin/bash /tmp/bash; /tmp/bash skill/kept/list.sh', []],
    ])('that keeps its work and %s does not seem to have done it', async (_what, command, statuses) => {
      expect((await run(sandbox(), command)).stubReports.map(report => report.status)).toEqual(statuses)
    })

    it.each([
      ['the reporter alone', 'for end in "?" 0; do python3 -I -S /run/bench/log skill/kept/list.sh 0 $end; done'],
      ['an end without a beginning', "bash -c 'python3 -I -S /run/bench/log $0 0 0; :' skill/kept/list.sh"],
      ['an end that is not a status', "bash -c 'python3 -I -S /run/bench/log $0 0 -1; :' skill/kept/list.sh"],
    ])('that keeps its work: %s is not reported', async (_name, command) => {
      expect((await run(sandbox(), command)).stubReports).toEqual([])
    })

    it('that keeps its work can be imported, and then reports nothing', async () => {
      const result = await run(sandbox(), 'cd skill/kept && python3 -c "import list" a; true')
      expect(result.stubReports).toEqual([])
      expect(textOf(result.stdout)).toBe('61\nbye\n')
    })

    it('is reported with the hash of its file, so that a changed one is another', async () => {
      const call = 'bash skill/scripts/plain.sh'
      const { stubReports } = await run(sandbox(), `${call}; echo "# more" >> skill/scripts/plain.sh; ${call}`)
      const [one, other] = stubReports
      expect(one?.sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(other?.sha256).not.toBe(one?.sha256)
    })

    it.each([
      ['the reporter alone', `${LOG} skill/scripts/make.sh 0`],
      ['code with the words of a call', `bash -c '${LOG} "$0" 2; true' skill/scripts/make.sh --title Q1`],
      [
        'another script with the words of a call',
        `echo '${LOG} skill/scripts/make.sh 1; true' > /tmp/f.sh; bash /tmp/f.sh skill/scripts/make.sh Q1`,
      ],
      ['code of python', `python3 -c 'import os; os.system("${LOG} skill/scripts/make.py 0")' skill/scripts/make.py`],
      ['a name put in front', `(exec -a bash sleep 0.2 skill/scripts/make.sh) & ${LOG} skill/scripts/make.sh 0`],
      ['an echoed call', 'echo bash skill/scripts/make.sh --title Q1'],
      ['a reading of it', 'cat skill/scripts/make.sh'],
    ])('%s is not reported', async (_name, command) => {
      expect(await reported(sandbox(), command)).toEqual([])
    })

    it('called very often is reported up to a bound, and the command ends', async () => {
      const calls = await reported(sandbox(), 'for i in $(seq 100); do bash skill/scripts/make.sh $i; done; true')
      expect(calls.length).toBe(64)
      expect(calls[0]).toEqual(['skill/scripts/make.sh', '1'])
    })
  })
}
