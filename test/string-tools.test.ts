/** The five string tools over a real sandbox. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSandbox, prepareSandbox } from '../src/sandbox/index.ts'
import type { Sandbox } from '../src/sandbox/sandbox.ts'
import { stringTools } from '../src/tools/string-tools.ts'
import type { ToolArguments } from '../src/tools/tool-set.ts'
import { describeWith } from './needs.ts'

const file = (text: string | Uint8Array) => ({ bytes: Buffer.from(text), mode: 0o644 })
const FILES = new Map([
  ['notes/a.txt', file('first line\n  the cap is 85\n')],
  ['notes/b.txt', file(`${'x'.repeat(5_000)}`)],
  ['code/main.py', file('print("hello")\n')],
  ['binary.dat', file(Uint8Array.of(0xff, 0xfe, 0))],
])
const valid = (value: Readonly<Record<string, unknown>>): ToolArguments => ({ valid: true, value })

const CALLS: readonly [string, Readonly<Record<string, unknown>>, string | RegExp, string?][] = [
  ['read_file', { path: 'notes/a.txt' }, 'first line\n  the cap is 85\n'],
  ['read_file', { path: '/notes/a.txt', more: 1 }, 'first line\n  the cap is 85\n'],
  ['read_file', { path: '/workspace/notes/a.txt' }, 'first line\n  the cap is 85\n'],
  ['read_file', { path: 'notes/b.txt' }, `${'x'.repeat(4_000)}\n[truncated, 1000 more characters]`],
  ['read_file', { path: 'notes' }, 'error: not a file: notes'],
  ['read_file', { path: 'nope' }, 'error: no such file or directory: nope'],
  ['read_file', { path: 'binary.dat' }, 'error: not a text file (UTF-8): binary.dat'],
  ['read_file', { path: '../etc/passwd' }, 'error: path outside working directory: ../etc/passwd'],
  ['list_files', { path: '.' }, 'binary.dat\ncode/\nnotes/'],
  ['search_files', { pattern: 'cap is \\d+' }, 'notes/a.txt:2:the cap is 85'],
  ['search_files', { pattern: 'first', path: 'notes/a.txt' }, 'notes/a.txt:1:first line'],
  ['search_files', { pattern: 'absent' }, '(no matches)'],
  ['search_files', { pattern: '(' }, /^error: bad regular expression: /],
  ['run_command', { command: 'python code/main.py; ls nope 2>&1 | wc -l' }, 'exit=0\nhello\n1\n'],
  ['run_command', { command: 'cat nope' }, /^exit=1\ncat: nope: No such file/],
  ['run_command', { command: 'sleep 0.1; kill -9 $$' }, 'exit=137\n'],
  ['run_command', { command: ' ' }, 'exit=127\nno command'],
  ['write_file', { path: 'out/new.txt', content: 'text' }, 'ok'],
  ['read_file', { path: 'out/new.txt' }, 'text'],
  ['write_file', { path: 'notes', content: '' }, /^error: /],
  ['write_file', { path: 'notes/a.txt/b', content: '' }, /^error: /],
  ['write_file', { path: 'x'.repeat(300), content: '' }, /^error: /],
  ['search_files', { pattern: 'a\0' }, 'error: a NUL character'],
  ['read_file', { path: 'a\ud800' }, 'error: the argument "path" is not valid Unicode', 'malformed_arguments'],
  ['write_file', { path: 'x' }, 'error: missing required arguments: content', 'malformed_arguments'],
  ['read_file', { path: 3 }, 'error: the argument "path" must be a string', 'malformed_arguments'],
  ['remove', {}, /^error: unknown tool "remove"; the tools are read_file, /, 'unknown_tool'],
]

await describeWith(['namespaces'], 'the string tools', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    const prepared = await prepareSandbox('namespace', { image: null, runId: 'strings', onProgress: () => undefined })
    sandbox = await openSandbox(prepared, { runId: 'strings' })
  })
  afterAll(() => sandbox[Symbol.asyncDispose]())

  it('do what they say, one call after another', async () => {
    await sandbox.reset(FILES, { room: 'agent' })
    const tools = stringTools().open(sandbox, { commandTimeoutMs: 60_000 })
    const signal = new AbortController().signal
    for (const [name, args, expected, invalid = null] of CALLS) {
      const { delivered, ...done } = await tools.call(name, valid(args), { signal })
      expect([name, args, delivered]).toEqual([
        name,
        args,
        typeof expected === 'string' ? expected : expect.stringMatching(expected),
      ])
      expect(done.invalid).toBe(invalid)
    }
    const blank = await tools.call('read_file', { valid: false, raw: ' ', problem: 'empty' }, { signal })
    expect(blank.delivered).toBe('error: missing required arguments: path')
  })
})
