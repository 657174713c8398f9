import { expect, it } from 'vitest'
import { folderOfEachTest } from '../../test/folder.ts'
import { asFileFilter, sameIdIn, taskIdIn } from './task-ids.ts'

const folder = folderOfEachTest()
const file = (path: string, text: string): string => {
  folder.write({ [path]: text })
  return folder(path)
}

const spec = (id: string) =>
  `import { defineTask } from 'agent-bench'\nexport default defineTask({\n  id: '${id}',\n})\n`

it('reads the id of a spec file, a manifest, and of a skill without either', () => {
  expect(taskIdIn(file('a.bench.ts', spec('one_v1')))).toBe('one_v1')
  expect(taskIdIn(file('s/bench_manifest.json', '\uFEFF{ // mine\n "id": "two_v1", }'))).toBe('two_v1')
  expect(taskIdIn(file('t-x/bench_manifest.json', '{}'))).toBe('skill_run_v1_t-x')
  expect(taskIdIn(file('u/SKILL.md', 'words'))).toBe('skill_run_v1_u')
})

it('knows nothing of an id that is worked out, of a broken manifest or a missing file', () => {
  expect(taskIdIn(file('a.bench.ts', 'export default defineTask({ id: name + 1 })'))).toBeNull()
  expect(taskIdIn(file('v/bench_manifest.json', '{{{'))).toBe('skill_run_v1_v')
  expect(taskIdIn(folder('missing.bench.ts'))).toBeNull()
})

it('finds two files with one id', () => {
  const [a, b, c] = [file('a.bench.ts', spec('x')), file('b.bench.ts', spec('y')), file('c.bench.ts', spec('x'))]
  expect(sameIdIn([a, b])).toBeNull()
  expect(sameIdIn([a, a])).toBeNull()
  expect(sameIdIn([a, b, c])).toEqual({ id: 'x', files: [a, c] })
})

it('turns an id into the path of its file, and leaves other filters alone', () => {
  const files = [file('first.bench.ts', spec('one_v1')), file('second.bench.ts', spec('two_v1'))]
  const given = ['two_v1', 'first', 'nothing', 'second.bench.ts:12', 'nothing:3']
  expect(given.map(filter => asFileFilter(filter, files))).toEqual([
    files[1],
    'first',
    'nothing',
    'second.bench.ts',
    'nothing:3',
  ])
})
