import { describe, expect, it } from 'vitest'
import type { EvaluatedValue, Evaluation } from '../../src/sandbox/index.ts'
import type { TheSandbox } from '../sandbox-contract.ts'
import { filesOf, lay, outputOf } from './fixture.ts'

const FORGE =
  'import os\ndef frame(text):\n    data = text.encode()\n    os.write(3, len(data).to_bytes(4, "big") + data)\n    os._exit(0)\n'

/** Modules that try to get a good result without giving one, and what becomes of them. */
const ADVERSARIAL: [title: string, source: string, kind: Evaluation['kind']][] = [
  ['leaves at once', 'import os\ndef f(x):\n    os._exit(0)', 'no-frame'],
  ['leaves while it is imported', 'import os\nos._exit(0)', 'no-frame'],
  ['loops while it is imported', 'while True: pass', 'timeout'],
  ['sleeps in a call', 'import time\ndef f(x):\n    time.sleep(100)', 'timeout'],
  ['closes the result', 'import os\nos.close(3)\ndef f(x):\n    return x', 'no-frame'],
  ['closes everything', 'import os\nos.closerange(0, 100)\ndef f(x):\n    return x', 'no-frame'],
  ['kills itself', 'import os\nos.kill(os.getpid(), 9)', 'no-frame'],
  ['kills everything', 'import os\nos.kill(-1, 9)\ndef f(x):\n    return x', 'values'],
  ['begins a frame and hangs', 'import os, time\nos.write(3, b"xx")\ntime.sleep(100)', 'timeout'],
  ['writes 1 GB to the result', 'import os\nwhile True: os.write(3, b"x" * 65536)', 'too-big'],
  ['announces a frame that is too big', 'import os\nos.write(3, b"\\xff" * 8)\ndef f(x):\n    return x', 'too-big'],
  ['writes a frame that is not JSON', `${FORGE}frame("yes")\n`, 'bad-frame'],
  ['writes a frame of another form', `${FORGE}frame('[{"ok":true,"value":1}]')\n`, 'bad-frame'],
  ['writes a frame with too few results', `${FORGE}frame('[]')\n`, 'bad-frame'],
  ['writes two frames at once', 'import os\nos.write(3, b"\\0\\0\\0\\2[]" * 2)', 'extra-bytes'],
  ['prints 1 GB', 'for _ in range(1024): print("x" * (1 << 20))\ndef f(x):\n    return x', 'values'],
]

const int = (v: string): EvaluatedValue => ({ t: 'int', v })
const text = (v: string): EvaluatedValue => ({ t: 'str', v })
const list = (...v: EvaluatedValue[]): EvaluatedValue => ({ t: 'list', v })
const dict = (...v: [EvaluatedValue, EvaluatedValue][]): EvaluatedValue => ({ t: 'dict', v })
const float = (v: string): EvaluatedValue => ({ t: 'float', v })
const bool = (v: boolean): EvaluatedValue => ({ t: 'bool', v })
const TOLD = 'ä\u{1f600}"\n'

/** What calls of f(2) and f(TOLD) give, or why they give nothing. */
const JAVASCRIPT: [title: string, source: string, expected: unknown][] = [
  ['values by type', 'exports.f = x => x === 2 ? [x, 1.5, -0, 1e21, 1 / 0, 5n, null, true] : x', [list(int('2'), float('1.5'), float('-0.0'), int('1000000000000000000000'), float('inf'), int('5'), { t: 'none' }, bool(true)), text(TOLD)]],
  ['objects and maps', 'exports.f = x => x === 2 ? { a: x } : new Map([[1, x]])', [dict([text('a'), int('2')]), dict([int('1'), text(TOLD)])]],
  ['what is not a value', 'class Odd {}\nexports.f = x => x === 2 ? new Odd() : undefined', [{ t: 'other', v: 'Odd' }, { t: 'other', v: 'undefined' }]],
  ['promises, and what is thrown', 'exports.f = async x => { if (x === 2) throw new RangeError("no"); return x }', ['RangeError', text(TOLD)]],
  ['modules of both kinds', 'exports.f = async x => (await import("./esm.mjs")).g(x)', [int('3'), text(`${TOLD}1`)]],
  ['a function that is not there', 'exports.g = 1', ['TypeError', 'TypeError']],
  ['a file that does not parse', 'exports.f = (', ['SyntaxError', 'SyntaxError']],
  ['leaving at once', 'process.exit(0)', 'no-frame'],
  ['a promise that is never kept', 'exports.f = () => new Promise(() => {})', 'no-frame'],
  ['an endless loop', 'exports.f = () => { for (;;); }', 'timeout'],
  ['two frames', 'const d = Buffer.from("[]"), l = Buffer.from([0, 0, 0, 2]); require("fs").writeSync(3, Buffer.concat([l, d, l, d]))', 'extra-bytes'],
  ['a result of 2 MB', 'exports.f = () => "x".repeat(2e6)', 'too-big'],
  ['writing in the workspace', 'exports.f = () => { try { require("fs").writeFileSync("/workspace/x", "") } catch (e) { return ["EACCES", "EROFS"].includes(e.code) } }', [bool(true), bool(true)]],
] // biome-ignore format: one a line

export function evaluationContract(sandbox: TheSandbox): void {
  const evaluate = async (source: string, calls: readonly (readonly unknown[])[] = [[2]], timeoutMs = 5_000) => {
    await sandbox().reset(filesOf({ 'main.py': source }), { room: 'verify' })
    return sandbox().evaluate(
      calls.map(args => ({ module: 'main', name: 'f', args })),
      { timeoutMs },
    )
  }
  /** Values of calls that must give values. */
  const valuesOf = async (source: string, calls?: readonly (readonly unknown[])[]) => {
    const evaluation = await evaluate(source, calls)
    if (evaluation.kind !== 'values') throw new Error(evaluation.kind)
    return evaluation.results.map(result => (result.ok ? result.value : result.error))
  }
  const returning = async (expression: string): Promise<EvaluatedValue | string | undefined> =>
    (await valuesOf(`import collections, enum, math\ndef f(x):\n    return ${expression}\n`))[0]

  describe('an evaluation', () => {
    it('gives the value of each call with its type', async () => {
      const source = 'def f(x):\n    return {"in": x, "twice": (x, [x])}\n'
      const values: EvaluatedValue[] = [int('1'), text(TOLD), { t: 'none' }, list(bool(true), float('1.5'))]
      expect(await valuesOf(source, [[1], [TOLD], [null], [[true, 1.5]]])).toEqual(
        values.map(value => dict([text('in'), value], [text('twice'), { t: 'tuple', v: [value, list(value)] }])),
      )
    })

    it.each<[string, EvaluatedValue]>([
      ['True', bool(true)],
      ['-(10 ** 30)', int(`-1${'0'.repeat(30)}`)],
      ['1.0', float('1.0')],
      ['math.inf', float('inf')],
      ['type("I", (int,), {"__eq__": lambda s, o: True, "__repr__": lambda s: "2"})(5)', { t: 'int*', v: '5' }],
      ['enum.IntEnum("E", "a b").b', { t: 'int*', v: '2' }],
      ['type("L", (list,), {"__iter__": lambda s: iter([1])})([7])', list(int('7'))],
      ['collections.namedtuple("P", "a")(1)', { t: 'tuple', v: [int('1')] }],
      ['collections.Counter("a")', dict([text('a'), int('1')])],
      ['{1}', { t: 'other', v: 'set' }],
      ['10 ** 5000', { t: 'other', v: 'int of more than 13000 bits' }],
    ])('encodes %s', async (expression, value) => {
      expect(await returning(expression)).toEqual(value)
    })

    it('bounds depth and number of values', async () => {
      const deep = 'def f(x):\n    v = []\n    for _ in range(100000): v = [v]\n    return v\n'
      expect(JSON.stringify(await valuesOf(deep))).toContain('nested too deep')
      const wide = 'def f(x):\n    v = []\n    v += [v, v, v]\n    return v\n'
      const evaluation = await evaluate(wide, [[1]], 10_000)
      expect(['values', 'too-big']).toContain(evaluation.kind)
    })

    it('names the exception of a call that raised one, and goes on', async () => {
      const source = 'import sys\ndef f(x):\n    if x == 0: sys.exit(0)\n    return 1 // (x - 1)\n'
      expect(await valuesOf(source, [[1], [0], [2]])).toEqual(['ZeroDivisionError', 'SystemExit', int('1')])
      expect(await valuesOf('def f(:')).toEqual(['SyntaxError'])
      expect(await valuesOf('x = 1')).toEqual(['AttributeError'])
    })

    it('does not mind what honest code leaves behind', async () => {
      const source = `
import atexit, subprocess, threading, time
atexit.register(lambda: open('/tmp/x', 'w').write('x'))
threading.Thread(target=time.sleep, args=(100,)).start()
subprocess.Popen(['sleep', '100'])
print('hello')
def f(x):
    print('called')
    return x + 1`
      expect(await valuesOf(source)).toEqual([int('3')])
    })

    it('is not led astray by a module that replaces parts of Python', async () => {
      const source = `
import builtins, sys
sys.modules['json'] = None
builtins.isinstance = lambda *a: True
builtins.str = builtins.len = None
def f(x):
    return 7`
      const [value] = await valuesOf(source).catch(() => ['no value'])
      expect([JSON.stringify({ t: 'int', v: '7' }), '"no value"', '"TypeError"']).toContain(JSON.stringify(value))
    })

    it('imports modules of packages', async () => {
      const files = filesOf({ 'pkg/__init__.py': '', 'pkg/inner.py': 'def g():\n    return "inner"\n' })
      await sandbox().reset(files, { room: 'verify' })
      expect(await sandbox().evaluate([{ module: 'pkg.inner', name: 'g', args: [] }], { timeoutMs: 5_000 })).toEqual({
        kind: 'values',
        results: [{ ok: true, value: { t: 'str', v: 'inner' } }],
      })
    })

    it('runs the source, not compiled code that lies beside it', async () => {
      await lay(sandbox(), { 'main.py': 'def f(x):\n    return "compiled"\n' })
      await outputOf(sandbox(), 'python3 -m compileall -q --invalidation-mode unchecked-hash main.py')
      const paths = [...(await sandbox().freeze()).entries.keys()].filter(path => path.endsWith('.pyc'))
      const bounds = { maxFileBytes: 100_000, maxTotalBytes: 100_000 }
      const { files: compiled } = await sandbox().collect(paths, bounds)
      expect(compiled.size).toBe(1)
      const source = filesOf({ 'main.py': 'def f(x):\n    return "source"\n' })
      await sandbox().reset(new Map([...source, ...compiled]), { room: 'verify' })
      expect(await sandbox().evaluate([{ module: 'main', name: 'f', args: [1] }], { timeoutMs: 5_000 })).toMatchObject({
        results: [{ value: { v: 'source' } }],
      })
    })

    it('cannot write to the workspace', async () => {
      // A plain OSError says "read-only file system".
      const [error] = await valuesOf('def f(x):\n    open("/workspace/main.py", "w")\n')
      expect(['PermissionError', 'OSError']).toContain(error)
    })

    it.each(JAVASCRIPT)('of JavaScript: %s', async (_title, source, expected) => {
      const texts = { 'main.js': source, 'esm.mjs': 'export default { f: x => x }; export const g = x => x + 1' }
      await sandbox().reset(filesOf(texts), { room: 'verify' })
      const call = { module: 'main.js', name: 'f', language: 'javascript' } as const
      const calls = [2, TOLD].map(x => ({ ...call, args: [x] }))
      const timeoutMs = expected === 'timeout' ? 1_500 : 10_000
      const given = await sandbox().evaluate(calls, { timeoutMs })
      const told =
        given.kind === 'values' ? given.results.map(result => (result.ok ? result.value : result.error)) : given.kind
      expect(told).toEqual(expected)
    })

    it.each(ADVERSARIAL)('of a module that %s gives no more than it should', async (_title, source, kind) => {
      const before = process.memoryUsage().rss
      const evaluation = await evaluate(source, [[2]], kind === 'timeout' ? 700 : 10_000)
      expect(evaluation.kind).toBe(kind)
      expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024)
      // Whatever happened, the sandbox works as before.
      expect(await valuesOf('def f(x):\n    return x')).toEqual([int('2')])
    })
  })
}
