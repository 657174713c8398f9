import { expect, test } from 'vitest'
import { type PythonSource, readPython } from './python-source.ts'

function read(source: string): PythonSource {
  const found = readPython(source)
  if (found === null) throw new Error('the source was not read')
  return found
}
const bound = (source: string) => read(source).bindings.map(({ name, by }) => `${name} by ${by}`)

test('imports of every form name their module', () => {
  const source =
    'import a\nimport b.c as d, e\nfrom f.g import (h as i,\n  j)\nfrom k import *\ntry:\n    from . import l\nexcept ImportError:\n    pass\n'
  expect([...read(source).imports]).toEqual(['a', 'b.c', 'e', 'f.g', 'k', '.'])
  expect(bound(source)).toContain('i by import from f.g')
  expect(bound(source)).toContain('d by import from b.c')
})

test('words in comments and strings are no imports, tests, names or assertions', () => {
  const found = read('# from main import f\n"""def test_f(): assert f(1)"""\nx = "import main"\n')
  expect(found.imports.size).toBe(0)
  expect(found.tests).toEqual([])
  expect(found.asserts).toBe(false)
  expect(found.names).toEqual(new Set(['x']))
})

test.each([
  ['def f(n):\n    pass\n', 'f by def'],
  ['async def f(n):\n    pass\n', 'f by def'],
  ['class f:\n    pass\n', 'f by class'],
  ['f = lambda n: n\n', 'f by assignment'],
  ['f: object = None\n', 'f by assignment'],
  ['g = f = 1\n', 'f by assignment'],
  ['(f, g) = 1, 2\n', 'f by assignment'],
  ['if (f := 3):\n    pass\n', 'f by assignment'],
  ['main.f = 3\n', 'f by assignment'],
  ['import sys\nsys.modules["main"] = 3\n', 'main by assignment'],
  ['setattr(main, "f", 3)\n', 'f by setattr'],
  ['monkeypatch.setattr("main.f", 3)\n', 'f by setattr'],
  ['@patch("main.f")\ndef test_f(g): pass\n', 'f by setattr'],
  ['@mock.patch.object(main, "f")\ndef test_f(g): pass\n', 'f by setattr'],
  ['try:\n    pass\nexcept Exception:\n    if True:\n        def f(): pass\n', 'f by def'],
  ['from other import g as f\n', 'f by import from other'],
])('a meaning given to a name is found: %j', (source, expected) => {
  expect(bound(source)).toContain(expected)
})

test('what is used, compared or called is not bound', () => {
  expect(bound('assert f(3) == g\nprint(f=1)\nfor x in f: pass\n')).toEqual([])
})

test.each([
  ['def test_a():\n    assert f(1)\n'],
  ['class TestA:\n    def test_a(self):\n        self.assertEqual(f(1), 1)\n'],
  ['@pytest.mark.parametrize("n", [1])\ndef test_a(n):\n    with pytest.raises(ValueError):\n        f(n)\n'],
])('tests and their assertions are found: %j', source => {
  const { tests, asserts, names } = read(source)
  expect({ tests, asserts, uses: names.has('f') }).toEqual({ tests: ['test_a'], asserts: true, uses: true })
})

test('number literals give their values', () => {
  expect(read('c = 1_000 + 0.5\nd = "7"\n').numbers).toEqual([1000, 0.5])
})

test('broken syntax is read as far as it goes, and a huge file is not read', () => {
  expect(bound('def f(:\n  x = (\n')).toContain('f by def')
  expect(readPython('#'.repeat(200_001))).toBe(null)
})

test('a module imported by a call is imported, and its name is not an own one', () => {
  const source = 'import importlib\ncode = importlib.import_module("main")\n'
  expect(read(source).imports.has('main')).toBe(true)
  expect(bound(source)).toContain('code by import from main')
})

test.each([
  ['assert f(3) == "x"\n', ['f', 'x']],
  ['self.assertEqual(f(3), "x")\n', ['f', 'x']],
  ['if f(n) != text:\n    raise AssertionError(n)\n', ['f', 'n', 'text']],
])('what is compared: %j', (source, words) => {
  expect(read(source).asserts || source.startsWith('assert')).toBe(true)
  expect(read(source).comparisons.map(found => [...found].sort())).toEqual([words])
})

test.each([['assert f\n'], ['assert f is not None\n'], ['assert f(3) == True\n']])(
  'nothing is compared: %j',
  source => {
    expect(read(source).comparisons).toEqual([])
  },
)

test('where a name comes from', () => {
  const { origins } = read('a = f(b)\nfor n, t in c.d:\n    pass\n')
  expect(origins.map(({ name, from }) => [name, ...from])).toEqual([
    ['a', 'a', 'f', 'b'],
    ['n', 'c', 'd'],
    ['t', 'c', 'd'],
  ])
})
