/** Our stand-in for pytest against pytest itself: the same files, the same command lines, the same verdicts. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findInterpreter } from '../src/sandbox/namespace/interpreter.ts'
import { describeWith } from './needs.ts'

const RUNNER = fileURLToPath(new URL('../src/sandbox/image/minipytest', import.meta.url))

const FILES: Readonly<Record<string, string>> = {
  'shop.py': 'def add(a, b):\n    return a - b\n\n\ndef divide(a, b):\n    return a / b\n',
  'test_shop.py': `import pytest
from shop import add, divide
def test_zero(): assert add(2, 0) == 2
def test_add():
    assert add(1, 1) == 2
@pytest.mark.skip(reason='later')
def test_later(): assert False
@pytest.mark.skipif(True, reason='never')
def test_never(): assert False
@pytest.mark.parametrize('a, b, total', [(1, 2, 3), (5, 0, 5), pytest.param(1, 1, 2, id='ones')])
def test_sums(a, b, total): assert add(a, b) == total, 'the sum'
@pytest.mark.parametrize('x', [0, 'a b', None, 1.5])
@pytest.mark.parametrize('y', [True, [1], int])
def test_stacked(x, y): pass
@pytest.mark.parametrize('x', [1, 1, 'a', 'a'])
def test_same_ids(x): pass
def test_raises():
    with pytest.raises(ZeroDivisionError, match='division'):
        divide(1, 0)
def test_does_not_raise():
    with pytest.raises(ValueError):
        divide(1, 1)
def test_raises_another():
    with pytest.raises(ValueError):
        divide(1, 0)
def test_close():
    assert divide(1, 3) == pytest.approx(0.3333333)
    assert [0.1 + 0.2] == pytest.approx([0.3])
def test_error(): divide(1, 0)
`,
  'test_fixtures.py': `import os
import pytest
@pytest.fixture
def basket(tmp_path):
    path = tmp_path / 'basket.txt'
    path.write_text('apple')
    yield path
    path.unlink()
@pytest.fixture(scope='module')
def counter(): return []
@pytest.fixture(autouse=True)
def counted(counter): counter.append(1)
@pytest.fixture
def broken(): raise RuntimeError('no basket')
@pytest.fixture
def breaks_later():
    yield 1
    raise RuntimeError('cannot be put away')
def test_first(counter): assert len(counter) == 1
def test_second(counter, basket):
    assert len(counter) == 2
    assert basket.read_text() == 'apple'
def test_printed(capsys):
    print('hello')
    assert capsys.readouterr().out == 'hello\\n'
    assert capsys.readouterr().out == ''
def test_patched(monkeypatch):
    monkeypatch.setenv('BASKET', 'full')
    monkeypatch.setattr(os, 'sep', '!')
    assert os.environ['BASKET'] == 'full' and os.sep == '!'
def test_not_patched(): assert 'BASKET' not in os.environ and os.sep == '/'
def test_broken(broken): pass
def test_unknown(no_such_fixture): pass
def test_breaks_later(breaks_later): assert breaks_later == 1
`,
  'test_classes.py': `import unittest
import pytest
class TestBasket:
    def setup_method(self):
        self.things = ['apple']
    def test_holds(self):
        assert 'apple' in self.things
    def test_lacks(self):
        print('looking')
        assert 'pear' in self.things
    def helper(self): assert False
class Helper:
    def test_not_collected(self): assert False
class BasketCase(unittest.TestCase):
    def setUp(self):
        self.count = 1
    def test_count(self):
        self.assertEqual(self.count, 1)
    def test_wrong(self):
        self.assertEqual(self.count, 2)
    @unittest.skip('not now')
    def test_skipped(self): raise RuntimeError
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.mark.xfail
def test_unexpected(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.mark.slow
def test_marked(): pytest.skip('inside')
`,
  'deep/conftest.py': 'import pytest\n\n@pytest.fixture\ndef number():\n    return 7\n',
  'deep/test_deep.py': 'def test_number(number):\n    assert number == 7\n',
  'deep/.hidden/test_hidden.py': 'def test_hidden():\n    assert False\n',
  'package/__init__.py': '',
  'package/part.py': 'VALUE = 3\n',
  'package/test_part.py': 'from .part import VALUE\n\n\ndef test_value():\n    assert VALUE == 3\n',
  'bad/test_import.py': 'import no_such_module\n',
  'bad/test_syntax.py': 'def f(:\n',
  'bad/test_good.py': 'def test_good():\n    pass\n',
  'none/test_nothing.py': 'x = 1\n',
}

const COMMAND_LINES = [
  'test_shop.py',
  '-q test_shop.py',
  '-v test_shop.py',
  '-q test_shop.py test_fixtures.py test_classes.py deep package',
  '-q -x test_shop.py',
  '-q --maxfail=2 test_shop.py',
  '-q -k add test_shop.py',
  "-q -k 'not add and (zero or later)' test_shop.py",
  "-q -k 'TestBasket or slow' test_classes.py",
  '-q -k nothing_like_it test_shop.py',
  '-q test_shop.py::test_add',
  '-q test_shop.py::test_sums[ones]',
  '-q test_classes.py::TestBasket::test_holds',
  '-q test_classes.py::TestBasket',
  '-q test_shop.py::test_absent',
  '-q absent.py',
  '-q --no-such-option',
  '-q none',
  '-q bad',
  'bad',
  '-q -x bad',
  '-q bad/test_import.py test_shop.py',
  '--co -q test_shop.py test_classes.py',
  '--co -q none',
  '-q --tb=no test_shop.py',
  '--version',
]

interface Ran {
  readonly status: number
  readonly lines: readonly string[]
}

await describeWith(['namespaces', 'pytest'], 'the mini runner', () => {
  let folder = ''
  let python = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-bench-mini-'))
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    python = (await findInterpreter()).executable
  })
  afterAll(() => rm(folder, { recursive: true }))

  function runTests(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ran> {
    const own = { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1', LANG: 'C.UTF-8', TMPDIR: folder }
    const env = { ...own, ...environment }
    return new Promise(resolve => {
      execFile(python, ['-m', 'pytest', ...args], { cwd: folder, env, timeout: 60_000 }, (error, stdout) => {
        resolve({ status: typeof error?.code === 'number' ? error.code : 0, lines: stdout.trimEnd().split('\n') })
      })
    })
  }
  const real = (args: readonly string[]) =>
    runTests([...args, '-p', 'no:cacheprovider'], { PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' })
  const ours = (args: readonly string[]) => runTests(args, { PYTHONPATH: RUNNER })

  /** The summary without its time and rule. */
  const summary = ({ lines }: Ran) => (lines.at(-1) ?? '').replace(/ in [\d.]+s/, '').replace(/^=+ | =+$/g, '')
  const named = ({ lines }: Ran) =>
    lines
      .filter(line => /^(FAILED|ERROR|test_\S+::\S+$)|^\S+::\S+ [A-Z]+ +\[/.test(line) && !line.startsWith('ERROR: '))
      .map(line => line.split(/ - | \[/)[0] ?? '')

  it.each(COMMAND_LINES)('ends `pytest %s` as pytest does: exit code, summary line, what failed', async line => {
    const args = line.match(/'[^']*'|\S+/g)?.map(word => word.replaceAll("'", '')) ?? []
    const [expected, got] = await Promise.all([real(args), ours(args)])
    expect(got.status).toBe(expected.status)
    // Warnings of unknown marks are pytest's own.
    if (!args.includes('--version')) expect(summary(got)).toBe(summary(expected).replace(/, \d+ warnings?/, ''))
    expect(named(got)).toEqual(named(expected))
  })

  it('says in its version that it is not pytest', async () => {
    expect((await ours(['--version'])).lines.join()).toContain('agent-bench mini runner')
  })

  it('shows the failing line with both sides of the comparison', async () => {
    const text = (await ours(['-q', 'test_shop.py::test_add'])).lines.join('\n')
    expect(text).toContain('>       assert add(1, 1) == 2')
    expect(text).toContain('E       assert 0 == 2')
    expect(text).toMatch(/test_shop\.py:5: AssertionError/)
  })

  it('shows what a failed test printed', async () => {
    const text = (await ours(['-q', 'test_classes.py::TestBasket'])).lines.join('\n')
    expect(text).toMatch(/Captured stdout call -+\nlooking/)
  })
})
